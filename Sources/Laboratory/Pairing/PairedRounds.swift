import Measurement

/// The figure of one round of a run.
public struct RoundFigure: Sendable, Hashable {
  /// The number of the round, from 0.
  public let round: Int
  /// The figure of the round's trial.
  public let value: Double

  /// Creates the figure of a round.
  public init(round: Int, value: Double) {
    self.round = round
    self.value = value
  }
}

/// The figures of two sides in the rounds that both sides have, matched by the number of the round. A round is left out
/// if either side has no figure in this round.
///
/// Both sides of a round ran within seconds of each other, so a disturbance affected both sides.
public struct PairedRounds: Sendable {
  /// The two figures of each round, in the order of the left side's rounds.
  public let pairs: [(left: Double, right: Double)]

  /// Creates pairs from the figures of the rounds that both sides have.
  public init(_ left: [RoundFigure], against right: [RoundFigure]) {
    let others = Dictionary(right.map { ($0.round, $0.value) }, uniquingKeysWith: { first, _ in first })
    pairs = left.compactMap { figure in others[figure.round].map { (figure.value, $0) } }
  }

  /// Creates paired rounds from figures that are already paired.
  init(_ pairs: [(left: Double, right: Double)]) { self.pairs = pairs }

  /// Whether all pairs have a ratio: there is a pair, and all figures are above 0.
  public var areRatios: Bool { !pairs.isEmpty && pairs.allSatisfy { $0.left > 0 && $0.right > 0 } }

  /// Returns the interval of the ratio of left to right; nil if there are too few rounds or a pair has no ratio.
  ///
  /// - Parameters:
  ///   - comparisons: the number of intervals that share the confidence.
  ///   - spread: the smallest plausible standard deviation of the ratios' logarithms.
  public func interval(among comparisons: Int = 1, spread: Double = 0) -> ConfidenceInterval? {
    ConfidenceInterval.ofRatio(pairs, among: comparisons, spread: spread)
  }

  /// Whether the ranges of the two sides do not overlap. If the sides do not differ and have six rounds each, the
  /// ranges do not overlap in one of 462 cases (Mann and Whitney, 1947).
  var areDisjoint: Bool {
    let sides = [pairs.map(\.left), pairs.map(\.right)].compactMap { side in
      side.min().flatMap { low in side.max().map { (low: low, high: $0) } }
    }
    return sides.count == 2 && (sides[0].high < sides[1].low || sides[1].high < sides[0].low)
  }

  /// Returns whether the ranges of the two sides do not overlap, and such a gap is too improbable to be due to chance.
  /// The probability of a gap by chance, multiplied by `comparisons`, must be at most a tenth of the error
  /// probability of the intervals.
  func areCertainlyDisjoint(among comparisons: Int) -> Bool {
    // The number of ways to distribute the figures over the two sides. In two of these ways, the sides do not overlap.
    let ways = (1...max(1, pairs.count)).reduce(1.0) { $0 * Double(pairs.count + $1) / Double($1) }
    return areDisjoint && 2 / ways * Double(comparisons) <= (1 - ConfidenceInterval.confidence) / 10
  }
}

/// The ratio of one run to another, from the rounds that both runs have.
public struct Contrast: Sendable {
  /// The geometric mean of the rounds' ratios.
  public let ratio: Double
  /// The confidence interval of the ratio; nil for too few rounds.
  public let interval: ConfidenceInterval?
  /// The ratio of each round, in the order of the left side's rounds.
  public let rounds: [Double]
  /// Whether the ranges of the two runs certainly do not overlap, although the interval of their ratio may include 1.
  /// The interval can include 1 if one run varies so much that little is known about the ratio.
  private let areCertainlyDisjoint: Bool
  /// The number of comparisons that share the confidence.
  private let comparisons: Int
  /// Whether the rounds distinguish the two runs; nil if there are too few rounds to decide. Runs are not distinguished
  /// if most rounds contradict the mean (``isContradicted``).
  public var isDistinct: Bool? { differs.map { $0 && !isContradicted } }
  /// Whether one side is certainly better on average, although the other side is better in more than half of the
  /// rounds. The reason is usually a side that alternates between two states. Neither side is then the better one, and
  /// more rounds do not change that.
  public var isContradicted: Bool { differs == true && opposition > 0.5 }
  /// Whether the means of the two runs certainly differ; nil if there are too few rounds to decide.
  private var differs: Bool? { interval.map { $0.low > 1 || $0.high < 1 || areCertainlyDisjoint } }
  /// Whether the rounds do not even show that the difference is small; nil if there are too few rounds to decide.
  public var isNoise: Bool? { interval.map { isContradicted || $0.isNoise } }

  /// Creates the contrast of two sides; nil if there is no ratio.
  ///
  /// - Parameters:
  ///   - comparisons: the number of comparisons that share the confidence.
  ///   - spread: the smallest plausible standard deviation of the ratios' logarithms.
  public init?(_ rounds: PairedRounds, among comparisons: Int = 1, spread: Double = 0) {
    let ratios = rounds.pairs.map { $0.left / $0.right }
    guard rounds.areRatios, let mean = Ranking.typical(ratios) else { return nil }
    self.rounds = ratios
    interval = rounds.interval(among: comparisons, spread: spread)
    ratio = interval?.estimate ?? mean
    areCertainlyDisjoint = rounds.areCertainlyDisjoint(among: comparisons)
    self.comparisons = comparisons
  }

  /// The factor by which the number of rounds must probably grow to rank the two sides; nil if no number of rounds
  /// would, or if there are too few rounds to tell.
  public var roundsToRank: Double? { interval?.roundsToRank(after: rounds.count, among: comparisons) }
  /// The factor by which the number of rounds must at least grow to rank the two sides; nil for too few rounds.
  public var fewestRoundsToRank: Double? { interval?.fewestRoundsToRank(after: rounds.count, among: comparisons) }

  /// The share of the rounds whose ratios are on the same side of 1 as ``ratio``, from 0 to 1. If a side alternates
  /// between two states, it can be better on average although it is worse in most rounds.
  public var agreement: Double {
    Double(rounds.count { ($0 > 1) == (ratio > 1) }) / Double(max(1, rounds.count))
  }

  /// The share of the rounds whose ratios are on the other side of 1 than ``ratio``, from 0 to 1. Rounds without a
  /// difference are part of neither share.
  public var opposition: Double {
    Double(rounds.count { ratio > 1 ? $0 < 1 : $0 > 1 }) / Double(max(1, rounds.count))
  }

  /// ``agreement`` as text, if it is so small that a reader must know it: below 75 %. Otherwise nil.
  public var seldom: String? { agreement < 0.75 ? Self.ofRounds(agreement) : nil }

  /// ``opposition`` as text: `56 % of the rounds`.
  public var opposingRounds: String { Self.ofRounds(opposition) }

  /// ``opposingRounds``; nil if the contrast is not contradicted (``isContradicted``).
  public var contradiction: String? { isContradicted ? opposingRounds : nil }

  private static func ofRounds(_ share: Double) -> String { "\(Int((100 * share).rounded())) % of the rounds" }
}

extension VariantRun {
  /// Returns the figures of `metric`, by `statistic` or by the metric's default statistic, from the trials that have a
  /// figure.
  public func figures(_ metric: Metric, _ statistic: Statistic? = nil) -> [RoundFigure] {
    trials.compactMap { trial in
      trial.figure(metric, statistic).map { RoundFigure(round: trial.round, value: $0) }
    }
  }
}

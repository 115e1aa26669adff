import Measurement

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

  /// The ratio or its reciprocal, whichever is at least 1.
  public var factor: Double { max(ratio, 1 / ratio) }

  /// The share of the rounds whose ratios are on the same side of 1 as ``ratio``, from 0 to 1. If a side alternates
  /// between two states, it can be better on average although it is worse in most rounds.
  public var agreement: Double {
    Double(rounds.count { ratio > 1 ? $0 > 1 : $0 < 1 }) / Double(max(1, rounds.count))
  }

  /// The share of the rounds whose ratios are on the other side of 1 than ``ratio``, from 0 to 1. Rounds without a
  /// difference are part of neither share.
  public var opposition: Double {
    Double(rounds.count { ratio > 1 ? $0 < 1 : $0 > 1 }) / Double(max(1, rounds.count))
  }

  /// ``agreement`` as text; nil if it is at least 75 %, which a reader need not know.
  public var lowAgreementText: String? { agreement < 0.75 ? Self.ofRounds(agreement) : nil }

  /// ``opposition`` as text: `56 % of the rounds`.
  public var opposingRounds: String { Self.ofRounds(opposition) }

  /// ``opposingRounds``; nil if the contrast is not contradicted (``isContradicted``).
  public var contradiction: String? { isContradicted ? opposingRounds : nil }

  private static func ofRounds(_ share: Double) -> String { "\(Int((100 * share).rounded())) % of the rounds" }
}

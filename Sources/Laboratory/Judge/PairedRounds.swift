import Measurement

/// What a round came to in one run.
public struct RoundFigure: Sendable, Hashable {
  /// The number of the round.
  public let round: Int
  /// The trial's figure.
  public let value: Double

  /// A figure of a round.
  public init(round: Int, value: Double) {
    self.round = round
    self.value = value
  }
}

/// The figures of two sides in the rounds that both have, by the number of the round: a trial may have failed in
/// between.
///
/// Both sides of a round ran within seconds of each other, so what disturbed one disturbed the other.
public struct PairedRounds: Sendable {
  /// The two figures of each round, in the order of the left side.
  public let pairs: [(left: Double, right: Double)]

  /// The rounds that both sides have.
  public init(_ left: [RoundFigure], against right: [RoundFigure]) {
    let others = Dictionary(right.map { ($0.round, $0.value) }, uniquingKeysWith: { first, _ in first })
    pairs = left.compactMap { figure in others[figure.round].map { (figure.value, $0) } }
  }

  /// Figures that are paired already.
  init(_ pairs: [(left: Double, right: Double)]) { self.pairs = pairs }

  /// Whether there is a ratio: of 0 there is none, however many rounds there are.
  public var areRatios: Bool { !pairs.isEmpty && pairs.allSatisfy { $0.left > 0 && $0.right > 0 } }

  /// The interval of the ratio left to right; nil for too few rounds, and where there is no ratio.
  ///
  /// - Parameters:
  ///   - comparisons: how many intervals share the confidence.
  ///   - spread: the least standard deviation of the ratios' logarithms to believe in.
  public func interval(among comparisons: Int = 1, spread: Double = 0) -> ConfidenceInterval? {
    ConfidenceInterval.ofRatio(pairs, among: comparisons, spread: spread)
  }

  /// Whether these rounds by themselves tell the sides apart, as those of a claim do.
  var tellsApart: Bool { interval().map { $0.low > 1 || $0.high < 1 || areApart } ?? false }

  /// Whether the sides do not overlap at all, which of six rounds each equals are in one of 462 cases (Mann and
  /// Whitney, 1947).
  var areApart: Bool {
    let sides = [pairs.map(\.left), pairs.map(\.right)].compactMap { side in
      side.min().flatMap { low in side.max().map { (low: low, high: $0) } }
    }
    return sides.count == 2 && (sides[0].high < sides[1].low || sides[1].high < sides[0].low)
  }
}

/// One run against another: the ratio of their figures in the rounds that have both.
public struct Contrast: Sendable {
  /// The geometric mean of the rounds' ratios, or their median where there are too few for an interval.
  public let ratio: Double
  /// Its confidence interval; nil for too few rounds.
  public let interval: ConfidenceInterval?
  /// The ratio of each round, in order.
  public let rounds: [Double]
  /// Whether the rounds tell the two apart; nil when there are too few to say.
  public var isDistinct: Bool? { interval.map { $0.low > 1 || $0.high < 1 } }

  /// The contrast of two sides, one of so many `comparisons`, with the least `spread` of the ratios' logarithms to
  /// believe in; nil where there is no ratio.
  public init?(_ rounds: PairedRounds, among comparisons: Int = 1, spread: Double = 0) {
    let ratios = rounds.pairs.map { $0.left / $0.right }
    guard rounds.areRatios, let median = Summary(ratios)?.p50 else { return nil }
    self.rounds = ratios
    interval = rounds.interval(among: comparisons, spread: spread)
    ratio = interval?.estimate ?? median
  }

  /// Whether the ratio is known to within this share of it.
  func isKnown(within share: Double) -> Bool { interval.map { $0.high / $0.estimate - 1 <= share } ?? false }
}

extension Run {
  /// The figure of `metric` in each of its trials that has one, by `statistic` or the metric's own.
  public func figures(_ metric: Metric, _ statistic: Statistic? = nil) -> [RoundFigure] {
    trials.compactMap { trial in
      trial.figure(metric, statistic).map { RoundFigure(round: trial.round, value: $0) }
    }
  }
}

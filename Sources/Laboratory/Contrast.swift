import Measurement

/// One run against another: the ratio of their figures in the rounds that have both.
///
/// Both sides of a round ran within seconds of each other, so what disturbed one disturbed the other.
public struct Contrast: Sendable, Hashable {
  /// The ratio: the geometric mean over the rounds, or its median where there are too few for an interval.
  public let ratio: Double
  /// Its confidence interval; nil for too few rounds.
  public let interval: ConfidenceInterval?

  /// `run` against `reference` by the figures of `metric`; nil without a round that has both, or where a figure is not
  /// positive: of 0 there is no ratio.
  public init?(_ run: Run, against reference: Run, by metric: Metric, seed: UInt64) {
    let others = Dictionary(
      reference.trials.compactMap { trial in trial.figure(metric).map { (trial.round, $0) } }, uniquingKeysWith: { $1 })
    let pairs = run.trials.compactMap { trial -> (left: Double, right: Double)? in
      guard let left = trial.figure(metric), let right = others[trial.round] else { return nil }
      return (left, right)
    }
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }), let median = Summary(pairs.map { $0.left / $0.right })?.p50
    else { return nil }
    interval = ConfidenceInterval.ofRatio(pairs, seed: seed)
    ratio = interval?.estimate ?? median
  }

  /// Whether the rounds tell the two apart; nil when there are too few to say.
  public var isDistinct: Bool? { interval.map { $0.low > 1 || $0.high < 1 } }
}

import Measurement

/// One run against another: the ratio of their figures in the rounds that have both.
///
/// Both sides of a round ran within seconds of each other, so what disturbed one disturbed the other.
struct Contrast: Sendable {
  /// The geometric mean of the rounds' ratios, or their median where there are too few for an interval.
  let ratio: Double
  /// Its confidence interval; nil for too few rounds.
  let interval: ConfidenceInterval?
  /// Whether the rounds tell the two apart; nil when there are too few to say.
  var isDistinct: Bool? { interval.map { $0.low > 1 || $0.high < 1 } }

  /// The contrast of some pairs, one of so many `comparisons`, with the least `spread` of the ratios' logarithms to believe
  /// in; nil without a pair, or where a figure is not positive: of 0 there is no ratio.
  init?(_ pairs: [(left: Double, right: Double)], among comparisons: Int, spread: Double = 0) {
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }), let median = Summary(pairs.map { $0.left / $0.right })?.p50
    else { return nil }
    interval = ConfidenceInterval.ofRatio(pairs, among: comparisons, spread: spread)
    ratio = interval?.estimate ?? median
  }

  /// The figures of the rounds that both have, by the number of the round: a trial may have failed in between.
  static func pairs(_ run: SampleFacts, against reference: SampleFacts) -> [(left: Double, right: Double)] {
    let others = Dictionary(
      reference.rounds.map { ($0.round, $0.value.value) }, uniquingKeysWith: { first, _ in first })
    return run.rounds.compactMap { figure in others[figure.round].map { (figure.value.value, $0) } }
  }
}

import Laboratory
import Measurement

extension ConfidenceInterval {
  /// The distance from the estimate to the farther end of the interval, as a share of the estimate: `±2.1 %`, or `±?`
  /// for a share of 1000 % or more.
  var margin: String {
    let percent = 100 * relativeMargin
    return Signs.margin + (percent < 1000 ? "\(Quantity.fixed(percent, decimals: percent < 9.95 ? 1 : 0)) %" : "?")
  }

  /// The largest difference from 1 of any ratio in the interval: `2.1 %`, or `3.4x` for a ratio of 2 or more. A
  /// difference just above ``alikeReach`` has a decimal that is rounded up, so that its text is above ``alikeReach``,
  /// too.
  var reach: String {
    guard largestDifference < 1 else { return "\(Quantity.ratio(1 + largestDifference, isRough: true))x" }
    let percent = 100 * largestDifference
    // The subtraction keeps 10 % at 10 %, although 100 * (1.1 - 1) is slightly above 10.
    if percent >= 10.5 { return "\(Quantity.fixed(percent, decimals: 0)) %" }
    guard percent >= 9.95 else { return "\(Quantity.fixed(percent, decimals: 1)) %" }
    let above = (10 * percent - 1e-8).rounded(.up) / 10
    return "\(Quantity.fixed(above, decimals: above == 10 ? 0 : 1)) %"
  }

  /// The maximum difference between sides that count as alike: `10 %`.
  static var alikeReach: String { Quantity(100 * alikeDifference, .percent).description }

  /// The ratio of the upper to the lower end.
  var width: Double { high / low }

  /// Whether both ends of the interval are equal. The ends are equal if all rounds have exactly the same ratio, which
  /// is possible for counts.
  var isExact: Bool { low == high }

  /// The ends of the interval as multiples: `[1.5x … 2.3x]`. If the estimate is at most 1, the ends are those of the
  /// reciprocal ratio.
  var ends: String {
    "[\(Self.end(multiples.low))x \(Signs.range) \(Self.end(multiples.high))x]"
  }

  /// The ends of the interval of the ratio itself, which can be below 1: `[0.49x … 0.62x]`.
  var plainEnds: String { "[\(Self.end(low))x \(Signs.range) \(Self.end(high))x]" }

  /// Returns ``ends`` with the direction of the ratio: `[1.10x … 1.35x faster]`, or `[1.03x slower … 1.35x faster]`.
  func ends(_ meaning: Metric.Meaning) -> String { "[\(directed(meaning, Signs.range))]" }

  /// Returns the interval of a ratio in words, without the estimate: `1.59x to 155x slower`, or `1.03x faster to 1.59x
  /// slower`.
  func range(_ meaning: Metric.Meaning) -> String { directed(meaning, "to") }

  /// Returns both ends with a word or a sign between them. If 1 is between the ends, each end has its own direction.
  /// Otherwise the end that is farther from 1 has the direction.
  private func directed(_ meaning: Metric.Meaning, _ between: String) -> String {
    if low < 1, high > 1 { return "\(meaning.wording(low)) \(between) \(meaning.wording(high))" }
    return "\(Self.end(multiples.low))x \(between) \(meaning.wording(estimate <= 1 ? low : high))"
  }

  /// Returns the text of an end, with enough digits to distinguish the end from 1.
  private static func end(_ ratio: Double) -> String {
    let text = Quantity.ratio(ratio)
    return text == "1.00" && ratio != 1 ? Quantity.fixed(ratio, decimals: 4) : text
  }

  /// Returns the ratio with its interval in words: `54.2x faster [53.1x … 55.0x]`. If all rounds have the same ratio
  /// and the figures are not durations, returns `2.00x fewer in every round`, or `the same` for a ratio of 1.
  func wording(_ meaning: Metric.Meaning) -> String {
    let ratio = meaning.wording(estimate)
    guard isExact, meaning != .duration else { return "\(ratio) \(ends)" }
    return exactly("\(ratio) in every round")
  }

  /// Returns `the same` if the estimate is 1, and `ratio` otherwise.
  func exactly(_ ratio: String) -> String { estimate == 1 ? "the same" : ratio }

  /// Returns whether both sides were equal in every round. The result is false for durations, since durations are equal
  /// only by chance.
  func isSame(_ meaning: Metric.Meaning) -> Bool { isExact && estimate == 1 && meaning != .duration }
}

extension MetricFacts {
  /// The word for a run that is better than another: `faster`, `fewer`, `higher`.
  var betterWord: String { better == .higher ? meaning.comparatives.above : meaning.comparatives.below }

  /// The word for a run that is worse than another: `slower`, `more`, `lower`.
  var worseWord: String { better == .higher ? meaning.comparatives.below : meaning.comparatives.above }
}

extension Metric.Meaning {
  /// The words for a lower and for a higher figure.
  var comparatives: (below: String, above: String) {
    switch self {
    case .duration: ("faster", "slower")
    case .count: ("fewer", "more")
    case .amount: ("less", "more")
    case .throughput, .level: ("lower", "higher")
    }
  }

  /// Returns a ratio in words, as a multiple of at least 1: `1.93x faster`, `28.8x fewer`. A rough ratio has one digit
  /// fewer. A ratio whose digits are those of 1 has no direction: `1.00x`.
  func wording(_ ratio: Double, isRough: Bool = false) -> String {
    let (below, above) = comparatives
    let multiple = Quantity.ratio(ratio <= 1 ? 1 / ratio : ratio, isRough: isRough)
    return "\(multiple)x" + (Double(multiple) == 1 ? "" : " \(ratio <= 1 ? below : above)")
  }
}

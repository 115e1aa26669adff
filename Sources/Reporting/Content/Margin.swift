import Laboratory
import Measurement

extension ConfidenceInterval {
  /// The half width of the interval on its wider side, as a share of the estimate: `±2.1 %`.
  var margin: String {
    let share = share
    return Signs.margin + (share < 1000 ? "\(Quantity.fixed(share, decimals: share < 9.95 ? 1 : 0)) %" : "?")
  }

  /// The larger distance of an end from 1, for an interval that includes 1: `2.1 %`.
  var reach: String { "\(Quantity.fixed(reachShare, decimals: reachShare < 9.95 ? 1 : 0)) %" }

  /// The largest difference between sides that are called alike: `10 %`.
  static var alikeReach: String { Quantity(alikeShare, .percent).description }

  /// Whether every round has exactly the same ratio, which is possible for counts.
  var isExact: Bool { low == high }

  /// The ends as multiples, `[1.5x … 2.3x]`. An end on the other side of 1 is a fraction.
  var ends: String {
    let ends = estimate <= 1 ? (1 / high, 1 / low) : (low, high)
    return "[\(Self.end(ends.0))x \(Signs.range) \(Self.end(ends.1))x]"
  }

  /// Returns an end with enough digits to distinguish it from 1.
  private static func end(_ ratio: Double) -> String {
    let text = Quantity.ratio(ratio)
    return text == "1.00" && ratio != 1 ? Quantity.fixed(ratio, decimals: 4) : text
  }

  /// Returns the ratio in words: `54.2x faster [53.1x … 55.0x]`.
  func wording(_ meaning: Metric.Meaning) -> String {
    let ratio = meaning.wording(estimate)
    guard isExact, meaning != .duration else { return "\(ratio) \(ends)" }
    return exactly("\(ratio) in every round")
  }

  /// Returns the text for a ratio that every round has: `the same` if the ratio is 1.
  func exactly(_ ratio: String) -> String { estimate == 1 ? "the same" : ratio }

  /// Returns whether both sides were equal in every round. For durations, equality is chance and is shown as a ratio.
  func isSame(_ meaning: Metric.Meaning) -> Bool { isExact && estimate == 1 && meaning != .duration }
}

extension Metric.Meaning {
  /// Returns a multiple above 1 in words: `1.93x faster`, `28.8x fewer`.
  func wording(_ ratio: Double) -> String {
    let (below, above) =
      switch self {
      case .duration: ("faster", "slower")
      case .count: ("fewer", "more")
      case .amount: ("less", "more")
      case .throughput, .level: ("lower", "higher")
      }
    return ratio <= 1 ? "\(Quantity.ratio(1 / ratio))x \(below)" : "\(Quantity.ratio(ratio))x \(above)"
  }
}

import Laboratory
import Measurement

extension ConfidenceInterval {
  /// The half width of the interval, where it is wider, as a share of the estimate: `±2.1 %`.
  var margin: String {
    let share = share
    return Signs.margin + (share < 1000 ? "\(Quantity.fixed(share, decimals: share < 9.95 ? 1 : 0)) %" : "?")
  }

  /// How far from no change it reaches, of an interval that includes it: `2.1 %`.
  var reach: String {
    let share = 100 * (max(high, 1 / low) - 1)
    return "\(Quantity.fixed(share, decimals: share < 9.95 ? 1 : 0)) %"
  }

  /// Whether every round has the very same ratio, as counts may have.
  var isExact: Bool { low == high }

  /// The ends as words count: `[1.5x … 2.3x]`. An end on the other side of 1 is a part.
  var ends: String {
    let ends = estimate <= 1 ? (1 / high, 1 / low) : (low, high)
    return "[\(Self.end(ends.0))x \(Signs.range) \(Self.end(ends.1))x]"
  }

  /// An end, with so many digits that one beside 1 is not printed as 1.
  private static func end(_ ratio: Double) -> String {
    let text = Quantity.ratio(ratio)
    return text == "1.00" && ratio != 1 ? Quantity.fixed(ratio, decimals: 4) : text
  }

  /// `54.2x faster [53.1x … 55.0x]`.
  func wording(_ meaning: Metric.Meaning) -> String {
    let ratio = meaning.wording(estimate)
    guard isExact, meaning != .duration else { return "\(ratio) \(ends)" }
    return exactly("\(ratio) in every round")
  }

  /// What to say where every round had this very ratio, in words.
  func exactly(_ ratio: String) -> String { estimate == 1 ? "the same" : ratio }

  /// Whether both sides were the same in every round; of durations that is chance, and told as a ratio.
  func isSame(_ meaning: Metric.Meaning) -> Bool { isExact && estimate == 1 && meaning != .duration }
}

extension Metric.Meaning {
  /// A multiple above 1: `1.93x faster`, `28.8x fewer`.
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

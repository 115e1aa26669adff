/// The two states of a figure. For example, a wake-up takes 5 us or 60 us, depending on whether the other core was
/// asleep.
///
/// The logarithms of the figures form two clusters, each with at least a fifth of the figures. The gap between the
/// clusters is at least twice as wide as each cluster, and at least a factor of 1.5. One median with a wide interval
/// would describe neither state. Of samples of ten figures with normal noise of any width, fewer than 1 in 200 are
/// classified as two states.
public struct States: Sendable {
  /// The smallest number of figures that can show two states.
  public static let fewest = 10

  /// The lowest figure of the upper state.
  public let border: Double
  /// The median of each state, and the number of its figures.
  public let lower, upper: (median: Double, count: Int)

  /// Creates the states of the figures; nil if there is only one state, if a figure is not positive, or for fewer than
  /// ``fewest`` figures.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard sorted.count >= Self.fewest, let least = sorted.first, least > 0 else { return nil }
    let fifth = (sorted.count + 4) / 5
    let gaps = (fifth...(sorted.count - fifth)).map { (index: $0, factor: sorted[$0] / sorted[$0 - 1]) }
    guard let widest = gaps.max(by: { $0.factor < $1.factor }), widest.factor >= 1.5 else { return nil }
    let clusters = (lower: sorted[..<widest.index], upper: sorted[widest.index...])
    let gap = widest.factor.squareRoot()
    guard Self.spread(clusters.lower) < gap, Self.spread(clusters.upper) < gap else { return nil }
    border = sorted[widest.index]
    lower = (Self.median(clusters.lower), clusters.lower.count)
    upper = (Self.median(clusters.upper), clusters.upper.count)
  }

  /// Returns the ratio of the highest to the lowest figure of a cluster. In a cluster of ten or more figures, the
  /// outermost tenth at each end is ignored. One outlier does not widen such a cluster.
  private static func spread(_ sorted: ArraySlice<Double>) -> Double {
    let inner = sorted.dropFirst(sorted.count / 10).dropLast(sorted.count / 10)
    return (inner.last ?? 1) / (inner.first ?? 1)
  }

  private static func median(_ sorted: ArraySlice<Double>) -> Double {
    let middle = sorted.startIndex + sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

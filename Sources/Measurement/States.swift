#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The two states of a figure. For example, a wake-up takes 5 us or 60 us, depending on whether the other core was
/// asleep.
///
/// The logarithms of the figures form two clusters. One median with a wide interval would describe neither state. Two
/// rules detect the clusters. Both rules require that the states differ by a factor of at least 1.5. Each rule
/// classifies fewer than 1 in 200 samples with normal noise as two states, whatever the width of the noise.
///
/// - Each cluster has at least a tenth of the figures, and at least two. The gap between the clusters is at least twice
///   as wide as each cluster, and at least a factor of 1.5.
/// - If there are at least 40 figures, some may lie in the gap. In this case, each cluster has at least a fifth of the
///   figures, and the difference between the clusters explains at least 87 % of the variance of the logarithms, for the
///   split that explains most (Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979). For evenly
///   spread figures, this share is at most 75 %, and for normal noise at most 64 %. There must also be a valley:
///   halfway between the medians, figures are at most a third as dense as around either median. A cluster with a long
///   tail has no valley.
public struct States: Sendable {
  /// The smallest number of figures that can show two states.
  public static let fewest = 10
  /// The smallest number of figures for which some figures may lie between the clusters.
  static let many = 40

  /// The lowest figure of the upper state.
  public let border: Double
  /// The median of each state, and the number of its figures.
  public let lower, upper: (median: Double, count: Int)
  /// The 90th percentile of the lower state and the 10th percentile of the upper state. A figure between the two is
  /// typical of neither state.
  public let between: (low: Double, high: Double)

  /// Creates the states of the figures; nil if there is only one state, if a figure is not positive, or for fewer than
  /// ``fewest`` figures.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard sorted.count >= Self.fewest, let least = sorted.first, least > 0,
      let index = Self.gap(sorted) ?? Self.split(sorted)
    else { return nil }
    let (low, high) = (sorted[..<index], sorted[index...])
    border = sorted[index]
    lower = (Self.median(low), low.count)
    upper = (Self.median(high), high.count)
    between = (low[low.endIndex - 1 - low.count / 10], high[high.startIndex + high.count / 10])
    guard upper.median >= Self.leastFactor * lower.median else { return nil }
  }

  private static let leastFactor = 1.5

  /// Returns the possible first indices of the upper state, if each state has at least two figures, and one of `share`.
  private static func borders(_ sorted: some RandomAccessCollection<Double>, oneOf share: Int) -> ClosedRange<Int> {
    let least = max(2, (sorted.count + share - 1) / share)
    return least...(sorted.count - least)
  }

  /// Returns the index of the first figure above a gap that is wide enough for two states; nil if there is no such gap.
  private static func gap(_ sorted: [Double]) -> Int? {
    let gaps = borders(sorted, oneOf: 10).map { (index: $0, factor: sorted[$0] / sorted[$0 - 1]) }
    guard let widest = gaps.max(by: { $0.factor < $1.factor }), widest.factor >= leastFactor else { return nil }
    let gap = widest.factor.squareRoot()
    return spread(sorted[..<widest.index]) < gap && spread(sorted[widest.index...]) < gap ? widest.index : nil
  }

  /// Returns the index of the first figure of the upper cluster, for the split that explains most of the variance; nil
  /// if the split explains too little, or if there are fewer than ``many`` figures. The outermost twentieth at each end
  /// is ignored, since an outlier would dominate the variance.
  private static func split(_ sorted: [Double]) -> Int? {
    guard sorted.count >= many else { return nil }
    let outer = sorted.count / 20
    let inner = sorted.dropFirst(outer).dropLast(outer).map { log($0) }
    let (sum, count, borders) = (inner.reduce(0, +), Double(inner.count), borders(inner, oneOf: 5))
    let mean = sum / count
    let variance = inner.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    var (best, below) = ((index: 0, explained: 0.0), inner[..<borders.lowerBound].reduce(0, +))
    for index in borders {
      let (lower, upper) = (Double(index), count - Double(index))
      let difference = (sum - below) / upper - below / lower
      let explained = lower * upper / (count * count) * difference * difference / variance
      if explained > best.explained { best = (index, explained) }
      below += inner[index]
    }
    let border = outer + best.index
    return best.explained >= 0.87 && hasValley(sorted, at: border) ? border : nil
  }

  /// Returns whether figures are at most a third as dense halfway between the medians of the two clusters as around
  /// either median. Each of the three ranges is a third of the distance between the medians, on a logarithmic scale.
  private static func hasValley(_ sorted: [Double], at border: Int) -> Bool {
    let (low, high) = (median(sorted[..<border]), median(sorted[border...]))
    let reach = pow(high / low, 1.0 / 6)
    func count(around center: Double) -> Int { sorted.count { $0 > center / reach && $0 < center * reach } }
    return 3 * count(around: (low * high).squareRoot()) <= min(count(around: low), count(around: high))
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

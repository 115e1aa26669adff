/// The statistics of a set of samples. There is none of an empty set, and no percentile that the set is too small to
/// have: p99 of ten samples would be its maximum under another name.
public struct Summary: Sendable, Hashable, Codable {
  /// How many samples; at least 1.
  public let count: Int
  /// The smallest.
  public let min: Double
  /// The median.
  public let p50: Double
  /// The 90th percentile, from 10 samples on.
  public let p90: Double?
  /// The 99th percentile, from 100 samples on.
  public let p99: Double?
  /// The 99.9th percentile, from 1000 samples on.
  public let p999: Double?
  /// The largest.
  public let max: Double
  /// The arithmetic mean.
  public let mean: Double
  /// The standard deviation, from 2 samples on.
  public let stddev: Double?
  /// The sum.
  public let total: Double

  /// The statistics of a histogram; nil when it is empty.
  public init?(_ recorded: LatencyHistogram) {
    let histogram = recorded.histogram
    guard !recorded.isEmpty else { return nil }
    let count = Int(histogram.totalCount)
    func percentile(_ p: Double, from least: Int) -> Double? {
      count >= least ? Double(Swift.min(histogram.valueAtPercentile(p), histogram.maxRecorded)) : nil
    }
    self.count = count
    // Zero is a real value here (counts), and the histogram's `min` says so.
    min = Double(histogram.min)
    p50 = percentile(50, from: 1) ?? min
    p90 = percentile(90, from: 10)
    p99 = percentile(99, from: 100)
    p999 = percentile(99.9, from: 1000)
    max = Double(histogram.maxRecorded)
    // From the buckets, not from the library's mean, so that mean and total always agree.
    var sum = 0.0
    for value in histogram.recordedValues() {
      sum += Double(histogram.medianEquivalentForValue(value.value)) * Double(value.count)
    }
    total = sum
    mean = sum / Double(count)
    stddev = count > 1 ? histogram.stdDeviation : nil
  }

  /// The statistics of plain values; nil when there are none or one is not finite.
  public init?(_ values: [Double]) {
    guard !values.isEmpty, values.allSatisfy(\.isFinite) else { return nil }
    let sorted = values.sorted()
    func percentile(_ p: Double, from least: Int) -> Double? { sorted.count >= least ? sorted.quantile(p / 100) : nil }
    count = sorted.count
    min = sorted[0]
    p50 = sorted.quantile(0.5)
    p90 = percentile(90, from: 10)
    p99 = percentile(99, from: 100)
    p999 = percentile(99.9, from: 1000)
    max = sorted[sorted.count - 1]
    let sum = sorted.reduce(0, +)
    let mean = sum / Double(sorted.count)
    total = sum
    self.mean = mean
    stddev =
      sorted.count > 1
      ? (sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(sorted.count - 1)).squareRoot() : nil
  }
}

extension [Double] {
  /// The `q` quantile of values that are sorted and not empty, interpolated between neighbours.
  public func quantile(_ q: Double) -> Double {
    let position = q * Double(count - 1)
    let lower = Int(position)
    let upper = Swift.min(lower + 1, count - 1)
    return self[lower] + (self[upper] - self[lower]) * (position - Double(lower))
  }
}

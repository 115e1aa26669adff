/// The statistics of a nonempty set of samples. A percentile is nil if the set is too small: the p99 of ten samples
/// would be exactly or nearly their maximum.
public struct Summary: Sendable, Hashable, Codable {
  /// The number of samples, at least 1.
  public let count: Int
  /// The smallest sample.
  public let min: Double
  /// The median of the samples.
  public let p50: Double
  /// The 90th percentile; nil for fewer than 10 samples.
  public let p90: Double?
  /// The 99th percentile; nil for fewer than 100 samples.
  public let p99: Double?
  /// The 99.9th percentile; nil for fewer than 1000 samples.
  public let p999: Double?
  /// The largest sample.
  public let max: Double
  /// The arithmetic mean of the samples.
  public let mean: Double
  /// The standard deviation; nil for fewer than 2 samples.
  public let stddev: Double?
  /// The sum of the samples.
  public let total: Double

  /// Returns the smallest number of samples for which the statistics include a percentile: one sample must lie above
  /// the percentile. The median exists for any number of samples.
  public static func fewestSamples(forPercentile percentile: Double) -> Int {
    Int((100 / (100 - percentile)).rounded())
  }

  /// Creates the statistics of a histogram; nil if the histogram is empty.
  public init?(_ histogram: LatencyHistogram) { self.init(pairs: histogram.pairs) }

  /// Creates the statistics of ascending `[value, count]` pairs, as ``LatencyHistogram/pairs`` returns them; nil if
  /// there are no samples. Elements that do not have two numbers, or whose count is 0, are ignored.
  public init?(pairs: [[UInt64]]) {
    let pairs = pairs.filter { $0.count == 2 && $0[1] > 0 }
    guard let first = pairs.first, let last = pairs.last else { return nil }
    let count = pairs.reduce(0) { $0 + Int(clamping: $1[1]) }
    func percentile(_ p: Double) -> Double? {
      guard count >= Self.fewestSamples(forPercentile: p) else { return nil }
      let rank = Int((p / 100 * Double(count)).rounded(.up))
      var seen = 0
      let pair = pairs.first { pair in
        seen += Int(clamping: pair[1])
        return seen >= rank
      }
      return pair.map { Double($0[0]) }
    }
    let sum = pairs.reduce(0) { $0 + Double($1[0]) * Double($1[1]) }
    let mean = sum / Double(count)
    self.count = count
    min = Double(first[0])
    p50 = percentile(50) ?? min
    p90 = percentile(90)
    p99 = percentile(99)
    p999 = percentile(99.9)
    max = Double(last[0])
    self.mean = mean
    stddev =
      count > 1
      ? (pairs.reduce(0) { sum, pair in
        let distance = Double(pair[0]) - mean
        return sum + distance * distance * Double(pair[1])
      } / Double(count - 1)).squareRoot() : nil
    total = sum
  }

  /// Creates the statistics of `values`; nil if there are no values, or if a value is not finite.
  public init?(_ values: [Double]) {
    guard !values.isEmpty, values.allSatisfy(\.isFinite) else { return nil }
    let sorted = values.sorted()
    func percentile(_ p: Double) -> Double? {
      sorted.count >= Self.fewestSamples(forPercentile: p) ? sorted.quantile(p / 100) : nil
    }
    count = sorted.count
    min = sorted[0]
    p50 = sorted.quantile(0.5)
    p90 = percentile(90)
    p99 = percentile(99)
    p999 = percentile(99.9)
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
  /// Returns the `q` quantile of values that are sorted and not empty, interpolated between neighbours. `q` is from 0
  /// to 1.
  public func quantile(_ q: Double) -> Double {
    let position = q * Double(count - 1)
    let lower = Int(position)
    let upper = Swift.min(lower + 1, count - 1)
    return self[lower] + (self[upper] - self[lower]) * (position - Double(lower))
  }
}

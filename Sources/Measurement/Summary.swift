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

  /// How many samples it takes for one of them to lie above a percentile, of which there is none with fewer. (The
  /// median is there from the first sample on all the same.)
  public static func fewestSamples(forPercentile percentile: Double) -> Int {
    Int((100 / (100 - percentile)).rounded())
  }

  /// The statistics of a histogram; nil when it is empty.
  public init?(_ histogram: LatencyHistogram) { self.init(pairs: histogram.pairs) }

  /// The statistics of ascending `[value, count]` pairs, as ``LatencyHistogram/pairs`` gives them; nil when there are
  /// none. Pairs of another length are left out.
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

  /// The statistics of plain values; nil when there are none or one is not finite.
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
  /// The `q` quantile of values that are sorted and not empty, interpolated between neighbours.
  public func quantile(_ q: Double) -> Double {
    let position = q * Double(count - 1)
    let lower = Int(position)
    let upper = Swift.min(lower + 1, count - 1)
    return self[lower] + (self[upper] - self[lower]) * (position - Double(lower))
  }
}

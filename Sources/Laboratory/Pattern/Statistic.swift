import Measurement

/// A number that describes a set of samples.
public enum Statistic: String, Sendable, Codable, CaseIterable {
  /// The smallest sample.
  case min
  /// The median.
  case p50
  /// The 90th percentile.
  case p90
  /// The 99th percentile.
  case p99
  /// The 99.9th percentile.
  case p999 = "p99.9"
  /// The largest sample.
  case max
  /// The arithmetic mean.
  case mean
  /// The sum.
  case total

  /// The percentage of samples at or below the statistic, for a percentile; nil for other statistics.
  public var percentile: Double? {
    switch self {
    case .p50: 50
    case .p90: 90
    case .p99: 99
    case .p999: 99.9
    case .min, .max, .mean, .total: nil
    }
  }

  /// The smallest number of samples for which the statistic exists: 1 for the median and for statistics that are not
  /// percentiles.
  public var fewestSamples: Int { self == .p50 ? 1 : percentile.map(Summary.fewestSamples) ?? 1 }
}

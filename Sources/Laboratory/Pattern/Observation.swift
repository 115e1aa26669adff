import Measurement

/// The measurements of a trial. A metric that was not measured is absent.
public struct Observation: Sendable, Codable, Equatable {
  // A worker encodes these dictionaries once for each trial, in half the time of a dictionary of ``Samples``.
  private var values: [String: [Double]] = [:]
  private var histograms: [String: [[UInt64]]] = [:]
  /// The number of operations that were timed together, by the name of the metric. The values of these metrics are
  /// times of one operation.
  private var batches: [String: Int]?
  /// The time of a metric's empty loop in nanoseconds per operation, by the metric's name.
  private var floors: [String: Double]?

  /// Creates an empty observation.
  public init() {}

  /// The samples of all measured metrics, by the name of the metric.
  public var metrics: [String: Samples] {
    values.mapValues(Samples.values).merging(histograms.mapValues(Samples.histogram)) { _, histogram in histogram }
  }

  /// Returns the samples of the metric called `metric`; nil if the metric was not measured.
  public func samples(_ metric: String) -> Samples? {
    histograms[metric].map(Samples.histogram) ?? values[metric].map(Samples.values)
  }

  /// Returns the number of operations that were timed together for a value of `metric`; 1 if each operation was timed
  /// alone.
  public func batch(_ metric: String) -> Int { max(1, batches?[metric] ?? 1) }

  /// Returns the time of the empty loop of `metric`, in nanoseconds per operation; nil if this time was not
  /// measured.
  public func floor(_ metric: String) -> Double? { floors?[metric] }

  /// Whether the observation is plausible: each metric has at least one sample, values and times of empty loops are
  /// from 0 to 10^18 (about 30 years in nanoseconds), and histograms are ascending with at most 10^15 samples. The
  /// output of a broken worker must not appear in a report.
  var isSound: Bool {
    values.values.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0...1e18).contains($0) } }
      && (floors ?? [:]).values.allSatisfy { (0...1e18).contains($0) }
      && histograms.values.allSatisfy { pairs in
        if pairs.isEmpty { return false }
        var last: UInt64?
        var total: UInt64 = 0
        return pairs.allSatisfy { pair in
          guard pair.count == 2, pair[0] <= 1_000_000_000_000_000_000, last.map({ $0 < pair[0] }) ?? true,
            (1...1_000_000_000_000_000).contains(pair[1])
          else { return false }
          last = pair[0]
          total += pair[1]
          return total <= 1_000_000_000_000_000
        }
      }
  }

  /// Records all values of `histogram`, in place of an earlier histogram of the metric. If `histogram` is empty,
  /// nothing is recorded.
  package mutating func record(_ metric: String, _ histogram: LatencyHistogram) {
    if !histogram.isEmpty { histograms[metric] = histogram.pairs }
  }

  /// Records one value. If `batch` operations were timed together, `value` is their average time. A value that is not
  /// finite is not recorded.
  package mutating func record(_ metric: String, _ value: Double, batch: Int = 1) {
    guard value.isFinite else { return }
    values[metric, default: []].append(value)
    if batch > 1 { batches = (batches ?? [:]).merging([metric: batch]) { $1 } }
  }

  /// Records the time of the empty loop of `metric`, in nanoseconds per operation. A value that is not finite is
  /// not recorded.
  package mutating func recordFloor(_ metric: String, _ value: Double) {
    if value.isFinite { floors = (floors ?? [:]).merging([metric: value]) { $1 } }
  }

  /// Records a count.
  package mutating func record(_ metric: String, _ count: Int) { record(metric, Double(count)) }
}

/// The samples of one metric in one trial.
public enum Samples: Sendable, Equatable {
  /// The `[value, count]` pairs of a histogram.
  case histogram([[UInt64]])
  /// Every value, in the order of recording.
  case values([Double])

  /// The statistics of the samples; nil if there are no samples.
  public var summary: Summary? {
    switch self {
    case .histogram(let pairs): Summary(pairs: pairs)
    case .values(let values): Summary(values)
    }
  }
}

import Measurement

/// What a trial measured. What was not measured is absent.
public struct Observation: Sendable, Codable, Equatable {
  // Plain dictionaries rather than one of ``Samples``: a worker encodes them in half the time, once a trial.
  private var values: [String: [Double]] = [:]
  private var histograms: [String: [[UInt64]]] = [:]
  /// How many operations were timed together, for metrics whose values are their time over that number.
  private var batches: [String: Int]?
  /// What the loop of a metric takes around nothing, in nanoseconds an operation.
  private var floors: [String: Double]?

  /// Nothing measured yet.
  public init() {}

  /// The samples of each metric that has any.
  public var metrics: [String: Samples] {
    values.mapValues(Samples.values).merging(histograms.mapValues(Samples.histogram)) { _, histogram in histogram }
  }

  /// The samples of one metric; nil when it was not measured.
  public func samples(_ metric: String) -> Samples? {
    histograms[metric].map(Samples.histogram) ?? values[metric].map(Samples.values)
  }

  /// How many operations one value of `metric` is the time of; 1 where each was timed alone.
  public func batch(_ metric: String) -> Int { max(1, batches?[metric] ?? 1) }

  /// What the very loop that timed `metric` took around nothing, in nanoseconds an operation; nil where that was not
  /// tried.
  public func floor(_ metric: String) -> Double? { floors?[metric] }

  /// Whether these can be measurements: at least one sample of what is named, values from 0 to 10^18 (30 years in
  /// nanoseconds), histograms ascending and of fewer than 10^15 samples. What a broken worker says must not come to
  /// stand in a report.
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

  /// Records all values of `histogram`; an empty one leaves the metric absent.
  package mutating func record(_ metric: String, _ histogram: LatencyHistogram) {
    if !histogram.isEmpty { histograms[metric] = histogram.pairs }
  }

  /// Records one value, beside those recorded before, as that of `batch` operations timed together; one that is not
  /// finite is not recorded.
  package mutating func record(_ metric: String, _ value: Double, batch: Int = 1) {
    guard value.isFinite else { return }
    values[metric, default: []].append(value)
    if batch > 1 { batches = (batches ?? [:]).merging([metric: batch]) { $1 } }
  }

  /// Records what the loop of `metric` takes around nothing; what is not finite is not recorded.
  package mutating func recordFloor(_ metric: String, _ value: Double) {
    if value.isFinite { floors = (floors ?? [:]).merging([metric: value]) { $1 } }
  }

  /// Records a count.
  package mutating func record(_ metric: String, _ count: Int) { record(metric, Double(count)) }
}

/// The samples of one metric in one trial.
public enum Samples: Sendable, Equatable {
  /// `[value, count]` pairs of a histogram.
  case histogram([[UInt64]])
  /// Every value, in the order recorded.
  case values([Double])

  /// Their statistics.
  public var summary: Summary? {
    switch self {
    case .histogram(let pairs): Summary(pairs: pairs)
    case .values(let values): Summary(values)
    }
  }
}

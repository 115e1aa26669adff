import Measurement

/// A description of something that a trial measures, for scenario files, checks and reports.
///
/// The author of a pattern declares a metric by ``latency(_:better:unless:isSpeed:_:file:line:)``,
/// ``count(_:in:better:unless:_:file:line:)`` or ``rate(_:_:better:unless:_:file:line:)``. These return a
/// ``MetricKey``: a typed key for recording.
public struct Metric: Sendable, Hashable {
  /// The kind of a metric's samples.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// Durations. The figure of a trial is their median.
    case latency
    /// Counts. The figure of a trial is their total.
    case count
    /// Things per second, or shares. The figure of a trial is their mean.
    case rate
  }
  /// The direction in which a metric improves.
  public enum Better: String, Sendable, Codable, Hashable {
    /// Lower figures are better.
    case lower
    /// Higher figures are better.
    case higher
    /// Neither direction is better: the figure is a size to know, such as the number of blocks.
    case neither
  }
  /// The name of the metric, as checks write it.
  public let name: String
  /// The kind of the samples.
  public let kind: Kind
  /// The unit of the values.
  public let unit: Unit
  /// The direction in which the metric improves.
  public let better: Better
  /// The reason why a completed trial may lack the metric; nil if it may not, so that a trial without it is broken.
  public let unless: String?
  /// The meaning of the figures.
  public let meaning: Meaning
  /// A description of the metric in one sentence.
  public let summary: String

  /// Creates a metric. By default lower latencies and higher rates are better, and counts have no better direction.
  init(
    _ name: String, _ kind: Kind, _ unit: Unit, better: Better? = nil, unless: String? = nil, isSpeed: Bool = true,
    _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.better = better ?? (kind == .latency ? .lower : kind == .rate ? .higher : .neither)
    self.unless = unless
    meaning = Meaning(kind, unit, isAmount: !isSpeed)
    self.summary = summary
  }

  /// The metrics that every trial has, whatever the pattern: 1 for the outcome of the trial, 0 for the others. A claim
  /// can thus refer to a trial that traps or hangs (`any.hung == 0`).
  public static let outcomes: [Metric] = [
    Metric(Outcome.Kind.completed.rawValue, .count, .none, "trials that ran to their end"),
    Metric(Outcome.Kind.trapped.rawValue, .count, .none, "trials that the runtime stopped with a signal"),
    Metric(Outcome.Kind.hung.rawValue, .count, .none, "trials that came to a standstill, and were ended"),
  ]

  /// The metric of a trial whose variant declares that it traps (``Ending``). A trial that hangs has no such time.
  public static let timeToEnd = Metric(
    "time-to-end", .latency, .nanoseconds, better: .neither,
    unless: "the trial did not trap, or another program ended it",
    "from the faulty call until the process trapped")

  /// The statistic that represents a trial if a check names none.
  public var defaultStatistic: Statistic {
    switch kind {
    case .latency: .p50
    case .count: .total
    case .rate: .mean
    }
  }
}

/// A metric that a pattern's author declares: a typed key by which a trial records. Latencies are
/// `MetricKey<Duration>`, counts `MetricKey<Int>`, rates and shares `MetricKey<Double>`.
///
/// The literal is the name of the property in kebab case, which a test verifies.
public struct MetricKey<Sample>: Declaration {
  /// The description of the metric.
  public let metric: Metric
  /// The place of the declaration.
  public let place: SourceLine

  /// The description, as the only element.
  public var metrics: [Metric] { [metric] }
  /// The name of the metric, as checks write it.
  public var name: String { metric.name }
}

/// Metrics of one kind, one for each key: `write-latency`, `rename-latency`, … In a trial, `family[key]` is a
/// ``MetricKey``.
public struct MetricFamily<Key: Hashable & Sendable, Sample>: Declaration {
  private let members: [(key: Key, metric: Metric)]
  /// The place of the declaration.
  public let place: SourceLine

  fileprivate init(_ members: [(key: Key, metric: Metric)], _ place: SourceLine) {
    self.members = members
    self.place = place
  }

  /// The descriptions of all metrics, in the order of the keys.
  public var metrics: [Metric] { members.map(\.metric) }

  /// The metric of a key. It exists, since the keys are all cases of a type.
  public subscript(key: Key) -> MetricKey<Sample> {
    let index = members.firstIndex { $0.key == key } ?? 0
    return MetricKey(metric: members[index].metric, place: place)
  }
}

extension Metric {
  /// Declares a metric of durations, in nanoseconds.
  ///
  /// - Parameters:
  ///   - unless: the reason why a completed trial may lack the metric. Without a reason, a trial that lacks it is
  ///     broken.
  ///   - isSpeed: whether a shorter duration is faster. It is false for lateness or processor time: a smaller amount is
  ///     not a higher speed.
  public static func latency(
    _ name: String, better: Better? = nil, unless: String? = nil, isSpeed: Bool = true, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Duration> {
    MetricKey(
      metric: Metric(name, .latency, .nanoseconds, better: better, unless: unless, isSpeed: isSpeed, says),
      place: SourceLine(file, line))
  }

  /// Declares a metric of counts, in `unit` (`.bytes`, or none).
  public static func count(
    _ name: String, in unit: Unit = .none, better: Better? = nil, unless: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Int> {
    MetricKey(metric: Metric(name, .count, unit, better: better, unless: unless, says), place: SourceLine(file, line))
  }

  /// Declares a metric of rates per second, shares (`.percent`) or ratios (`.none`).
  public static func rate(
    _ name: String, _ unit: Unit, better: Better? = nil, unless: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Double> {
    MetricKey(metric: Metric(name, .rate, unit, better: better, unless: unless, says), place: SourceLine(file, line))
  }

  /// Declares metrics of durations of several kinds, one for each case of `keys`, with names of the form
  /// `case-suffix`.
  public static func latencies<Key: CaseIterable & Hashable & Sendable & RawRepresentable<String>>(
    _ suffix: String, for keys: Key.Type, unless: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ says: (Key) -> String
  ) -> MetricFamily<Key, Duration> {
    MetricFamily(
      Key.allCases.map { key in
        (key, Metric("\(key.rawValue)-\(suffix)", .latency, .nanoseconds, unless: unless, says(key)))
      }, SourceLine(file, line))
  }
}

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

  /// The smallest number of samples that has the statistic. A median exists for any number of samples.
  public var fewestSamples: Int { self == .p50 ? 1 : percentile.map(Summary.fewestSamples) ?? 1 }
}

import Measurement

/// A description of a quantity that a trial measures, for scenario files, checks and reports.
///
/// The author of a pattern declares a metric with ``latency(_:better:missingIf:isAmount:affectedBy:_:file:line:)``,
/// ``count(_:in:better:missingIf:_:file:line:)`` or ``rate(_:_:better:missingIf:_:file:line:)``. These functions return
/// a ``MetricKey``: a typed key for recording.
public struct Metric: Sendable, Hashable {
  /// The kind of a metric's samples.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// Durations. The figure of a trial is their median.
    case latency
    /// Counts. The figure of a trial is their total.
    case count
    /// Rates per second, shares or ratios. The figure of a trial is their mean.
    case rate
  }
  /// The direction in which a metric improves.
  public enum Better: String, Sendable, Codable, Hashable {
    /// Lower figures are better.
    case lower
    /// Higher figures are better.
    case higher
    /// Neither direction is better: a figure, such as the number of blocks, is only informative.
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
  /// The reason why a completed trial may lack the metric; nil if every completed trial must record the metric.
  public let missingIf: String?
  /// The names of the parameters that affect the metric; nil if all parameters of the pattern may affect it.
  public let affectedBy: Set<String>?
  /// The meaning of the figures.
  public let meaning: Meaning
  /// A short description of the metric.
  public let summary: String

  /// Creates a metric. By default, lower latencies and higher rates are better, and counts have no better direction.
  init(
    _ name: String, _ kind: Kind, _ unit: Unit, better: Better? = nil, missingIf: String? = nil, isAmount: Bool = false,
    affectedBy: Set<String>? = nil, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.better = better ?? (kind == .latency ? .lower : kind == .rate ? .higher : .neither)
    self.missingIf = missingIf
    self.affectedBy = affectedBy
    meaning = Meaning(kind, unit, isAmount: isAmount)
    self.summary = summary
  }

  /// The metrics of a trial's outcome, which every trial has. The figure of such a metric is 1 if the trial's outcome
  /// has the name of the metric, and 0 otherwise. For example, the check `any.hung == 0` is about hangs.
  public static let outcomes: [Metric] = [
    Metric(Outcome.Kind.completed.rawValue, .count, .none, "trials that ran to their end"),
    Metric(Outcome.Kind.trapped.rawValue, .count, .none, "trials that a signal ended"),
    Metric(Outcome.Kind.hung.rawValue, .count, .none, "trials that hung, and that the lab ended"),
  ]

  /// The time from the faulty call to the trap, for a variant that is expected to trap (``Ending``). A hang has no such
  /// time.
  public static let timeToEnd = Metric(
    "time-to-end", .latency, .nanoseconds, better: .neither,
    missingIf: "the trial did not trap, or another program ended it",
    "from the faulty call to the trap of the process")

  /// The statistic that represents a trial if a check does not specify a statistic.
  public var defaultStatistic: Statistic {
    switch kind {
    case .latency: .p50
    case .count: .total
    case .rate: .mean
    }
  }
}

/// A typed key for a metric that a pattern's author declares. A trial records samples with the key:
/// `MetricKey<Duration>` for latencies, `MetricKey<Int>` for counts, and `MetricKey<Double>` for rates and shares.
///
/// The name in the declaration is the name of the property in kebab case. A test verifies this rule.
public struct MetricKey<Sample>: Declaration {
  /// The description of the metric.
  public let metric: Metric
  /// The line of the declaration in the source, for errors.
  public let place: SourceLine

  /// The description of the metric, as the only element.
  public var metrics: [Metric] { [metric] }
  /// The name of the metric, as checks write it.
  public var name: String { metric.name }
}

/// A family of metrics of one kind, one metric for each key; for example, `write-latency` and `rename-latency`. The
/// expression `family[key]` returns the ``MetricKey`` of a key.
public struct MetricFamily<Key: Hashable & Sendable, Sample>: Declaration {
  private let members: [(key: Key, metric: Metric)]
  /// The line of the declaration in the source, for errors.
  public let place: SourceLine

  fileprivate init(_ members: [(key: Key, metric: Metric)], _ place: SourceLine) {
    self.members = members
    self.place = place
  }

  /// The descriptions of all metrics, in the order of the keys.
  public var metrics: [Metric] { members.map(\.metric) }

  /// The metric key of `key`. Every key has a metric, since the keys are all cases of a type.
  public subscript(key: Key) -> MetricKey<Sample> {
    let index = members.firstIndex { $0.key == key } ?? 0
    return MetricKey(metric: members[index].metric, place: place)
  }
}

extension Metric {
  /// Declares a metric of durations, in nanoseconds.
  ///
  /// - Parameters:
  ///   - missingIf: the reason why a completed trial may lack the metric. Without a reason, a trial that lacks the
  ///     metric is broken.
  ///   - isAmount: whether the durations are amounts of time, such as lateness or processor time. A smaller amount is
  ///     not a higher speed.
  ///   - affectedBy: the names of the parameters that affect the metric, or `cores`, if not all of them do; nil if
  ///     all parameters may affect it. `compare` does not rank settings by a metric that no swept parameter affects.
  public static func latency(
    _ name: String, better: Better? = nil, missingIf: String? = nil, isAmount: Bool = false,
    affectedBy: Set<String>? = nil, _ says: String, file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Duration> {
    MetricKey(
      metric: Metric(
        name, .latency, .nanoseconds, better: better, missingIf: missingIf, isAmount: isAmount, affectedBy: affectedBy,
        says),
      place: SourceLine(file, line))
  }

  /// Declares a metric of counts in `unit`, which is `.bytes` or `.none`.
  public static func count(
    _ name: String, in unit: Unit = .none, better: Better? = nil, missingIf: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Int> {
    MetricKey(
      metric: Metric(name, .count, unit, better: better, missingIf: missingIf, says), place: SourceLine(file, line))
  }

  /// Declares a metric of rates per second, shares (`.percent`) or ratios (`.none`).
  public static func rate(
    _ name: String, _ unit: Unit, better: Better? = nil, missingIf: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Double> {
    MetricKey(
      metric: Metric(name, .rate, unit, better: better, missingIf: missingIf, says), place: SourceLine(file, line))
  }

  /// Declares a family of metrics of durations, one for each case of `keys`. The name of a metric consists of the raw
  /// value of its case, a hyphen and `suffix`.
  public static func latencies<Key: CaseIterable & Hashable & Sendable & RawRepresentable<String>>(
    _ suffix: String, for keys: Key.Type, missingIf: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ says: (Key) -> String
  ) -> MetricFamily<Key, Duration> {
    MetricFamily(
      Key.allCases.map { key in
        (key, Metric("\(key.rawValue)-\(suffix)", .latency, .nanoseconds, missingIf: missingIf, says(key)))
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

  /// The smallest number of samples for which the statistic exists: 1 for the median and for statistics that are not
  /// percentiles.
  public var fewestSamples: Int { self == .p50 ? 1 : percentile.map(Summary.fewestSamples) ?? 1 }
}

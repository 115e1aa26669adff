import Measurement

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

  /// The key of the metric that was declared for the case `key`. Every key has a metric, since the keys are all cases
  /// of a type.
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

  /// Declares a metric of counts in `unit`, which is `.bytes` or `.none`. The other parameters are those of `latency`.
  public static func count(
    _ name: String, in unit: Unit = .none, better: Better? = nil, missingIf: String? = nil,
    affectedBy: Set<String>? = nil, _ says: String, file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Int> {
    MetricKey(
      metric: Metric(name, .count, unit, better: better, missingIf: missingIf, affectedBy: affectedBy, says),
      place: SourceLine(file, line))
  }

  /// Declares a metric of rates per second, shares (`.percent`) or ratios (`.none`). The other parameters are those of
  /// `latency`.
  public static func rate(
    _ name: String, _ unit: Unit, better: Better? = nil, missingIf: String? = nil, affectedBy: Set<String>? = nil,
    _ says: String, file: StaticString = #fileID, line: UInt = #line
  ) -> MetricKey<Double> {
    MetricKey(
      metric: Metric(name, .rate, unit, better: better, missingIf: missingIf, affectedBy: affectedBy, says),
      place: SourceLine(file, line))
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

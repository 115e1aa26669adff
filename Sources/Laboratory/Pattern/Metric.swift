import Measurement

/// A description of a quantity that a trial measures, for scenario files, checks and reports.
///
/// The author of a pattern declares a metric with ``latency(_:better:missingIf:isAmount:affectedBy:_:file:line:)``,
/// ``count(_:in:better:missingIf:affectedBy:_:file:line:)`` or
/// ``rate(_:_:better:missingIf:affectedBy:_:file:line:)``. These functions return a ``MetricKey``: a typed key for
/// recording.
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

import Measurement

/// A documented way of using Grand Central Dispatch, and how one trial of each of its variants runs.
///
/// A pattern says what it is made of (``parameters``, ``variants``, ``metrics``), so that scenario files, the command
/// line and every report can check and describe it without knowing it.
public protocol Pattern: Sendable {
  /// Its name, as scenario files write it after `pattern:`.
  var name: String { get }
  /// What can be set, with type, range and default.
  var parameters: [Parameter] { get }
  /// The ways of doing it that stand side by side.
  var variants: [Variant] { get }
  /// What a trial measures.
  var metrics: [Metric] { get }

  /// Runs one variant once and returns what was measured.
  ///
  /// Called once in a fresh worker process, on a thread of its own outside the dispatch pool, while the main thread
  /// runs the main queue. Warm-up belongs in here and is never recorded.
  ///
  /// - Throws: ``TrialFailure`` when the machine does not allow the trial (too few descriptors, threads or cores).
  func run(_ trial: Trial) throws -> Observation

  /// Why the pattern cannot run on `machine`, or nil when it can.
  func obstacle(on machine: Machine) -> String?

  /// What the results say beyond the claims: a fitted model, a best setting. One line each.
  func findings(in results: Results) -> [Remark]
}

extension Pattern {
  /// Runs everywhere unless a pattern says otherwise.
  public func obstacle(on machine: Machine) -> String? { nil }
  /// None unless a pattern says otherwise.
  public func findings(in results: Results) -> [Remark] { [] }

  /// The metric called `name`: one of the pattern's own, or one that every trial has (``Metric/outcomes``).
  public func metric(_ name: String) -> Metric? { (metrics + Metric.outcomes).first { $0.name == name } }
  /// The variant called `name`.
  public func variant(_ name: String) -> Variant? { variants.first { $0.name == name } }
  /// The parameter called `name`.
  public func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }
}

/// One way of doing a pattern.
public struct Variant: Sendable, Hashable {
  /// Where a variant comes from.
  public enum Role: String, Sendable, Hashable {
    /// The source document recommends it.
    case documented
    /// The source document warns of it: its failure is the lesson.
    case broken
    /// What stands beside it today: Swift concurrency, `Mutex`.
    case modern
    /// Neither: a yardstick to compare with.
    case yardstick
  }
  /// Its name, as scenario files and checks write it.
  public let name: String
  /// Where it comes from.
  public let role: Role
  /// One sentence: what it does.
  public let summary: String
  /// Parameters that change nothing for this variant, so that a sweep over them runs it only once.
  public let ignores: Set<String>

  /// A variant.
  public init(_ name: String, _ role: Role, ignores: Set<String> = [], _ summary: String) {
    self.name = name
    self.role = role
    self.ignores = ignores
    self.summary = summary
  }
}

/// Something a trial measures.
public struct Metric: Sendable, Hashable {
  /// How its samples are read.
  public enum Kind: String, Sendable, Codable, Hashable {
    /// Durations; the figure of a trial is its median.
    case latency
    /// Things counted; the figure of a trial is its total.
    case count
    /// Things per second or shares; the figure of a trial is its mean.
    case rate
  }
  /// Which way it gets better.
  public enum Better: String, Sendable, Codable, Hashable {
    /// The lower the better.
    case lower
    /// The higher the better.
    case higher
    /// Neither: a size to know, such as the number of blocks.
    case neither
  }
  /// Its name, as checks write it.
  public let name: String
  /// How its samples are read.
  public let kind: Kind
  /// What its values count.
  public let unit: Unit
  /// The parameter that says how many operations are timed together, where a value is their time over that number; the
  /// cost of the clock is shared in the same way.
  public let batch: String?
  /// Which way it gets better.
  public let better: Better
  /// One sentence: what it measures.
  public let summary: String

  /// A metric; of latencies the lower is better, of rates the higher, of counts neither, unless said otherwise.
  public init(
    _ name: String, _ kind: Kind, _ unit: Unit, batch: String? = nil, better: Better? = nil, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.batch = batch
    self.better = better ?? (kind == .latency ? .lower : kind == .rate ? .higher : .neither)
    self.summary = summary
  }

  /// What every trial has, whatever the pattern: 1 in the one that applies, 0 in the others. They let a claim speak of
  /// a trial that traps or hangs (`any.hung == 0`).
  public static let outcomes: [Metric] = [
    Metric("completed", .count, .none, "trials that ran to their end"),
    Metric("trapped", .count, .none, "trials that the runtime stopped with a signal"),
    Metric("hung", .count, .none, "trials that the watchdog ended"),
  ]

  /// The statistic that stands for a trial when a check names none.
  public var defaultStatistic: Statistic {
    switch kind {
    case .latency: .p50
    case .count: .total
    case .rate: .mean
    }
  }
}

/// A number that describes a set of samples.
public enum Statistic: String, Sendable, Codable, CaseIterable {
  /// The smallest.
  case min
  /// The median.
  case p50
  /// The 90th percentile.
  case p90
  /// The 99th percentile.
  case p99
  /// The 99.9th percentile.
  case p999 = "p99.9"
  /// The largest.
  case max
  /// The arithmetic mean.
  case mean
  /// The sum.
  case total

  /// The share of samples at or below it, for a percentile; nil for the others.
  public var percentile: Double? {
    switch self {
    case .p50: 50
    case .p90: 90
    case .p99: 99
    case .p999: 99.9
    case .min, .max, .mean, .total: nil
    }
  }
}

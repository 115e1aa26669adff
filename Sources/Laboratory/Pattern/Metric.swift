import Measurement

/// Something a trial measures, described: what scenario files, checks and reports know of it.
///
/// A pattern's author declares one by ``latency(_:better:unless:isSpeed:_:file:line:)``,
/// ``count(_:in:better:unless:_:file:line:)`` or ``rate(_:_:better:unless:_:file:line:)``, which give a typed handle to
/// record by: a ``Measure``.
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
  /// Which way it gets better.
  public let better: Better
  /// Why a completed trial may honestly lack it; nil when it may not, so that a trial without it is broken.
  public let unless: String?
  /// What its figures say.
  public let meaning: Meaning
  /// One sentence: what it measures.
  public let summary: String

  /// A metric; of latencies the lower is better, of rates the higher, of counts neither, unless said otherwise.
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

  /// What every trial has, whatever the pattern: 1 in the one that applies, 0 in the others. They let a claim speak of
  /// a trial that traps or hangs (`any.hung == 0`).
  public static let outcomes: [Metric] = [
    Metric(Outcome.Kind.completed.rawValue, .count, .none, "trials that ran to their end"),
    Metric(Outcome.Kind.trapped.rawValue, .count, .none, "trials that the runtime stopped with a signal"),
    Metric(Outcome.Kind.hung.rawValue, .count, .none, "trials that came to a standstill, and were ended"),
  ]

  /// What a trial has whose variant says how it is meant to end (``Ending``).
  public static let timeToEnd = Metric(
    "time-to-end", .latency, .nanoseconds, better: .neither, unless: "the trial completed, or another program ended it",
    "from the faulty call until the process trapped, or until all its threads were asleep")

  /// The statistic that stands for a trial when a check names none.
  public var defaultStatistic: Statistic {
    switch kind {
    case .latency: .p50
    case .count: .total
    case .rate: .mean
    }
  }
}

/// A measure as a pattern's author declares it: a typed handle, by which a trial records. Latencies are
/// `Measure<Duration>`, counts `Measure<Int>`, rates and shares `Measure<Double>`.
///
/// The literal is the property's name in kebab case, which a test holds.
public struct Measure<Sample>: Declaration {
  /// Its description.
  public let metric: Metric
  /// Where it is declared.
  public let place: SourcePlace

  /// Its description, as the only one.
  public var metrics: [Metric] { [metric] }
  /// Its name, as checks write it.
  public var name: String { metric.name }
}

/// Measures of one kind, one for each key: `write-latency`, `rename-latency`, … In a trial, `family[key]` is the
/// ``Measure``.
public struct MeasureFamily<Key: Hashable & Sendable, Sample>: Declaration {
  private let members: [(key: Key, metric: Metric)]
  /// Where it is declared.
  public let place: SourcePlace

  fileprivate init(_ members: [(key: Key, metric: Metric)], _ place: SourcePlace) {
    self.members = members
    self.place = place
  }

  /// The descriptions of all members, in the order of the keys.
  public var metrics: [Metric] { members.map(\.metric) }

  /// The measure of one key. The keys are all cases of a type, so there is one.
  public subscript(key: Key) -> Measure<Sample> {
    let index = members.firstIndex { $0.key == key } ?? 0
    return Measure(metric: members[index].metric, place: place)
  }
}

extension Metric {
  /// Durations, in nanoseconds.
  ///
  /// - Parameters:
  ///   - unless: why a completed trial may honestly lack it; without it, one that does is broken.
  ///   - isSpeed: whether a shorter one is faster; false for how late something is, or for processor time, which is
  ///     less.
  public static func latency(
    _ name: String, better: Better? = nil, unless: String? = nil, isSpeed: Bool = true, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Measure<Duration> {
    Measure(
      metric: Metric(name, .latency, .nanoseconds, better: better, unless: unless, isSpeed: isSpeed, says),
      place: SourcePlace(file, line))
  }

  /// Things counted, of `unit` (`.bytes`, or none).
  public static func count(
    _ name: String, in unit: Unit = .none, better: Better? = nil, unless: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Measure<Int> {
    Measure(metric: Metric(name, .count, unit, better: better, unless: unless, says), place: SourcePlace(file, line))
  }

  /// Things a second, shares (`.percent`) or plain ratios (`.none`).
  public static func rate(
    _ name: String, _ unit: Unit, better: Better? = nil, unless: String? = nil, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Measure<Double> {
    Measure(metric: Metric(name, .rate, unit, better: better, unless: unless, says), place: SourcePlace(file, line))
  }

  /// Durations of several kinds, one measure for each case of `keys`, named `case-suffix`.
  public static func latencies<Key: CaseIterable & Hashable & Sendable & RawRepresentable<String>>(
    _ suffix: String, for keys: Key.Type, unless: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ says: (Key) -> String
  ) -> MeasureFamily<Key, Duration> {
    MeasureFamily(
      Key.allCases.map { key in
        (key, Metric("\(key.rawValue)-\(suffix)", .latency, .nanoseconds, unless: unless, says(key)))
      }, SourcePlace(file, line))
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

  /// How many samples it takes. The median is there from the first on.
  public var fewestSamples: Int { self == .p50 ? 1 : percentile.map(Summary.fewestSamples) ?? 1 }
}

import Measurement

/// What a pattern is given to run one variant once.
public struct Trial: Sendable {
  /// The variant to run.
  public let variant: String
  /// A value for every parameter of the pattern.
  public let parameters: [String: ParameterValue]
  /// For anything random in the trial.
  public let seed: UInt64
  /// Spinning of a known length, the same speed for all workers of a run.
  public let work: CalibratedWork
  /// How many cores the process may use.
  public let cores: Int

  /// A trial of `variant` with a value for every parameter.
  public init(
    variant: String, parameters: [String: ParameterValue], seed: UInt64, work: CalibratedWork, cores: Int
  ) {
    self.variant = variant
    self.parameters = parameters
    self.seed = seed
    self.work = work
    self.cores = cores
  }

  /// A count, a duration in nanoseconds or a size in bytes.
  public func integer(_ name: String) -> Int {
    guard case .integer(let number)? = parameters[name] else { preconditionFailure("no integer parameter '\(name)'") }
    return number
  }

  /// A choice.
  public func choice(_ name: String) -> String {
    guard case .text(let text)? = parameters[name] else { preconditionFailure("no choice parameter '\(name)'") }
    return text
  }
}

/// The machine does not allow a trial; the variant is unavailable, with this reason.
public struct TrialFailure: Error, Sendable, CustomStringConvertible {
  /// What was needed and what there is.
  public let description: String

  /// A reason that says what was needed and what there is.
  public init(_ description: String) { self.description = description }
}

/// What a trial measured. What was not measured is absent.
public struct Observation: Sendable, Codable, Equatable {
  // Two plain dictionaries rather than one of ``Samples``: a worker encodes them in half the time, once a trial.
  private var values: [String: [Double]] = [:]
  private var histograms: [String: [[UInt64]]] = [:]

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

  /// Whether these can be measurements: values from 0 to 10^18 (30 years in nanoseconds), histograms ascending and of
  /// fewer than 10^15 samples. What a broken worker says must not come to stand in a report.
  var isSound: Bool {
    values.values.allSatisfy { $0.allSatisfy { (0...1e18).contains($0) } }
      && histograms.values.allSatisfy { pairs in
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
  public mutating func record(_ metric: String, _ histogram: LatencyHistogram) {
    if !histogram.isEmpty { histograms[metric] = histogram.pairs }
  }

  /// Records one value, beside those recorded before; one that is not finite is not recorded.
  public mutating func record(_ metric: String, _ value: Double) {
    if value.isFinite { values[metric, default: []].append(value) }
  }

  /// Records a count.
  public mutating func record(_ metric: String, _ count: Int) { record(metric, Double(count)) }
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

/// How a trial ended.
public enum Outcome: Sendable, Codable, Hashable {
  /// It ran to its end and reported.
  case completed
  /// A signal ended the worker; its number.
  case trapped(signal: Int)
  /// The watchdog ended it.
  case hung
  /// It took longer than its share of the time, so it was ended, and not tried again.
  case stopped(after: Duration)
  /// The worker ended with this status and without a report, or with one that could not be read.
  case broken(reason: String)
  /// The machine does not allow it.
  case unavailable(reason: String)

  /// The name of its kind, as result documents write it.
  public var name: String {
    switch self {
    case .completed: "completed"
    case .trapped: "trapped"
    case .hung: "hung"
    case .stopped: "stopped"
    case .broken: "broken"
    case .unavailable: "unavailable"
    }
  }

  /// Whether the variant had no part in it, so that it neither kept nor broke a promise: the machine does not allow it,
  /// or it would have taken too long.
  var wasNotTried: Bool {
    switch self {
    case .unavailable, .stopped: true
    case .completed, .trapped, .hung, .broken: false
    }
  }

  /// Why there is no observation, when there is more to say than the name; with the name in front.
  public var reason: String? { detail.map { "\(name): \($0)" } }

  /// Why there is no observation, when there is more to say than the name.
  var detail: String? {
    switch self {
    case .broken(let reason), .unavailable(let reason): reason
    case .stopped(let limit): "a trial took longer than \(Quantity(limit))"
    case .completed, .trapped, .hung: nil
    }
  }
}

import Measurement

/// A setting: a parameter with a value.
public struct Setting: Sendable, Hashable {
  /// The name of the parameter.
  public let name: String
  /// The value of the parameter.
  public let value: ParameterValue
  /// The unit of the value, for labels.
  public let unit: Unit

  /// Creates the setting of `name` to `value`.
  public init(_ name: String, _ value: ParameterValue, unit: Unit = .none) {
    self.name = name
    self.value = value
    self.unit = unit
  }

  /// The setting as checks and `--set` write it, for example `work=50ns`.
  public var label: String { "\(name)=\(valueLabel)" }

  /// The value as checks and `--set` write it, for example `50ns`.
  var valueLabel: String {
    switch value {
    case .integer(let number): Quantity.exact(number, unit)
    case .text(let text): text
    }
  }
}

/// A combination of the swept parameters' values; empty if nothing is swept.
public struct Point: Sendable, Hashable {
  /// The settings, in the order of the sweep.
  public let settings: [Setting]

  /// Creates a point.
  public init(_ settings: [Setting] = []) { self.settings = settings }

  /// The value of the parameter `name` at this point; nil if the parameter is not swept.
  public subscript(name: String) -> ParameterValue? { settings.first { $0.name == name }?.value }

  /// The label of the point, for example `stride=64,balance=ramp`.
  public var label: String { settings.map(\.label).joined(separator: ",") }
}

/// The record of a finished trial: the round, the outcome and the measurements.
public struct TrialRecord: Sendable {
  /// The number of the round, from 0.
  public let round: Int
  /// The way in which the trial ended.
  public let outcome: Outcome
  /// The measurements of the trial. If the trial did not complete, ``Metric/timeToEnd`` is the only possible
  /// measurement.
  public let observation: Observation
  /// The names of the settings that the body read.
  public let reads: Set<String>
  /// The features that the trial reported as missing (``Trial/lacks(_:)``).
  public let shortages: Set<String>

  /// Creates the record of a finished trial.
  public init(
    round: Int, outcome: Outcome, observation: Observation = Observation(), reads: Set<String> = [],
    shortages: Set<String> = []
  ) {
    self.round = round
    self.outcome = outcome
    self.observation = observation
    self.reads = reads
    self.shortages = shortages
  }

  /// Returns the figure of `metric` in this trial, by `statistic` or by the metric's default statistic; nil if the
  /// trial did not measure the metric, or has too few samples for the statistic. The figure of an outcome metric is 1
  /// or 0 (``Metric/outcomes``).
  public func figure(_ metric: Metric, _ statistic: Statistic? = nil) -> Double? {
    if Metric.outcomes.contains(metric) { return outcome.kind.rawValue == metric.name ? 1 : 0 }
    return observation.samples(metric.name)?.summary?[statistic ?? metric.defaultStatistic]
  }
}

extension Summary {
  /// The value of a statistic; nil if there are too few samples.
  public subscript(statistic: Statistic) -> Double? {
    switch statistic {
    case .min: min
    case .p50: p50
    case .p90: p90
    case .p99: p99
    case .p999: p999
    case .max: max
    case .mean: mean
    case .total: total
    }
  }
}

/// All trials of one variant at one point.
public struct Run: Sendable {
  /// The variant that the trials run.
  public let variant: Variant
  /// The point at which the trials run; empty if nothing is swept, or if the variant ignores all swept parameters.
  public let point: Point
  /// The values of all parameters, including the parameters of the point.
  public let parameters: [String: ParameterValue]
  /// The finished trials, in the order of their rounds.
  public var trials: [TrialRecord]

  /// Creates a run with the trials that have finished so far.
  public init(
    variant: Variant, point: Point, parameters: [String: ParameterValue], trials: [TrialRecord] = []
  ) {
    self.variant = variant
    self.point = point
    self.parameters = parameters
    self.trials = trials
  }

  /// The variant and the point as checks write them, for example `apply[stride=64]`.
  public var label: String { point.settings.isEmpty ? variant.name : "\(variant.name)[\(point.label)]" }

  /// Returns the samples of `metric` from all trials; nil if no trial measured the metric.
  public func measured(_ metric: Metric) -> RunSamples? { RunSamples(metric, trials) }
}

extension Run {
  /// Returns the median time of the empty loop of `metric` over the trials, in nanoseconds for each operation; nil if
  /// no trial measured this time.
  public func emptyLoop(of metric: Metric) -> Double? {
    Summary(trials.compactMap { $0.observation.floor(metric.name) })?.p50
  }

  /// Returns the noise floor of `metric` on `machine` in this run, in nanoseconds; nil for a metric without durations.
  /// The noise floor is the time of the metric's empty loop. If no trial measured this time, the noise floor is the
  /// machine's, divided by the largest number of operations that were timed together.
  public func floor(of metric: Metric, on machine: Machine) -> Double? {
    guard metric.kind == .latency, metric.unit == .nanoseconds else { return nil }
    if let emptyLoop = emptyLoop(of: metric) { return emptyLoop }
    return machine.floor / Double(trials.lazy.map { $0.observation.batch(metric.name) }.max() ?? 1)
  }
}

extension Run {
  /// The reason why a trial of the run was stopped; nil if no trial was stopped.
  var stopping: String? {
    trials.lazy.compactMap { if case .stopped = $0.outcome { $0.outcome.detail } else { nil } }.first
  }

  /// Whether a trial of the run was stopped (``Outcome/stopped(after:)``).
  var isStopped: Bool { stopping != nil }
}

/// The samples of one metric in all trials of a run.
public struct RunSamples: Sendable {
  /// The metric of the samples.
  public let metric: Metric
  /// The statistics of all samples together.
  public let summary: Summary
  /// All samples as ascending `[value, count]` pairs; the values of histograms are whole numbers.
  public let pairs: [(value: Double, count: Int)]

  init?(_ metric: Metric, _ trials: [TrialRecord]) {
    var counts: [Double: Int] = [:]
    var values: [Double] = []
    for sample in trials.compactMap({ $0.observation.samples(metric.name) }) {
      switch sample {
      case .histogram(let pairs):
        for pair in pairs where pair.count == 2 { counts[Double(pair[0]), default: 0] += Int(clamping: pair[1]) }
      case .values(let recorded): values += recorded
      }
    }
    let isHistogram = !counts.isEmpty
    if counts.isEmpty { for value in values { counts[value, default: 0] += 1 } }
    pairs = counts.map { ($0.key, $0.value) }.sorted { $0.value < $1.value }
    let summary =
      isHistogram ? Summary(pairs: pairs.map { [UInt64($0.value), UInt64($0.count)] }) : Summary(values)
    guard let summary else { return nil }
    self.metric = metric
    self.summary = summary
  }
}

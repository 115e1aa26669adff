import Measurement

/// All trials of one variant at one point.
public struct VariantRun: Sendable {
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

extension VariantRun {
  /// Returns the median time of the empty loop of `metric` over the trials, in nanoseconds per operation; nil if
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

extension VariantRun {
  /// The reason why a trial of the run was stopped; nil if no trial was stopped.
  var stopping: String? {
    trials.lazy.compactMap { if case .stopped = $0.outcome { $0.outcome.detail } else { nil } }.first
  }

  /// Whether a trial of the run was stopped (``Outcome/stopped(after:)``).
  var isStopped: Bool { stopping != nil }
}

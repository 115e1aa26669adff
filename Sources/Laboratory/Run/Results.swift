import Measurement

/// One setting of a parameter.
public struct Assignment: Sendable, Hashable {
  /// The parameter.
  public let name: String
  /// Its value.
  public let value: ParameterValue
  /// What its value counts, for labels.
  public let unit: Unit

  /// `name` set to `value`.
  public init(_ name: String, _ value: ParameterValue, unit: Unit = .none) {
    self.name = name
    self.value = value
    self.unit = unit
  }

  /// As checks and `--set` write it: `work=50ns`.
  public var label: String { "\(name)=\(valueLabel)" }

  /// Its value, as checks and `--set` write it: `50ns`.
  var valueLabel: String {
    switch value {
    case .integer(let number): Quantity.exact(number, unit)
    case .text(let text): text
    }
  }
}

/// One combination of the swept parameters; empty when nothing is swept.
public struct Point: Sendable, Hashable {
  /// The settings, in the order of the sweep.
  public let settings: [Assignment]

  /// A combination of settings.
  public init(_ settings: [Assignment] = []) { self.settings = settings }

  /// The value of `name` at this point, if it is swept.
  public subscript(name: String) -> ParameterValue? { settings.first { $0.name == name }?.value }

  /// Its settings: `stride=64,balance=ramp`.
  public var label: String { settings.map(\.label).joined(separator: ",") }
}

/// One trial's place in the run, how it ended and what it measured.
public struct TrialRecord: Sendable {
  /// The round, from 0.
  public let round: Int
  /// How it ended.
  public let outcome: Outcome
  /// What it measured, when it completed.
  public let observation: Observation
  /// The settings that its body read.
  public let reads: Set<String>
  /// What it found the machine to lack (``Trial/lacks(_:)``).
  public let shortages: Set<String>

  /// A finished trial.
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

  /// The figure of `metric` in this trial, by `statistic` or the metric's own; nil when it was not measured.
  public func figure(_ metric: Metric, _ statistic: Statistic? = nil) -> Double? {
    if Metric.outcomes.contains(metric) { return outcome.kind.rawValue == metric.name ? 1 : 0 }
    return observation.samples(metric.name)?.summary?[statistic ?? metric.defaultStatistic]
  }
}

extension Summary {
  /// A statistic by its name; nil when the samples are too few to have it.
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
  /// The variant.
  public let variant: Variant
  /// The point; empty for a variant that ignores what is swept.
  public let point: Point
  /// The value of every parameter, those of the point included.
  public let parameters: [String: ParameterValue]
  /// The finished trials, by round.
  public var trials: [TrialRecord]

  /// A variant at a point, and its trials so far.
  public init(
    variant: Variant, point: Point, parameters: [String: ParameterValue], trials: [TrialRecord] = []
  ) {
    self.variant = variant
    self.point = point
    self.parameters = parameters
    self.trials = trials
  }

  /// Its variant and point, as checks write them: `apply[stride=64]`.
  public var label: String { point.settings.isEmpty ? variant.name : "\(variant.name)[\(point.label)]" }

  /// The samples of `metric` over all trials; nil when none was measured.
  public func measured(_ metric: Metric) -> Measured? { Measured(metric, trials) }
}

extension Run {
  /// What the very loop that times `metric` took around nothing, in nanoseconds an operation: the median over the
  /// trials, nil where that was not tried.
  public func yardstick(of metric: Metric) -> Double? {
    Summary(trials.compactMap { $0.observation.floor(metric.name) })?.p50
  }

  /// What timing nothing would give for `metric` on `machine` in this run, in nanoseconds: what its own loop takes
  /// around nothing, or the lab's noise floor, shared by the operations that are timed together; nil for what is not
  /// timed.
  public func floor(of metric: Metric, on machine: Machine) -> Double? {
    guard metric.kind == .latency, metric.unit == .nanoseconds else { return nil }
    if let yardstick = yardstick(of: metric) { return yardstick }
    return machine.floor / Double(trials.lazy.map { $0.observation.batch(metric.name) }.max() ?? 1)
  }
}

extension Run {
  /// Why a trial of it was stopped; nil where none was.
  var stopping: String? {
    trials.lazy.compactMap { if case .stopped = $0.outcome { $0.outcome.detail } else { nil } }.first
  }

  /// Whether a trial of it was stopped at work, so that it is not known to what end it would have come.
  var isStopped: Bool { stopping != nil }
}

/// The samples of one metric over the trials of a run.
public struct Measured: Sendable {
  /// The metric.
  public let metric: Metric
  /// The statistics of all samples together.
  public let summary: Summary
  /// All samples as ascending `[value, count]` pairs; whole values for histograms.
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

/// Everything a run of one experiment gave: what the renderers show.
public struct Results: Sendable {
  /// What was tried.
  public let experiment: Experiment
  /// Where.
  public let machine: Machine
  /// The seed of the order.
  public let seed: UInt64
  /// When it started: ISO 8601, UTC.
  public let started: String
  /// The command line that asked for it, without the program's path; empty when a program did.
  public var command: [String] = []
  /// How long it took.
  public var seconds: Double
  /// What cut it short, if anything did; what was finished is here.
  public var cut: Cut?
  /// Every variant at every point, in the order of the experiment.
  public var runs: [Run]
  /// What disturbed the run, and what to know when reading it.
  public var warnings: [Remark]
  /// The claims, judged.
  public var judgements: [Judgement]
  /// What the pattern itself has to say: one line each.
  public var findings: [Remark]

  /// Trials that were recorded beside those of ``runs``, after them; none of these are among them.
  public var traces: [Trace] = []

  /// What ends a run before its time.
  public enum Cut: Sendable, Equatable {
    /// Its task was cancelled.
    case interrupted
    /// The lab could not go on: exit status 2.
    case failed(LabError)
  }

  /// Results without judgements yet; see ``Judge``.
  public init(
    experiment: Experiment, machine: Machine, seed: UInt64, started: String, seconds: Double = 0,
    cut: Cut? = nil, runs: [Run], warnings: [Remark] = [], judgements: [Judgement] = [],
    findings: [Remark] = []
  ) {
    self.experiment = experiment
    self.machine = machine
    self.seed = seed
    self.started = started
    self.seconds = seconds
    self.cut = cut
    self.runs = runs
    self.warnings = warnings
    self.judgements = judgements
    self.findings = findings
  }

  /// Why the run is no pass, though nothing in it failed: what of it no trial showed, by the claims that speak of it,
  /// and what the time did not suffice for. Nil where everything was judged that this machine and the command line
  /// allow.
  ///
  /// - Parameter isStoppingMeant: whether the command line says how long a trial may take.
  public func shortfall(isStoppingMeant: Bool = false) -> String? {
    let unseen = runs.filter {
      $0.trials.allSatisfy(\.outcome.kind.wasNotTried) && experiment.pattern.obstacle(to: $0, on: machine) == nil
    }
    if isStoppingMeant, !unseen.isEmpty, unseen.allSatisfy(\.isStopped) { return nil }
    let unjudged = judgements.filter { $0.verdict == .unavailable && !$0.isExcused }
    let reasons = unjudged.map { $0.evidence.reason ?? "nothing was measured" }
    // A sweep for the best setting gives up those that are slow: that is its purpose.
    let stopped = experiment.seeksBest ? [] : runs.filter(\.isStopped)
    if let reason = reasons.first {
      return "\(unjudged.count) of \(judgements.count) claims, \(reason)"
    }
    return stopped.first.map { "\($0.label) was stopped: \($0.stopping ?? "")" }
  }

  /// The runs that a figure is of: those of its variants at a point with its settings.
  func runs(of reference: Check.Reference) -> [Run] { runs.filter { reference.means($0, on: machine) } }

  /// The pattern's own metrics, and those of what a trial costs that any trial has.
  public var metrics: [Metric] {
    let costs = Metric.costs.filter { cost in
      runs.contains { run in run.trials.contains { $0.observation.samples(cost.name) != nil } }
    }
    return experiment.pattern.metrics + costs
  }

  /// Why the lab could not go on, if that is what cut it short.
  public var failure: LabError? { if case .failed(let error) = cut { error } else { nil } }

  /// The run of `variant` at `point`; a variant that ignores what is swept has one run for several points.
  public func run(_ variant: String, at point: Point = Point()) -> Run? {
    runs.first { $0.variant.name == variant && $0.point.settings.allSatisfy(point.settings.contains) }
  }
}

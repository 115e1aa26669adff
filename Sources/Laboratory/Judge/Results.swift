import Measurement

/// The results of a run of one experiment: the measurements, the judgements of the claims and the findings.
public struct Results: Sendable {
  /// The experiment that was run.
  public let experiment: Experiment
  /// The machine, with the cores that the runs were confined to.
  public let machine: Machine
  /// The seed of the run, for the order of the trials and for all random numbers of the trials.
  public let seed: UInt64
  /// The start of the run: ISO 8601, UTC.
  public let started: String
  /// The command line that started the run, without the program's path; empty if the run was not started from a command
  /// line.
  public var command: [String] = []
  /// The duration of the run, in seconds.
  public var seconds: Double
  /// The event that ended the run early; nil if the run completed. ``runs`` includes the trials that finished before
  /// the event.
  public var earlyEnd: Measurements.EarlyEnd?
  /// The runs of every variant at every point, in the order of the experiment.
  public var runs: [VariantRun]
  /// The warnings for readers, such as disturbances of the run and failed trials.
  public var warnings: [RunNote]
  /// The judgements of the claims, in the order of the experiment.
  public var judgements: [Judgement]
  /// The conclusion, the findings of the pattern, and the findings on scalability.
  public var findings: [RunNote]

  /// The traces of the recorded trials. These trials were run after the trials in ``runs``.
  public var traces: [Trace] = []

  /// Creates results from their parts, without judging the claims.
  public init(
    experiment: Experiment, machine: Machine, seed: UInt64, started: String, seconds: Double = 0,
    earlyEnd: Measurements.EarlyEnd? = nil, runs: [VariantRun], warnings: [RunNote] = [], judgements: [Judgement] = [],
    findings: [RunNote] = []
  ) {
    self.experiment = experiment
    self.machine = machine
    self.seed = seed
    self.started = started
    self.seconds = seconds
    self.earlyEnd = earlyEnd
    self.runs = runs
    self.warnings = warnings
    self.judgements = judgements
    self.findings = findings
  }

  /// Returns the reason why the run does not pass although no trial or claim failed: a claim could not be judged, or a
  /// run was stopped; nil if there is no such reason. Claims that this machine or the command line excludes do not
  /// count. Of a comparison, only runs without a figure count, since its answer consists of figures.
  ///
  /// - Parameter limitsTrialTime: whether the command line limits the time of a trial. If the value is true and every
  ///   run without a finished trial was stopped, the result is nil.
  public func whyUnjudged(limitsTrialTime: Bool = false) -> String? {
    let unseen = runs.filter(isUnseen)
    if limitsTrialTime, !unseen.isEmpty, unseen.allSatisfy(\.isStopped) { return nil }
    if experiment.isComparison {
      return unseen.first { $0.isStopped }.map { "\($0.label) has no figure: \($0.stopping ?? "")" }
    }
    let unjudged = judgements.filter { $0.verdict == .unavailable && !$0.isExcused }
    let reasons = unjudged.map { $0.evidence.reason ?? "nothing was measured" }
    if let reason = reasons.first {
      return "\(unjudged.count) of \(judgements.count) claims, \(reason)"
    }
    return runs.first(where: \.isStopped).map { "\($0.label) was stopped: \($0.stopping ?? "")" }
  }

  /// Returns the runs that `reference` includes: runs of the variants in the scope of `reference`, at points with its
  /// settings.
  func runs(of reference: Check.Reference) -> [VariantRun] { runs.filter { reference.means($0, on: machine) } }

  /// The metrics of the pattern, and the metrics of costs that at least one trial recorded.
  public var metrics: [Metric] {
    let costs = Metric.costs.filter { cost in
      runs.contains { run in run.trials.contains { $0.observation.samples(cost.name) != nil } }
    }
    return experiment.pattern.metrics + costs
  }

  /// The error that ended the run early; nil if no error ended the run.
  public var failure: LabError? { if case .failed(let error) = earlyEnd { error } else { nil } }

  /// Returns the run of `variant` at `point`; nil if the results do not contain this run. A variant that ignores the
  /// swept parameters has one run for several points.
  public func run(_ variant: String, at point: Point = Point()) -> VariantRun? {
    runs.first { $0.variant.name == variant && $0.point.settings.allSatisfy(point.settings.contains) }
  }
}

extension Results {
  /// Creates the results of measurements, judges the claims, and computes the findings and the warnings.
  ///
  /// - Parameter budget: the budget of the run.
  public init(_ measured: Measurements, within budget: Budget) {
    self.init(
      experiment: measured.experiment, machine: measured.machine, seed: measured.seed, started: measured.started,
      seconds: measured.seconds, earlyEnd: measured.earlyEnd, runs: measured.comparableRuns)
    warnings = measured.disturbances
    judgements = Judge(self).judgements()
    findings = (conclusion.map { [$0] } ?? []) + experiment.pattern.findings(in: self) + scalability
    let omissions = measured.omissions(from: runs)
    // Without the trials for which no second core was available, the figures are for several cores.
    warnings =
      shortening + measured.disturbances.filter { omissions.isEmpty || $0.kind != RunNote.oneCore } + omissions
      + warnings(within: budget)
  }
}

extension Measurements {
  /// The runs whose figures a comparison may compare. A trial for which no second core was available is not comparable,
  /// and is omitted if each run has enough other trials. In any other case, and without a comparison, the runs have all
  /// trials.
  fileprivate var comparableRuns: [VariantRun] {
    let whole = runs.map(\.withSecondCore)
    let areEnough = zip(runs, whole).allSatisfy {
      $0.trials.count == $1.trials.count || $1.trials.count >= ConfidenceInterval.fewest
    }
    return experiment.isComparison && areEnough ? whole : runs
  }

  /// Returns a note with the number of trials that `kept` does not contain; an empty array if `kept` contains all
  /// trials.
  fileprivate func omissions(from kept: [VariantRun]) -> [RunNote] {
    let (all, count) = (runs.map(\.trials.count).reduce(0, +), kept.map(\.trials.count).reduce(0, +))
    guard count < all else { return [] }
    return [
      RunNote(
        "left-out",
        "without \((all - count).withCommas) of \(all.counted("trial")), in which no second core was free")
    ]
  }
}

extension VariantRun {
  /// The run without the trials for which no second core was available.
  fileprivate var withSecondCore: VariantRun {
    var run = self
    run.trials.removeAll { $0.shortages.contains(Cores.second) }
    return run
  }
}

extension Results {
  /// Whether the figures show the gain from several cores: the trials could use more than one core, and the cores were
  /// available to the trials.
  public var showsGainOfCores: Bool { machine.usedCores > 1 && !warnings.contains { $0.kind == RunNote.coresTaken } }
}

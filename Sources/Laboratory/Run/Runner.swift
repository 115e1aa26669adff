import Measurement
import Platform

/// A runner that executes a plan round by round. Each trial runs alone in its own worker process.
public struct Runner: Sendable {
  /// The executable that the runner starts as a worker. The executable has the hidden subcommand `worker`.
  public let executable: ExecutableFile
  /// The machine, measured once for all runs.
  public let machine: Machine

  /// The smallest number of open file descriptors that a run requires. A run uses about 30: the pipes of a worker,
  /// process descriptors, and the descriptors that Dispatch and the concurrency runtime open.
  private static let fewestDescriptors = 64
  /// The number of trials that must report a missing feature before later trials no longer wait for the feature.
  static let convincingShortages = 3

  /// Creates a runner that starts workers of `executable`.
  public init(_ executable: ExecutableFile, machine: Machine) {
    self.executable = executable
    self.machine = machine
  }

  /// Returns the duration of a worker without a request, from its start until the lab detects its end; nil if no worker
  /// can be started. The result is the shortest of several durations, since other programs may delay a worker.
  public func timeOfWorker() async throws -> Duration? {
    let worker = WorkerProcess(executable: executable)
    var times: [Duration] = []
    for _ in 0..<5 { try await worker.timeOfIdleWorker().map { times.append($0) } }
    return times.min()
  }

  /// Runs the trials of the plan.
  ///
  /// If the task is cancelled, or a worker cannot be started, the current trial is ended. The measurements then contain
  /// the finished trials and the event that ended the run early.
  ///
  /// - Throws: ``LabError`` if the limit of open descriptors is too low for a worker; ``InputError`` if `TMPDIR` is not
  ///   a directory or has too long a path, or if the budget's smallest number of rounds does not fit into its time.
  public func measure(_ plan: Plan, observer: (any RunObserver)? = nil) async throws -> Measurements {
    guard machine.descriptorLimit >= Self.fewestDescriptors else {
      throw LabError(
        "workers need \(Self.fewestDescriptors) open descriptors, but the limit is \(machine.descriptorLimit); "
          + "raise the limit with: ulimit -n \(Self.fewestDescriptors)")
    }
    do { try ScratchDirectory.requirePlace() } catch { throw InputError(error.description) }
    let worker = WorkerProcess(executable: executable)
    let machine = confined(plan)
    let disturbance = DisturbanceWatch(machine)
    let started = Self.timestamp()
    var runs = plan.runs
    var earlyEnd: Measurements.EarlyEnd?
    var pace = Pace(plan)
    // A feature that is missing with one core may be available with two cores.
    var shortages: [Int?: [String: Int]] = [:]
    var repeats = Repeats()
    do {
      for round in 0..<Budget.mostRounds {
        guard pace.begin(round: round) else { break }
        for index in plan.order(ofRound: round) where pace.allows(plan.runs[index]) {
          let run = plan.runs[index]
          observer?.trialStarts(run, pace.progress(in: round))
          let (trial, expired) = try await repeats.untilComplete(isAllowed: pace.allowsRepetition) {
            try await self.trial(
              of: run, plan, round, on: machine, in: pace.trialTime, knowing: shortages[run.cores] ?? [:], by: worker)
          }
          for shortage in trial.shortages { shortages[run.cores, default: [:]][shortage, default: 0] += 1 }
          runs[index].trials.append(trial)
          if let expired { pace.recordExpiry(of: run, trial.outcome, after: expired) }
          if let remark = try pace.record(trial, of: index) { observer?.timeIsTooShort(remark) }
        }
      }
    } catch is CancellationError {
      earlyEnd = .interrupted
    } catch let error as LabError {
      earlyEnd = .failed(error)
    }
    return Measurements(
      experiment: plan.experiment, machine: machine, seed: plan.seed, started: started,
      seconds: Double(pace.elapsed) / 1e9, earlyEnd: earlyEnd, runs: runs,
      disturbances: disturbance.warnings(machine, shortages: DisturbanceWatch.shortagesOfCore(runs)) + repeats.notes)
  }

  /// Returns the machine, with the cores that the runs of `plan` are confined to. If no run is confined, returns the
  /// machine unchanged.
  func confined(_ plan: Plan) -> Machine {
    var machine = machine
    let numbers = plan.runs.compactMap(\.cores).filter { $0 <= machine.cores }
    if let most = numbers.max() { machine.confinedTo = Array(Confinement.coresInTurn.prefix(most)) }
    return machine
  }

  /// Runs a trial. The time limit is `time` or the time after which the trial counts as hung, whichever is shorter. If
  /// the worker was ended at the time limit, `expired` in the result is the limit; otherwise `expired` is nil.
  ///
  /// - Parameters:
  ///   - machine: the machine, with the cores that the plan's runs are confined to.
  ///   - shortages: the number of earlier trials that reported a feature as missing, by the name of the feature.
  ///   - recorder: the recorder of the trial; nil for a trial that is measured.
  func trial(
    of run: VariantRun, _ plan: Plan, _ round: Int, on machine: Machine, in time: Duration?,
    knowing shortages: [String: Int], by worker: WorkerProcess, recorder: Recorder? = nil
  ) async throws -> (trial: TrialRecord, expired: Duration?) {
    if let obstacle = plan.experiment.pattern.obstacle(to: run, on: machine) {
      return (TrialRecord(round: round, outcome: .unavailable(reason: obstacle)), nil)
    }
    let machine = machine.confined(to: run.cores)
    var request = request(run, plan, round, cores: machine.cores)
    if Confinement.isPossible, let cores = run.cores {
      request.confinedTo = machine.confinedTo.map { Array($0.prefix(cores)) }
    }
    let known = shortages.filter { $0.value >= Self.convincingShortages }.keys.sorted()
    if !known.isEmpty { request.shortages = known }
    request.poolWidth = machine.poolWidth
    let settings = Trial(
      variant: run.variant.name, parameters: request.parameters, work: machine.work, cores: machine.cores,
      poolWidth: machine.poolWidth)
    let hangLimit = run.variant.limit(settings, of: plan.experiment.pattern, least: plan.budget.watchdog)
    let limit = time.map { min($0, hangLimit) } ?? hangLimit
    let result = try await worker.run(
      request, limit: limit, endingWithin: run.variant.ending.within, recorder: recorder)
    if let report = result.report { return (TrialRecord(of: run.variant, round: round, report), nil) }
    var observation = Observation()
    if let time = result.timeToEnd { observation.record(Metric.timeToEnd.name, Double(time)) }
    let longest =
      run.variant.longestTime(of: settings, in: plan.experiment.pattern) + (run.variant.ending.within ?? .zero)
    let outcome = result.outcome(in: limit, of: hangLimit, atMost: longest)
    return (TrialRecord(round: round, outcome: outcome, observation: observation), result.hasExpired ? limit : nil)
  }

  private func request(_ run: VariantRun, _ plan: Plan, _ round: Int, cores: Int) -> TrialRequest {
    TrialRequest(
      pattern: plan.experiment.pattern.name, variant: run.variant.name,
      parameters: run.parameters.filter { !run.variant.ignores.contains($0.key) },
      seed: plan.seed &+ UInt64(round), stepsPerMicrosecond: machine.work.stepsPerMicrosecond, cores: cores)
  }

  private static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}

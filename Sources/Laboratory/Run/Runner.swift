import Measurement
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Observes a run while it is in progress, so that running and showing stay separate.
public protocol RunObserver: Sendable {
  /// A trial of `run` starts.
  func trialStarts(_ run: Run, _ progress: RunProgress)
}

/// The progress of a run when a trial starts.
public struct RunProgress: Sendable {
  /// The number of the round, from 0.
  public let round: Int
  /// The number of finished trials.
  public let done: Int
  /// The number of trials of the run; with a precision, the least number.
  public let total: Int
  /// The time that the run has taken.
  public let elapsed: Duration
  /// The time that the run may take; nil if it has no limit.
  public let limit: Duration?
  /// The precision that every ratio must reach, for which rounds are added, and the precision that every ratio had
  /// before this round, both as shares. `reached` is nil while too few rounds are done; both are nil if the number of
  /// rounds is set.
  public let precision: (goal: Double, reached: Double?)?

  /// Creates the state of a run.
  public init(
    round: Int, done: Int, total: Int, elapsed: Duration, limit: Duration? = nil,
    precision: (goal: Double, reached: Double?)? = nil
  ) {
    self.round = round
    self.done = done
    self.total = total
    self.elapsed = elapsed
    self.limit = limit
    self.precision = precision
  }
}

/// Runs a plan round by round, each trial alone in a worker process.
public struct Runner: Sendable {
  /// The binary that has the hidden subcommand `worker`.
  public let image: Image
  /// The machine, measured once for all runs.
  public let machine: Machine

  /// The descriptors that a run needs: pipes of a worker, process descriptors, and those that Dispatch and the
  /// concurrency runtime open. There are about 30, and this leaves room.
  private static let fewestDescriptors = 64
  /// The number of trials that must find that the machine lacks something before later trials no longer wait for it.
  static let convincingShortages = 3

  /// Creates a runner that starts workers of `image`.
  public init(_ image: Image, machine: Machine) {
    self.image = image
    self.machine = machine
  }

  /// Creates a runner that starts workers of the binary at a path.
  public init(executable: String, machine: Machine) { self.init(Image(executable), machine: machine) }

  /// Returns the time from the start of a worker that has nothing to do until the lab learns of its end; nil if the
  /// time cannot be measured. The result is the shortest of several times, since other programs may be busy.
  public func timeOfWorker() async throws -> Duration? {
    let worker = WorkerProcess(image: image)
    var times: [Duration] = []
    for _ in 0..<5 { try await worker.timeToNothing().map { times.append($0) } }
    return times.min()
  }

  /// Runs the trials of the plan.
  ///
  /// If the task is cancelled, or a worker cannot be started, the present trial is ended. The measurements then contain
  /// the finished trials and the event that ended the run early.
  ///
  /// - Throws: ``LabError`` if there are too few descriptors to start a worker; ``InputError`` if `TMPDIR` is not a
  ///   directory, or if the budget's smallest number of rounds does not fit into its time.
  public func measure(_ plan: Plan, observer: (any RunObserver)? = nil) async throws -> Measurements {
    guard machine.descriptorLimit >= Self.fewestDescriptors else {
      throw LabError(
        "\(Self.fewestDescriptors) open descriptors are needed to run workers, the limit is \(machine.descriptorLimit); "
          + "raise it with: ulimit -n \(Self.fewestDescriptors)")
    }
    do { try ScratchDirectory.requirePlace() } catch { throw InputError(error.description) }
    let worker = WorkerProcess(image: image)
    let machine = confined(plan)
    let disturbance = DisturbanceWatch(machine)
    let started = Self.timestamp()
    var runs = plan.runs
    var cut: Measurements.Cut?
    var pace = Pace(plan)
    // Something that is missing with one core may be available with two.
    var shortages: [Int?: [String: Int]] = [:]
    var repeats = Repeats()
    do {
      for round in 0..<(plan.budget.precision == nil ? plan.budget.rounds : Budget.mostRounds) {
        guard pace.allows(round: round) else { break }
        for index in plan.order(ofRound: round) where pace.allows(plan.runs[index]) {
          let run = plan.runs[index]
          observer?.trialStarts(run, pace.progress(in: round))
          let (trial, expired) = try await repeats.untilComplete {
            try await self.trial(
              of: run, plan, round, on: machine, in: pace.trialTime, lacking: shortages[run.cores] ?? [:], by: worker)
          }
          for shortage in trial.shortages { shortages[run.cores, default: [:]][shortage, default: 0] += 1 }
          runs[index].trials.append(trial)
          if let expired { pace.expired(run, trial.outcome, after: expired) }
          try pace.finished(trial, of: index)
        }
      }
    } catch is CancellationError {
      cut = .interrupted
    } catch let error as LabError {
      cut = .failed(error)
    }
    return Measurements(
      experiment: plan.experiment, machine: machine, seed: plan.seed, started: started,
      seconds: Double(pace.elapsed) / 1e9, cut: cut, runs: runs,
      disturbances: disturbance.warnings(machine, lacking: DisturbanceWatch.lackingCore(runs)))
  }

  /// Returns the machine, with the cores that the runs of `plan` are confined to.
  func confined(_ plan: Plan) -> Machine {
    var machine = machine
    let numbers = plan.runs.compactMap(\.cores).filter { $0 <= machine.cores }
    if let most = numbers.max() { machine.confinedTo = Array(Confinement.coresInTurn.prefix(most)) }
    return machine
  }

  /// Runs a trial that may take `time`. If the worker was ended because that time was over, the outcome contains the
  /// time.
  ///
  /// - Parameters:
  ///   - machine: the machine, with the cores that the plan's runs are confined to.
  ///   - shortages: the number of trials that have found the machine to lack each thing.
  ///   - recorder: records the trial; nil for a trial that is measured.
  func trial(
    of run: Run, _ plan: Plan, _ round: Int, on machine: Machine, in time: Duration?,
    lacking shortages: [String: Int], by worker: WorkerProcess, recorder: Recorder? = nil
  ) async throws -> (trial: TrialRecord, expired: Duration?) {
    if let obstacle = plan.experiment.pattern.obstacle(to: run, on: machine) {
      return (TrialRecord(round: round, outcome: .unavailable(reason: obstacle)), nil)
    }
    let machine = machine.confined(to: run.cores)
    var request = request(run, plan, round, cores: machine.cores)
    if Confinement.isPossible, let cores = run.cores {
      request.confinedTo = machine.confinedTo.map { Array($0.prefix(cores)) }
    }
    let lacking = shortages.filter { $0.value >= Self.convincingShortages }.keys.sorted()
    if !lacking.isEmpty { request.shortages = lacking }
    request.poolWidth = machine.poolWidth
    let settings = Trial(
      variant: run.variant.name, parameters: request.parameters, work: machine.work, cores: machine.cores,
      poolWidth: machine.poolWidth)
    let hangs = run.variant.limit(settings, of: plan.experiment.pattern, least: plan.budget.watchdog)
    let limit = time.map { min($0, hangs) } ?? hangs
    let result = try await worker.run(
      request, limit: limit, endingWithin: run.variant.ending.within, recorder: recorder)
    if let report = result.report { return (TrialRecord(of: run.variant, round: round, report), nil) }
    var observation = Observation()
    if let time = result.timeToEnd { observation.record(Metric.timeToEnd.name, Double(time)) }
    let atMost = run.variant.atMost(settings, of: plan.experiment.pattern) + (run.variant.ending.within ?? .zero)
    let outcome = Budget.outcome(result, in: limit, of: hangs, atMost: atMost)
    return (TrialRecord(round: round, outcome: outcome, observation: observation), result.hasExpired ? limit : nil)
  }

  private func request(_ run: Run, _ plan: Plan, _ round: Int, cores: Int) -> TrialRequest {
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

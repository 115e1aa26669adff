import Measurement

/// Decides, from the rounds that are done, whether there is another one.
struct Pace {
  private let plan: Plan
  private let clock: () -> UInt64
  private let start: UInt64
  private let headline: Metric?
  /// Each run's figures.
  private var figures: [[RoundFigure]]
  /// When the round began, counted from the start.
  private var roundStart: UInt64 = 0
  private var longestRound: UInt64 = 0
  /// How many trials are done.
  private(set) var trials = 0
  /// Variants that hung, at whatever point: each more trial would take that long again.
  private var givenUp: Set<String> = []
  /// Runs that were stopped at work: at another point there may be less to do.
  private var stopped: Set<String> = []
  /// Whether a worker had to be ended because its time was over, whatever the reason.
  private var hasExpired = false
  /// Time and trials of those that are not tried again: nothing follows from them for the others.
  private var ended = (time: Duration.zero, trials: 0)

  /// Time for a trial that is begun when none is left: the first round is finished in any case, as far as workers end.
  /// A run that has hardly any from the start is the first of all, which is to show something however busy the machine
  /// is.
  private var leastTrialTime: Duration {
    plan.budget.left.map { $0 < .seconds(1) } ?? false ? .seconds(5) : .seconds(1)
  }

  /// Trials to have seen, and the share of the time to have spent, before a projection is worth anything.
  private static let seenEnough = (trials: 3, share: 0.1)

  /// The pace of a run of `plan` that starts now.
  ///
  /// - Parameter clock: its time in nanoseconds, from whatever beginning; a test gives one that it sets.
  init(_ plan: Plan, clock: @escaping () -> UInt64 = { MonotonicClock.now() }) {
    self.plan = plan
    self.clock = clock
    start = clock()
    headline = plan.experiment.headline
    figures = Array(repeating: [], count: plan.runs.count)
  }

  /// Nanoseconds since the start.
  var elapsed: UInt64 { clock() &- start }

  /// Whether to start `round`: those before it are done.
  mutating func allows(round: Int) -> Bool {
    let now = elapsed
    if round > 0 { longestRound = max(longestRound, now &- roundStart) }
    roundStart = now
    if let limit = plan.budget.time, round > 0, now &+ longestRound > limit.nanoseconds { return false }
    guard round >= plan.budget.rounds, let precision = plan.budget.precision else { return round < plan.budget.rounds }
    return !isSettled(precision)
  }

  /// Whether to start a trial of `run`: not of a variant that is given up, and none when the time is over and workers
  /// take theirs without coming to an end.
  func allows(_ run: Run) -> Bool { !isGivenUp(run) && !(hasExpired && left == .zero && plan.budget.least == nil) }

  private func isGivenUp(_ run: Run) -> Bool { givenUp.contains(run.variant.name) || stopped.contains(run.label) }

  /// What a trial that starts now may take; nil for as long as its settings say.
  var trialTime: Duration? {
    let shared = left.map { max($0 * plan.budget.trialShare, leastTrialTime) }
    return [plan.budget.trialTime, shared].compactMap(\.self).min()
  }

  /// What is left of the time for all; nil where there is no limit.
  private var left: Duration? {
    plan.budget.left.map { max(.zero, $0 - .nanoseconds(Int64(elapsed))) }
  }

  /// Takes note that a worker was ended because its time was over.
  mutating func expired(_ run: Run, _ outcome: Outcome, after time: Duration) {
    hasExpired = true
    switch outcome {
    // What the machine or another program withheld may be there next time.
    case .unavailable: return
    case .stopped: stopped.insert(run.label)
    case .hung, .broken, .trapped, .completed:
      givenUp.insert(run.variant.name)
      ended.time += time
      ended.trials += 1
    }
  }

  /// Takes note of a trial of the run `index`.
  ///
  /// - Throws: ``InputError`` when it is clear by now that the least number of rounds will not fit into the time.
  mutating func finished(_ trial: TrialRecord, of index: Int) throws(InputError) {
    trials += 1
    if let figure = headline.flatMap({ trial.figure($0) }) {
      figures[index].append(RoundFigure(round: trial.round, value: figure))
    }
    guard let least = plan.budget.least, let limit = plan.budget.time, trial.round == 0 else { return }
    let spent = (.nanoseconds(Int64(elapsed)) - ended.time).nanoseconds
    let (seen, tried) = (Self.seenEnough, trials - ended.trials)
    guard tried >= seen.trials, Double(spent) > seen.share * Double(limit.nanoseconds) else { return }
    let each = Double(spent) / Double(tried)
    let needed = each * Double(plan.runs.count { !isGivenUp($0) } * least)
    guard needed > Double(limit.nanoseconds) else { return }
    let variants = plan.experiment.variants.count
    let fewer = variants > 1 ? "fewer values, fewer of the \(variants) variants with --variant," : "fewer values,"
    throw InputError(
      "\(plan.runs.count) trials a round do not fit into \(Quantity(limit)): at \(Quantity(each, .nanoseconds)) a trial "
        + "(\(tried) tried), \(least) rounds take \(Quantity(needed, .nanoseconds)). Give it more time with --time, or "
        + "shrink it: \(fewer) smaller trials with --set")
  }

  /// How many trials there will be, as far as can be told, for the progress line.
  func expectedTrials(_ runs: [Run]) -> Int {
    max(plan.budget.rounds * runs.count { !isGivenUp($0) }, trials + 1)
  }

  /// Whether every ratio that will be printed is known as precisely as wanted. Where none is, neither by a baseline nor
  /// by the best, those to the best stand for those of the claims.
  private func isSettled(_ precision: Double) -> Bool {
    guard let headline else { return true }
    var experiment = plan.experiment
    if experiment.baseline == nil { experiment.seeksBest = true }
    let cells = zip(plan.runs, figures).map { Comparison.Cell($0, figures: $1) }
    return Comparison(cells, .init(experiment), ranking: headline.better.ranking).isSettled(within: precision)
  }
}

extension Budget {
  /// What the end of a worker means that was given `time` and not the `whole` of what its variant may take. A worker
  /// whose threads all slept hung, where that was time enough for what it says it takes `atMost`; one that was still at
  /// work, or may have been at rest as its settings say, was stopped.
  static func outcome(_ result: WorkerProcess.Result, in time: Duration, of whole: Duration, atMost: Duration)
    -> Outcome
  {
    if case .unavailable = result.outcome { return result.outcome }
    guard result.hasExpired, time < whole else { return result.outcome }
    return result.isAsleep && time >= atMost * 2 + .milliseconds(500) ? result.outcome : .stopped(after: time)
  }
}

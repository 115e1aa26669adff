import Measurement

/// Decides whether another round starts, from the rounds that are done.
struct Pace {
  private let plan: Plan
  private let clock: () -> UInt64
  private let start: UInt64
  private let headline: Metric?
  /// The figures of each run.
  private var figures: [[RoundFigure]]
  /// The time from the start of the run to the beginning of the round.
  private var roundStart: UInt64 = 0
  private var longestRound: UInt64 = 0
  /// The precision of the ratios before this round; nil if too few rounds were done.
  private var reached: Double?
  /// The number of trials that are done.
  private(set) var trials = 0
  /// The variants that hung at any point. Each further trial would take as long again.
  private var givenUp: Set<String> = []
  /// The runs that were stopped while they worked. At another point there may be less to do.
  private var stopped: Set<String> = []
  /// The time that a trial may take once the stopped runs are tried again; nil before that.
  private var longerTrialTime: Duration?
  /// Whether a worker had to be ended because its time was over, for whatever reason.
  private var hasExpired = false
  /// The time and the number of the trials that are not tried again. They do not predict the others.
  private var ended = (time: Duration.zero, trials: 0)

  /// The time for a trial that starts when no time is left: the first round is always finished, as far as its workers
  /// end. If a run has hardly any time from the start, it is the very first run. Its trials get more time, since it
  /// must show something however busy the machine is.
  private var leastTrialTime: Duration {
    plan.budget.left.map { $0 < .seconds(1) } ?? false ? .seconds(5) : .seconds(1)
  }

  /// The number of trials and the share of the time that a projection requires.
  private static let seenEnough = (trials: 3, share: 0.1)

  /// Creates the pace of a run of `plan` that starts now.
  ///
  /// - Parameter clock: returns the time in nanoseconds since an arbitrary start. A test passes a clock that it sets.
  init(_ plan: Plan, clock: @escaping () -> UInt64 = { MonotonicClock.now() }) {
    self.plan = plan
    self.clock = clock
    start = clock()
    headline = plan.experiment.headline
    figures = Array(repeating: [], count: plan.runs.count)
  }

  /// Nanoseconds since the start.
  var elapsed: UInt64 { clock() &- start }

  /// Returns whether to start `round`. The rounds before it are done.
  mutating func allows(round: Int) -> Bool {
    let now = elapsed
    if round > 0 { longestRound = max(longestRound, now &- roundStart) }
    roundStart = now
    if let limit = plan.budget.time, round > 0, now &+ longestRound > limit.nanoseconds { return false }
    guard round >= plan.budget.rounds, let goal = plan.budget.precision else { return round < plan.budget.rounds }
    guard headline != nil else { return false }
    reached = precision
    return reached.map { $0 > goal } ?? true || retriesStopped()
  }

  /// Allows the stopped runs once more, if the time that is left suffices for their rounds with longer trials. Returns
  /// whether it does.
  private mutating func retriesStopped() -> Bool {
    guard plan.budget.retriesStopped, longerTrialTime == nil, !stopped.isEmpty, let left, let limit = trialTime else {
      return false
    }
    let longer = left / (ConfidenceInterval.fewest * stopped.count)
    guard longer > limit else { return false }
    longerTrialTime = longer
    stopped = []
    return true
  }

  /// Returns whether to start a trial of `run`. The result is false if the run is given up. It is also false if the
  /// time is over and workers use up their time without ending.
  func allows(_ run: Run) -> Bool { !isGivenUp(run) && !(hasExpired && left == .zero && plan.budget.least == nil) }

  private func isGivenUp(_ run: Run) -> Bool { givenUp.contains(run.variant.name) || stopped.contains(run.label) }

  /// The time that a trial may take if it starts now; nil if only its settings limit the time.
  var trialTime: Duration? {
    let shared = left.map { max($0 * plan.budget.trialShare, leastTrialTime) }
    return [longerTrialTime ?? plan.budget.trialTime, shared].compactMap(\.self).min()
  }

  /// The time that is left for all trials; nil without a limit.
  private var left: Duration? {
    plan.budget.left.map { max(.zero, $0 - .nanoseconds(Int64(elapsed))) }
  }

  /// Notes that a worker was ended because its time was over.
  mutating func expired(_ run: Run, _ outcome: Outcome, after time: Duration) {
    hasExpired = true
    switch outcome {
    // What the machine or another program withheld may be available next time.
    case .unavailable: return
    case .stopped: stopped.insert(run.label)
    case .hung, .broken, .trapped, .completed:
      givenUp.insert(run.variant.name)
      ended.time += time
      ended.trials += 1
    }
  }

  /// Notes a finished trial of the run `index`.
  ///
  /// - Throws: ``InputError`` if it is clear by now that the smallest number of rounds does not fit into the time.
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
    // The estimate has a fifth to spare, since the next trials may be slower.
    let seconds = Int((needed * 1.2 / 1e9).rounded(.up))
    let variants = plan.experiment.variants.count
    let ways = [
      "fewer values", variants > 1 ? "fewer of the \(variants) variants with --variant" : nil,
      "smaller trials with \(plan.experiment.isQuick ? "--set" : "--quick or --set")",
    ]
    throw InputError(
      "\(plan.runs.count) trials a round do not fit into \(Quantity(limit)): at \(Quantity(each, .nanoseconds)) a trial "
        + "(\(tried) tried), \(least) rounds take \(Quantity(needed, .nanoseconds)). Give it more time (--time \(seconds)s), or "
        + "shrink it: \(ways.compactMap(\.self).joined(separator: ", "))")
  }

  /// Returns how far the run is when a trial of `round` starts.
  func progress(in round: Int) -> RunProgress {
    RunProgress(
      round: round, done: trials, total: max(plan.budget.rounds * plan.runs.count { !isGivenUp($0) }, trials + 1),
      elapsed: .nanoseconds(Int64(elapsed)), limit: plan.budget.time,
      precision: plan.budget.precision.map { (goal: $0, reached: reached) })
  }

  /// The precision of the least precise ratio that will be printed; nil if too few rounds are done. If none is printed,
  /// neither to a baseline nor to the best, the ratios to the best represent those of the claims.
  private var precision: Double? {
    var experiment = plan.experiment
    if experiment.baseline == nil { experiment.seeksBest = true }
    let cells = zip(plan.runs, figures).map { Comparison.Cell($0, figures: $1) }
    return Comparison(cells, .init(experiment), ranking: headline?.better.ranking).precision
  }
}

extension Budget {
  /// Returns the outcome of a worker that was ended after `time`, which is less than the `whole` time that its variant
  /// may take. A worker whose threads all slept has hung if `time` covers `atMost`, the longest time of the variant.
  /// Any other worker was stopped: it was still working, or its settings may have let it rest.
  static func outcome(_ result: WorkerProcess.Result, in time: Duration, of whole: Duration, atMost: Duration)
    -> Outcome
  {
    if case .unavailable = result.outcome { return result.outcome }
    guard result.hasExpired, time < whole else { return result.outcome }
    return result.isAsleep && time >= atMost * 2 + .milliseconds(500) ? result.outcome : .stopped(after: time)
  }
}

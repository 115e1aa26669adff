import Measurement

/// The pace of a run: decides from the finished rounds whether another round or trial starts.
struct Pace {
  private let plan: Plan
  private let clock: () -> UInt64
  private let start: UInt64
  private let headline: Metric?
  /// The figures of the headline metric for each run, in the order of the plan. Trials for which no second core was
  /// available are excluded.
  private var figures: [[RoundFigure]]
  /// For each metric that may count a flaw and for each run, whether the count is 0 in all rounds; nil if nothing was
  /// counted.
  private var areZero: [[Bool?]]
  /// The time from the start of the run to the beginning of the current round, in nanoseconds.
  private var roundStart: UInt64 = 0
  private var longestRound: UInt64 = 0
  /// The precision of the ratios before the current round; nil if too few rounds have finished.
  private var reached: Double?
  /// The number of finished trials.
  private(set) var trials = 0
  /// The names of the variants with a trial, at any point of the sweep, that hung or failed in another way at its time
  /// limit. Further trials of these variants are skipped, since each further trial would take equally long.
  private var givenUp: Set<String> = []
  /// The labels of the runs with a stopped trial. The other runs of their variants continue, since a variant may have
  /// less work at another point.
  private var stopped: Set<String> = []
  /// The labels of the runs that are certainly much worse than the best run of their group. These runs hardly affect
  /// the answer, so they take part in few rounds, and the other runs get more time.
  private var outOfReach: Set<String> = []
  /// The number of the current round.
  private var round = 0
  /// The time by which the run was extended so that its smallest number of rounds fits.
  private var added = Duration.zero
  /// The longer time limit of a trial when the stopped runs are tried again; nil before these runs are tried again.
  private var longerTrialTime: Duration?
  /// Whether any worker was ended at its time limit.
  private var hasExpired = false
  /// Whether ``record(_:of:)`` has returned its remark on a time that is too short.
  private var hasRemarked = false
  /// The number and the total time of the trials after which their variants were not tried again. The projection of the
  /// run's duration excludes these trials.
  private var ended = (time: Duration.zero, trials: 0)

  /// The smallest time limit that the remaining time imposes on a trial. The limit applies even if no time remains,
  /// since the first round must be completed. The limit is longer if the run had less than a second at its start. Such
  /// a run is usually a user's first run, which must show results even on a busy machine.
  private var leastTrialTime: Duration {
    plan.budget.timeLeft.map { $0 < .seconds(1) } ?? false ? .seconds(5) : .seconds(1)
  }

  /// The interval, in rounds, at which a run that is much worse than the best run still takes part.
  private static let roundsOutOfReach = 4

  /// The smallest number of trials, and the smallest share of the time, from which the run's duration is projected.
  private static let seenEnough = (trials: 3, share: 0.1)

  /// Creates the pace of a run of `plan` that starts now.
  ///
  /// - Parameter clock: a closure that returns the time in nanoseconds since an arbitrary start. A test passes its own
  ///   clock.
  init(_ plan: Plan, clock: @escaping () -> UInt64 = { MonotonicClock.now() }) {
    self.plan = plan
    self.clock = clock
    start = clock()
    headline = plan.experiment.headline
    figures = Array(repeating: [], count: plan.runs.count)
    areZero = plan.experiment.flawMetrics.map { _ in Array(repeating: nil, count: plan.runs.count) }
  }

  /// The time since the start of the run, in nanoseconds.
  var elapsed: UInt64 { clock() &- start }

  /// Begins `round`, and returns whether the round may start. All earlier rounds must have finished.
  mutating func begin(round: Int) -> Bool {
    let now = elapsed
    self.round = round
    if round > 0 { longestRound = max(longestRound, now &- roundStart) }
    roundStart = now
    if let limit = time, round > 0, now &+ longestRound > limit.nanoseconds { return false }
    let hasTime = now < plan.budget.shortestTime.nanoseconds
    guard let goal = plan.budget.precision, round >= plan.budget.fewestRounds ?? plan.budget.rounds else {
      return round < plan.budget.rounds || hasTime
    }
    guard headline != nil else { return round < plan.budget.rounds }
    let comparison = comparison
    let apart =
      plan.experiment.isComparison
      ? Set(comparison.runs(apartBy: Comparison.outOfReach).map { plan.runs[$0].label }) : []
    // A setting that fails seldom needs all rounds to show this.
    if plan.experiment.ranksAllRuns, plan.experiment.flawMetrics.isEmpty { outOfReach = apart }
    guard round >= plan.budget.rounds else { return true }
    let least = comparison.leastPrecise {
      isGivenUp(plan.runs[$0]) || apart.contains(plan.runs[$0].label)
    }
    // Without any ratio, there is nothing to make more precise.
    reached = least.map { $0.interval?.relativeMargin } ?? 0
    let isPrecise = reached.map { $0 <= goal } ?? false
    return !isPrecise || canDecideMore(comparison, goal) || permitRetryOfStopped() || hasTime
  }

  /// Returns whether more rounds may rank a run that is still undecided. A difference near
  /// ``ConfidenceInterval/alikeDifference`` can be undecided within ``Budget/quickComparisonPrecision``. A user who
  /// asks for less precision than that does not ask for a decision. More rounds do not decide between a better mean and
  /// more frequent wins.
  private func canDecideMore(_ comparison: Comparison, _ goal: Double) -> Bool {
    guard plan.experiment.ranksAllRuns, plan.budget.time != nil, goal <= Budget.quickComparisonPrecision else {
      return false
    }
    return comparison.undecided.contains { run in
      !isGivenUp(plan.runs[run]) && comparison.contrastsWithBest[run]?.isContradicted == false
    }
  }

  /// Permits trials of the stopped runs once more, with a longer time limit. Returns whether the trials are permitted.
  ///
  /// The limit lets each run complete the smallest number of rounds that an interval needs. If the remaining time does
  /// not suffice for this number, the limit lets each run complete one trial, since one figure is better than none.
  private mutating func permitRetryOfStopped() -> Bool {
    guard plan.budget.retriesStopped, longerTrialTime == nil, !stopped.isEmpty, let left, let limit = trialTime else {
      return false
    }
    let shares = [left / (ConfidenceInterval.fewest * stopped.count), left / stopped.count]
    guard let longer = shares.first(where: { $0 > limit }) else { return false }
    longerTrialTime = longer
    stopped = []
    return true
  }

  /// Returns whether a trial of `run` may start in the current round. The result is false if the run or its variant is
  /// not tried again, or if the run is out of reach and does not take part in this round. The result is also false if
  /// no time remains, a worker was ended at its time limit, and the plan has no smallest number of rounds.
  func allows(_ run: VariantRun) -> Bool {
    let participates = !outOfReach.contains(run.label) || round.isMultiple(of: Self.roundsOutOfReach)
    return participates && !isGivenUp(run) && !(hasExpired && left == .zero && plan.budget.fewestRounds == nil)
  }

  /// Whether a trial of the current round may be repeated: the round is not the first, and the time is unlimited or
  /// more than a second of it remains. Trials of the first round are not repeated, since this round shows how much time
  /// the trials need.
  var allowsRepetition: Bool { round > 0 && left.map { $0 > .seconds(1) } ?? true }

  private func isGivenUp(_ run: VariantRun) -> Bool {
    givenUp.contains(run.variant.name) || stopped.contains(run.label)
  }

  /// The time limit of a trial that starts now; nil if only the trial's settings limit its time.
  var trialTime: Duration? {
    let shared = left.map { max($0 * plan.budget.trialShare, leastTrialTime) }
    return [longerTrialTime ?? plan.budget.trialTime, shared].compactMap(\.self).min()
  }

  /// The time limit for all rounds; nil for no limit.
  private var time: Duration? { plan.budget.time.map { $0 + added } }

  /// The remaining time for all trials; nil if the time is not limited.
  private var left: Duration? {
    plan.budget.timeLeft.map { max(.zero, $0 + added - .nanoseconds(Int64(elapsed))) }
  }

  /// Records that a worker was ended at its time limit, `time`. Depending on the outcome, the run or its variant is not
  /// tried again.
  mutating func recordExpiry(of run: VariantRun, _ outcome: Outcome, after time: Duration) {
    hasExpired = true
    switch outcome {
    // Resources that the machine or another program withheld may be available next time.
    case .unavailable: return
    case .stopped: stopped.insert(run.label)
    case .hung, .broken, .trapped, .completed:
      givenUp.insert(run.variant.name)
      ended.time += time
      ended.trials += 1
    }
  }

  /// Records a finished trial of the run at `index`. If the finished trials show that the smallest number of rounds
  /// does not fit into the time, the time is extended, at most to the longest time of the budget. If the user gave the
  /// time, and it contains a round, the time stays as it is. The first call that finds this returns a remark for the
  /// user.
  ///
  /// - Throws: ``InputError`` if the smallest number of rounds does not fit into the longest time, or if the budget has
  ///   no longest time and a single round does not fit into its time.
  @discardableResult
  mutating func record(_ trial: TrialRecord, of index: Int) throws(InputError) -> String? {
    trials += 1
    if let figure = headline.flatMap({ trial.figure($0) }), !trial.shortages.contains(Cores.second) {
      figures[index].append(RoundFigure(round: trial.round, value: figure))
    }
    for (place, metric) in plan.experiment.flawMetrics.enumerated() {
      guard let count = trial.figure(metric) else { continue }
      areZero[place][index] = count == 0 && areZero[place][index] != false
    }
    guard let least = plan.budget.fewestRounds, let limit = time, trial.round == 0,
      let each = timeOfTrial(within: limit)
    else { return nil }
    let needed = each * Double(runsToTry * least)
    guard needed > Double(limit.nanoseconds) else { return nil }
    // The first trials of a round may be short ones, so the suggestion has a margin beyond that of the budget.
    let seconds = Budget.enough(for: Self.margin * needed / 1e9)
    if let longest = plan.budget.longestTime, .seconds(seconds) <= longest {
      added += .seconds(seconds) - limit
      return nil
    }
    // A user's time is a promise. If it contains a round, the report has figures, and states what a ranking needs.
    let fitting = Int(Double(limit.nanoseconds) / (each * Double(runsToTry)))
    if plan.budget.longestTime == nil, fitting > 0 {
      guard !hasRemarked, least >= ConfidenceInterval.fewest else { return nil }
      hasRemarked = true
      return "about \(fitting.counted("round")) fit\(fitting == 1 ? "s" : "") into \(Quantity(limit)), and a ranking "
        + "needs \(least): \(stopped.isEmpty ? "" : "at least ")--time \(seconds)s should be enough"
    }
    let takes = "\(least) rounds take \(Quantity(needed, .nanoseconds))"
    throw InputError(
      "rounds of \(runsToTry) trials do not fit into \(Quantity(limit)): at \(Quantity(each, .nanoseconds)) per trial "
        + "(\(trialsToProject) tried), \(takes). \(advice(seconds: seconds))")
  }

  /// The number of runs that are still tried. A stopped run counts: it is tried again, and its trials take at least as
  /// long as the stopped one.
  private var runsToTry: Int { plan.runs.count { !givenUp.contains($0.variant.name) } }

  /// The number of finished trials from which the run's duration is projected.
  private var trialsToProject: Int { trials - ended.trials }

  /// Returns the mean time of a trial in nanoseconds, or nil as long as too few trials have finished to project the
  /// run's duration. Trials of different runs take different times, so the projection needs trials of all runs, unless
  /// half of the time is over.
  private func timeOfTrial(within limit: Duration) -> Double? {
    let spent = Double((.nanoseconds(Int64(elapsed)) - ended.time).nanoseconds)
    let share = spent / Double(limit.nanoseconds)
    guard trialsToProject >= Self.seenEnough.trials, share > Self.seenEnough.share,
      share > 0.5 || trialsToProject >= runsToTry
    else { return nil }
    return spent / Double(trialsToProject)
  }

  /// Returns the end of the error about a run that needs about `seconds` seconds: how to make it fit into its time.
  private func advice(seconds: Int) -> String {
    let variants = plan.experiment.variants.count
    let ways = [
      "fewer values", variants > 1 ? "fewer of the \(variants) variants with --variant" : nil,
      "smaller trials with \(plan.experiment.isQuick ? "--set" : "--quick or --set")",
    ]
    return "Give the run more time (\(stopped.isEmpty ? "" : "at least ")--time \(seconds)s), or shrink it: "
      + ways.compactMap(\.self).joined(separator: ", ")
  }

  /// The ratio of the time on which a suggestion is based to the time that the first trials predict.
  private static let margin = 1.1

  /// Returns the progress of the run at the start of a trial of `round`.
  func progress(in round: Int) -> RunProgress {
    RunProgress(
      round: round, done: trials, total: max(plan.budget.rounds * plan.runs.count { !isGivenUp($0) }, trials + 1),
      elapsed: .nanoseconds(Int64(elapsed)), limit: time,
      precision: plan.budget.precision.map { (goal: $0, reached: reached) })
  }

  /// The comparison of the runs by the headline metric, as in the report. If the report prints no ratios, the
  /// comparison contains the ratios to the best run.
  private var comparison: Comparison {
    var experiment = plan.experiment
    if experiment.baseline == nil { experiment.isComparison = true }
    let entries = zip(plan.runs, figures).map { Comparison.Entry($0, figures: $1) }
    return experiment.comparison(of: entries, areZero: areZero)
  }
}

extension Experiment {
  /// Whether the run searches for the best of all its settings. With a baseline, all ratios matter.
  fileprivate var ranksAllRuns: Bool { isComparison && baseline == nil }
}

import Measurement

/// Decides, from the rounds that are done, whether there is another one.
struct Pace {
  private let plan: Plan
  private let start: UInt64
  private let headline: Metric?
  /// Each run's figure, by round.
  private var figures: [[Int: Double]]
  private var roundStart: UInt64
  private var longestRound: UInt64 = 0
  /// How many trials are done.
  private(set) var trials = 0

  /// Trials to have seen, and the share of the time to have spent, before a projection is worth anything.
  private static let seenEnough = (trials: 3, share: 0.1)

  init(_ plan: Plan, start: UInt64) {
    self.plan = plan
    self.start = start
    headline = plan.experiment.headline
    figures = Array(repeating: [:], count: plan.runs.count)
    roundStart = start
  }

  /// Whether to start `round`: those before it are done.
  mutating func allows(round: Int) -> Bool {
    let now = MonotonicClock.now()
    if round > 0 { longestRound = max(longestRound, now &- roundStart) }
    roundStart = now
    if let limit = plan.budget.time, round > 0, now &- start &+ longestRound > limit.nanoseconds { return false }
    guard round >= plan.budget.rounds, let precision = plan.budget.precision else { return round < plan.budget.rounds }
    return !isSettled(precision)
  }

  /// Takes note of a trial of the run `index`.
  ///
  /// - Throws: ``InputError`` when it is clear by now that the least number of rounds will not fit into the time.
  mutating func finished(_ trial: TrialRecord, of index: Int) throws(InputError) {
    trials += 1
    if let figure = headline.flatMap({ trial.figure($0) }) { figures[index][trial.round] = figure }
    guard let least = plan.budget.least, let limit = plan.budget.time, trial.round == 0 else { return }
    let elapsed = MonotonicClock.now() &- start
    let seen = Self.seenEnough
    guard trials >= seen.trials, Double(elapsed) > seen.share * Double(limit.nanoseconds) else { return }
    let each = Double(elapsed) / Double(trials)
    let needed = each * Double(plan.runs.count * least)
    guard needed > Double(limit.nanoseconds) else { return }
    let variants = plan.experiment.variants.count
    let fewer = variants > 1 ? "fewer values, fewer of the \(variants) variants with --variant," : "fewer values,"
    throw InputError(
      "\(plan.runs.count) cells do not fit into \(Quantity(limit)): at \(Quantity(each, .nanoseconds)) a trial "
        + "(\(trials) tried), \(least) rounds take \(Quantity(needed, .nanoseconds)). Give it more time with --time, or "
        + "shrink it: \(fewer) smaller trials with --set")
  }

  /// How many trials there will be, as far as can be told, for the progress line.
  func expectedTrials(_ runs: [Run]) -> Int {
    max(plan.budget.rounds * runs.count { !$0.isStopped }, trials + 1)
  }

  /// Whether every run's ratio to the reference is known as precisely as wanted.
  private func isSettled(_ precision: Double) -> Bool {
    guard let headline else { return true }
    let measured = plan.runs.indices.filter { !figures[$0].isEmpty }
    let comparisons = ConfidenceInterval.comparisons(
      of: measured.count, withBest: plan.experiment.seeksBest || plan.experiment.baseline == nil)
    let best = headline.better.ranking?.best(measured) { Ranking.typical(Array(figures[$0].values)) }
    return measured.allSatisfy { index in
      let baseline = plan.experiment.baseline.flatMap { name in
        plan.runs.firstIndex {
          $0.variant.name == name && $0.point.settings.allSatisfy(plan.runs[index].point.settings.contains)
        }
      }
      guard let reference = baseline ?? best, reference != index else { return true }
      let pairs = figures[index].compactMap { round, figure in
        figures[reference][round].map { (left: figure, right: $0) }
      }
      // Of 0 there is no ratio, however many rounds there are.
      guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return true }
      // Too few rounds to say: those that a trial failed in do not count.
      guard let ratio = ConfidenceInterval.ofRatio(pairs, among: comparisons) else { return pairs.isEmpty }
      return ratio.high / ratio.estimate - 1 <= precision
    }
  }
}

extension Run {
  /// Whether it took longer than its share of the time, so that it is not tried again.
  var isStopped: Bool { trials.contains { if case .stopped = $0.outcome { true } else { false } } }
}

extension Budget {
  /// What the end of a worker means under this budget: one that ran into the trial time, before it was past what it may take,
  /// was stopped, whatever it was doing.
  func outcome(_ result: WorkerProcess.Result, of limit: Duration) -> Outcome {
    if result.hasExpired, let trialTime, trialTime < limit { return .stopped(after: trialTime) }
    return result.outcome
  }
}

import Measurement
import LabTesting
import Testing

@testable import Laboratory

@Suite struct PaceTests {
  private func plan(_ budget: Budget) -> Plan { Plan(FakePattern.experiment(), budget: budget, seed: 1) }

  private func trial(_ round: Int, _ elapsed: Double) -> TrialRecord {
    var observation = Observation()
    observation.record("elapsed", elapsed)
    return TrialRecord(round: round, outcome: .completed, observation: observation)
  }

  /// A clock that advances only when a test sets it.
  private final class SetClock {
    var now: UInt64
    init(at now: UInt64 = 0) { self.now = now }
    func pass(_ time: Duration) { now += time.nanoseconds }
  }

  /// Returns the number of rounds if the three runs measure `figure`, with one nanosecond for each trial.
  private func rounds(_ budget: Budget, most: Int = 40, _ figure: (_ run: Int, _ round: Int) -> Double) throws -> Int {
    let clock = SetClock()
    var pace = Pace(plan(budget)) { clock.now }
    for round in 0..<most {
      guard pace.begin(round: round) else { return round }
      for run in 0..<3 {
        clock.pass(.nanoseconds(1))
        try pace.record(trial(round, figure(run, round)), of: run)
      }
    }
    return most
  }

  @Test func `a budget without a precision has a fixed number of rounds`() throws {
    #expect(try rounds(Budget(rounds: 4)) { _, _ in 10 } == 4)
  }

  @Test func `rounds are added until the ratios have the requested precision`() throws {
    let budget = Budget(rounds: 6, precision: 0.02)
    #expect(try rounds(budget) { run, _ in Double(10 * (run + 1)) } == 6)
    // A change that all runs share does not widen the interval of a ratio between them.
    #expect(try rounds(budget) { run, round in Double(10 * (run + 1) * (round + 1)) } == 6)
    // A spread of 5 % needs more than six rounds, and a finite number.
    var generator = SplitMix64(seed: 3)
    let added = try rounds(budget, most: 400) { run, _ in
      Double(run + 1) * (1 + 0.05 * Double(generator.next() % 1000) / 1000)
    }
    #expect(added > 6 && added < 400)
    // The figure is one of two values, in no regular order, so the rounds never suffice.
    #expect(try rounds(budget) { run, round in run == 1 && round * round % 5 < 2 ? 100 : 10 } == 40)
  }

  @Test func `a run does not end before its shortest time, however precise its ratios are`() throws {
    var budget = Budget(rounds: 6, precision: 0.02)
    budget.shortestTime = .seconds(3600)
    #expect(try rounds(budget) { run, _ in Double(10 * (run + 1)) } == 40)
    // A run with a fixed number of rounds does not end before its shortest time, either.
    budget.precision = nil
    #expect(try rounds(budget) { run, _ in Double(10 * (run + 1)) } == 40)
  }

  @Test func `a run that is certainly twice as slow as the best takes part in every fourth round of a comparison`()
    throws
  {
    /// Returns the numbers of rounds of the three runs if the last run is slower by a factor.
    func rounds(isComparison: Bool, factor: Double) throws -> [Int] {
      var experiment = FakePattern.experiment()
      (experiment.isComparison, experiment.baseline) = (isComparison, nil)
      var budget = Budget(rounds: 10, precision: 0.001)
      budget.fewestRounds = ConfidenceInterval.fewest
      let plan = Plan(experiment, budget: budget, seed: 1)
      var pace = Pace(plan)
      var counts = [0, 0, 0]
      for round in 0..<20 {
        guard pace.begin(round: round) else { break }
        for run in 0..<3 where pace.allows(plan.runs[run]) {
          counts[run] += 1
          let noise = 1 + 0.02 * Double((round * (run + 3)) % 5)
          // The first run is of a yardstick, and not the best.
          try pace.record(trial(round, [12, 10, 10 * factor][run] * noise), of: run)
        }
      }
      return counts
    }
    #expect(try rounds(isComparison: true, factor: 3) == [20, 20, 9])
    #expect(try rounds(isComparison: true, factor: 1.5) == [20, 20, 20])
    #expect(try rounds(isComparison: false, factor: 3) == [20, 20, 20])
  }

  @Test func `rounds are added to a precise comparison while it has time and more rounds may rank a run`() throws {
    /// Returns the number of rounds if the last run is 5 % slower than the best run, with the given noise.
    func rounds(_ precision: Double, time: Duration? = .seconds(60), _ noise: (_ round: Int) -> Double) throws -> Int {
      var experiment = FakePattern.experiment()
      (experiment.isComparison, experiment.baseline) = (true, nil)
      var pace = Pace(
        Plan(experiment, budget: Budget(rounds: 6, precision: precision, time: time), seed: 1), clock: { 0 })
      for round in 0..<40 {
        guard pace.begin(round: round) else { return round }
        for run in 0..<3 { try pace.record(trial(round, [25, 10, 10.5 * noise(round)][run]), of: run) }
      }
      return 40
    }
    func alternating(_ round: Int) -> Double { round.isMultiple(of: 2) ? 1.035 : 0.965 }
    let precise = try rounds(0.1, alternating)
    #expect(precise > 6 && precise < 40)
    #expect(try rounds(0.1) { _ in 1 } == 6)
    // Less precision than that is no question of which run is the best.
    #expect(try rounds(0.2, alternating) == 6)
    #expect(try rounds(0.1, time: nil, alternating) < precise)
  }

  @Test func `a run without figures does not add rounds`() throws {
    #expect(try rounds(Budget(rounds: 6, precision: 0.02)) { run, _ in run == 2 ? .nan : 10 } == 6)
  }

  @Test func `a round that would exceed the time is not started`() throws {
    #expect(try rounds(Budget(rounds: 4, time: .nanoseconds(1))) { _, _ in 10 } == 1)
    // A round takes 3 ns.
    #expect(try rounds(Budget(rounds: 4, time: .nanoseconds(8))) { _, _ in 10 } == 2)
    #expect(try rounds(Budget(rounds: 4, time: .nanoseconds(12))) { _, _ in 10 } == 4)
  }

  @Test func `a grid that does not fit into the time is refused with the reason`() {
    let error = #expect(throws: InputError.self) {
      try rounds(Budget(rounds: 6, time: .nanoseconds(1), fewestRounds: 3)) { _, _ in 10 }
    }
    #expect(
      error?.description.hasPrefix(
        "rounds of 3 trials do not fit into 1 ns: at 1 ns per trial (3 tried), 3 rounds take 9 ns. Give the run more time"
      )
        == true)
  }

  /// Returns the outcome of a trial whose worker had a core for `seconds` of its 30 s. The variant takes at most 1 s.
  private func outcome(
    _ found: Outcome, in seconds: Int, hasExpired: Bool = true, isAsleep: Bool
  ) -> Outcome {
    let result = WorkerProcess.Result(outcome: found, hasExpired: hasExpired, isAsleep: isAsleep)
    return result.outcome(in: .seconds(seconds), of: .seconds(30), atMost: .seconds(1))
  }

  @Test func `a worker that sleeps past its time is reported as hung, and a busy worker as stopped`() {
    #expect(outcome(.hung, in: 3, isAsleep: true) == .hung)
    #expect(outcome(.hung, in: 3, isAsleep: false) == .stopped(after: .seconds(3)))
    // A worker that had a core for less time than its settings require may sleep without hanging.
    #expect(outcome(.hung, in: 2, isAsleep: true) == .stopped(after: .seconds(2)))
    #expect(outcome(.broken(reason: "no hazard"), in: 2, isAsleep: true) == .stopped(after: .seconds(2)))
    // The watchdog waits for the whole time limit.
    #expect(outcome(.hung, in: 30, isAsleep: false) == .hung)
    #expect(outcome(.hung, in: 3, hasExpired: false, isAsleep: false) == .hung)
    #expect(outcome(.completed, in: 3, hasExpired: false, isAsleep: false) == .completed)
    // An effect of another program on the worker is reported unchanged.
    #expect(outcome(.unavailable(reason: "stopped"), in: 3, isAsleep: false) == .unavailable(reason: "stopped"))
    #expect(Outcome.stopped(after: .seconds(2)).reason == "stopped: a trial took longer than 2 s")
  }

  @Test func `a variant that hung or was stopped is not run again, and the other variants are run again`() {
    let plan = plan(Budget(rounds: 3, timeLeft: .seconds(60), trialShare: 0.25))
    let clock = SetClock()
    var pace = Pace(plan) { clock.now }
    let (first, second) = (plan.runs[0], plan.runs[1])
    #expect(pace.allows(first) && pace.allows(second))
    #expect(pace.trialTime == .seconds(15))
    clock.pass(.seconds(20))
    #expect(pace.trialTime == .seconds(10))
    pace.recordExpiry(of: first, .unavailable(reason: "another program had stopped it"), after: .seconds(1))
    #expect(pace.allows(first))
    pace.recordExpiry(of: first, .hung, after: .seconds(1))
    #expect(!pace.allows(first) && pace.allows(second))
    pace.recordExpiry(of: second, .stopped(after: .seconds(1)), after: .seconds(1))
    #expect(!pace.allows(second) && pace.allows(plan.runs[2]))
    clock.pass(.seconds(60))
    #expect(pace.trialTime == .seconds(1) && !pace.allows(plan.runs[2]))
  }

  /// Returns the pace of a plan after six rounds, which took two seconds. Two runs have equal figures in each round,
  /// and a trial of the third run was stopped in the first round.
  private func paceWithStoppedRun(_ plan: Plan, after limit: Duration) throws -> Pace {
    let clock = SetClock()
    var pace = Pace(plan) { clock.now }
    for round in 0..<6 {
      let starts = pace.begin(round: round)
      #expect(starts)
      if round == 0 {
        clock.pass(.seconds(2))
        pace.recordExpiry(of: plan.runs[2], .stopped(after: limit), after: limit)
      }
      for run in 0..<2 { try pace.record(trial(round, 10), of: run) }
    }
    return pace
  }

  @Test(arguments: [true, false])
  func `a stopped run is tried once more, with longer trials, if the budget allows it`(
    _ retries: Bool
  ) throws {
    var budget = Budget(
      rounds: 6, precision: 0.02, time: .seconds(60), trialTime: .seconds(2), timeLeft: .seconds(60))
    budget.retriesStopped = retries
    let plan = plan(budget)
    var pace = try paceWithStoppedRun(plan, after: .seconds(2))
    #expect(!pace.allows(plan.runs[2]))
    let continues = pace.begin(round: 6)
    #expect(continues == retries)
    #expect(pace.allows(plan.runs[2]) == retries)
    // 58 s are left for six rounds of this run.
    #expect((try #require(pace.trialTime) > .seconds(9)) == retries)
    // A trial is tried at most twice.
    pace.recordExpiry(of: plan.runs[2], .stopped(after: .seconds(9)), after: .seconds(9))
    let goesOnAgain = pace.begin(round: 7)
    #expect(!goesOnAgain && !pace.allows(plan.runs[2]))
  }

  /// The remaining time does not suffice for the rounds of an interval, but for one trial.
  @Test func `a stopped run gets one longer trial if there is no time for more`() throws {
    var budget = Budget(rounds: 6, precision: 0.02, time: .seconds(5), trialTime: .seconds(1), timeLeft: .seconds(5))
    (budget.retriesStopped, budget.shortestTime) = (true, .seconds(4))
    let plan = plan(budget)
    var pace = try paceWithStoppedRun(plan, after: .seconds(1))
    // The other runs are precise. The run is tried again before the shortest time has passed.
    let continues = pace.begin(round: 6)
    #expect(continues && pace.allows(plan.runs[2]))
    #expect(pace.trialTime == .seconds(3))
  }

  @Test func `the first round continues after the time is over, until a worker does not end`() {
    let plan = plan(Budget(rounds: 3, timeLeft: .zero))
    var pace = Pace(plan)
    #expect(pace.allows(plan.runs[1]))
    pace.recordExpiry(of: plan.runs[0], .unavailable(reason: "another program had stopped it"), after: .seconds(1))
    #expect(!pace.allows(plan.runs[1]))
  }

  @Test func `the default time is extended for the fewest rounds, and the time of the user is not`() throws {
    var budget = Budget(rounds: 6, time: .seconds(30), fewestRounds: 6, timeLeft: .seconds(30))
    budget.longestTime = .seconds(120)
    /// Returns the time limit after a round in which each of the three trials takes `each`.
    func limit(_ budget: Budget, _ each: Duration) throws -> Duration? {
      let clock = SetClock()
      var pace = Pace(plan(budget)) { clock.now }
      for run in 0..<3 {
        clock.pass(each)
        try pace.record(trial(0, 10), of: run)
      }
      // The trials may use the additional time, too.
      let used = min(each * 3, .seconds(29))
      clock.pass(.seconds(29) - used)
      #expect(try #require(pace.trialTime) >= .seconds(1))
      return pace.progress(in: 1).limit
    }
    #expect(try limit(budget, .seconds(1)) == .seconds(30))
    let extended = try #require(try limit(budget, .seconds(3)))
    #expect(extended > .seconds(54) && extended <= .seconds(120), "\(extended)")
    #expect(throws: InputError.self) { try limit(budget, .seconds(10)) }
    budget.longestTime = nil
    #expect(try limit(budget, .seconds(3)) == .seconds(30))
    // A round of three trials takes 33 s.
    #expect(throws: InputError.self) { try limit(budget, .seconds(11)) }
  }

  @Test func `a user hears in the first round, once, that their time is too short for a ranking`() throws {
    let budget = Budget(rounds: 6, time: .seconds(30), fewestRounds: 6, timeLeft: .seconds(30))
    /// Returns the remarks of a first round in which each of the three trials takes `each`.
    func remarks(_ each: Duration) throws -> [String] {
      let clock = SetClock()
      var pace = Pace(plan(budget)) { clock.now }
      return try (0..<3).compactMap { run in
        clock.pass(each)
        return try pace.record(trial(0, 10), of: run)
      }
    }
    #expect(try remarks(.seconds(1)).isEmpty)
    #expect(
      try remarks(.seconds(3)) == [
        "about 3 rounds fit into 30 s, and a ranking needs 6: --time 80s should be enough"
      ])
    #expect(try remarks(.milliseconds(9900)).first?.hasPrefix("about 1 round fits into") == true)
  }

  /// The clock begins at 0, as on a machine that has just started, and at 60 years.
  @Test(arguments: [0, 1_893_456_000_000_000_000] as [UInt64])
  func `the time of a worker that hung is left out of the estimate for later rounds`(_ uptime: UInt64) throws {
    let plan = plan(Budget(rounds: 6, time: .seconds(1000), fewestRounds: 3))
    let clock = SetClock(at: uptime)
    var pace = Pace(plan) { clock.now }
    // One worker used all of the budget's time.
    clock.pass(.seconds(1000))
    pace.recordExpiry(of: plan.runs[0], .hung, after: .seconds(1000))
    for run in 0..<3 { try pace.record(trial(0, 10), of: run) }
    // A round of the two other variants takes longer than the limit.
    clock.pass(.seconds(4000))
    #expect(throws: InputError.self) { try pace.record(trial(0, 10), of: 2) }
  }
}

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

  /// How many rounds there are when the three runs measure `figure`.
  private func rounds(_ budget: Budget, most: Int = 40, _ figure: (_ run: Int, _ round: Int) -> Double) throws -> Int {
    var pace = Pace(plan(budget), start: MonotonicClock.now())
    for round in 0..<most {
      guard pace.allows(round: round) else { return round }
      for run in 0..<3 { try pace.finished(trial(round, figure(run, round)), of: run) }
    }
    return most
  }

  @Test func withoutAPrecisionTheRoundsAreCounted() throws {
    #expect(try rounds(Budget(rounds: 4)) { _, _ in 10 } == 4)
  }

  @Test func roundsAreAddedUntilTheRatiosAreKnown() throws {
    let budget = Budget(rounds: 6, precision: 0.02)
    #expect(try rounds(budget) { run, _ in Double(10 * (run + 1)) } == 6)
    // What all runs share does not widen a ratio.
    #expect(try rounds(budget) { run, round in Double(10 * (run + 1) * (round + 1)) } == 6)
    // A spread of 5 % needs more rounds than six, and not endlessly many.
    var generator = SplitMix64(seed: 3)
    let added = try rounds(budget, most: 400) { run, _ in
      Double(run + 1) * (1 + 0.05 * Double(generator.next() % 1000) / 1000)
    }
    #expect(added > 6 && added < 400)
    #expect(try rounds(budget) { run, round in run == 1 && round.isMultiple(of: 2) ? 100 : 10 } == 40)
  }

  @Test func whatWasNeverMeasuredHoldsNothingUp() throws {
    #expect(try rounds(Budget(rounds: 6, precision: 0.02)) { run, _ in run == 2 ? .nan : 10 } == 6)
  }

  @Test func noRoundStartsThatWouldEndTooLate() throws {
    #expect(try rounds(Budget(rounds: 4, time: .nanoseconds(1))) { _, _ in 10 } == 1)
  }

  @Test func aGridThatCannotFitIsRefusedWithTheReason() {
    let error = #expect(throws: InputError.self) {
      try rounds(Budget(rounds: 6, time: .nanoseconds(1), least: 3)) { _, _ in 10 }
    }
    #expect(error?.description.hasPrefix("3 cells do not fit into 1 ns: at ") == true)
    #expect(error?.description.contains("(3 tried), 3 rounds take ") == true)
  }

  @Test func aTrialPastItsTimeIsStoppedAndNotHung() {
    let budget = Budget(rounds: 1, trialTime: .seconds(2))
    let past = WorkerProcess.Result(outcome: .hung, hasExpired: true)
    #expect(budget.outcome(past, of: .seconds(30)) == .stopped(after: .seconds(2)))
    #expect(budget.outcome(past, of: .seconds(1)) == .hung)
    #expect(budget.outcome(.init(outcome: .hung), of: .seconds(30)) == .hung)
    #expect(budget.outcome(.init(outcome: .completed), of: .seconds(30)) == .completed)
    #expect(Budget(rounds: 1).outcome(past, of: .seconds(30)) == .hung)
    #expect(Outcome.stopped(after: .seconds(2)).reason == "stopped: a trial took longer than 2 s")
  }
}

import Laboratory
import Measurement
import Testing

@testable import Patterns

@Suite struct SingletonRaceTests {
  private let pattern = SingletonRace()
  private static let small: [String: ParameterValue] = [
    "race-time": .integer(1_000_000), "slots": .integer(64), "pause": .integer(20_000_000),
    "paused-races": .integer(1), "batch": .integer(10),
  ]

  private func verdicts(_ kind: Claim.Kind, _ variant: String, _ observation: Observation) throws -> [Verdict] {
    Array(try ScenarioVerdicts(pattern).verdicts(kind, variant, observation).values)
  }

  @Test(arguments: ["dispatch-once", "serial-queue", "barrier", "mutex", "double-checked", "actor"])
  func `a guard creates one instance in every race, and measures its hot path`(_ variant: String) async throws {
    let observation = try await onOwnThread { [pattern] in try pattern.run(pattern.trial(variant, Self.small)) }
    #expect(try verdicts(.guarantee, variant, observation) == [.held])
    #expect(observation.samples("duplicates")?.summary?.total == 0)
    #expect((observation.samples("races")?.summary?.total ?? 0) >= 64)
    #expect(observation.samples("hot-path")?.summary?.count == Observation.hotPathBatches)
  }

  @Test func `a static let is created once a process`() async {
    await #expect(processExitsWith: .success) {
      let pattern = SingletonRace()
      let observation = try pattern.run(pattern.trial("static-let", Self.small))
      #expect(observation.samples("instances")?.summary?.max == 1)
      #expect(observation.samples("races")?.summary?.total == 1)
    }
  }

  /// What every guarantee is a check against: the same harness on a guard that guards nothing.
  @Test(arguments: ["dispatch-once", "serial-queue", "barrier", "mutex", "double-checked", "static-let", "actor"])
  func `a broken guard is caught`(_ variant: String) async throws {
    let paused = try await onOwnThread { [pattern] in
      try pattern.run(pattern.trial("check-then-act-paused", Self.small))
    }
    #expect(try verdicts(.guarantee, "check-then-act-paused", paused) == [.held])
    #expect(try verdicts(.guarantee, variant, paused) == [.violated])
  }

  @Test func `a guarded race shows no anomaly, and no duplicate in every paused race is a violation`() async throws {
    let guarded = try await onOwnThread { [pattern] in
      try pattern.race(MutexGuard(), pattern.trial("check-then-act", Self.small))
    }
    #expect(try verdicts(.anomaly, "check-then-act", guarded) == [.notWitnessed])
    #expect(try verdicts(.guarantee, "check-then-act-paused", guarded) == [.violated])
  }

  @Test func `a race without pauses needs two cores`() throws {
    let one = Trial(
      variant: "check-then-act", parameters: pattern.trial("check-then-act", Self.small).parameters, seed: 1,
      work: CalibratedWork(stepsPerMicrosecond: 1), cores: 1)
    #expect(throws: TrialFailure.self) { try pattern.run(one) }
  }

  @Test func `the tally counts and releases every instance and empties the slots`() throws {
    let track = RaceTrack(actors: 3, slots: 2)
    defer { track.deallocate() }
    for actor in 0..<3 { _ = track.visit(0, by: actor).create() }
    _ = track.visit(1, by: 2).create()
    var tally = RaceTally()
    track.tally(slots: 0..<2, into: &tally)
    #expect(tally.duplicates == 2)
    track.tally(slots: 0..<2, into: &tally)
    #expect(tally.duplicates == 2)  // Nothing was left to count.
  }
}

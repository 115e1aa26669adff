import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct CustomExecutorsTests {
  private static let pattern = CustomExecutors()

  /// The variants that are expected to complete, except a variant that has only performance claims and a variant that
  /// requires an optimized build.
  static let completing = pattern.variants.filter { $0.ending == .completes }.map(\.name)
    .filter { !["nil-child", "plain-actor"].contains($0) }

  @Test(arguments: completing)
  func `each variant keeps its promises`(_ variant: String) async throws {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  @Test func `each variant records the expected number of observations per call`() async throws {
    await #expect(processExitsWith: .success) {
      let looks = ["task": 3, "immediate": 3, "group-child": 4, "own-executor": 1, "busy-actor": 1, "after-waiting": 2]
      for (variant, count) in looks {
        let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, ["calls": .integer(5)])
        let seen = ["on-preferred", "on-actor", "elsewhere"].compactMap(attempt.total)
        #expect(seen.reduce(0, +) == 5 * count, "\(variant): \(seen)")
      }
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      let settings: [String: ParameterValue] = ["calls": .integer(2), "meetings": .integer(2)]
      return Red(check, String(check.prefix { $0 != "." }), of: pattern, settings, body)
    }
    @Sendable func onPool(_ trial: Trial) throws { try pattern.runEachCall(trial) { code, _ in code.look() } }
    @Sendable func onPreferred(_ trial: Trial) throws {
      try pattern.runEachCall(trial) { code, preferred in
        await Task(executorPreference: preferred) { code.look() }.value
      }
    }
    /// Executes no job on the actor, but observes the pool and the preferred executor.
    @Sendable func notOnOwn(_ trial: Trial) throws {
      try pattern.runEachJob(trial) { _, code, preferred in
        code.look()
        await Task(executorPreference: preferred) { code.look() }.value
      }
    }
    @Sendable func meeting(on executor: any SerialExecutor) -> @Sendable (Trial) throws -> Void {
      { trial in
        let actor = OwnActor(on: executor)
        try pattern.runEachMeeting(trial, of: (actor, actor))
      }
    }
    @Sendable func notAssumed(_ trial: Trial) throws { try pattern.runEachAssumption(trial) { _, _ in } }
    @Sendable func inJob(_ trial: Trial) throws {
      try pattern.runEachAssumption(trial) { actor, assumption in
        try waitFor { await actor.run { assumption.made(of: actor) } }
      }
    }
    @Sendable func inBlock(_ trial: Trial) throws {
      try pattern.runEachAssumption(trial) { actor, assumption in
        ActorExecutor.queue.sync { assumption.made(of: actor) }
      }
    }
    let passing = [
      "assume-on-thread", "assume-on-other-actor", "assume-in-sync-unchecked", "assume-in-async-unchecked",
    ]
    let ownJobs = ["actor-on-queue", "own-executor"]
    return ["task", "detached", "scope", "group-child", "async-let", "idle-actor"].map {
      red("\($0).elsewhere == 0", onPool)
    }
      + [
        "unstructured", "unstructured-detached", "global-child", "nil-child", "no-preference", "after-scope",
        "nonsending",
      ].map {
        red("\($0).on-preferred == 0", onPreferred)
      }
      + ["own-executor.on-preferred == 0", "own-executor-child.on-preferred == 0", "own-executor.elsewhere == 0"].map {
        red($0, notOnOwn)
      }
      + ownJobs.map { red("\($0).other-jobs == 0", notOnOwn) } + ownJobs.map { red("\($0).no-job == 0", notOnOwn) }
      + ["one-actor.together == 0", "shared-executor.together == 0"].map {
        red($0, meeting(on: ThreadPerJob()))
      }
      + passing.map { red("\($0).trapped == 1") { _ in } }
      + [
        Red("all.unseen == 0", "no-preference", of: pattern, ["calls": .integer(2)]) { trial in
          // The code of every other call does not run, so the time of a call is recorded.
          let turns = RoundRobin(count: 2)
          try pattern.runEachCall(trial) { code, _ in if turns.next() == 0 { code.look() } }
        },
        red("immediate.elsewhere > 0", onPreferred),
        red("busy-actor.elsewhere > 0") { trial in
          try pattern.runEachCallOfBusy(trial) { _, code, preferred in
            Task(executorPreference: preferred) { code.look() }
          }
        },
        red("after-waiting.on-preferred > 0") { trial in
          try pattern.runEachCallOfBusy(trial) { _, code, _ in Task { code.look() } }
        },
        red("not-serial.together > 0", meeting(on: ActorExecutor())),
        red("assume-on-actor.not-assumed == 0", notAssumed), red("assume-on-sharing.not-assumed == 0", notAssumed),
        red("assume-on-queue.not-assumed == 0", notAssumed), red("assume-on-queue.not-asked == 0", inJob),
        red("assume-on-actor.asked == 0", inBlock),
      ]
  }
}

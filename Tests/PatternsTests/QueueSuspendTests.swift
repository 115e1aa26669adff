import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Trials that trap run only in workers: `PromiseTests` checks how each variant ends.
@Suite struct QueueSuspendTests {
  static let pattern = QueueSuspend()
  static let holding = [
    "balanced", "nested-suspends", "suspend-while-running", "concurrent-in-barrier", "activate",
  ]
  static let continuing = ["concurrent", "global"]

  @Test func `only the variants that hold or continue blocks are expected to complete`() {
    let completing = Self.pattern.variants.filter { $0.ending == .completes }.map(\.name)
    #expect(Set(completing) == Set(Self.holding + Self.continuing))
  }

  /// Each test runs in a process of its own, in whose pool there are no threads of other tests: blocks that continue
  /// wait for a thread.
  @Test(arguments: holding + continuing, [1, 100])
  func `no block begins on a suspended queue, except in the variants that continue`(_ variant: String, _ blocks: Int)
    async
  {
    await #expect(processExitsWith: .success) {
      [variant = variant as String, blocks = blocks as Int] in
      closeInheritedDescriptors()
      try await Self.expectHeld(variant, blocks)
    }
  }

  private static func expectHeld(_ variant: String, _ blocks: Int) async throws {
    let attempt = try await Attempt(
      variant, of: pattern, files: Catalogue.files,
      ["blocks": .integer(blocks), "repeats": .integer(5)])
    #expect(attempt.trial.outcome == .completed)
    #expect(
      attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
    #expect(attempt.verdicts.count >= 2)
    #expect((attempt.total("began-while-suspended") == 0) == holding.contains(variant))
    let latency = attempt.trial.observation.samples("resume-to-run")?.summary
    #expect(latency?.count == (holding.contains(variant) ? 5 : nil))
  }

  /// A free thread of the pool would have time to begin all blocks before the suspension. The pool may add a thread
  /// each second while its blocks wait.
  @Test func `blocks that wait for the suspension occupy a pool that is wider than the trial's cores`() async {
    let isSeen = await isSeen(inProcesses: 20) {
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        closeInheritedDescriptors()
        let attempt = try await Attempt(
          "concurrent", of: Self.pattern, files: Catalogue.files, ["blocks": .integer(3), "repeats": .integer(1)],
          cores: 1, poolWidth: Host.onlineCores
        ) { trial in
          try Self.pattern.continueWhileSuspended()(trial) { waiting in
            let queue = DispatchQueue(label: "own", attributes: .concurrent)
            for _ in 0..<waiting.poolWidth { queue.async(group: waiting.all) { waiting.runUntilSuspended() } }
            for _ in 0..<waiting.cores { waiting.awaitRunningBlock() }
            for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
            blockThread(for: .milliseconds(20))
            waiting.suspending { queue.suspend() }
            waiting.watch()
            waiting.resuming { queue.resume() }
          }
        }
        #expect(attempt.trial.outcome == .completed && attempt.total("lost") == 0)
        if (attempt.total("began-while-suspended") ?? 0) > 0 { tellSeen() }
      }
    }
    #expect(isSeen)
  }

  /// On a pool that is narrower than the number of online cores, some of the waiting blocks begin after the suspension.
  @Test func `a concurrent queue continues if the pool is narrower than the number of online cores`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "concurrent", of: Self.pattern, files: Catalogue.files, ["blocks": .integer(3), "repeats": .integer(5)],
        cores: 1, poolWidth: 100)
      #expect(attempt.trial.outcome == .completed && attempt.total("lost") == 0)
      #expect((attempt.total("began-while-suspended") ?? 0) > 0)
    }
  }

  // MARK: Broken bodies

  /// Adds blocks to a queue that is not suspended.
  @Sendable private static func suspendsNothing(_ trial: Trial) throws {
    let queue = DispatchQueue(label: "own")
    let probe = trial.variant == "suspend-while-running" ? pattern.holdWhileRunning : pattern.hold
    try probe(trial) { waiting in
      waiting.suspending {}
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.all.wait()
      waiting.watch()
      waiting.resuming {}
    }
    // No block begins after a resume, so the latency is recorded as 0.
    trial.record(pattern.resumeToRun, 0)
  }

  /// Suspends a serial queue, on which no block continues.
  @Sendable private static func suspends(_ trial: Trial) throws {
    try pattern.continueWhileSuspended(patience: .milliseconds(1))(trial) { waiting in
      let queue = DispatchQueue(label: "own")
      waiting.suspending { queue.suspend() }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
  }

  static var reds: [Red] {
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void)
      -> Red
    {
      let completes = (holding + continuing).contains(variant)
      return Red(check, variant, of: pattern, completes ? ["repeats": .integer(3)] : [:], body)
    }
    return holding.map { red("\($0).began-while-suspended == 0", $0, suspendsNothing) }
      + continuing.map { red("\($0).began-while-suspended > 0", $0, suspends) } + [
        // The block never ends.
        red("suspend-while-running.stopped == 0", "suspend-while-running") { trial in
          try pattern.holdWhileRunning(trial) { waiting in
            let queue = DispatchQueue(label: "own")
            waiting.suspending { queue.suspend() }
            for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
            waiting.awaitEndOfRunningBlock(within: .milliseconds(1))
            waiting.watch()
            waiting.resuming { queue.resume() }
          }
        },
        red("all.lost == 0", "balanced") { trial in
          try pattern.hold(trial) { waiting in
            let queue = DispatchQueue(label: "own")
            queue.async { waiting.suspending { queue.suspend() } }
            for block in waiting.blocks.dropLast() {
              queue.async(group: waiting.all) { block.run() }
            }
            waiting.watch()
            waiting.resuming { queue.resume() }
          }
        },
        red("over-resume.trapped == 1", "over-resume") { _ in
          let queue = DispatchQueue(label: "own")
          queue.suspend()
          queue.resume()
        },
        red("release-suspended.trapped == 1", "release-suspended") { _ in
          let queue = DispatchQueue(label: "own")
          queue.suspend()
          queue.resume()
        },
        red("resume-inactive.trapped == 1", "resume-inactive") { _ in
          DispatchQueue(label: "own", attributes: .initiallyInactive).activate()
        },
        red("release-inactive.trapped == 1", "release-inactive") { _ in
          let queue = DispatchQueue(label: "own", attributes: .initiallyInactive)
          queue.activate()
        },
      ]
  }
}

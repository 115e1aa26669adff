import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct WhereCodeRunsTests {
  /// The pattern without the main queue, which a test process does not serve.
  private static var pattern: WhereCodeRuns {
    var pattern = WhereCodeRuns()
    pattern.second = .onQueue()
    return pattern
  }

  @Test(
    arguments: [
      "isolated", "plain-before", "plain-today", "nonsending-before", "nonsending-today", "concurrent-before",
      "concurrent-today", "inheriting", "synchronous", "task", "task-without", "detached", "immediate",
      "task-of-global", "immediate-elsewhere",
    ]) func `each variant keeps its promises`(_ variant: String) async throws
  {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ call: @escaping WhereCodeRuns.Call) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern) { trial in try pattern.runEachCall(trial, call) }
    }
    func redTask(_ check: String, _ call: @escaping WhereCodeRuns.Call) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern) { trial in try pattern.runEachTask(trial, call) }
    }
    let stays: WhereCodeRuns.Call = { actor, code in code.look() }
    let leaves: WhereCodeRuns.Call = { actor, code in await Task.detached { code.look() }.value }
    let comesLate: WhereCodeRuns.Call = { actor, code in
      code.recordCreation()
      await Task.detached { code.look() }.value
    }
    let changesThread: WhereCodeRuns.Call = { actor, code in
      await withCheckedContinuation { task in
        Thread.detached {
          code.look()
          task.resume()
        }
      }
    }
    // The code of every other call does not run, so the time of a call is recorded.
    let unseen = Red("all.unseen == 0", "synchronous", of: pattern, ["calls": .integer(2)]) { trial in
      let turns = RoundRobin(count: 2)
      try pattern.runEachCall(trial) { actor, code in if turns.next() == 0 { code.look() } }
    }
    return [unseen]
      + [
        "isolated.off-actor == 0", "plain-today.off-actor == 0", "nonsending-before.off-actor == 0",
        "nonsending-today.off-actor == 0", "inheriting.off-actor == 0", "synchronous.off-actor == 0",
      ].map { red($0, leaves) }
      + ["plain-before.on-actor == 0", "concurrent-before.on-actor == 0", "concurrent-today.on-actor == 0"].map {
        red($0, stays)
      } + [red("plain-today.hops == 0", changesThread), redTask("immediate.hops == 0", changesThread)]
      + ["task-without.on-actor == 0", "detached.on-actor == 0", "immediate-elsewhere.on-actor == 0"].map {
        redTask($0, stays)
      }
      + ["task.off-actor == 0", "task-of-global.off-actor == 0", "immediate.off-actor == 0", "immediate.late == 0"].map
    { redTask($0, comesLate) }
  }
}

/// A thread for a broken body.
private enum Thread {
  static func detached(_ body: @escaping @Sendable () -> Void) {
    do { try SystemThread(body).detach() } catch { body() }
  }
}

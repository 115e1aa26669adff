import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct IsolatedDeinitTests {
  private static let pattern = IsolatedDeinit()

  @Test(arguments: [
    "by-thread", "by-task", "of-deinit", "on-actor", "on-queue", "while-busy", "default-actor", "plain",
  ])
  func `each variant keeps its promises`(_ variant: String) async throws {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (ObjectEnd) throws -> Void) -> Red {
      let name = String(check.prefix { $0 != "." })
      return Red(check, name == "all" ? "plain" : name, of: pattern, ["objects": .integer(2)]) { trial in
        try (name == "default-actor" ? pattern.runEachObjectOfDefaultActor : pattern.runEachObject)(trial, body)
      }
    }
    /// Runs the deinitializer twice at the place of the release, with the task-local value.
    @Sendable func here(_ ending: ObjectEnd) {
      ending.releases {
        ending.deinitRuns()
        ending.deinitRuns()
      }
    }
    /// Releases the object and runs the deinitializer on the actor.
    @Sendable func there(_ ending: ObjectEnd) { ObjectEnd.actorQueue.sync { ending.releases { ending.deinitRuns() } } }
    /// Runs the deinitializer after the release, without the task-local value.
    @Sendable func later(_ ending: ObjectEnd) {
      ending.releases {}
      ending.deinitRuns()
    }
    /// Runs the deinitializer outside the actor, on a thread other than that of the release.
    @Sendable func onAnotherThread(_ ending: ObjectEnd) {
      ending.releases { _ = try? Team.run(1) { _ in ending.deinitRuns() } }
    }
    return [
      red("by-thread.off-actor == 0", here), red("by-task.off-actor == 0", here), red("of-deinit.off-actor == 0", here),
      red("while-busy.off-actor == 0", here), red("on-actor.deferred == 0", later),
      red("default-actor.deferred == 0", later), red("while-busy.inline == 0", here), red("on-queue.inline == 0", here),
      red("plain.moved == 0", there), red("plain.moved == 0", onAnotherThread), red("plain.moved == 0", here),
      red("on-actor.inherited == 0", here), red("by-thread.inherited == 0", here),
      red("by-task.inherited == 0", here), red("plain.inherited > 0", later), red("all.missing == 0", here),
    ]
  }
}

import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct PoolStarvationTests {
  /// Settings with more tasks than the pool has threads, even if the trial has fewer cores than the machine.
  private static let settings: [String: ParameterValue] = [
    "tasks-per-core": .integer(2 * poolWidths.upperBound), "hold": .integer(0),
  ]

  @Test(arguments: ["on-own-queue", "own-executor", "task-sleep", "continuation", "bystander"])
  func `no unrelated task starves`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: PoolStarvation(), files: Catalogue.files, variant == "bystander" ? [:] : Self.settings)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("starved") == 0)
      #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
    }
  }

  @Test(arguments: ["blocking", "on-global-queue"])
  func `only an unrelated task and a block on the global queue starve`(_ variant: String) async {
    // The pool may add a thread for the global queue each second. During a long trial on a busy machine, the added
    // threads may be sufficient for the queue.
    let isSeen = await isSeen(inProcesses: 20) {
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        [variant = variant as String] in
        closeInheritedDescriptors()
        let attempt = try await Attempt(variant, of: PoolStarvation(), files: Catalogue.files, Self.settings)
        #expect(attempt.trial.outcome == .completed)
        #expect(attempt.total("own-queue-starved") == 0 && attempt.total("other-priority-starved") == 0)
        if variant == "blocking" {
          #expect(attempt.total("task-starved") == 1)
          let begun = try #require(attempt.total("begun"))
          #expect(attempt.total("blocked-threads") == begun && poolWidths.contains(begun))
        }
        if attempt.total("task-starved") == 1, attempt.total("global-starved") == 1 { tellSeen() }
      }
    }
    #expect(isSeen)
  }

  @Test func `the pool adds no thread for tasks`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      // The tasks block as long as the pool needs to add a thread for the global queue.
      var settings = Self.settings
      settings["hold"] = .integer(2_000_000_000)
      let attempt = try await Attempt("blocking", of: PoolStarvation(), files: Catalogue.files, settings)
      #expect(poolWidths.contains(attempt.total("begun") ?? 0))
      #expect(attempt.total("still-starved") == 1)
    }
  }

  @Test func `a trial with too few threads, or without reports of their states, is unavailable`() async throws {
    try await expectUnavailable(
      PoolStarvation(), Catalogue.files, [:], "blocking", needing: 8, \.room, "continuation", \.standstill)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = PoolStarvation()
    func red(
      _ check: String, _ settings: [String: ParameterValue] = settings,
      beginning begin: @escaping @Sendable (LateAnswer.Request) -> Task<Void, Never>
    ) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern, settings) { trial in try pattern.crowd(trial, begin) }
    }
    @Sendable func blocks(_ request: LateAnswer.Request) -> Task<Void, Never> {
      Task {
        request.begins()
        request.blockUntilAnswered()
      }
    }
    @Sendable func suspends(_ request: LateAnswer.Request) -> Task<Void, Never> {
      Task {
        request.begins()
        await withCheckedContinuation { continuation in request.whenAnswered { continuation.resume() } }
      }
    }
    return [
      // Tasks that do not block do not starve other tasks.
      red("blocking.task-starved > 0", beginning: suspends), red("blocking.begun <= cores", beginning: suspends),
      red("blocking.not-begun > 0", beginning: suspends), red("blocking.still-starved == 1", beginning: suspends),
      red("blocking.global-starved > 0", beginning: suspends),
      red("on-global-queue.task-starved > 0", beginning: suspends),
      // The tasks block the pool of the task that must not starve.
      red("blocking.other-priority-starved == 0") { request in Task(priority: .utility) { request.blockUntilAnswered() }
      },
      red("blocking.own-queue-starved == 0", ["tasks-per-core": .integer(150), "hold": .integer(0)]) { request in
        Task {
          await withCheckedContinuation { continuation in
            DispatchQueue(label: "private").async {
              request.blockUntilAnswered()
              continuation.resume()
            }
          }
        }
      },
    ]
      + [
        "on-own-queue.starved == 0", "on-own-queue.not-begun == 0", "own-executor.starved == 0",
        "task-sleep.starved == 0", "task-sleep.blocked-threads == 0", "task-sleep.not-begun == 0",
        "continuation.starved == 0",
        "continuation.blocked-threads == 0", "continuation.not-begun == 0",
      ].map { red($0, beginning: blocks) }
  }
}

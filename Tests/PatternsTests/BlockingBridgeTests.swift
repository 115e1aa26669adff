import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, and tasks stay blocked, so each test runs in a process of
/// its own.
@Suite struct BlockingBridgeTests {
  private static let ending = [
    "one-thread-free", "serial-sync", "barrier-sync", "mutex", "continuation", "await-task",
  ]

  @Test(arguments: ending, [1, 200])
  func `all tasks end if the work that they wait for finds a thread`(_ variant: String, _ submitters: Int) async throws
  {
    if variant == "one-thread-free", poolWidths.lowerBound < 2 { try skip("a pool may have a single thread") }
    await #expect(processExitsWith: .success) { [variant = variant as String, submitters = submitters as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: BlockingBridge(), files: Catalogue.files,
        variant == "one-thread-free" ? [:] : ["submitters": .integer(submitters)])
      #expect(attempt.brokenPromises == [])
      #expect(attempt.total("unended") == 0 && attempt.total("missing") == 0)
    }
  }

  @Test(arguments: ["barrier-wrapper", "semaphore-wait"])
  func `tasks that block for work that needs a pool thread stall`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: BlockingBridge(), files: Catalogue.files)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("stalled") == 1)
      // The pool's monitor may have added a thread since then.
      #expect((attempt.total("unended") == 0) == (attempt.total("missing") != nil))
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = BlockingBridge()
    func red(_ check: String, _ call: @escaping @Sendable () async -> Void) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern) { trial in
        try pattern.submit(trial, sum: { 0 }, call)
      }
    }
    @Sendable func waits() {
      let done = DispatchSemaphore(value: 0)
      Task { done.signal() }
      waitBlocking(for: done)
    }
    @Sendable func awaits() async { await Task {}.value }
    /// Suspends the task forever, so that the tasks stand still and block no thread. In their place, a block for each
    /// task blocks a thread.
    @Sendable func suspendsForever() async {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in
        DispatchQueue(label: "blocked", qos: .utility).async { DispatchSemaphore(value: 0).wait() }
      }
    }
    return [
      red("semaphore-wait.stalled > 0", awaits), red("semaphore-wait.free-threads == 0", suspendsForever),
      red("barrier-wrapper.stalled > 0", awaits),
      // The body submits one task more than the variant, so that no thread is free.
      Red("one-thread-free.stalled == 0", "one-thread-free", of: pattern) { trial in
        try pattern.submit(trial, tasks: trial.poolWidth, sum: { 0 }, waits)
      },
      red("mutex.stalled == 0", waits),
      red("serial-sync.stalled == 0", waits), red("barrier-sync.stalled == 0", waits),
      red("await-task.stalled == 0", waits), red("continuation.stalled == 0", waits),
      red("mutex.missing == 0", awaits),
      Red("all.missing == 0", "mutex", of: pattern) { trial in try pattern.submit(trial, sum: { 0 }, awaits) },
    ]
  }
}

import Dispatch
import Instruments
import LabTesting
import Platform
import Testing

@testable import Patterns

/// Each variant requires a main thread of its own: `PromiseTests` runs all of them in workers.
@Suite struct AsyncMainTests {
  @Test func `a thread observer counts the threads and the calls off the main thread`() async throws {
    let own = try await onOwnThread {
      let own = ThreadCensus.currentThread
      let observer = ThreadObserver(
        count: 3, isMainThread: { ThreadCensus.currentThread == own }, isOnMainQueue: { true })
      for _ in observer.all { observer.observe() }
      let other = try SystemThread { observer.observe() }
      other.join()
      return Self.figures(of: observer)
    }
    #expect(own == ["off-main": 1, "off-queue": 0, "threads": 2])
  }

  private static func figures(of observer: ThreadObserver) -> [String: Int] {
    ["off-main": observer.offMain.count, "off-queue": observer.offQueue.count, "threads": observer.threads]
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = AsyncMain()
    func red(_ check: String, _ run: @escaping @Sendable (ThreadObserver) async -> Void) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern) { trial in
        try waitFor { try await pattern.observe(trial, run) }
      }
    }
    /// Runs on the pool, without an actor.
    @Sendable func leaves(_ observer: ThreadObserver) async {
      await Task.detached { for _ in observer.all { observer.observe() } }.value
    }
    /// Returns a body that stays on its thread, and reports it as the main thread.
    func stays(_ check: String) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern) { trial in
        let own = ThreadCensus.currentThread
        let observer = ThreadObserver(
          count: trial[pattern.awaits], isMainThread: { ThreadCensus.currentThread == own }, isOnMainQueue: { true })
        let time = MonotonicClock.time { for _ in observer.all { observer.observe() } }
        trial.record(pattern.perAwait, time, over: observer.count)
        pattern.record(trial, observer)
      }
    }
    return [
      red("main-loop.off-main == 0", leaves), red("main-loop.off-queue == 0", leaves),
      red("dispatch-main.off-queue == 0", leaves), red("async-main.off-queue == 0", leaves),
      stays("dispatch-main.off-main > 0"), stays("async-main.off-main > 0"), stays("no-actor.off-main > 0"),
    ]
  }
}

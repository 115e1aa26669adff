import Dispatch
import Instruments
import Synchronization

/// Does code of the main actor run on the main thread, and does the code return to that thread after an `await`?
///
/// In an app, the main thread runs the main queue in its run loop. A command-line program has no run loop. The
/// program's main thread calls `dispatchMain`, or the program's main function is `async`. In the second case, Swift's
/// runtime calls `dispatchMain` at the first `await` that suspends:
///
/// ```swift
/// @main struct Program {
///   static func main() async { … }
/// }
/// ```
///
/// On Linux, `dispatchMain` transfers the main queue to the threads of Dispatch's pool. After each of many awaits, a
/// trial checks on which thread and on which queue its code runs.
///
/// Source: The Swift Programming Language, "Concurrency", The Main Actor; SE-0316 (global actors).
struct AsyncMain: Pattern {
  static let name = "async-main"

  let awaits = Parameter.count(
    "awaits", 1...100_000, default: 1000, "awaits of an actor, each followed by an observation")

  let offMain = Metric.count("off-main", "observations on a thread other than the main thread")
  let offQueue = Metric.count("off-queue", "observations outside the main queue")
  let threads = Metric.count("threads", "different threads in all observations")
  let perAwait = Metric.latency("per-await", "time of all awaits, divided by their number")

  var problem: [any Declaration] { [awaits] }

  var variants: [Variant] {
    Variant("main-loop", .documented, "the main thread runs the main queue in a loop", mainQueue: .mainThread) {
      trial in
      let elsewhere = Elsewhere()
      try await observe(trial) { observer in
        await Task { @MainActor in
          for _ in observer.all {
            await elsewhere.visit()
            observer.observe()
          }
        }.value
      }
    }
    Variant("dispatch-main", .documented, "the main thread calls dispatchMain", mainQueue: .dispatchMain) { trial in
      let elsewhere = Elsewhere()
      try await observe(trial) { observer in
        await Task { @MainActor in
          for _ in observer.all {
            await elsewhere.visit()
            observer.observe()
          }
        }.value
      }
    }
    Variant(
      "async-main", .documented, "the main thread does what Swift's runtime does for an async main function",
      needs: [.linux], mainQueue: .body
    ) { trial in
      MainThread.run { drainMainQueueAsAsyncMain() }
      let elsewhere = Elsewhere()
      try await observe(trial) { observer in
        await Task { @MainActor in
          for _ in observer.all {
            await elsewhere.visit()
            observer.observe()
          }
        }.value
      }
    }
    Variant("no-actor", .yardstick, "a task of no actor") { trial in
      let elsewhere = Elsewhere()
      try await observe(trial) { observer in
        await Task.detached {
          for _ in observer.all {
            await elsewhere.visit()
            observer.observe()
          }
        }.value
      }
    }
  }

  /// Returns an upper bound for the duration of a trial: the time of two thread switches for each await.
  func longest(_ trial: Trial) -> Duration? { .microseconds(200) * trial[awaits] }
}

/// An actor that code calls in order to leave its current executor for the duration of one `await`.
actor Elsewhere {
  /// Does nothing.
  func visit() {}
}

import Dispatch
import Instruments

/// Does the result arrive exactly once on the queue that the caller passed, even if the caller has released the queue?
///
/// The example in the Concurrency Programming Guide averages numbers on a global queue and submits the result to a
/// queue that the caller passes. The guide's function retains that queue first, and releases it after submitting the
/// completion block. In Swift the closure retains the queue that it captures. The variant `completion-queue` is the
/// guide's function in Swift.
///
/// Each call in a trial averages different numbers with a known average.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Performing a Completion Block When a Task Is Done".
struct CompletionBlock: Pattern {
  static let name = "completion-block"

  let calls = Parameter.count("calls", 1...100_000, default: 200, "calls of the function, made one after the other")
  let numbers = Parameter.count("numbers", 1...1_000_000, default: 1000, "numbers averaged in each call")

  let wrongResult = Metric.count("wrong-result", "calls whose result was not the average")
  let notOnce = Metric.count("not-once", "calls whose result did not arrive exactly once")
  let wrongQueue = Metric.count("wrong-queue", "results that arrived on a queue other than the one the caller named")
  let roundTrip = Metric.latency("round-trip", "from just before the call until the result arrives")

  var problem: [any Declaration] { [calls, numbers] }

  var variants: [Variant] {
    Variant(
      "completion-queue", .documented, "the document's function with a completion queue, which the caller retains",
      measure(namesQueue: true)
    ) { call in
      let queue = call.makeQueue()
      averageAsync(call, queue) { average in
        call.noteResult(average)
      }
      call.awaitResult()
      withExtendedLifetime(queue) {}
    }
    Variant(
      "caller-drops-queue", .documented,
      "the document's function; the caller releases the queue before the average is computed", measure(namesQueue: true)
    ) { call in
      call.holdComputation()
      averageAsync(call, call.makeQueue()) { average in
        call.noteResult(average)
      }
      call.continueComputation()
      call.awaitResult()
    }
    Variant(
      "caller-drops-queue-c", .documented,
      "the document's function for C queues, with explicit retain and release; the last release comes while the block waits",
      measure(namesQueue: true)
    ) { call in
      call.holdComputation()
      let queue = call.makeCountedQueue()
      averageAsync(call, queue) { average in
        call.noteResult(average)
      }
      queue.release()
      call.continueComputation()
      call.awaitResult()
    }
    Variant("sync-return", .yardstick, "sync on a global queue returns the average", measure(namesQueue: false)) {
      call in
      let average = DispatchQueue.global().sync { call.average() }
      call.noteResult(average)
    }
    Variant("async-await", .modern, "an async function returns the average, which the caller awaits", measureAsTask) {
      call in
      let average = await average(call)
      call.noteResult(average)
    }
  }

  /// Computes the average on a global queue and submits `block` with the result to `queue`, as the function in the
  /// Concurrency Programming Guide does. The closure on the global queue retains `queue`, so the function does not need
  /// to retain and release `queue` explicitly.
  private func averageAsync(_ call: AverageCall, _ queue: DispatchQueue, _ block: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async {
      let average = call.average()
      queue.async { block(average) }
    }
  }

  /// Computes the average on a global queue and submits `block` with the result to `queue`, as the function in the
  /// Concurrency Programming Guide does. This function retains and releases `queue` explicitly.
  private func averageAsync(_ call: AverageCall, _ queue: CountedQueue, _ block: @escaping @Sendable (Int) -> Void) {
    queue.retain()
    DispatchQueue.global().async {
      let average = call.average()
      queue.async { block(average) }
      queue.release()
    }
  }

  /// Returns the average. This modern form of the function in the Concurrency Programming Guide runs on a thread of the
  /// pool, regardless of the caller's actor or thread.
  @concurrent private func average(_ call: AverageCall) async -> Int { call.average() }
}

import Dispatch
import Instruments

/// Does the result arrive exactly once on the queue that the caller named, even when the caller has released that
/// queue?
///
/// The document's function takes the queue on which its caller wants the result, and keeps it alive until then:
///
/// ```c
/// void average_async(int *data, size_t len, dispatch_queue_t queue, void (^block)(int)) {
///   dispatch_retain(queue);
///   dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), ^{
///     int avg = average(data, len);
///     dispatch_async(queue, ^{ block(avg); });
///     dispatch_release(queue);
///   });
/// }
/// ```
///
/// In Swift the block that names the queue retains it. Every call here has numbers of its own, whose average is known.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Performing a Completion Block When a Task Is Done".
struct CompletionBlock: Pattern {
  static let name = "completion-block"

  let calls = Setting.count("calls", 1...100_000, default: 200, "calls of the function, made one after the other")
  let numbers = Setting.count("numbers", 1...1_000_000, default: 1000, "numbers averaged in each call")

  let wrongResult = Metric.count("wrong-result", "calls whose result was not the average")
  let notOnce = Metric.count("not-once", "calls whose result did not arrive exactly once")
  let wrongQueue = Metric.count("wrong-queue", "results that arrived on another queue than the one the caller named")
  let roundTrip = Metric.latency("round-trip", "from just before the call until the result arrives")

  var problem: [any Declaration] { [calls, numbers] }

  var variants: [Variant] {
    Variant(
      "completion-queue", .documented, "the document's function with a completion queue, which the caller retains"
    ) { trial in
      measure(trial, wrongQueue) { call in
        let queue = call.makeQueue()
        averageAsync(call, queue) { average in
          call.arrives(average)
        }
        call.awaitResult()
        withExtendedLifetime(queue) {}
      }
    }
    Variant(
      "caller-drops-queue", .documented,
      "the same function; the caller releases the queue before the average is computed"
    ) { trial in
      measure(trial, wrongQueue) { call in
        call.holdsBack()
        averageAsync(call, call.makeQueue()) { average in
          call.arrives(average)
        }
        call.goesOn()
        call.awaitResult()
      }
    }
    Variant("sync-return", .yardstick, "sync on a global queue returns the average", without: [wrongQueue]) { trial in
      measure(trial) { call in
        let average = DispatchQueue.global().sync { call.average() }
        call.arrives(average)
      }
    }
    Variant(
      "async-await", .modern, "an async function returns the average, the caller awaits it", without: [wrongQueue]
    ) { trial in
      await measureAsTask(trial) { call in
        let average = await average(call)
        call.arrives(average)
      }
    }
  }

  /// The document's function. The block of the global queue keeps the caller's queue alive, in place of retain and
  /// release.
  private func averageAsync(_ call: AverageCall, _ queue: DispatchQueue, _ block: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async {
      let average = call.average()
      queue.async { block(average) }
    }
  }

  /// The modern form: it runs on a thread of the pool, whoever calls it.
  @concurrent private func average(_ call: AverageCall) async -> Int { call.average() }
}

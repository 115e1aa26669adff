import Dispatch
import Laboratory

/// Does the result arrive, where and once, also when the caller lets go of the queue it named?
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
/// In Swift the block that names the queue keeps it. Every call here has numbers of its own, whose average is known.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Performing a Completion Block When a Task Is Done".
struct CompletionBlock: Pattern {
  static let name = "completion-block"

  let calls = Setting.count("calls", 1...100_000, default: 200, "calls of the function, one after the other")
  let numbers = Setting.count("numbers", 1...1_000_000, default: 1000, "numbers in each call")

  let wrong = Metric.count("wrong", "calls whose result was not the average")
  let notOnce = Metric.count("not-once", "calls whose result did not arrive just once")
  let elsewhere = Metric.count("elsewhere", "results that arrived on another queue than the caller named")
  let roundTrip = Metric.latency("round-trip", "from just before the call until the result is there")

  var problem: [any Declaration] { [calls] }

  var variants: [Variant] {
    Variant("completion-queue", .documented, "the document's function; the caller keeps the queue") { trial in
      measure(trial, elsewhere) { call in
        let queue = call.makeQueue()
        averageAsync(call, queue) { average in
          call.arrives(average)
        }
        call.awaitResult()
        withExtendedLifetime(queue) {}
      }
    }
    Variant("caller-drops-queue", .documented, "the caller lets go of the queue before the average is known") { trial in
      measure(trial, elsewhere) { call in
        call.holdsBack()
        averageAsync(call, call.makeQueue()) { average in
          call.arrives(average)
        }
        call.goesOn()
        call.awaitResult()
      }
    }
    Variant("sync-return", .yardstick, "sync on a global queue returns the average", without: [elsewhere]) { trial in
      measure(trial) { call in
        let average = DispatchQueue.global().sync { call.average() }
        call.arrives(average)
      }
    }
    Variant("async-await", .modern, "an async function returns it, the caller awaits", without: [elsewhere]) { trial in
      await measureAsTask(trial) { call in
        let average = await average(call)
        call.arrives(average)
      }
    }
  }

  /// The document's function. The block of the global queue keeps the caller's queue alive, in place of retain and release.
  private func averageAsync(_ call: AverageCall, _ queue: DispatchQueue, _ block: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async {
      let average = call.average()
      queue.async { block(average) }
    }
  }

  /// What one writes today: it runs on a thread of the pool, whoever calls it.
  @concurrent private func average(_ call: AverageCall) async -> Int { call.average() }
}

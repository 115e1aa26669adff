import Dispatch
import GCDLab
import Synchronization

/// A pattern that shows whether a wrapper keeps the guarantees of its queue, and what the wrapper costs.
struct OwnQueue: Pattern {
  static let name = "own-queue"

  let threads = Parameter.count("threads", 1...64, default: 2, "threads that update at the same time")
  let updates = Parameter.count("updates", 1...1_000_000, default: 20_000, "updates by each of them")

  let lost = Metric.count("lost", "updates that are not in the final value")
  let update = Metric.latency("update", "one update by one thread alone, timed together with others")

  var variants: [Variant] {
    Variant("wrapper", .modern, "the value behind Guarded") { trial in
      try measure(trial, Guarded(0)) { loop in
        loop.each { counter in counter.with { $0 += 1 } }
      } value: { counter in
        counter.with(\.self)
      }
    }
    Variant("plain", .yardstick, "the same with the queue itself") { trial in
      try measure(trial, Plain()) { loop in
        loop.each { counter in counter.queue.sync { counter.value += 1 } }
      } value: { counter in
        counter.queue.sync { counter.value }
      }
    }
    Variant("mutex", .modern, "the same with a mutex") { trial in
      try measure(trial, Locked()) { loop in
        loop.each { counter in counter.value.withLock { $0 += 1 } }
      } value: { counter in
        counter.value.withLock(\.self)
      }
    }
  }

  /// Updates a counter from many threads and counts the missing updates, then measures the updates of one thread.
  /// ``Loop`` is the loop that is timed.
  private func measure<Counter: Sendable>(
    _ trial: Trial, _ counter: Counter, _ update: @escaping @Sendable (Loop<Counter>) -> Void, value: (Counter) -> Int
  ) throws {
    let (threads, updates) = (trial[threads], trial[updates])
    try Team.run(threads) { _ in update(Loop(updates, on: counter)) }
    trial.record(lost, threads * updates - value(counter))
    let batch = Loop(1000, on: counter)
    trial.time(self.update, over: batch.count, nothing: { batch.each { _ in } }) { update(batch) }
  }
}

private final class Locked: Sendable { let value = Mutex(0) }

private final class Plain: @unchecked Sendable {  // The value is accessed only on the queue.
  let queue = DispatchQueue(label: "plain")
  var value = 0
}

import Dispatch
import GCDLab
import Synchronization

/// Does a wrapper keep what the queue in it promises, and what does it cost?
struct OwnQueue: Pattern {
  static let name = "own-queue"

  let threads = Setting.count("threads", 1...64, default: 2, "threads that update at the same time")
  let updates = Setting.count("updates", 1...1_000_000, default: 20_000, "updates by each of them")

  let lost = Metric.count("lost", "updates that are not in the final value")
  let update = Metric.latency("update", "one update by one thread alone, timed together with others")

  var variants: [Variant] {
    Variant("wrapper", .modern, "the value behind Guarded") { trial in
      let counter = Guarded(0)
      try measure(trial, update: { counter.with { $0 += 1 } }, value: { counter.with(\.self) })
    }
    Variant("plain", .yardstick, "the same with the queue itself") { trial in
      let queue = DispatchQueue(label: "plain")
      nonisolated(unsafe) var counter = 0  // Touched on the queue alone.
      try measure(trial, update: { queue.sync { counter += 1 } }, value: { queue.sync { counter } })
    }
    Variant("mutex", .modern, "the same with a mutex") { trial in
      let counter = Locked()
      try measure(trial, update: { counter.value.withLock { $0 += 1 } }, value: { counter.value.withLock(\.self) })
    }
  }

  /// Updates from many threads, counts what is missing, then times updates by one.
  private func measure(_ trial: Trial, update: @escaping @Sendable () -> Void, value: () -> Int) throws {
    let (threads, updates) = (trial[threads], trial[updates])
    let start = SpinBarrier(parties: threads)
    let team = try (0..<threads).map { _ in
      try SystemThread {
        start.wait()
        for _ in 0..<updates { update() }
      }
    }
    for thread in team { thread.join() }
    trial.record(lost, threads * updates - value())
    for _ in 0..<20 {
      trial.record(self.update, MonotonicClock.time { for _ in 0..<1000 { update() } }, over: 1000)
    }
  }
}

private final class Locked: Sendable { let value = Mutex(0) }

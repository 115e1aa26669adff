import Dispatch
import Instruments
import Synchronization

/// May a task call code that blocks its thread: `sync`, a barrier, a semaphore?
///
/// Tasks call code that was written before Swift concurrency. A well-known example is a class that protects a value
/// with a concurrent queue, and whose setter does not wait:
///
/// ```swift
/// func add() { queue.async(flags: .barrier) { number += 1 } }
/// var value: Int { queue.sync { number } }
/// ```
///
/// A blocked task occupies its thread, and there are as many threads for tasks of a priority as there are cores. A task
/// may therefore wait for work that is running on another thread, but not for work that still needs a thread.
///
/// In a trial, each child task of a group executes the variant's code once. Each task first waits until as many tasks
/// have begun as the process may use cores, or until all tasks have begun if there are fewer tasks. The pool has at
/// least that many threads. Some versions of Dispatch have a thread for each online core, also if the process may use
/// fewer cores; other versions have not, and more tasks would then wait for each other forever. A trial stalls if all
/// threads of the process sleep (``Standstill``) although tasks have not ended. This condition distinguishes a
/// standstill from slowness on any machine.
///
/// Source: SE-0296 (async/await), "Suspension points".
struct BlockingBridge: Pattern {
  static let name = "blocking-bridge"

  let submitters = Parameter.count(
    "submitters", 1...100_000, default: 1000, "tasks that each call the code; at least one per thread of the pool")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(60), default: .zero, "how long a stalled trial waits for its tasks to end")

  let stalled = Metric.count("stalled", "1 if all threads slept although tasks had not ended")
  let unended = Metric.count("unended", "tasks that had not ended when the trial stalled, or at the end of hold")
  let blockedThreads = Metric.count(
    "blocked-threads", "pool threads blocked when the trial stalled, or when all tasks had ended")
  let freeThreads = Metric.count(
    "free-threads", "threads, of one for each core, that the tasks did not block when the trial stalled; 0 if all ended"
  )
  let perTask = Metric.latency(
    "per-task", missingIf: "tasks had not ended",
    "time from the first task to the end of the last, divided by the tasks")
  let missing = Metric.count("missing", missingIf: "tasks had not ended", "additions missing when all tasks had ended")

  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()
  /// The check for enough threads. A test may replace the check.
  var room = ThreadCapacity()

  var problem: [any Declaration] { [submitters, hold] }

  var variants: [Variant] {
    Variant("barrier-wrapper", .broken, "a setter that is an async barrier, then a getter that syncs") { trial in
      let guarded = GuardedByQueue(DispatchQueue(label: "wrapper", qos: .utility, attributes: .concurrent))
      try submit(trial, tries: 4, sum: { guarded.value }) {
        guarded.queue.async(flags: .barrier) { guarded.number += 1 }
        _ = guarded.queue.sync { guarded.number }
      }
    }
    Variant("semaphore-wait", .broken, "each task starts another one and waits for it at a semaphore") { trial in
      let additions = Additions()
      try submit(trial, tries: 4, sum: { additions.sum }) {
        let done = DispatchSemaphore(value: 0)
        Task {
          additions.add()
          done.signal()
        }
        waitBlocking(for: done)
      }
    }
    Variant(
      "one-thread-free", .broken, "as semaphore-wait, with one waiting task fewer than there are cores",
      runWithoutSubmitters, needs: [.cores(2)]
    ) { trial in
      let additions = Additions()
      try submit(trial, tasks: trial.cores - 1, sum: { additions.sum }) {
        let done = DispatchSemaphore(value: 0)
        Task {
          additions.add()
          done.signal()
        }
        waitBlocking(for: done)
      }
    }
    Variant("serial-sync", .documented, "a setter and a getter that sync to a serial queue") { trial in
      let guarded = GuardedByQueue(DispatchQueue(label: "wrapper", qos: .utility))
      try submit(trial, sum: { guarded.value }) {
        guarded.queue.sync { guarded.number += 1 }
        _ = guarded.queue.sync { guarded.number }
      }
    }
    Variant("barrier-sync", .documented, "a setter that is a sync barrier, then a getter that syncs") { trial in
      let guarded = GuardedByQueue(DispatchQueue(label: "wrapper", qos: .utility, attributes: .concurrent))
      try submit(trial, sum: { guarded.value }) {
        guarded.queue.sync(flags: .barrier) { guarded.number += 1 }
        _ = guarded.queue.sync { guarded.number }
      }
    }
    Variant("mutex", .modern, "a setter and a getter that take a Mutex") { trial in
      let guarded = GuardedByMutex()
      try submit(trial, sum: { guarded.number.withLock { $0 } }) {
        guarded.number.withLock { $0 += 1 }
        _ = guarded.number.withLock { $0 }
      }
    }
    Variant("continuation", .modern, "an async barrier and an async read that each resume a continuation") { trial in
      let guarded = GuardedByQueue(DispatchQueue(label: "wrapper", qos: .utility, attributes: .concurrent))
      try submit(trial, sum: { guarded.value }) {
        await withCheckedContinuation { continuation in
          guarded.queue.async(flags: .barrier) {
            guarded.number += 1
            continuation.resume()
          }
        }
        _ = await withCheckedContinuation { continuation in
          guarded.queue.async { continuation.resume(returning: guarded.number) }
        }
      }
    }
    Variant("await-task", .modern, "each task starts another one and awaits its value") { trial in
      let additions = Additions()
      try submit(trial, sum: { additions.sum }) {
        await Task { additions.add() }.value
      }
    }
  }

  /// A probe for a variant with a fixed number of tasks. The probe does not read ``submitters``.
  private var runWithoutSubmitters: TrialProbe {
    Probe(reads: [hold], records: [stalled, unended, blockedThreads, freeThreads, perTask, missing])
  }
}

/// A number that is accessed only on a queue.
///
/// Conformance to `Sendable` is unchecked: all accesses to the number are in blocks of the queue.
final class GuardedByQueue: @unchecked Sendable {
  let queue: DispatchQueue
  var number = 0

  /// Creates a number that is accessed on `queue`.
  init(_ queue: DispatchQueue) { self.queue = queue }

  /// The number after all previously submitted blocks have run.
  var value: Int { queue.sync(flags: .barrier) { number } }
}

/// A number that a mutex protects.
final class GuardedByMutex: Sendable {
  let number = Mutex(0)
}

/// A counter that any task may increment.
final class Additions: Sendable {
  private let number = Atomic(0)

  /// Increments the counter by one.
  func add() { number.add(1, ordering: .relaxed) }
  /// The number of additions so far.
  var sum: Int { number.load(ordering: .relaxed) }
}

import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// Is a queue cheaper than a lock?
///
/// The Concurrency Programming Guide compares a lock and a serial queue for two threads that change the same data, and
/// says that the queue is more efficient. According to the guide, a lock requires an expensive trap into the kernel,
/// contended or not. A queue works mainly in the process and calls the kernel only if necessary. The critical section
/// in a trial is minimal: it reads a number and writes the incremented number.
///
/// One thread updates the number alone, then several threads contend. The first thread that reads the number waits
/// until a second thread has read the number, or until a time limit has passed (``TimedGate``). Without mutual
/// exclusion at least one update is therefore lost, unless the time limit passes first.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues".
struct QueueVsLock: Pattern {
  static let name = "queue-vs-lock"

  let batch = Parameter.count("batch", 1...1_000_000, default: 1000, "uncontended updates timed as one batch")
    .ofMeasurement
  let threads = Parameter.count("threads", 2...64, default: 2, "threads, or tasks, that contend")
  let updates = Parameter.count("updates", 1...1_000_000, default: 5000, "contended updates per thread")
  let hold = Parameter.duration(
    "hold", .zero ... .milliseconds(1), default: .nanoseconds(200), "how long a contended update holds the lock")

  let uncontended = Metric.latency(
    "uncontended", affectedBy: ["batch"], "one update by a thread alone, timed in batches")
  let contended = Metric.latency(
    "contended", "one update while all threads update: the elapsed time divided by the updates of all threads")
  let syscallsPerUpdate = Metric.rate(
    "syscalls-per-update", .none, better: .lower, missingIf: "the system does not report it",
    "system calls per uncontended update")
  let contextSwitches = Metric.rate(
    "context-switches", .none, better: .lower, missingIf: "the system does not report it",
    "voluntary context switches (a thread went to sleep) per contended update")
  let lostUpdates = Metric.count("lost-updates", "updates overwritten by another thread")

  // The number of threads is part of the problem, so a comparison ranks the locks for each number of threads.
  var problem: [any Declaration] { [threads, hold] }

  var variants: [Variant] {
    Variant("serial-sync", .documented, "sync on a serial queue") { trial in
      let queue = DispatchQueue(label: "guard")
      try measure(trial) { updates in
        updates.each { number in
          queue.sync { number.update() }
        }
      }
    }
    Variant("serial-sync-c", .documented, "dispatch_sync_f, the C function") { trial in
      let queue = FunctionQueue(label: "guard")
      try measure(trial) { updates in
        updates.each { number in
          gcdlab_dispatch_sync_f(queue.object, number.context) { context in
            SharedNumber.update(context)
          }
        }
      }
    }
    Variant("serial-async", .documented, "async to a serial queue, and a final wait for the last block", timeOnly) {
      trial in
      let queue = DispatchQueue(label: "guard")
      try measure(
        trial,
        { updates in
          updates.each { number in
            queue.async { number.update() }
          }
        }, untilDone: { queue.sync {} })
    }
    Variant("barrier", .documented, "sync with a barrier on a concurrent queue") { trial in
      let queue = DispatchQueue(label: "guard", attributes: .concurrent)
      try measure(trial) { updates in
        updates.each { number in
          queue.sync(flags: .barrier) { number.update() }
        }
      }
    }
    Variant("pthread-mutex", .documented, "pthread_mutex_lock and _unlock") { trial in
      let mutex = ThreadMutex()
      try measure(trial) { updates in
        updates.each { number in
          mutex.lock()
          number.update()
          mutex.unlock()
        }
      }
    }
    Variant("mutex", .modern, "Synchronization.Mutex") { trial in
      let lock = Lock()
      try measure(trial) { updates in
        updates.each { number in
          lock.mutex.withLock { _ in number.update() }
        }
      }
    }
    Variant("semaphore", .yardstick, "a DispatchSemaphore of value 1 as a lock") { trial in
      let semaphore = DispatchSemaphore(value: 1)
      try measure(trial) { updates in
        updates.each { number in
          semaphore.wait()
          number.update()
          semaphore.signal()
        }
      }
    }
    Variant("spinlock", .yardstick, "an atomic flag, exchanged again and again until it is free") { trial in
      let flag = Flag()
      try measure(trial) { updates in
        updates.each { number in
          while flag.isTaken.exchange(true, ordering: .acquiring) { yieldProcessor() }
          number.update()
          flag.isTaken.store(false, ordering: .releasing)
        }
      }
    }
    Variant("actor", .modern, "an actor owns the number; tasks await it", timeTasks, needs: [.cores(2)]) { trial in
      actor Owner {
        func update(_ number: SharedNumber) { number.update() }
      }
      let owner = Owner()
      try await measure(trial) { updates in
        await updates.each { number in
          await owner.update(number)
        }
      }
    }
    Variant("unprotected", .broken, "no lock: read, add one, write") { trial in
      try measure(trial, patience: Self.unguardedPatience) { updates in
        updates.each { number in
          number.update()
        }
      }
    }
  }

  /// The settings of every trial.
  private var settings: [any Declaration] { [batch, threads, updates, hold] }
  /// The metrics of every trial.
  private var times: [any Declaration] { [uncontended, contended, contextSwitches, lostUpdates] }
  /// The probe for threads whose system calls are not counted.
  private var timeOnly: TrialProbe { Probe(reads: settings, records: times) }
  /// The probe for tasks, whose system calls cannot be counted.
  private var timeTasks: TaskProbe { Probe(reads: settings, records: times) }

  /// Returns an upper bound for the duration of a trial: the time that the updates need if they follow one another and
  /// each update requires a wake-up, and the time limit of the first reader.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .microseconds(50)) * (trial[threads] * trial[updates]) + .microseconds(50) * trial[batch]
      + Self.unguardedPatience
  }
}

/// An atomic flag that several closures can capture.
final class Flag: Sendable {
  let isTaken = Atomic(false)
}

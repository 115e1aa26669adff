import Dispatch
import Laboratory
import Platform
import Synchronization

/// What does it cost to take a semaphore?
///
/// The document says that a dispatch semaphore is taken in less time than a traditional one when the resource is free, because it
/// calls the kernel only when the thread must wait, and that a signal frees one of the threads that wait:
///
/// ```c
/// dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
/// …
/// dispatch_semaphore_signal(semaphore);
/// ```
///
/// Each rival here guards one permit: it is taken and given back while it is free, by threads that contend for it, and in the end,
/// with as many threads waiting, it is signalled once at a time. After each signal the lab waits until all threads of the
/// process sleep (``Standstill``): who has come through by then was freed by it.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Using Dispatch Semaphores to Regulate the Use of Finite Resources".
struct SemaphoreCost: Pattern {
  static let name = "semaphore-cost"

  let batch = Setting.count("batch", 1...1_000_000, default: 1000, "pairs of take and give that are timed together")
  let threads = Setting.count("threads", 2...64, default: 2, "threads that contend, or that wait for a signal")
  let contendedPairs = Setting.count(
    "contended-pairs", 1...1_000_000, default: 2000, "pairs of each thread that contends")
  let hold = Setting.duration(
    "hold", .zero ... .milliseconds(1), default: .microseconds(1), "how long it is held when contended")

  let free = Metric.latency("free", "taking and giving back while it is free, timed in batches")
  let callsPerPair = Metric.rate(
    "calls-per-pair", .none, better: .lower, unless: "the system does not tell", "system calls of such a pair")
  let control = Metric.rate(
    "control", .none, better: .neither, unless: "the system does not tell",
    "system calls of one call of getppid, counted the same way")
  let contended = Metric.latency("contended", "a pair when threads contend: all their time over all their pairs")
  let switches = Metric.rate(
    "switches", .none, better: .lower, unless: "the system does not tell",
    "times a pair that a thread went to sleep, when they contend")
  let lostUpdates = Metric.count("lost-updates", "updates that two threads made at once, when they contend")
  let astray = Metric.count(
    "astray", "signals that did not free just one waiting thread, and threads that came through without one")

  /// What tells who was freed; a test gives another.
  var standstill = Standstill()
  /// What the control calls: one system call.
  var getParent: @Sendable () -> Void = { callKernel() }

  var variants: [Variant] {
    Variant("dispatch", .documented, "DispatchSemaphore") { trial in
      let semaphore = DispatchSemaphore(value: 1)
      try measure(trial) { pairs in
        pairs.each { critical in
          semaphore.wait()
          critical()
          semaphore.signal()
        }
      }
      try signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.signal() })
    }
    Variant("dispatch-c", .documented, "dispatch_semaphore_wait and _signal, the C functions") { trial in
      let semaphore = FunctionSemaphore(value: 1)
      try measure(trial) { pairs in
        pairs.each { critical in
          semaphore.wait()
          critical()
          semaphore.signal()
        }
      }
      try signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.signal() })
    }
    Variant("posix", .yardstick, "sem_wait and sem_post", needs: [.linux]) { trial in
      let semaphore = try POSIXSemaphore(value: 1)
      try measure(trial) { pairs in
        pairs.each { critical in
          semaphore.wait()
          critical()
          semaphore.post()
        }
      }
      try signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.post() })
    }
    Variant("system-v", .yardstick, "semop, the traditional one: an identifier of the kernel's") { trial in
      let semaphore = try SystemVSemaphore(value: 1)
      try measure(trial) { pairs in
        pairs.each { critical in
          semaphore.change(by: -1)
          critical()
          semaphore.change(by: 1)
        }
      }
      try signalOneByOne(trial, take: { semaphore.change(by: -1) }, give: { semaphore.change(by: 1) })
    }
    Variant("pthread-condition", .yardstick, "a count, a mutex and a condition variable") { trial in
      let semaphore = ConditionSemaphore(value: 1)
      try measure(trial) { pairs in
        pairs.each { critical in
          semaphore.wait()
          critical()
          semaphore.signal()
        }
      }
      try signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.signal() })
    }
    Variant(
      "mutex", .modern, "Synchronization.Mutex: no semaphore, it is given back where it was taken", without: [astray]
    ) { trial in
      let lock = Lock()
      try measure(trial) { pairs in
        pairs.each { critical in
          lock.mutex.withLock { _ in critical() }
        }
      }
    }
  }

  /// The threads one after the other; a pair is short beside that.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .microseconds(20)) * (trial[threads] * trial[contendedPairs]) + .microseconds(50) * trial[batch]
  }
}

import Dispatch
import Instruments
import Synchronization

/// What is the cost of a pair of wait and signal on a semaphore?
///
/// The Concurrency Programming Guide says that waiting on a dispatch semaphore takes less time than waiting on a
/// traditional semaphore if a permit is available, because the dispatch semaphore calls the kernel only if the thread
/// must block. The guide also says that a signal wakes one of the waiting threads.
///
/// In most variants, a semaphore has one permit. First one thread alone takes the permit and releases it. Then several
/// threads contend for the permit. Finally the same number of threads wait for the permit, and the trial sends one
/// signal at a time. After each signal the trial waits until all threads of the process sleep (``Standstill``). A
/// thread that has a permit by then was woken by that signal. The variant `dispatch-burst` signals several times in a
/// row, both while threads wait and before they wait. In the variant `dispatch-again`, a thread signals and immediately
/// waits, while another thread waits.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Using Dispatch Semaphores to Regulate the Use of Finite
/// Resources".
struct SemaphoreCost: Pattern {
  static let name = "semaphore-cost"

  let batch = Parameter.count("batch", 1...1_000_000, default: 1000, "uncontended wait-signal pairs timed as one batch")
    .ofMeasurement
  let threads = Parameter.count(
    "threads", 2...64, default: 2, "threads that contend, and threads that wait for a signal")
  let waiters = Parameter.count("waiters", 2...64, default: 8, "threads that wait for several signals in a row")
  let attempts = Parameter.count(
    "attempts", 1...100_000, default: 1000, "maximum number of signals by a thread that waits immediately afterwards")
  let contendedPairs = Parameter.count(
    "contended-pairs", 1...1_000_000, default: 2000, "wait-signal pairs of each contending thread")
  let hold = Parameter.duration(
    "hold", .zero ... .milliseconds(1), default: .microseconds(1), "how long a contending thread holds the semaphore")

  let uncontended = Metric.latency(
    "uncontended", affectedBy: ["batch"], "one wait-signal pair with a free permit, timed in batches")
  let syscallsPerPair = Metric.rate(
    "syscalls-per-pair", .none, better: .lower, missingIf: "the system does not report it",
    "system calls per uncontended pair")
  let control = Metric.rate(
    "control", .none, better: .neither, missingIf: "the system does not report it",
    "system calls counted for one getppid: 1 shows that the counting is right")
  let contended = Metric.latency(
    "contended", "one pair while threads contend: the elapsed time over the pairs of all threads")
  let contextSwitches = Metric.rate(
    "context-switches", .none, better: .lower, missingIf: "the system does not report it",
    "voluntary context switches (a thread went to sleep) per contended pair")
  let lostUpdates = Metric.count("lost-updates", "updates between wait and signal that another thread overwrote")
  let wrongWakeups = Metric.count(
    "wrong-wakeups",
    "signals that did not wake exactly one waiting thread, and threads that took a permit without a signal")
  let overtaken = Metric.count(
    "overtaken", "threads that stayed asleep in wait while the thread that had just signalled took the permit back")

  /// The detector of a standstill. Tests replace the detector.
  var standstill = Standstill()
  /// A closure that makes one system call. The trial checks its counter with this closure.
  var getParent: @Sendable () -> Void = { callKernel() }

  var problem: [any Declaration] { [threads, waiters, contendedPairs, hold] }

  var variants: [Variant] {
    Variant("dispatch", .documented, "DispatchSemaphore", timePairsAndSignals) { trial in
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
    Variant("dispatch-c", .documented, "dispatch_semaphore_wait and _signal, the C functions", timePairsAndSignals) {
      trial in
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
    Variant(
      "dispatch-burst", .documented,
      "DispatchSemaphore, signalled several times in a row, while threads wait and before they wait", countSignals
    ) { trial in
      let semaphore = DispatchSemaphore(value: 0)
      try signalAtOnce(trial, take: { semaphore.wait() }, give: { semaphore.signal() })
    }
    Variant(
      "dispatch-again", .documented,
      "DispatchSemaphore, signalled by a thread that immediately waits, while another thread waits", attemptToOvertake
    ) { trial in
      try signalAndWait(trial) {
        let semaphore = DispatchSemaphore(value: 0)
        return (take: { semaphore.wait() }, give: { semaphore.signal() })
      }
    }
    Variant("posix", .yardstick, "sem_wait and sem_post", timePairsAndSignals, needs: [.linux]) { trial in
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
    Variant("system-v", .yardstick, "semop, on a traditional semaphore that the kernel maintains", timePairsAndSignals)
    {
      trial in
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
    Variant("pthread-condition", .yardstick, "a count, a pthread mutex and a condition variable", timePairsAndSignals) {
      trial in
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
    Variant("mutex", .yardstick, "Synchronization.Mutex, not a semaphore: the locking thread unlocks it", timePairs) {
      trial in
      let lock = Lock()
      try measure(trial) { pairs in
        pairs.each { critical in
          lock.mutex.withLock { _ in critical() }
        }
      }
    }
  }

  /// The probe for pairs of wait and signal, and for signals one at a time.
  private var timePairsAndSignals: TrialProbe { Probe(reads: ofPairs, records: costs + [wrongWakeups]) }
  /// The probe that only times pairs of wait and signal.
  private var timePairs: TrialProbe { Probe(reads: ofPairs, records: costs) }
  /// The probe for several consecutive signals.
  private var countSignals: TrialProbe { Probe(reads: [waiters], records: [wrongWakeups]) }
  /// The probe for a signal and an immediate wait by one thread while another thread waits.
  private var attemptToOvertake: TrialProbe { Probe(reads: [attempts], records: [overtaken]) }
  /// The settings that apply to pairs of wait and signal.
  private var ofPairs: [any Declaration] { [batch, threads, contendedPairs, hold] }
  /// The metrics of pairs of wait and signal.
  private var costs: [any Declaration] {
    [uncontended, syscallsPerPair, control, contended, contextSwitches, lostUpdates]
  }

  /// Returns an upper bound for the duration of a trial: the time that the contended pairs, the uncontended pairs, the
  /// attempts and the waiting threads need if they run one after the other.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .microseconds(20)) * (trial[threads] * trial[contendedPairs]) + .microseconds(50) * trial[batch]
      + .milliseconds(1) * (trial[attempts] + trial[waiters])
  }
}

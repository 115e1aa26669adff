import Dispatch
import Instruments
import Synchronization

/// How does a lock perform under contention by many threads?
///
/// Each thread repeatedly enters a critical section that one lock guards, and does no other work. In the scenario there
/// are up to 16 threads for each core. A trial measures the throughput, the order in which the threads acquire the
/// lock, and the cost of an entry.
///
/// On Linux, Swift's `Mutex` spins for a while and then waits in the kernel. The kernel's lock depends on the
/// toolchain:
///
/// - Up to Swift 6.3 the kernel's lock is a priority-inheriting futex. The value of the futex word is the identifier of
///   the thread that holds the lock. The kernel passes the lock to a waiting thread, which must wake up first.
/// - In later versions the kernel's lock is a plain futex. The kernel only wakes a thread, and any other thread may
///   acquire the lock before the woken thread runs.
///
/// A trial runs the threads three times. The first run is timed. The second run reads a clock before and after each
/// entry, and records the duration of the entry. The third run counts the system calls. A trial of tasks has no third
/// run.
///
/// Source: SE-0433 (Mutex), "Underlying System Mutex Implementation".
struct LockScaling: Pattern {
  static let name = "lock-scaling"

  let threadsPerCore = Parameter.count(
    "threads-per-core", 1...64, default: 4, "threads, or tasks, per core, at least two in all")
  let hold = Parameter.duration(
    "hold", .zero ... .milliseconds(1), default: .microseconds(1),
    "how long an entry keeps the lock, besides adding one")
  let entries = Parameter.count("entries", 100...10_000_000, default: 20_000, "entries of all threads together")

  let perEntry = Metric.latency(
    "per-entry", "elapsed time divided by the entries of all threads: the reciprocal of the throughput")
  let processorPerEntry = Metric.latency(
    "processor-per-entry", missingIf: "the system does not report it", isAmount: true,
    "processor time of all threads divided by their entries, spinning included")
  let switchesPerEntry = Metric.rate(
    "switches-per-entry", .none, better: .lower, missingIf: "the system does not report it",
    "how often a thread went to sleep, per entry")
  let countedCalls = Metric.rate(
    "counted-calls", .none, better: .lower, missingIf: "the system does not report it",
    "system calls per entry, in a run of its own: counting slows each call, and the threads contend differently")
  let clockedEntry = Metric.latency(
    "clocked-entry",
    "one entry as its thread sees it, in a run of its own: a clock at each entry changes how the threads contend, and may reverse the ranks of per-entry"
  )
  let longestRun = Metric.count(
    "longest-run", "highest number of entries by one thread or task in a row; the others waited or had not arrived yet")
  let lost = Metric.count("lost", "entries missing from a count that only the lock protects")
  let ownerInWord = Metric.count(
    "owner-in-word", missingIf: "this system's Mutex has no such word",
    "1 if the word of a held Mutex is the number of its thread, as in a priority-inheriting futex; otherwise 0")

  // The number of threads is part of the problem, so the report compares locks for each number of threads.
  var problem: [any Declaration] { [threadsPerCore, hold, entries] }

  var variants: [Variant] {
    Variant("mutex", .modern, "Synchronization.Mutex") { trial in
      let lock = Lock()
      try contend(trial) { entries in
        entries.each { entry in
          lock.mutex.withLock { _ in entry.enter() }
        }
      }
      recordOwnerInWord(trial)
    }
    Variant("pthread-mutex", .documented, "pthread_mutex_lock and _unlock", runContention) { trial in
      let mutex = ThreadMutex()
      try contend(trial) { entries in
        entries.each { entry in
          mutex.lock()
          entry.enter()
          mutex.unlock()
        }
      }
    }
    Variant("serial-sync", .documented, "sync on a serial queue", runContention) { trial in
      let queue = DispatchQueue(label: "guard")
      try contend(trial) { entries in
        entries.each { entry in
          queue.sync { entry.enter() }
        }
      }
    }
    Variant("actor", .modern, "an actor; tasks await it", runContentionOfTasks) { trial in
      actor Owner {
        func enter(_ entry: SectionEntry) { entry.enter() }
      }
      let owner = Owner()
      try await contendAsTasks(trial) { entries in
        await entries.each { entry in
          await owner.enter(entry)
        }
      }
    }
  }

  /// The metrics of every trial.
  private var trialMetrics: [any Declaration] {
    [perEntry, processorPerEntry, switchesPerEntry, clockedEntry, longestRun, lost]
  }
  /// The probe for threads that contend for a lock. The variant `mutex` has no probe, since its trials also examine the
  /// word of the lock.
  private var runContention: TrialProbe { Probe(reads: problem, records: trialMetrics + [countedCalls]) }
  /// The probe for tasks that contend for a lock. The system calls of tasks cannot be counted.
  private var runContentionOfTasks: TaskProbe { Probe(reads: problem, records: trialMetrics) }

  /// Returns an upper bound for the duration of a trial: the time that the entries of three runs need if they follow
  /// one another and each entry requires a wake-up.
  func longest(_ trial: Trial) -> Duration? { (trial[hold] + .microseconds(100)) * (3 * trial[entries]) }
}

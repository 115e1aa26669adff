import Dispatch
import Instruments

/// Which lock suits many readers and few writers?
///
/// Two values belong together, and a writer changes both values. A read between the two changes is torn. Readers do not
/// interfere with each other, so a readers-writer lock admits several readers at the same time. A concurrent queue does
/// the same if reads are synchronous blocks and writes are barriers. The series of articles that begins with "GCD in
/// depth" protects an array of photos in this way.
///
/// With each kind of lock, a writer in a trial waits until its write has ended. `ReadersWriterTrials.swift` contains
/// the code that runs the trials.
///
/// Source: the series of articles that begins with "GCD in depth". The lab checks no sentence about this question.
struct ReadersWriter: Pattern {
  static let name = "readers-writer"

  let threads = Parameter.count(
    "threads", 2...64, default: 2, "threads, or tasks, that read and write at the same time")
  let operations = Parameter.count("operations", 2...1_000_000, default: 2000, "reads and writes of each thread")
  let reads = Parameter.percent("reads", 1...99, default: 90, "share of reads among the operations")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(2),
    "how long each read or write takes inside the critical section")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(2),
    "maximum pause of a held write between its two values; a reader that acquires the lock ends the pause")
  let heldWrites = Parameter.count(
    "held-writes", 1...1000, default: 3, "writes paused between their two values, before the measured operations")

  let tornReads = Metric.count("torn-reads", "reads that saw one value from before a write and one from after it")
  let throughput = Metric.rate("throughput", .perSecond, "reads and writes per second, all threads together")
  let readLatency = Metric.latency("read-latency", "one read, including the wait for the lock")
  let writeLatency = Metric.latency("write-latency", "one write, including the wait for the lock")

  // The number of threads is part of the problem, so a comparison ranks the locks for each number of threads.
  var problem: [any Declaration] { [threads, operations, work, reads, hold] }

  var variants: [Variant] {
    Variant("unprotected", .broken, "no lock", runUnguarded) { trial in
      try measure(trial, holdingUpTo: .seconds(10)) { pair in
        pair.read()
      } write: { pair in
        pair.write()
      }
    }
    Variant("barrier", .documented, "a concurrent queue: sync to read, sync with a barrier to write") { trial in
      let queue = DispatchQueue(label: "pair", attributes: .concurrent)
      try measure(trial) { pair in
        queue.sync { pair.read() }
      } write: { pair in
        queue.sync(flags: .barrier) { pair.write() }
      }
    }
    Variant("serial", .documented, "a serial queue: sync to read and to write") { trial in
      let queue = DispatchQueue(label: "pair")
      try measure(trial) { pair in
        queue.sync { pair.read() }
      } write: { pair in
        queue.sync { pair.write() }
      }
    }
    Variant("pthread-rwlock", .documented, "pthread_rwlock: a read lock to read, a write lock to write") { trial in
      let lock = ReadersWriterLock()
      try measure(trial) { pair in
        lock.withReadLock { pair.read() }
      } write: { pair in
        lock.withWriteLock { pair.write() }
      }
    }
    Variant("mutex", .modern, "Synchronization.Mutex, exclusive for readers as for writers") { trial in
      let lock = Lock()
      try measure(trial) { pair in
        lock.mutex.withLock { _ in pair.read() }
      } write: { pair in
        lock.mutex.withLock { _ in pair.write() }
      }
    }
    Variant("actor", .modern, "an actor owns the pair; tasks await it") { trial in
      actor Owner {
        func read(_ pair: Pair) -> Pair.Values { pair.read() }
        func write(_ pair: Pair) { pair.write() }
      }
      let owner = Owner()
      try measureTasks(trial) { pair in
        await owner.read(pair)
      } write: { pair in
        await owner.write(pair)
      }
    }
  }

  /// The probe for a pair without a guard. Without a guard, a reader always reads the pair and ends the pause of a held
  /// write. The trials therefore do not read the setting `hold`.
  private var runUnguarded: TrialProbe {
    Probe(
      reads: [threads, operations, reads, work, heldWrites],
      records: [tornReads, throughput, readLatency, writeLatency])
  }
}

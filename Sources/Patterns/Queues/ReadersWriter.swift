import Dispatch
import Laboratory

/// Who reads what is being written?
///
/// Two values belong together, and a writer changes both. A reader that comes between the two sees a torn pair. Readers
/// do not disturb each other, so a guard may let many of them in at once, as a concurrent queue does whose writers are
/// barriers:
///
/// ```objc
/// dispatch_sync(concurrentPhotoQueue, ^{ array = [NSArray arrayWithArray:_photosArray]; });
/// dispatch_barrier_async(concurrentPhotoQueue, ^{ [_photosArray addObject:photo]; });
/// ```
///
/// Here writers wait until they have written, for every guard alike. How a guard is tried stands in
/// `ReadersWriterTrials.swift`.
///
/// Source: the series that "GCD in depth" opens; beyond the sentences of the documents.
struct ReadersWriter: Pattern {
  static let name = "readers-writer"

  let actors = Setting.count("actors", 2...64, default: 2, "threads, or tasks, that read and write at the same time")
  let operations = Setting.count("operations", 2...1_000_000, default: 2000, "reads and writes that each of them does")
  let reads = Setting.percent("reads", 1...99, default: 90, "how many of these are reads")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(2), "how long a read or a write takes under its guard")
  let hold = Setting.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(2),
    "how long a writer is held between its two values; a reader that comes by ends it")
  let heldWrites = Setting.count("held-writes", 1...1000, default: 3, "writes that are held so, before all others")

  let torn = Metric.count("torn", "reads whose two values did not belong together")
  let rate = Metric.rate("rate", .perSecond, "reads and writes a second, of all together")
  let readLatency = Metric.latency("read-latency", "a read, with the wait for its turn")
  let writeLatency = Metric.latency("write-latency", "a write, with the wait for its turn")

  var problem: [any Declaration] { [operations, work] }

  var variants: [Variant] {
    Variant("unprotected", .broken, "reads and writes without any guard", without: [hold]) { trial in
      try measureUnguarded(trial) { pair in
        pair.read()
      } write: { pair in
        pair.write()
      }
    }
    Variant("barrier", .documented, "a concurrent queue: sync to read, a barrier to write") { trial in
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
    Variant("pthread-rwlock", .yardstick, "the system's own lock for readers and a writer") { trial in
      let lock = ReadersWriterLock()
      try measure(trial) { pair in
        lock.withReadLock { pair.read() }
      } write: { pair in
        lock.withWriteLock { pair.write() }
      }
    }
    Variant("mutex", .modern, "Synchronization.Mutex, for readers as for writers") { trial in
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
}

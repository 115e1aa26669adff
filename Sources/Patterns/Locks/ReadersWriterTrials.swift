import Dispatch
import Instruments
import Synchronization

/// First, some writes pause after the first value of the pair is stored and before the second value is stored. The
/// pause ends when a reader has read the pair or a timeout expires. If no guard excludes the reader, the reader reads
/// the pair during the pause. Then all parties read and write without a pause, and their operations are timed.
extension ReadersWriter {
  /// Returns an upper bound for the duration of a trial: the time that the operations need if they run one after the
  /// other, the maximum pauses of all held writes, and ten seconds for each held write.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .microseconds(20)) * trial[operations] * trial[threads] + (trial[hold] + .seconds(10))
      * trial[heldWrites]
  }

  /// Times reads and writes of a pair. Before that, pauses writes to check whether the guard admits a reader during a
  /// write.
  ///
  /// - Parameters:
  ///   - limit: the maximum time for which a write pauses; nil to use the setting `hold`.
  ///   - read: a closure that reads the pair under the guard.
  ///   - write: a closure that writes the pair under the guard.
  func measure(
    _ trial: Trial, holdingUpTo limit: Duration? = nil, read: @escaping @Sendable (Pair) -> Pair.Values,
    write: @escaping @Sendable (Pair) -> Void
  ) throws {
    try measure(trial, hold: limit ?? trial[hold]) { pair in
      let writer = try SystemThread { write(pair) }
      return { writer.join() }
    } read: { pair in
      read(pair)
    } race: { race in
      try Team.run(race.actors) { actor in race.run(actor, read, write) }
    }
  }

  /// Times reads and writes of a pair with an asynchronous guard. Before that, pauses writes to check whether the guard
  /// admits a reader during a write.
  func measureTasks(
    _ trial: Trial, read: @escaping @Sendable (Pair) async -> Pair.Values,
    write: @escaping @Sendable (Pair) async -> Void
  ) throws {
    try measure(trial, hold: trial[hold]) { pair in
      let hasEnded = DispatchSemaphore(value: 0)
      Task {
        await write(pair)
        hasEnded.signal()
      }
      return { hasEnded.wait() }
    } read: { pair in
      try waitFor { await read(pair) }
    } race: { race in
      try waitFor {
        await withTaskGroup { group in
          for actor in 0..<race.actors { group.addTask { await race.run(actor, read, write) } }
        }
      }
    }
  }

  /// Pauses writes, reads the pair during the pauses, and then times reads and writes by all parties.
  ///
  /// - Parameters:
  ///   - beginWrite: a closure that starts a write on another thread or task, and returns a closure that waits for the
  ///     end of the write.
  ///   - read: a closure that reads the pair, and returns after the read.
  ///   - runAll: a closure that runs the operations of all parties, and returns after the last operation.
  private func measure(
    _ trial: Trial, hold: Duration, _ beginWrite: (Pair) throws -> () -> Void, read: (Pair) throws -> Pair.Values,
    race runAll: (PairRace) throws -> Void
  ) throws {
    let race = PairRace(
      actors: trial[threads], operations: trial[operations], reads: trial[reads], steps: trial.steps(work))
    try SystemThread.requireCapacity(for: race.actors + 2)
    var tornWhileHeld = 0
    for _ in 0..<trial[heldWrites] {
      let held = HeldWrite(hold)
      let pair = Pair(steps: race.steps, held: held)
      let waitForWriter = try beginWrite(pair)
      held.waitForWriter()
      if try read(pair).isTorn { tornWhileHeld += 1 }
      held.readerHasRead()
      waitForWriter()
    }
    try runAll(race)
    trial.record(tornReads, tornWhileHeld + race.torn)
    trial.record(throughput, race.rate)
    trial.record(readLatency, race.readLatency)
    trial.record(writeLatency, race.writeLatency)
  }
}

/// Two values that must be written together. The atomic accesses are relaxed, so only the guard orders them.
final class Pair: Sendable {
  /// The values that a read returned.
  struct Values: Sendable {
    fileprivate let first, second: UInt64
    /// Whether the read was torn: the two values differ.
    var isTorn: Bool { first != second }
  }

  private let first = Atomic<UInt64>(0)
  private let second = Atomic<UInt64>(0)
  private let steps: Int
  private let held: HeldWrite?

  fileprivate init(steps: Int, held: HeldWrite? = nil) {
    self.steps = steps
    self.held = held
  }

  /// Reads both values, with work between the two reads.
  func read() -> Values {
    let first = first.load(ordering: .relaxed)
    CalibratedWork.run(steps: steps)
    return Values(first: first, second: second.load(ordering: .relaxed))
  }

  /// Increments the first value, and writes the result to both variables, with work between the two writes. A held
  /// write also pauses between the two writes.
  func write() {
    let next = first.load(ordering: .relaxed) &+ 1
    first.store(next, ordering: .relaxed)
    CalibratedWork.run(steps: steps)
    held?.pause()
    second.store(next, ordering: .relaxed)
  }
}

/// A write that pauses between its two values.
private final class HeldWrite: Sendable {
  private let hasBegun = DispatchSemaphore(value: 0)
  private let reader: TimedGate

  /// Creates a write that pauses until a reader has read the pair, but no longer than `time`.
  init(_ time: Duration) { reader = TimedGate(limit: time) }

  /// Pauses the calling writer between its two values.
  func pause() {
    hasBegun.signal()
    reader.wait()
  }

  /// Waits until the writer pauses, and starts the timeout of the pause.
  func waitForWriter() {
    hasBegun.wait()
    reader.startTimeLimit()
  }

  /// Records that a reader has read the pair, and ends the pause.
  func readerHasRead() { reader.open() }
}

/// A race of several parties that read and write the same pair.
private final class PairRace: Sendable {
  let actors: Int
  let steps: Int
  private let operations: Int
  private let writes: Int
  private let pair: Pair
  private let notes: Slots<Note>

  /// The recorded results of one party.
  private struct Note: Sendable {
    var start: UInt64 = 0
    var end: UInt64 = 0
    var torn = 0
    var reads = LatencyHistogram()
    var writes = LatencyHistogram()
  }

  init(actors: Int, operations: Int, reads: Int, steps: Int) {
    self.actors = actors
    self.operations = operations
    self.steps = steps
    // There is at least one operation of each kind.
    writes = min(max(1, operations * (100 - reads) / 100), operations - 1)
    pair = Pair(steps: steps)
    notes = Slots(count: actors, padded: true) { _ in Note() }
  }

  /// Returns whether an operation is a write. The writes are distributed evenly among the operations.
  private func isWrite(_ operation: Int) -> Bool {
    operation * writes / operations != (operation + 1) * writes / operations
  }

  /// Runs and times the operations of one party.
  func run(_ actor: Int, _ read: (Pair) -> Pair.Values, _ write: (Pair) -> Void) {
    notes[actor].start = MonotonicClock.now()
    for operation in 0..<operations {
      let before = MonotonicClock.now()
      if isWrite(operation) {
        write(pair)
        notes[actor].writes.record(MonotonicClock.now() &- before)
      } else {
        let values = read(pair)
        notes[actor].reads.record(MonotonicClock.now() &- before)
        if values.isTorn { notes[actor].torn += 1 }
      }
    }
    notes[actor].end = MonotonicClock.now()
  }

  /// Runs and times the operations of one party, with an asynchronous guard.
  func run(_ actor: Int, _ read: (Pair) async -> Pair.Values, _ write: (Pair) async -> Void) async {
    notes[actor].start = MonotonicClock.now()
    for operation in 0..<operations {
      let before = MonotonicClock.now()
      if isWrite(operation) {
        await write(pair)
        notes[actor].writes.record(MonotonicClock.now() &- before)
      } else {
        let values = await read(pair)
        notes[actor].reads.record(MonotonicClock.now() &- before)
        if values.isTorn { notes[actor].torn += 1 }
      }
    }
    notes[actor].end = MonotonicClock.now()
  }

  // MARK: Results

  /// The number of torn reads.
  var torn: Int { notes.values.sum { $0.torn } }
  /// The operations per second of all parties together, from the start of the first operation to the end of the last
  /// operation.
  var rate: Double {
    let start = notes.values.map(\.start).min() ?? 0
    let end = notes.values.map(\.end).max() ?? 0
    return Double(actors * operations) * 1e9 / Double(end - start)
  }
  /// The nanoseconds of each read, as a histogram.
  var readLatency: LatencyHistogram { merged(\.reads) }
  /// The nanoseconds of each write, as a histogram.
  var writeLatency: LatencyHistogram { merged(\.writes) }

  private func merged(_ histogram: KeyPath<Note, LatencyHistogram>) -> LatencyHistogram {
    notes.values.reduce(into: LatencyHistogram()) { $0.merge($1[keyPath: histogram]) }
  }
}

/// A lock that admits several readers or one writer, based on `pthread_rwlock_t`.
///
/// Conformance to `Sendable` is unchecked: a lock may be used from any thread.
final class ReadersWriterLock: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() { pthread_rwlock_init(lock, nil) }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  /// Runs `body` while holding the lock for reading, and returns the result of `body`.
  func withReadLock<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }

  /// Runs `body` while holding the lock for writing, and returns the result of `body`.
  func withWriteLock<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }
}

import Dispatch
import Instruments
import Synchronization

/// How a guard is tried.
///
/// First some writes are held between their two values, until a reader has come by or until the time is up: where
/// nothing keeps readers out, one comes by for sure. Then all read and write, timed, with nothing in the way.
extension ReadersWriter {
  /// All operations one after the other, and the held writes.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .microseconds(20)) * trial[operations] * trial[threads] + (trial[hold] + .seconds(10))
      * trial[heldWrites]
  }

  /// Times reads and writes of a guarded pair, and holds a write to see that no reader gets in.
  func measure(
    _ trial: Trial, read: @escaping @Sendable (Pair) -> Pair.Values, write: @escaping @Sendable (Pair) -> Void
  ) throws {
    try measureThreads(trial, hold: trial[hold], read, write)
  }

  /// Times reads and writes of a pair without a guard, and holds a write until a reader has seen it half done.
  func measureUnguarded(
    _ trial: Trial, patience: Duration = .seconds(10), read: @escaping @Sendable (Pair) -> Pair.Values,
    write: @escaping @Sendable (Pair) -> Void
  ) throws {
    try measureThreads(trial, hold: patience, read, write)
  }

  private func measureThreads(
    _ trial: Trial, hold: Duration, _ read: @escaping @Sendable (Pair) -> Pair.Values,
    _ write: @escaping @Sendable (Pair) -> Void
  ) throws {
    try measure(trial, hold: hold) { pair in
      let writer = try SystemThread { write(pair) }
      return { writer.join() }
    } read: { pair in
      read(pair)
    } race: { race in
      try Team.run(race.actors) { actor in race.run(actor, read, write) }
    }
  }

  /// Times reads and writes of a pair whose guard is awaited, and holds a write to see that no reader gets in.
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

  /// - Parameters:
  ///   - beginWrite: begins a write elsewhere; what it returns waits for its end.
  ///   - read: reads here.
  ///   - race: runs all actors to their end.
  private func measure(
    _ trial: Trial, hold: Duration, _ beginWrite: (Pair) throws -> () -> Void, read: (Pair) throws -> Pair.Values,
    race runAll: (PairRace) throws -> Void
  ) throws {
    let race = PairRace(
      actors: trial[threads], operations: trial[operations], reads: trial[reads], steps: trial.steps(work))
    try SystemThread.requireRoom(for: race.actors + 2)
    var tornWhileHeld = 0
    for _ in 0..<trial[heldWrites] {
      let held = HeldWrite(hold)
      let pair = Pair(steps: race.steps, held: held)
      let waitForWriter = try beginWrite(pair)
      held.waitForWriter()
      if try read(pair).isTorn { tornWhileHeld += 1 }
      held.readerHasCome()
      waitForWriter()
    }
    try runAll(race)
    trial.record(tornReads, tornWhileHeld + race.torn)
    trial.record(throughput, race.rate)
    trial.record(readLatency, race.readLatency)
    trial.record(writeLatency, race.writeLatency)
  }
}

/// Two values that are to be written together. The accesses are relaxed: it is for the guard to bring order into them.
final class Pair: Sendable {
  /// What a reader got.
  struct Values: Sendable {
    fileprivate let first, second: UInt64
    /// Whether they do not belong together.
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

  /// Reads both values.
  func read() -> Values {
    let first = first.load(ordering: .relaxed)
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    return Values(first: first, second: second.load(ordering: .relaxed))
  }

  /// Writes the next value to both.
  func write() {
    let next = first.load(ordering: .relaxed) &+ 1
    first.store(next, ordering: .relaxed)
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    held?.pause()
    second.store(next, ordering: .relaxed)
  }
}

/// A write that is held between its two values.
private final class HeldWrite: Sendable {
  private let hasBegun = DispatchSemaphore(value: 0)
  private let reader: BoundedGate

  /// A write that is held until a reader has come by; for `time` when the reader is on its way.
  init(_ time: Duration) { reader = BoundedGate(bound: time) }

  /// The writer, between its values.
  func pause() {
    hasBegun.signal()
    reader.pass()
  }

  /// Waits until the writer is there; a reader sets out now.
  func waitForWriter() {
    hasBegun.wait()
    reader.restHasFinished()
  }

  /// A reader has read.
  func readerHasCome() { reader.open() }
}

/// Readers and writers of one pair, all at the same time.
private final class PairRace: Sendable {
  let actors: Int
  let steps: Int
  private let operations: Int
  private let writes: Int
  private let pair: Pair
  private let notes: Slots<Note>

  /// What became of an actor's operations.
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
    // At least one of either kind.
    writes = min(max(1, operations * (100 - reads) / 100), operations - 1)
    pair = Pair(steps: steps)
    notes = Slots(count: actors, padded: true) { _ in Note() }
  }

  /// Whether an operation is a write; these are spread evenly.
  private func isWrite(_ operation: Int) -> Bool {
    operation * writes / operations != (operation + 1) * writes / operations
  }

  /// What one actor does.
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

  /// The same for a guard that is awaited.
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

  // MARK: What came of it

  /// How many reads were torn.
  var torn: Int { notes.values.reduce(0) { $0 + $1.torn } }
  /// Operations a second, of all actors together, from the first one's start to the last one's end.
  var rate: Double {
    let start = notes.values.map(\.start).min() ?? 0
    let end = notes.values.map(\.end).max() ?? 0
    return Double(actors * operations) * 1e9 / Double(end - start)
  }
  /// Nanoseconds of each read.
  var readLatency: LatencyHistogram { merged(\.reads) }
  /// Nanoseconds of each write.
  var writeLatency: LatencyHistogram { merged(\.writes) }

  private func merged(_ histogram: KeyPath<Note, LatencyHistogram>) -> LatencyHistogram {
    notes.values.reduce(into: LatencyHistogram()) { $0.merge($1[keyPath: histogram]) }
  }
}

/// The system's lock for many readers or one writer, `pthread_rwlock_t`.
///
/// Unchecked: the lock takes care of itself.
final class ReadersWriterLock: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  /// A lock that is free.
  init() { pthread_rwlock_init(lock, nil) }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  /// Runs `body` while no writer has the lock.
  func withReadLock<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }

  /// Runs `body` while nobody else has the lock.
  func withWriteLock<Result>(_ body: () -> Result) -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body()
  }
}

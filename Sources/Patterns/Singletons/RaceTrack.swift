import Instruments
import Synchronization

/// A row of singletons, and the racers: threads or tasks that race to create them, as the actors of jcstress do.
///
/// The racers meet before each row instead of before each singleton. The track therefore detects millions of duplicates
/// per second instead of a few.
///
/// Conformance to `Sendable` is unchecked: barriers and the ends of threads and tasks separate races from counting.
/// During a race each racer writes only its own notes, and the singletons are thread-safe. During counting each racer
/// accesses only its own share of the row.
final class RaceTrack: @unchecked Sendable {
  let racers: Int
  private let slots: Int
  private let singletons: UnsafeMutablePointer<Singleton>
  private let notes: UnsafeMutablePointer<Note>

  init(racers: Int, slots: Int = 1) {
    self.racers = racers
    self.slots = slots
    let size = MemoryLayout<Singleton>.stride
    singletons = UnsafeMutableRawPointer.allocate(byteCount: slots * size, alignment: size)
      .bindMemory(to: Singleton.self, capacity: slots)
    for slot in 0..<slots { (singletons + slot).initialize(to: Singleton()) }
    notes = .allocate(capacity: racers * slots)
    notes.initialize(repeating: Note(), count: racers * slots)
  }

  deinit {
    singletons.deinitialize(count: slots)
    singletons.deallocate()
    notes.deallocate()
  }

  // MARK: Threads

  /// Runs threads that race along the row until the given time has passed. Each thread is bound to a separate core if
  /// the system allows it.
  ///
  /// If the last racer has counted no duplicate in its share of the row, the race continues for up to `patience`
  /// further nanoseconds, since on a busy machine the threads may never have run at the same time.
  ///
  /// - Parameter ask: a closure that requests each singleton of a row.
  /// - Returns: the results, the elapsed nanoseconds, and the error that prevented a racer from having its own core.
  ///   The error is nil if each racer had its own core. Without its own core, a racer may never have run at the same
  ///   time as the other racers.
  /// - Throws: ``SystemError`` if a thread cannot be started.
  func race(for nanoseconds: UInt64, patience: UInt64 = 0, _ ask: @escaping @Sendable (Row) -> Void) throws
    -> (counts: RaceCounts, nanoseconds: UInt64, bindingError: SystemError?)
  {
    let course = RaceCourse(racers: racers, nanoseconds: nanoseconds, patience: patience)
    try onThreads { [self] racer in
      // On one core the racers would take turns, and never meet between check and creation.
      do throws(SystemError) { try SystemThread.prefer(core: racer) } catch { course.recordBindingError(error) }
      course.add(runLaps(racer, course, ask))
    }
    let elapsed = course.elapsed
    return course.result.withLock { ($0.counts, elapsed, $0.bindingError) }
  }

  /// Requests each singleton of the row and counts a share of the row, again and again until the race is over. Returns
  /// the results of that share.
  private func runLaps(_ racer: Int, _ course: RaceCourse, _ ask: (Row) -> Void) -> RaceCounts {
    let row = row(of: racer)
    let share = slots * racer / racers..<slots * (racer + 1) / racers
    var counts = RaceCounts(racers: racers)
    repeat {
      course.rendezvous.wait()
      ask(row)
      course.rendezvous.wait()
      count(share, into: &counts)
      // The last racer decides for all racers, since its share is never empty. The next rendezvous publishes the
      // decision.
      if racer == racers - 1 { course.decide(counts) }
      course.rendezvous.wait()
      clear(racer)
    } while !course.isOver
    return counts
  }

  /// Runs one race of threads for the first singleton, with a pause in its accessor, and adds the result to `counts`.
  func race(_ pause: RacePause, into counts: inout RaceCounts, _ ask: @escaping @Sendable (Row) -> Void) throws {
    singletons.pointee.pause = .passUnretained(pause)
    defer { singletons.pointee.pause = nil }
    try onThreads { [self] racer in
      let row = firstOfRow(racer)
      pause.ask(racer)
      SharedManager.$asked.withValue(row.first) { ask(row) }
      pause.use(row.got, racer)
    }
    countFirst(into: &counts)
  }

  private func onThreads(_ body: @escaping @Sendable (_ racer: Int) -> Void) throws {
    for thread in try SystemThread.start(racers, body) { thread.join() }
  }

  // MARK: Tasks

  /// Runs tasks that race along the row until the given time has passed. The tasks do not have cores of their own,
  /// since the threads of Swift's pool run all tasks.
  ///
  /// - Parameter ask: a closure that requests each singleton of a row.
  /// - Returns: the results, and the elapsed nanoseconds.
  func race(for nanoseconds: UInt64, _ ask: @escaping @Sendable (Row) async -> Void) async
    -> (counts: RaceCounts, nanoseconds: UInt64)
  {
    var counts = RaceCounts(racers: racers)
    let start = MonotonicClock.now()
    var elapsed: UInt64 = 0
    repeat {
      await asTasks { [self] racer in await ask(row(of: racer)) }
      count(0..<slots, into: &counts)
      for racer in 0..<racers { clear(racer) }
      elapsed = MonotonicClock.now() &- start
    } while elapsed < nanoseconds
    return (counts, elapsed)
  }

  /// Runs one race of tasks for the first singleton, with a pause in its accessor, and adds the result to `counts`.
  func race(_ pause: RacePause, into counts: inout RaceCounts, _ ask: @escaping @Sendable (Row) async -> Void) async {
    singletons.pointee.pause = .passUnretained(pause)
    defer { singletons.pointee.pause = nil }
    await asTasks { [self] racer in
      let row = firstOfRow(racer)
      pause.ask(racer)
      await ask(row)
      pause.use(row.got, racer)
    }
    countFirst(into: &counts)
  }

  private func asTasks(_ body: @escaping @Sendable (_ racer: Int) async -> Void) async {
    await withTaskGroup { tasks in
      for racer in 0..<racers { tasks.addTask { await body(racer) } }
    }
  }

  // MARK: The hot path

  /// Returns a row for one racer. The row contains the first singleton `accesses` times. The caller must call
  /// ``empty()`` after using the row.
  func standing(accesses: Int) -> Row { Row(singletons, notes, count: accesses, step: 0) }

  /// Removes and deallocates the instance of the first singleton.
  func empty() {
    var unused = RaceCounts(racers: racers)
    countFirst(into: &unused)
  }

  // MARK: Counting

  private func row(of racer: Int) -> Row { Row(singletons, notes + racer * slots, count: slots) }
  private func firstOfRow(_ racer: Int) -> Row { Row(singletons, notes + racer * slots, count: 1) }

  /// Adds the result for each singleton in `share` to `counts`, and removes the instances. No race may be in progress.
  private func count(_ share: Range<Int>, into counts: inout RaceCounts) {
    for slot in share {
      counts.add(notes + slot, racers: racers, step: slots)
      singletons[slot].clear()
    }
  }

  private func countFirst(into counts: inout RaceCounts) {
    count(0..<1, into: &counts)
    for racer in 0..<racers { clear(racer) }
  }

  /// Deallocates the instances that a racer created. In a timed race of threads, each racer calls this method itself,
  /// since memory that another thread freed would enter the allocator's cache of that thread.
  private func clear(_ racer: Int) {
    for note in notes + racer * slots..<notes + (racer + 1) * slots {
      guard let created = note.pointee.created else { continue }
      created.destroy()
      note.pointee.created = nil
    }
  }
}

/// The state of a race of threads: the barrier at which the threads meet, the end of the race, and the results.
private final class RaceCourse: Sendable {
  let rendezvous: SpinBarrier
  let result: Mutex<(counts: RaceCounts, bindingError: SystemError?)>
  private let start = MonotonicClock.now()
  private let nanoseconds: UInt64
  private let patience: UInt64
  private let isDecided = Atomic(false)

  init(racers: Int, nanoseconds: UInt64, patience: UInt64) {
    rendezvous = SpinBarrier(parties: racers)
    result = Mutex((RaceCounts(racers: racers), nil))
    self.nanoseconds = nanoseconds
    self.patience = patience
  }

  var elapsed: UInt64 { MonotonicClock.now() &- start }
  var isOver: Bool { isDecided.load(ordering: .relaxed) }

  /// Determines whether the race is over, from the elapsed time and the duplicates that one racer counted.
  func decide(_ counts: RaceCounts) {
    let elapsed = elapsed
    let continues = elapsed < nanoseconds || elapsed < nanoseconds + patience && counts.duplicates == 0
    if !continues { isDecided.store(true, ordering: .relaxed) }
  }

  func add(_ counts: RaceCounts) { result.withLock { $0.counts.merge(counts) } }
  func recordBindingError(_ error: SystemError) { result.withLock { $0.bindingError = error } }
}

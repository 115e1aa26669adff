import CDispatchSupport
import Instruments
import Synchronization

/// The document's singleton, which is a real allocation, so that creating it takes as long as creating any object. Its
/// references are not counted, since that is no part of the race.
///
/// Unchecked: the allocation contains only an atomic.
struct PhotoManager: Equatable, @unchecked Sendable {
  fileprivate let address: UnsafeMutableRawPointer

  private struct Properties: ~Copyable {
    let photosArray = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  @inline(__always)
  private var properties: UnsafeMutablePointer<Properties> { address.assumingMemoryBound(to: Properties.self) }

  @inline(__always)
  fileprivate init(at address: UnsafeMutableRawPointer) { self.address = address }

  @inline(__always)
  fileprivate init() {
    // `allocate` of Swift calls `posix_memalign` on Linux, which takes longer.
    guard let address = malloc(MemoryLayout<Properties>.size) else { fatalError("no memory") }
    self.address = address
    properties.initialize(to: Properties())
  }

  @inline(__always)
  fileprivate func destroy() {
    if let array = properties.pointee.photosArray.load(ordering: .relaxed) { free(array) }
    properties.deinitialize(count: 1)
    free(address)
  }

  /// Creates the array without which a manager is not set up.
  func makePhotosArray() {
    properties.pointee.photosArray.store(malloc(64), ordering: .releasing)
  }

  /// Whether the manager is set up.
  var hasPhotosArray: Bool { properties.pointee.photosArray.load(ordering: .acquiring) != nil }
}

/// A singleton and its once-predicate, alone on two cache lines. Neighbours on the same line would slow each other down
/// and thereby narrow the race.
private struct Singleton: ~Copyable {
  /// The predicate is the first field, so that its address is the singleton's.
  var predicate = 0
  let manager = Atomic<UnsafeMutableRawPointer?>(nil)
  /// The pause before the creation.
  var pause: Unmanaged<RacePause>?
  private let padding: (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int) = (
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  )
}

/// The instances that an actor created and got at one singleton.
private struct Note {
  var created: UnsafeMutableRawPointer?
  var got: UnsafeMutableRawPointer?
}

/// A singleton as an actor sees it: the document's static variable.
///
/// It is a relaxed atomic, so that the race is only in the logic, and the program has no undefined behaviour.
///
/// Unchecked: the note belongs to one actor, which shares with others only an atomic, a once-predicate and a pause.
struct Shared: @unchecked Sendable {
  fileprivate let singleton: UnsafeMutablePointer<Singleton>
  fileprivate let note: UnsafeMutablePointer<Note>

  @inline(__always)
  fileprivate init(_ singleton: UnsafeMutablePointer<Singleton>, _ note: UnsafeMutablePointer<Note>) {
    self.singleton = singleton
    self.note = note
  }

  /// The shared instance, or nil while there is none; loaded and stored without ordering.
  var manager: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .relaxed).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .relaxed) }
  }

  /// The shared instance, or nil; loaded by acquiring and stored by releasing, so that an actor that sees the instance
  /// sees it set up.
  var published: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .acquiring).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .releasing) }
  }

  /// The predicate for `dispatch_once`. It is an address and not a variable: with `&` each actor would claim exclusive
  /// access.
  var predicate: UnsafeMutablePointer<Int> {
    @inline(__always) get { UnsafeMutableRawPointer(singleton).assumingMemoryBound(to: Int.self) }
  }

  /// Creates an instance and counts it; the race destroys it at its end. In a race with a pause before the creation, it
  /// pauses first.
  @inline(__always)
  func create() -> PhotoManager {
    if singleton.pointee.pause != nil { pauseBeforeCreation() }
    let created = PhotoManager()
    note.pointee.created = created.address
    return created
  }

  @inline(never)
  private func pauseBeforeCreation() {
    singleton.pointee.pause?._withUnsafeGuaranteedRef { if $0.place == .creation { $0.sleep() } }
  }

  /// Pauses, in place of the document's two seconds, for as long as it takes to show what the pause can show.
  func sleep() { singleton.pointee.pause?._withUnsafeGuaranteedRef { $0.sleep() } }

  /// Pauses asynchronously.
  func slept() async { await singleton.pointee.pause?.takeUnretainedValue().slept() }

  /// The singleton that the calling thread asks for, in a race with a pause. It is for an initializer that has no
  /// arguments.
  @TaskLocal static var asked: Shared?
}

/// The singletons in a row, as one actor sees them.
///
/// Unchecked: for the same reason as ``Shared``.
struct Row: @unchecked Sendable {
  private let singletons: UnsafeMutablePointer<Singleton>
  private let notes: UnsafeMutablePointer<Note>
  private let count: Int
  private let step: Int

  fileprivate init(
    _ singletons: UnsafeMutablePointer<Singleton>, _ notes: UnsafeMutablePointer<Note>, count: Int, step: Int = 1
  ) {
    self.singletons = singletons
    self.notes = notes
    self.count = count
    self.step = step
  }

  fileprivate var first: Shared { Shared(singletons, notes) }
  fileprivate var got: PhotoManager? { notes.pointee.got.map { PhotoManager(at: $0) } }

  /// Calls the body with each singleton of a row, and notes the instance that it returns.
  @inline(__always)
  func each(_ sharedManager: (Shared) -> PhotoManager?) {
    var (singleton, note) = (singletons, notes)
    timedLoop(count) { _ in
      note.pointee.got = sharedManager(Shared(singleton, note))?.address
      singleton += step
      note += step
    }
  }

  /// Asks for each singleton in turn, awaits it, and notes the instance that it gets.
  @inline(__always)
  func each(isolation: isolated (any Actor)? = #isolation, _ sharedManager: (Shared) async -> PhotoManager?) async {
    var (singleton, note) = (singletons, notes)
    await timedLoop(count) { _ in
      note.pointee.got = await sharedManager(Shared(singleton, note))?.address
      singleton += step
      note += step
    }
  }
}

/// The results of races. They are plain counts, since recording each race in a histogram would take as long as a
/// creation.
struct RaceTally: Sendable {
  /// The number of races that ended with 0, 1, 2, … instances.
  fileprivate(set) var ended: [Int]
  fileprivate(set) var mismatches = 0
  fileprivate(set) var regular = 0

  /// Creates a tally without races, for races of this many actors.
  init(actors: Int) { ended = Array(repeating: 0, count: actors + 1) }

  var races: Int { ended.reduce(0, +) }
  /// The number of instances beyond the first of each race.
  var duplicates: Int { ended.enumerated().reduce(0) { $0 + max(0, $1.offset - 1) * $1.element } }
  /// The number of races without exactly one instance, or with an actor that did not get that instance.
  var irregular: Int { races - regular }

  mutating func merge(_ other: RaceTally) {
    for (instances, races) in other.ended.enumerated() { ended[instances] += races }
    mismatches += other.mismatches
    regular += other.regular
  }
}

/// A row of singletons, and the actors that race along it, as in litmus tools (jcstress). There is one rendezvous for
/// many races instead of one dispatch for each race, which finds millions of duplicates per second instead of a
/// handful.
///
/// Unchecked: barriers and the ends of threads and tasks separate racing from counting. While they race, an actor has
/// its own notes, and singletons are safe by themselves. While they count, each actor has its own share of the row.
final class RaceTrack: @unchecked Sendable {
  let actors: Int
  private let slots: Int
  private let singletons: UnsafeMutablePointer<Singleton>
  private let notes: UnsafeMutablePointer<Note>

  init(actors: Int, slots: Int = 1) {
    self.actors = actors
    self.slots = slots
    let size = MemoryLayout<Singleton>.stride
    singletons = UnsafeMutableRawPointer.allocate(byteCount: slots * size, alignment: size)
      .bindMemory(to: Singleton.self, capacity: slots)
    for slot in 0..<slots { (singletons + slot).initialize(to: Singleton()) }
    notes = .allocate(capacity: actors * slots)
    notes.initialize(repeating: Note(), count: actors * slots)
  }

  deinit {
    singletons.deinitialize(count: slots)
    singletons.deallocate()
    notes.deallocate()
  }

  // MARK: Threads

  /// Races along the row by threads, each on a core of its own, for `nanoseconds`. If no duplicate was seen, continues
  /// for up to `patience` (ns), since on a busy machine two threads may not run at once for a long time.
  ///
  /// - Returns: the results, how long racing and counting took, and the reason why an actor had no core of its own, if
  ///   there is one: it may never have met the others.
  func race(for nanoseconds: UInt64, patience: UInt64 = 0, _ ask: @escaping @Sendable (Row) -> Void) throws
    -> (tally: RaceTally, nanoseconds: UInt64, hindrance: SystemError?)
  {
    let rendezvous = SpinBarrier(parties: actors)
    let agreed = RaceState(RaceTally(actors: actors))
    let start = MonotonicClock.now()
    let threads = try (0..<actors).map { actor in
      try SystemThread { [self] in
        // On one core the actors would take turns, and never meet between check and creation.
        do throws(SystemError) { try SystemThread.prefer(core: actor) } catch { agreed.hinder(error) }
        let row = Row(singletons, notes + actor * slots, count: slots)
        let mine = slots * actor / actors..<slots * (actor + 1) / actors
        var tally = RaceTally(actors: actors)
        repeat {
          rendezvous.wait()
          ask(row)
          rendezvous.wait()
          count(mine, into: &tally)
          // One actor decides for all, before the rendezvous that publishes the decision. It is the last one, whose
          // share is never empty.
          if actor == actors - 1 {
            let elapsed = MonotonicClock.now() &- start
            let goesOn = elapsed < nanoseconds || elapsed < nanoseconds + patience && tally.duplicates == 0
            if !goesOn { agreed.isComplete.store(true, ordering: .relaxed) }
          }
          rendezvous.wait()
          clear(actor)
        } while !agreed.isComplete.load(ordering: .relaxed)
        agreed.add(tally)
      }
    }
    for thread in threads { thread.join() }
    let elapsed = MonotonicClock.now() &- start
    return agreed.result.withLock { ($0.tally, elapsed, $0.hindrance) }
  }

  /// Runs one race for the first singleton, with a pause in it.
  func race(_ pause: RacePause, into tally: inout RaceTally, _ ask: @escaping @Sendable (Row) -> Void) throws {
    singletons.pointee.pause = .passUnretained(pause)
    defer { singletons.pointee.pause = nil }
    let threads = try (0..<actors).map { actor in
      try SystemThread { [self] in
        let row = start(actor)
        pause.ask(actor)
        Shared.$asked.withValue(row.first) { ask(row) }
        pause.use(row.got, actor)
      }
    }
    for thread in threads { thread.join() }
    count(0..<1, into: &tally)
    for actor in 0..<actors { clear(actor) }
  }

  // MARK: Tasks

  /// Races along the row by tasks, for `nanoseconds`. A thread outside Swift's pool cannot await, so tasks have no
  /// cores of their own.
  func race(for nanoseconds: UInt64, _ ask: @escaping @Sendable (Row) async -> Void) async
    -> (tally: RaceTally, nanoseconds: UInt64)
  {
    var tally = RaceTally(actors: actors)
    let start = MonotonicClock.now()
    var elapsed: UInt64 = 0
    repeat {
      await withTaskGroup { tasks in
        for actor in 0..<actors {
          tasks.addTask { [self] in await ask(Row(singletons, notes + actor * slots, count: slots)) }
        }
      }
      count(0..<slots, into: &tally)
      for actor in 0..<actors { clear(actor) }
      elapsed = MonotonicClock.now() &- start
    } while elapsed < nanoseconds
    return (tally, elapsed)
  }

  /// Runs one race of tasks for the first singleton, with a pause in it.
  func race(_ pause: RacePause, into tally: inout RaceTally, _ ask: @escaping @Sendable (Row) async -> Void) async {
    singletons.pointee.pause = .passUnretained(pause)
    defer { singletons.pointee.pause = nil }
    await withTaskGroup { tasks in
      for actor in 0..<actors {
        tasks.addTask { [self] in
          let row = start(actor)
          pause.ask(actor)
          await ask(row)
          pause.use(row.got, actor)
        }
      }
    }
    count(0..<1, into: &tally)
    for actor in 0..<actors { clear(actor) }
  }

  // MARK: The hot path

  /// Returns a row that consists of the first singleton over and over, for one actor. Clear it afterwards.
  func standing(accesses: Int) -> Row { Row(singletons, notes, count: accesses, step: 0) }

  /// Clears the first singleton.
  func empty() {
    var unused = RaceTally(actors: actors)
    count(0..<1, into: &unused)
    for actor in 0..<actors { clear(actor) }
  }

  // MARK: Counting

  private func start(_ actor: Int) -> Row { Row(singletons, notes + actor * slots, count: 1) }

  /// Counts the instances of each singleton and the actors that got them, and clears the singleton. No actor may race
  /// meanwhile.
  private func count(_ slots: Range<Int>, into tally: inout RaceTally) {
    let (actors, step) = (actors, self.slots)
    var (mismatches, regular) = (0, 0)
    tally.ended.withUnsafeMutableBufferPointer { ended in
      for slot in slots {
        var note = notes + slot
        let first = note.pointee.got
        var one: UnsafeMutableRawPointer?
        var (instances, strays) = (0, 0)
        for _ in 0..<actors {
          if let created = note.pointee.created {
            instances &+= 1
            one = created
          }
          if note.pointee.got == nil || note.pointee.got != first { strays &+= 1 }
          note += step
        }
        ended[instances] &+= 1
        mismatches &+= strays
        if instances == 1, strays == 0, first == one { regular &+= 1 }
        singletons[slot].manager.store(nil, ordering: .relaxed)
        singletons[slot].predicate = 0
      }
    }
    tally.mismatches += mismatches
    tally.regular += regular
  }

  /// Destroys the instances that an actor created. Each actor does so itself, since memory that another thread frees
  /// would enter that thread's list, in the cache of its core.
  private func clear(_ actor: Int) {
    var note = notes + actor * slots
    for _ in 0..<slots {
      if let created = note.pointee.created {
        PhotoManager(at: created).destroy()
        note.pointee.created = nil
      }
      note += 1
    }
  }
}

/// The state that the actors of a race share.
private final class RaceState: Sendable {
  struct Result: Sendable {
    var tally: RaceTally
    var hindrance: SystemError?
  }

  let isComplete = Atomic(false)
  let result: Mutex<Result>

  init(_ tally: RaceTally) { result = Mutex(Result(tally: tally)) }

  func add(_ tally: RaceTally) { result.withLock { $0.tally.merge(tally) } }
  func hinder(_ error: SystemError) { result.withLock { $0.hindrance = error } }
}

import Laboratory
import Measurement
import Platform
import Synchronization

/// What is created: a real object, so that the race has the width that a real creation gives it.
private final class Instance {}

/// One singleton and its once-predicate, alone on two cache lines: neighbours on one line would slow each other down
/// and so narrow the race.
struct Slot: ~Copyable {
  let instance = Atomic<UInt>(0)
  var once = 0
  private let padding: (UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt) = (
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  )
}

/// An actor standing at a slot, with the place where it notes what it created there.
///
/// Unchecked: `created` belongs to one actor, and the slot's fields are an atomic and a once-predicate.
struct Visit: @unchecked Sendable {
  let slot: UnsafeMutablePointer<Slot>
  fileprivate let created: UnsafeMutablePointer<UInt>

  /// Creates an instance and notes it. The track releases it after the race.
  @inline(__always)
  func create() -> UInt {
    let bits = UInt(bitPattern: Unmanaged.passRetained(Instance()).toOpaque())
    created.pointee = bits
    return bits
  }
}

/// What came of many races.
struct RaceTally: Sendable {
  private var histogram = LatencyHistogram()
  private(set) var duplicates = 0
  /// How long racing and counting took; 0 when a rate means nothing.
  var nanoseconds: UInt64 = 0
  /// Why an actor had no core of its own, if so: it may never have met the others.
  var hindrance: SystemError?

  mutating func count(instances: Int) {
    histogram.record(UInt64(instances))
    duplicates += max(0, instances - 1)
  }

  mutating func merge(_ other: RaceTally) {
    histogram.merge(other.histogram)
    duplicates += other.duplicates
    hindrance = hindrance ?? other.hindrance
  }

  func record(in observation: inout Observation) {
    observation.record("instances", histogram)
    observation.record("duplicates", duplicates)
    observation.record("races", Int(histogram.count))
    guard nanoseconds > 0 else { return }
    observation.record("race-rate", Double(histogram.count) * 1e9 / Double(nanoseconds))
    observation.record("duplicate-rate", Double(duplicates) * 1e9 / Double(nanoseconds))
  }
}

/// A stride of slots and the actors that race along it, as litmus tools do (jcstress): one rendezvous for many races
/// instead of one dispatch a race finds millions of duplicates a second where the other finds a handful.
///
/// Unchecked: barriers separate racing, where slots are atomic, from counting, where each actor has a share of them.
struct RaceTrack: @unchecked Sendable {
  let actors: Int
  let slots: Int
  private let track: UnsafeMutablePointer<Slot>
  private let created: UnsafeMutablePointer<UInt>

  init(actors: Int, slots: Int) {
    self.actors = actors
    self.slots = slots
    track = .allocate(capacity: slots)
    for slot in 0..<slots { (track + slot).initialize(to: Slot()) }
    created = .allocate(capacity: actors * slots)
    created.initialize(repeating: 0, count: actors * slots)
  }

  func deallocate() {
    track.deinitialize(count: slots)
    track.deallocate()
    created.deallocate()
  }

  func visit(_ slot: Int, by actor: Int) -> Visit {
    Visit(slot: track + slot, created: created + (actor * slots + slot))
  }

  /// Races until `nanoseconds` have passed and `strides` are done, and up to `patience` (ns) longer while no duplicate was
  /// seen: on a busy machine two threads may not be running at once for a long time.
  func race(_ guarding: some SingletonGuard, nanoseconds: Int = 0, strides: Int = 1, patience: Int = 0) throws
    -> RaceTally
  {
    let start = MonotonicClock.now()
    return try race(guarding) { tally, finished in
      let elapsed = Int(MonotonicClock.now() &- start)
      return finished < strides || elapsed < nanoseconds || tally.duplicates == 0 && elapsed < nanoseconds + patience
    }
  }

  private func race(
    _ guarding: some SingletonGuard, while goesOn: @escaping @Sendable (RaceTally, Int) -> Bool
  ) throws -> RaceTally {
    let rendezvous = SpinBarrier(parties: actors)
    let shared = SharedTally()
    let start = MonotonicClock.now()
    let threads = try (0..<actors).map { actor in
      try SystemThread {
        let mine = (slots * actor / actors)..<(slots * (actor + 1) / actors)
        var tally = RaceTally()
        // On one core they would take turns and never meet inside the check.
        do throws(SystemError) { try SystemThread.prefer(core: actor) } catch { tally.hindrance = error }
        var finished = 0
        repeat {
          rendezvous.wait()
          for slot in 0..<slots { _ = guarding.instance(visit(slot, by: actor)) }
          rendezvous.wait()
          self.tally(slots: mine, into: &tally)
          finished += 1
          // One actor decides for all, before the rendezvous that publishes it: the last one, whose share is never empty.
          if actor == actors - 1, !goesOn(tally, finished) { shared.isComplete.store(true, ordering: .relaxed) }
          rendezvous.wait()
        } while !shared.isComplete.load(ordering: .relaxed)
        shared.add(tally)
      }
    }
    for thread in threads { thread.join() }
    var tally = shared.sum
    tally.nanoseconds = MonotonicClock.now() &- start
    return tally
  }

  /// Counts the instances of each slot, releases them and makes the slots empty again. Nobody may race meanwhile.
  func tally(slots: Range<Int>, into tally: inout RaceTally) {
    for slot in slots {
      var instances = 0
      for actor in 0..<actors {
        let note = created + (actor * self.slots + slot)
        guard let pointer = UnsafeRawPointer(bitPattern: note.pointee) else { continue }
        Unmanaged<Instance>.fromOpaque(pointer).release()
        note.pointee = 0
        instances += 1
      }
      tally.count(instances: instances)
      track[slot].instance.store(0, ordering: .relaxed)
      track[slot].once = 0
    }
  }

  /// Runs `body` at an empty slot and empties it again.
  func withOneSlot(_ body: (Visit) -> Void) {
    body(visit(0, by: 0))
    var unused = RaceTally()
    tally(slots: 0..<1, into: &unused)
  }
}

/// What the actors of a race agree on.
private final class SharedTally: Sendable {
  let isComplete = Atomic(false)
  private let tally = Mutex(RaceTally())

  var sum: RaceTally { tally.withLock { $0 } }
  func add(_ mine: RaceTally) { tally.withLock { $0.merge(mine) } }
}

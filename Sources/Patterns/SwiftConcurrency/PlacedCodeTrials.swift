import Dispatch
import Instruments
import Synchronization

/// Code that records where it runs.
final class PlacedCode: Sendable {
  private let created = MonotonicClock.now()
  private let state = Mutex((places: [CodePlace](), begun: UInt64?.none))
  private let isKept = DispatchSemaphore(value: 0)
  private let mayGo = DispatchSemaphore(value: 0)

  /// Records where the calling code runs.
  func look() {
    let (now, place) = (MonotonicClock.now(), CodePlace.here)
    state.withLock { state in
      state.places.append(place)
      if state.begun == nil { state.begun = now }
    }
  }

  /// Records where the code runs before and after it yields the executor to other jobs. This function is not isolated
  /// to an actor.
  func lookTwice() async {
    look()
    await Task.yield()
    look()
  }

  /// Records where the code runs before and after it yields the executor to other jobs. This function runs on the actor
  /// of its caller.
  nonisolated(nonsending) func lookTwiceOnCaller() async {
    look()
    await Task.yield()
    look()
  }

  /// Blocks the calling thread until ``unblock()`` is called.
  func keep() {
    isKept.signal()
    mayGo.wait()
  }
  /// Waits until a thread is blocked in ``keep()``.
  func waitUntilKept() { isKept.wait() }
  /// Unblocks the thread in ``keep()``.
  func unblock() { mayGo.signal() }

  /// Returns the number of observations at a place.
  func observations(at place: CodePlace) -> Int { state.withLock { $0.places.count { $0 == place } } }
  /// Whether the code has recorded no observation.
  var hasNoObservation: Bool { state.withLock { $0.places.isEmpty } }
  /// The nanoseconds from the creation of this object until the code began; nil if the code has not begun.
  var delay: UInt64? { state.withLock { $0.begun.map { $0 - created } } }
}

/// A record of whether the closure of an `assumeIsolated` call ran.
final class Assumption: Sendable {

  /// Calls `assumeIsolated` of `actor` with a closure that sets ``hasRun``.
  func made(of actor: OwnActor) { actor.assumeIsolated { _ in hasRun.set() } }

  /// Whether the closure of `assumeIsolated` ran.
  let hasRun = AtomicFlag()
}

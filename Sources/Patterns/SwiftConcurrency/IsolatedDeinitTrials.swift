import Dispatch
import Instruments
import Synchronization

extension IsolatedDeinit {
  private var ends: [any Declaration] { [inline, deferred, inherited, missing, delay] }

  /// A probe that runs the variant's body once for each object, and records where and when each deinitializer ran. The
  /// body creates and releases the object.
  var runEachObject: Probe<@Sendable (ObjectEnd) throws -> Void> {
    Probe(reads: [objects], records: ends + [onActor, offActor, moved]) { trial, body in
      let states = try each(trial, body)
      let count = states.sum { $0.onActor }
      trial.record(moved, states.count { $0.runs != 1 || $0.inPlace != 1 })
      trial.record(onActor, count)
      trial.record(offActor, trial[objects] - count)
    }
  }

  /// A probe for objects of an actor on the default executor. The probe records when each deinitializer ran, but not
  /// where.
  var runEachObjectOfDefaultActor: Probe<@Sendable (ObjectEnd) throws -> Void> {
    Probe(reads: [objects], records: ends) { trial, body in _ = try each(trial, body) }
  }

  /// Runs `body` for each object in turn. Records when the deinitializers ran, and returns their observations.
  private func each(_ trial: Trial, _ body: (ObjectEnd) throws -> Void) throws -> some Collection<ObjectEnd.State> {
    // The first object is a warm-up.
    let ends = try (0...trial[objects]).map { _ in
      let ending = ObjectEnd()
      try body(ending)
      return ending.end()
    }.dropFirst()
    trial.record(inline, ends.count { $0.wasInline })
    trial.record(deferred, ends.count { !$0.wasInline })
    trial.record(inherited, ends.sum { $0.inherited })
    trial.record(missing, ends.count { $0.runs != 1 })
    trial.record(delay, ends.map(\.delay))
    return ends
  }
}

extension Unavailable {
  /// The error that is thrown if `isolated deinit` is not available on this system.
  static let isolatedDeinit = Unavailable("isolated deinit needs macOS 15.4")
}

/// A record of where and when the deinitializer of an object ran.
final class ObjectEnd: Sendable {
  /// The queue of the global actor.
  static let actorQueue = DispatchQueue(label: "bench")
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    actorQueue.setSpecific(key: key, value: true)
    return key
  }()

  /// The namespace of the task-local value that is set while the last reference is released.
  private enum Releaser {
    @TaskLocal static var isCurrent = false
  }

  struct State {
    /// The numbers of all runs of the deinitializer, of its runs on the actor, of its runs outside the actor on the
    /// thread of the release before the release returned, and of its runs with the releaser's task-local value.
    var (runs, onActor, inPlace, inherited) = (0, 0, 0, 0)
    /// The thread that releases the object; nil before and after the release.
    var releaser: Int?
    /// Whether the deinitializer had run when the release returned.
    var wasInline = false
    var released: UInt64 = 0
    var delay: UInt64?
  }

  private let state = WaitableValue(State())
  private let isBlocked = DispatchSemaphore(value: 0)
  private let actor = DispatchSemaphore(value: 0)

  /// Records when and where the deinitializer runs, and whether it finds the task-local value of the releaser.
  func deinitRuns() {
    let (now, inheritsReleaser) = (MonotonicClock.now(), Releaser.isCurrent)
    let isOnActor = DispatchQueue.getSpecific(key: Self.key) == true
    let thread = ThreadCensus.currentThread
    state.note { state in
      state.runs += 1
      if isOnActor { state.onActor += 1 } else if state.releaser == thread { state.inPlace += 1 }
      if inheritsReleaser { state.inherited += 1 }
      state.delay = now > state.released ? now - state.released : 0
    }
  }

  /// Executes `release`, which releases the last reference, while the task-local value is set. Records whether the
  /// deinitializer had run when `release` returned.
  func releases(_ release: () -> Void) {
    _ = Self.key
    let thread = ThreadCensus.currentThread
    state.note { state in
      state.releaser = thread
      state.released = MonotonicClock.now()
    }
    Releaser.$isCurrent.withValue(true) { release() }
    state.note { state in
      state.releaser = nil
      state.wasInline = state.runs > 0
    }
  }

  /// Blocks the calling actor until ``unblockActor()`` is called.
  func blockActor() {
    isBlocked.signal()
    actor.wait()
  }
  /// Waits until the actor is blocked.
  func waitUntilActorIsBlocked() { isBlocked.wait() }
  /// Lets the actor continue after ``blockActor()``.
  func unblockActor() { actor.signal() }

  /// Waits until the deinitializer has run, but no longer than 20 seconds, and returns the observations.
  func end() -> State {
    state.wait(within: .seconds(20)) { $0.runs > 0 }
    return state.now
  }
}

import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// Makes one party come late for sure: it waits here until an early event has happened, or until a bound is over that
/// starts only when everything else has finished.
///
/// So an anomaly is provoked without a sleep and a hope. Where the code under test is broken, the early event goes past
/// and opens the gate, however slow the machine is; where it is right, it keeps the event back, nothing else is left to
/// do, and the bound ends the wait. The same code serves both, and no outcome hangs on speed: a bound that is too short
/// could hide an event that was about to come, but cannot make one up.
///
/// ```swift
/// let gate = BoundedGate()
/// queue.async { overtaken = gate.pass() }  // the late party
/// queue.async { gate.open() }              // the early event
/// gate.restHasFinished()                   // all is submitted; nobody else is awaited
/// ```
public final class BoundedGate: Sendable {
  private struct State {
    var isOpen = false
    /// When the bound is over; nil until the rest has finished.
    var end: UInt64?
    var blocked: [DispatchSemaphore] = []
    var suspended: [CheckedContinuation<Bool, Never>] = []
    /// Whether a thread waits for the end of the bound on behalf of the suspended.
    var isWatched = false

    /// Whether the early event happened, as far as it can be said now.
    var answer: Bool? {
      if isOpen { return true }
      guard let end, MonotonicClock.now() >= end else { return nil }
      return false
    }

    /// Whether somebody must begin to wait for the end of the bound now.
    mutating func needsWatch() -> Bool {
      guard end != nil, !isWatched, !suspended.isEmpty else { return false }
      isWatched = true
      return true
    }
  }

  private let bound: UInt64
  private let state = Mutex(State())

  /// A gate that is shut.
  ///
  /// - Parameter bound: how long the late party waits once the rest has finished.
  public init(bound: Duration = .milliseconds(50)) {
    self.bound = UInt64(clamping: bound.nanoseconds)
  }

  /// The early event happens.
  public func open() {
    let (blocked, suspended) = state.withLock { state in
      state.isOpen = true
      defer { state.suspended = [] }
      return (state.blocked, state.suspended)
    }
    for party in blocked { party.signal() }
    for task in suspended { task.resume(returning: true) }
  }

  /// Everything but the late party and the early event has finished: the bound starts. Later calls change nothing.
  public func restHasFinished() {
    let (blocked, needsWatch) = state.withLock { state in
      guard state.end == nil else { return ([DispatchSemaphore](), false) }
      state.end = MonotonicClock.now() + bound
      return (state.blocked, state.needsWatch())
    }
    for party in blocked { party.signal() }
    if needsWatch { watch() }
  }

  /// Whether the early event has happened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Blocks the calling thread, the late party's: until the early event, or until the bound is over.
  ///
  /// - Returns: whether the early event had happened.
  @available(*, noasync, message: "await passed() instead")
  @discardableResult public func pass() -> Bool {
    let turn = DispatchSemaphore(value: 0)
    state.withLock { $0.blocked.append(turn) }
    defer { state.withLock { state in state.blocked.removeAll { $0 === turn } } }
    while true {
      let (answer, end) = state.withLock { ($0.answer, $0.end) }
      if let answer { return answer }
      guard let end else {
        turn.wait()
        continue
      }
      let now = MonotonicClock.now()
      if now < end { _ = turn.wait(timeout: .now() + .nanoseconds(Int(clamping: end - now))) }
    }
  }

  /// Suspends the calling task, the late party: until the early event, or until the bound is over.
  ///
  /// - Returns: whether the early event had happened.
  @discardableResult public func passed() async -> Bool {
    await withCheckedContinuation { task in
      let (answer, needsWatch) = state.withLock { state in
        if let answer = state.answer { return (Bool?.some(answer), false) }
        state.suspended.append(task)
        return (nil, state.needsWatch())
      }
      if let answer { task.resume(returning: answer) }
      if needsWatch { watch() }
    }
  }

  /// Waits for the end of the bound on a thread of its own: a timer would need the pool, which may be what is tried.
  /// Where there is no thread to be had, the caller waits.
  private func watch() {
    do { try SystemThread { self.endBound() }.detach() } catch { endBound() }
  }

  private func endBound() {
    pass()
    let late = state.withLock { state in
      state.isWatched = false
      defer { state.suspended = [] }
      return state.suspended
    }
    for task in late { task.resume(returning: false) }
  }
}

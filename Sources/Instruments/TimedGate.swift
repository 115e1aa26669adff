import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// A gate at which one party waits until an early event has happened or a time limit has passed. The time limit starts
/// only when all other work of the trial has finished.
///
/// A trial thereby provokes an anomaly without a sleep. If the code under test is broken, the early event happens and
/// opens the gate, however slow the machine is. If the code is correct, the early event does not happen before the
/// party continues, nothing else is left to do, and the time limit ends the wait. The same trial serves both cases, and
/// no result depends on speed: a time limit that is too short could miss an event that was about to happen, but cannot
/// report an event that does not happen.
///
/// ```swift
/// let gate = TimedGate()
/// queue.async { overtaken = gate.wait() }  // the late party
/// queue.async { gate.open() }              // the early event
/// gate.startTimeLimit()                        // everything is submitted; nothing else is left to wait for
/// ```
public final class TimedGate: Sendable {
  private struct State {
    var isOpen = false
    /// The time on ``MonotonicClock`` at which the time limit passes, in nanoseconds; nil until ``startTimeLimit()`` is
    /// called.
    var end: UInt64?
    var blocked: [DispatchSemaphore] = []
    var suspended: [CheckedContinuation<Bool, Never>] = []
    /// Whether a thread waits for the time limit on behalf of suspended tasks.
    var isWatched = false

    /// Whether the early event happened; nil until the event has happened or the time limit has passed.
    var answer: Bool? {
      if isOpen { return true }
      guard let end, MonotonicClock.now() >= end else { return nil }
      return false
    }

    /// Returns whether the caller must start a thread that waits for the time limit. If the result is true, the
    /// gate is marked as watched.
    mutating func needsWatch() -> Bool {
      guard end != nil, !isWatched, !suspended.isEmpty else { return false }
      isWatched = true
      return true
    }
  }

  private let limit: UInt64
  private let state = Mutex(State())

  /// Creates a closed gate.
  ///
  /// - Parameter limit: the time for which the late party waits after the call of ``startTimeLimit()``.
  public init(limit: Duration = .milliseconds(50)) {
    self.limit = UInt64(clamping: limit.nanoseconds)
  }

  /// Opens the gate. Call this method when the early event happens.
  public func open() {
    let (blocked, suspended) = state.withLock { state in
      state.isOpen = true
      defer { state.suspended = [] }
      return (state.blocked, state.suspended)
    }
    for party in blocked { party.signal() }
    for task in suspended { task.resume(returning: true) }
  }

  /// Starts the time limit. Call this method when everything except the late party and the early event has finished.
  /// Later calls have no effect.
  public func startTimeLimit() {
    let (blocked, needsWatch) = state.withLock { state in
      guard state.end == nil else { return ([DispatchSemaphore](), false) }
      state.end = MonotonicClock.now() + limit
      return (state.blocked, state.needsWatch())
    }
    for party in blocked { party.signal() }
    if needsWatch { watch() }
  }

  /// Whether the early event has happened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Blocks the calling thread, which is the late party, until the early event has happened or the time limit has
  /// passed.
  ///
  /// - Returns: true if the early event has happened; false if the time limit has passed.
  @available(*, noasync, message: "await wait() instead")
  @discardableResult public func wait() -> Bool {
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

  /// Suspends the calling task, which is the late party, until the early event has happened or the time limit has
  /// passed.
  ///
  /// - Returns: true if the early event has happened; false if the time limit has passed.
  @discardableResult public func wait() async -> Bool {
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

  /// Starts a thread that waits for the time limit. A timer would need a pool thread, and the pool may be under
  /// test. If no thread can be started, the calling thread waits.
  private func watch() {
    do { try SystemThread { self.endWaits() }.detach() } catch { endWaits() }
  }

  private func endWaits() {
    wait()
    let late = state.withLock { state in
      state.isWatched = false
      defer { state.suspended = [] }
      return state.suspended
    }
    for task in late { task.resume(returning: false) }
  }
}

import Dispatch
import Synchronization

/// A value that handlers and threads change, and that one thread waits for. A semaphore is signaled once the value
/// meets the awaited condition.
///
/// ```swift
/// let seen = WaitableValue((messages: 0, ends: 0))
/// queue.async { seen.note { $0.messages += 1 } }
/// guard seen.wait(within: .seconds(20), until: { $0.messages == 1 }) else { … }
/// ```
///
/// The waiting thread is woken once, by the change after which the value meets the condition. If every change woke the
/// waiting thread, each change would take longer: a stream of recorded 64 KiB reads was slower by a sixth.
///
/// Only one thread may wait at a time; a second one is a programming error and ends the process.
@dynamicMemberLookup
public final class WaitableValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    /// The condition that a thread waits for; nil while no thread waits.
    var awaited: (@Sendable (Value) -> Bool)?
    /// The value that met the condition, until the waiting thread takes the value; nil at all other times.
    var matched: Value?
  }

  private let state: Mutex<State>
  private let isMatched = DispatchSemaphore(value: 0)

  /// Creates a waitable value with an initial value.
  public init(_ value: Value) { state = Mutex(State(value: value)) }

  /// Changes the value by `change`, and wakes the waiting thread if the value now meets the awaited condition. Returns
  /// the result of `change`.
  @discardableResult public func note<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, wakes) = state.withLock { state in
      let result = change(&state.value)
      guard let awaited = state.awaited, awaited(state.value) else { return (result, false) }
      (state.awaited, state.matched) = (nil, state.value)
      return (result, true)
    }
    if wakes { isMatched.signal() }
    return result
  }

  /// The current value.
  public var now: Value { state.withLock { $0.value } }

  /// A property of the current value.
  public subscript<Part: Sendable>(dynamicMember part: KeyPath<Value, Part>) -> Part {
    state.withLock { $0.value[keyPath: part] }
  }

  /// Waits until the value meets `condition`, but no longer than `patience`. Returns whether the condition was met. The
  /// waiting thread and the threads that change the value call `condition`, which must not use this object.
  @discardableResult public func wait(
    within patience: Duration, until condition: @escaping @Sendable (Value) -> Bool
  ) -> Bool { value(within: patience, when: condition) != nil }

  /// Waits for `condition` as ``wait(within:until:)`` does, and returns the value that met the condition; nil if no
  /// value met the condition within `patience`.
  public func value(within patience: Duration, when condition: @escaping @Sendable (Value) -> Bool) -> Value? {
    let present: Value? = state.withLock { state in
      precondition(state.awaited == nil, "only one thread may wait for a value at a time")
      if condition(state.value) { return state.value }
      state.awaited = condition
      return nil
    }
    if let present { return present }
    if isMatched.wait(timeout: .after(patience)) == .timedOut {
      let isTooLate = state.withLock { state in
        defer { state.awaited = nil }
        return state.awaited != nil
      }
      if isTooLate { return nil }
      // The condition was met just after the timeout: the signal has been sent, or will be sent.
      isMatched.wait()
    }
    return state.withLock { $0.matched.take() }
  }
}

import Dispatch
import Synchronization

/// What handlers and threads note, and one waits for: a value behind a mutex, and a signal once it has come so far.
///
/// ```swift
/// let seen = Noted((messages: 0, ends: 0))
/// queue.async { seen.note { $0.messages += 1 } }
/// guard seen.wait(within: .seconds(20), until: { $0.messages == 1 }) else { … }
/// ```
///
/// Who waits is woken once, by the note that brings what it waits for. A wake-up for each note would be paid by who
/// notes: a stream of 64 KiB reads, each of them noted, was a sixth slower so.
///
/// One thread at a time may wait.
@dynamicMemberLookup
public final class Noted<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    /// What is waited for, until it has come.
    var awaited: (@Sendable (Value) -> Bool)?
    /// The value that brought it.
    var come: Value?
  }

  private let state: Mutex<State>
  private let hasCome = DispatchSemaphore(value: 0)

  /// Nothing noted beyond `value`.
  public init(_ value: Value) { state = Mutex(State(value: value)) }

  /// Changes the value, and wakes who waits if it has come so far.
  @discardableResult public func note<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, wakes) = state.withLock { state in
      let result = change(&state.value)
      guard let awaited = state.awaited, awaited(state.value) else { return (result, false) }
      (state.awaited, state.come) = (nil, state.value)
      return (result, true)
    }
    if wakes { hasCome.signal() }
    return result
  }

  /// All that is noted so far.
  public var now: Value { state.withLock { $0.value } }

  /// A part of what is noted so far.
  public subscript<Part: Sendable>(dynamicMember part: KeyPath<Value, Part>) -> Part {
    state.withLock { $0.value[keyPath: part] }
  }

  /// Waits until the value has come so far, but not longer than `patience`; returns whether it has. `isSo` is asked by
  /// who notes, and must not look at this object itself.
  @discardableResult public func wait(
    within patience: Duration, until isSo: @escaping @Sendable (Value) -> Bool
  ) -> Bool { value(within: patience, when: isSo) != nil }

  /// The value as it is when it has come so far; nil when it has not within `patience`. `isSo` as in
  /// ``wait(within:until:)``.
  public func value(within patience: Duration, when isSo: @escaping @Sendable (Value) -> Bool) -> Value? {
    let present: Value? = state.withLock { state in
      if isSo(state.value) { return state.value }
      state.awaited = isSo
      return nil
    }
    if let present { return present }
    if hasCome.wait(timeout: .after(patience)) == .timedOut {
      let isTooLate = state.withLock { state in
        defer { state.awaited = nil }
        return state.awaited != nil
      }
      if isTooLate { return nil }
      // It has just come: its signal is there or on its way.
      hasCome.wait()
    }
    return state.withLock { $0.come.take() }
  }
}

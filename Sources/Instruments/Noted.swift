import Dispatch
import Synchronization

/// What handlers and threads note, and one waits for: a value behind a mutex, and a signal with each note.
///
/// ```swift
/// let seen = Noted((messages: 0, ends: 0))
/// queue.async { seen.note { $0.messages += 1 } }
/// guard seen.wait(within: .seconds(20), until: { $0.messages == 1 }) else { … }
/// ```
///
/// One thread at a time may wait.
@dynamicMemberLookup
public final class Noted<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  private let isChanged = DispatchSemaphore(value: 0)

  /// Nothing noted beyond `value`.
  public init(_ value: Value) { self.value = Mutex(value) }

  /// Changes the value, and lets who waits look at it.
  @discardableResult public func note<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    defer { isChanged.signal() }
    return value.withLock { change(&$0) }
  }

  /// Changes the value so that nobody who waits need look.
  @discardableResult public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    value.withLock { change(&$0) }
  }

  /// All that is noted so far.
  public var now: Value { value.withLock { $0 } }

  /// A part of what is noted so far.
  public subscript<Part: Sendable>(dynamicMember part: KeyPath<Value, Part>) -> Part {
    value.withLock { $0[keyPath: part] }
  }

  /// Waits until the value has come so far, but not longer than `patience`; returns whether it has.
  @discardableResult public func wait(within patience: Duration, until isSo: (Value) -> Bool) -> Bool {
    let deadline = DispatchTime.after(patience)
    while true {
      if isSo(now) { return true }
      if isChanged.wait(timeout: deadline) == .timedOut { return isSo(now) }
    }
  }
}

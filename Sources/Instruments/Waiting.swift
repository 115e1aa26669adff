import Dispatch
import Laboratory

extension DispatchTimeInterval {
  /// Creates a time interval from a duration.
  public init(_ duration: Duration) { self = .nanoseconds(Int(clamping: duration.nanoseconds)) }
}

extension DispatchTime {
  /// Returns the time that is `duration` from now.
  public static func after(_ duration: Duration) -> DispatchTime { .now() + DispatchTimeInterval(duration) }
}

extension DispatchSemaphore {
  /// Waits for a signal, but no longer than `patience`. Returns whether the semaphore was signaled.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }

  /// Waits for a signal that must occur.
  ///
  /// - Parameter what: the text of the error if no signal occurs, such as `the handler did not run`.
  /// - Throws: ``WaitTimeoutError`` if the semaphore was not signaled within `patience`.
  public func wait(within patience: Duration, else what: String) throws(WaitTimeoutError) {
    if !wait(within: patience) { throw WaitTimeoutError(what, within: patience) }
  }
}

extension DispatchGroup {
  /// Waits until the group is empty, but no longer than `patience`. Returns whether the group is empty.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }
}

/// An error that reports that a required event did not happen in time. A trial that throws this error is broken.
public struct WaitTimeoutError: Error, CustomStringConvertible {
  /// A description of the event that did not happen, with the time for which the trial waited.
  public let description: String

  /// Creates the error with a text such as `the handler did not run`, and with the time limit.
  public init(_ what: String, within patience: Duration) { description = "\(what) within \(patience)" }
}

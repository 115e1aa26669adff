import Dispatch
import Laboratory

extension DispatchTimeInterval {
  /// Creates an interval of Dispatch from a duration.
  public init(_ duration: Duration) { self = .nanoseconds(Int(clamping: duration.nanoseconds)) }
}

extension DispatchTime {
  /// Returns the time that is a duration from now.
  public static func after(_ duration: Duration) -> DispatchTime { .now() + DispatchTimeInterval(duration) }
}

extension DispatchSemaphore {
  /// Waits for a signal, but no longer than `patience`. Returns whether the signal came.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }

  /// Waits for a signal that must come.
  ///
  /// - Parameter what: what failed to happen without the signal: `the handler did not run`.
  /// - Throws: ``WaitTimeoutError`` if the signal did not come within `patience`.
  public func wait(within patience: Duration, else what: String) throws(WaitTimeoutError) {
    if !wait(within: patience) { throw WaitTimeoutError(what, within: patience) }
  }
}

extension DispatchGroup {
  /// Waits until the group is empty, but no longer than `patience`. Returns whether it is empty.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }
}

/// The error of waiting in vain for an event that must happen: the trial is broken.
public struct WaitTimeoutError: Error, CustomStringConvertible {
  /// A description of the event that did not happen, and of the time for which the trial waited.
  public let description: String

  /// Creates the error: `what` failed to happen within `patience`, for instance `the handler did not run`.
  public init(_ what: String, within patience: Duration) { description = "\(what) within \(patience)" }
}

import Dispatch
import Laboratory

extension DispatchTimeInterval {
  /// A duration as Dispatch takes it.
  public init(_ duration: Duration) { self = .nanoseconds(Int(clamping: duration.nanoseconds)) }
}

extension DispatchTime {
  /// The time after a duration from now.
  public static func after(_ duration: Duration) -> DispatchTime { .now() + DispatchTimeInterval(duration) }
}

extension DispatchSemaphore {
  /// Waits for a signal, but not longer than `patience`; returns whether it came.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }

  /// Waits for a signal that must come.
  ///
  /// - Parameter what: what did not happen without it: `the handler did not run`.
  /// - Throws: ``WaitedInVain`` when it did not come within `patience`.
  public func wait(within patience: Duration, else what: String) throws(WaitedInVain) {
    if !wait(within: patience) { throw WaitedInVain(what, within: patience) }
  }
}

extension DispatchGroup {
  /// Waits until the group is empty, but not longer than `patience`; returns whether it is.
  @discardableResult public func wait(within patience: Duration) -> Bool {
    wait(timeout: .after(patience)) == .success
  }
}

/// Something that must come was waited for, and did not: the trial is broken.
public struct WaitedInVain: Error, CustomStringConvertible {
  /// What did not happen, and how long it was waited for.
  public let description: String

  /// What did not happen within `patience`: `the handler did not run`.
  public init(_ what: String, within patience: Duration) { description = "\(what) within \(patience)" }
}

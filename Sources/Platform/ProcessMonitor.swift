import Dispatch

/// A dispatch source for the exit of a process. The source starts inactive.
///
/// The source is a process source on Darwin (`ProcessMonitor+Darwin.swift`), and a read source of a pidfd on Linux
/// (`ProcessMonitor+Linux.swift`).
public protocol ProcessMonitoring: AnyObject, Sendable {
  /// Creates a source for the exit of `process`. The handlers of the source run on `queue`. If the process has already
  /// ended, the source calls its event handler at once after the activation.
  ///
  /// - Throws: ``SystemError`` if the system has no resources left to watch the process.
  init(process: pid_t, queue: DispatchQueue) throws(SystemError)

  /// Sets the handler that is called when the process has ended. The handler must cancel the source, or it may be
  /// called again. Call this method before the activation.
  func setEventHandler(_ handler: @escaping @Sendable () -> Void)

  /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Starts the delivery of events.
  func activate()
  /// Cancels the source. No more events are delivered, and the cancellation handler runs.
  func cancel()
}

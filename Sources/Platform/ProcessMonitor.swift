import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A dispatch source for the exit of a process. It starts inactive, as other sources do.
///
/// On Darwin it is a process source, on Linux a pidfd with a read source: see `ProcessMonitor+Darwin.swift` and
/// `ProcessMonitor+Linux.swift`.
public protocol ProcessMonitoring: AnyObject, Sendable {
  /// Creates a source for the exit of `process`, whose handlers run on `queue`. If the process has already ended, the
  /// source reports that at once.
  ///
  /// - Throws: ``SystemError`` if the system has no resources left to watch the process.
  init(process: pid_t, queue: DispatchQueue) throws(SystemError)

  /// Sets the handler of the exit. The handler must cancel the source, or it may be called again. Call this before the
  /// activation.
  func setEventHandler(_ handler: @escaping @Sendable () -> Void)

  /// Sets the cancellation handler, which runs once, after the last event. Call this before the activation.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Starts to deliver events.
  func activate()
  /// Cancels the source: no more events are delivered, and the cancellation handler runs.
  func cancel()
}

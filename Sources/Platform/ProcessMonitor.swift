import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A dispatch source for the exit of a process; it starts inactive, as other sources do.
///
/// On Darwin a process source, on Linux a pidfd behind a read source; see `ProcessMonitor+Darwin.swift` and
/// `ProcessMonitor+Linux.swift`.
public protocol ProcessMonitoring: AnyObject, Sendable {
  /// A source of the end of `process`, whose handlers will run on `queue`. One that has ended before is told of at
  /// once.
  ///
  /// - Throws: ``SystemError`` when there is nothing left to watch it with.
  init(process: pid_t, queue: DispatchQueue) throws(SystemError)

  /// Sets the handler of the exit. It is to cancel the source, or may be told again. Before it is activated.
  func setEventHandler(_ handler: @escaping @Sendable () -> Void)

  /// Sets what runs once, behind the last event, when it was cancelled. Before it is activated.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Begins to deliver events.
  func activate()
  /// Ends it: no event comes any more, and the cancel handler runs.
  func cancel()
}

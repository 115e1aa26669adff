#if canImport(Darwin)
  import Darwin
  import Dispatch

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.

  /// A monitor that uses a process source to detect the exit of a process, as the Concurrency Programming Guide does.
  ///
  /// Conformance to `Sendable` is unchecked: any thread may use a dispatch object.
  public final class ProcessMonitor: @unchecked Sendable {
    private let source: any DispatchSourceProcess

    /// Creates an inactive monitor of the exit of `process`. The handlers of the monitor run on `queue`. If the process
    /// has already ended, the monitor calls its event handler at once after the activation.
    ///
    /// - Throws: ``SystemError`` if the system has no resources left to watch the process.
    public init(process: pid_t, queue: DispatchQueue) throws(SystemError) {
      source = DispatchSource.makeProcessSource(identifier: process, eventMask: .exit, queue: queue)
    }

    /// Sets the handler that is called when the process has ended. The handler must cancel the monitor, or it may be
    /// called again. Call this method before the activation.
    public func setEventHandler(_ handler: @escaping @Sendable () -> Void) { source.setEventHandler(handler: handler) }
    /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler(handler: handler)
    }

    /// Starts the delivery of events.
    public func activate() { source.activate() }
    /// Cancels the monitor. No more events are delivered, and the cancellation handler runs.
    public func cancel() { source.cancel() }
  }
#endif

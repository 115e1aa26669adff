#if canImport(Darwin)
  import Darwin
  import Dispatch

  // This code follows the documented API. The project's CI does not compile or run it, since the CI has no Mac.

  /// A monitor that uses a process source to detect the exit of a process, as the Concurrency Programming Guide does.
  ///
  /// Unchecked: dispatch objects may be used from any thread.
  public final class ProcessMonitor: ProcessMonitoring, @unchecked Sendable {
    private let source: any DispatchSourceProcess

    /// Creates a source for the exit of `process`. The handlers of the source run on `queue`.
    public init(process: pid_t, queue: DispatchQueue) throws(SystemError) {
      source = DispatchSource.makeProcessSource(identifier: process, eventMask: .exit, queue: queue)
    }

    /// Sets the handler that is called at the exit.
    public func setEventHandler(_ handler: @escaping @Sendable () -> Void) { source.setEventHandler(handler: handler) }
    /// Sets the cancellation handler, which runs after the last event.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler(handler: handler)
    }

    /// Starts to deliver events.
    public func activate() { source.activate() }
    /// Cancels the source.
    public func cancel() { source.cancel() }
  }
#endif

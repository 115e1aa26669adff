#if os(Linux)
  import CDispatchSupport
  import Dispatch
  import Glibc

  /// A monitor that uses a pidfd to detect the exit of a process. The descriptor becomes readable when the process has
  /// ended and then stays readable, so the handler must cancel the source.
  ///
  /// Conformance to `Sendable` is unchecked: any thread may use a dispatch object.
  public final class ProcessMonitor: @unchecked Sendable {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Creates an inactive monitor of the exit of `process`. The handlers of the monitor run on `queue`. If the process
    /// has already ended, the monitor calls its event handler at once after the activation.
    ///
    /// - Throws: ``SystemError`` if the system has no resources left to watch the process.
    public init(process: pid_t, queue: DispatchQueue) throws(SystemError) {
      let descriptor = gcdlab_open_process(process)
      guard descriptor >= 0 else { throw SystemError(errno, "watch process \(process)") }
      self.descriptor = descriptor
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      setCancelHandler {}
    }

    /// Sets the handler that is called when the process has ended. The handler must cancel the monitor, or it may be
    /// called again. Call this method before the activation.
    public func setEventHandler(_ handler: @escaping @Sendable () -> Void) { source.setEventHandler(handler: handler) }

    /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler { [descriptor] in
        close(descriptor)
        handler()
      }
    }

    /// Starts the delivery of events.
    public func activate() { source.activate() }
    /// Cancels the monitor. No more events are delivered, and the cancellation handler runs.
    public func cancel() { source.cancel() }
  }
#endif

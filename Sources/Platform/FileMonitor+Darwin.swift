#if canImport(Darwin)
  import Darwin
  import Dispatch

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.

  /// A monitor that watches one file with a vnode source, as the Concurrency Programming Guide does.
  ///
  /// Conformance to `Sendable` is unchecked: any thread may use a dispatch object.
  public final class FileMonitor: @unchecked Sendable {
    private let source: any DispatchSourceFileSystemObject

    /// Creates an inactive monitor of the file that is open as `fileDescriptor`. The handlers of the monitor run on
    /// `queue`.
    ///
    /// The caller owns the descriptor, and must keep the descriptor open until the cancellation handler runs. The
    /// caller's cancellation handler must close the descriptor.
    ///
    /// - Throws: ``SystemError`` if the system has no resources left to watch the file.
    public init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError) {
      source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: fileDescriptor, eventMask: [.write, .extend, .attrib, .link, .rename, .delete], queue: queue)
    }

    /// Sets the handler that receives each change, and the time in monotonic nanoseconds at which the source's handler
    /// started. Call this method before the activation.
    public func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void) {
      source.setEventHandler { [unowned source] in
        let time = clock_gettime_nsec_np(CLOCK_MONOTONIC)
        let events = source.data
        if events.contains(.rename) { handler(.rename, time) }
        if events.contains(.extend) { handler(.extend, time) } else if events.contains(.write) { handler(.write, time) }
        if events.contains(.delete) { handler(.delete, time) } else if events.contains(.link) { handler(.link, time) }
        if events.contains(.attrib) { handler(.attrib, time) }
      }
    }

    /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler(handler: handler)
    }

    /// Starts the delivery of events.
    public func activate() { source.activate() }
    /// Suspends the delivery of events. A handler that is running continues.
    public func suspend() { source.suspend() }
    /// Resumes the delivery, beginning with the events that occurred while the delivery was suspended.
    public func resume() { source.resume() }
    /// Cancels the monitor. No more events are delivered, and the cancellation handler runs.
    public func cancel() { source.cancel() }
  }
#endif

#if canImport(Darwin)
  import Darwin
  import Dispatch

  // This code follows the documented API. The project's CI does not compile or run it, since the CI has no Mac.

  /// A monitor of one file that uses a vnode source, as the Concurrency Programming Guide does.
  ///
  /// Unchecked: dispatch objects may be used from any thread.
  public final class FileMonitor: FileMonitoring, @unchecked Sendable {
    private let source: any DispatchSourceFileSystemObject

    /// Creates a source for the file that is open as `fileDescriptor`. The handlers of the source run on `queue`.
    public init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError) {
      source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: fileDescriptor, eventMask: [.write, .extend, .attrib, .link, .rename, .delete], queue: queue)
    }

    /// Sets the handler that receives each change, with the time of its delivery in monotonic nanoseconds.
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

    /// Sets the cancellation handler, which runs after the last event.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler(handler: handler)
    }

    /// Starts to deliver events.
    public func activate() { source.activate() }
    /// Suspends the delivery of events.
    public func suspend() { source.suspend() }
    /// Delivers the events that were held back, and resumes the delivery.
    public func resume() { source.resume() }
    /// Cancels the source.
    public func cancel() { source.cancel() }
  }
#endif

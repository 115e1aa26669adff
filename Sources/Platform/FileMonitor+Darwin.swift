#if canImport(Darwin)
  import Darwin
  import Dispatch

  // Written to the documented API; not compiled or run by the project's CI, which has no Mac.

  /// Watches one file by a vnode dispatch source, as the Concurrency Programming Guide does.
  public final class FileMonitor: FileMonitoring, @unchecked Sendable {  // The source is set once, in init.
    private let source: any DispatchSourceFileSystemObject

    /// Starts to watch the file at `path`.
    public init(path: String, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError) {
      // O_EVTONLY: the volume can still be unmounted.
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError(errno, "watch \(path)") }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .link, .rename, .delete],
        queue: DispatchQueue(label: "gcdlab.file-monitor"))
      source.setEventHandler { [unowned source] in
        let time = clock_gettime_nsec_np(CLOCK_MONOTONIC)
        let events = source.data
        if events.contains(.rename) { handler(.rename, time) }
        if events.contains(.extend) { handler(.extend, time) } else if events.contains(.write) { handler(.write, time) }
        if events.contains(.delete) { handler(.delete, time) } else if events.contains(.link) { handler(.link, time) }
        if events.contains(.attrib) { handler(.attrib, time) }
      }
      // The descriptor belongs to the source until it is cancelled.
      source.setCancelHandler { close(descriptor) }
      source.activate()
      self.source = source
    }

    /// Stops watching.
    public func cancel() { source.cancel() }
  }
#endif

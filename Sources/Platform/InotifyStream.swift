#if os(Linux)
  import Dispatch
  import Glibc

  /// An inotify descriptor that is read through a dispatch source. The stream replaces a vnode source, which Linux does
  /// not support.
  ///
  /// The stream starts inactive, as sources do. The stream closes its descriptor after cancellation.
  ///
  /// Conformance to `Sendable` is unchecked: any thread may use a dispatch object.
  final class InotifyStream: @unchecked Sendable {
    /// An inotify event, valid only while the handler runs.
    struct Event {
      let watch: Int32
      let mask: UInt32
      /// The name of the directory entry, if the event is about an entry of a watched directory; otherwise nil.
      let name: UnsafePointer<CChar>?
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens a stream whose handlers run on `queue`.
    ///
    /// - Throws: ``SystemError`` if no inotify instance or no descriptor is left.
    init(queue: DispatchQueue) throws(SystemError) {
      // The descriptor is non-blocking, because the source reports that there are events, but not the number of events.
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else {
        let limits = errno == EMFILE ? ": no instances (fs.inotify.max_user_instances) or descriptors are left" : ""
        throw SystemError(errno, "open an inotify instance" + limits)
      }
      self.descriptor = descriptor
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      setCancelHandler {}
    }

    /// Sets the handler that receives each event, and the time in monotonic nanoseconds at which the source's handler
    /// started.
    func setEventHandler(_ handler: @escaping @Sendable (Event, UInt64) -> Void) {
      source.setEventHandler { [descriptor] in
        let time = monotonicNow()
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
          // The source is level triggered: if bytes are left, it calls the handler again.
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          var offset = 0
          while offset < count {
            let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
            let name = buffer.baseAddress?.advanced(by: offset + MemoryLayout<inotify_event>.size)
            handler(
              Event(
                watch: event.wd, mask: event.mask, name: event.len > 0 ? name?.assumingMemoryBound(to: CChar.self) : nil
              ),
              time)
            offset += MemoryLayout<inotify_event>.size + Int(event.len)
          }
        }
      }
    }

    /// Sets the cancellation handler, which runs after the last event.
    func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
      source.setCancelHandler { [descriptor] in
        close(descriptor)
        handler()
      }
    }

    /// Watches a path for the events in `mask`, and returns the number of the watch. Errors contain `name` instead of
    /// the path if `name` is not nil.
    ///
    /// - Throws: ``SystemError`` if the path cannot be watched, for instance because no watches are left.
    func add(_ path: String, _ mask: UInt32, called name: String? = nil) throws(SystemError) -> Int32 {
      let watch = inotify_add_watch(descriptor, path, mask)
      guard watch >= 0 else {
        let action = "watch \(name ?? path)"
        throw SystemError(
          errno, errno == ENOSPC ? action + ": no inotify watches are left (fs.inotify.max_user_watches)" : action)
      }
      return watch
    }

    func remove(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    func activate() { source.activate() }
    func suspend() { source.suspend() }
    func resume() { source.resume() }

    /// Cancels the stream. An inactive stream is activated, since freeing an inactive source traps.
    func cancel() {
      source.cancel()
      source.activate()
    }
  }

  func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
#endif

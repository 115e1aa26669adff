#if os(Linux)
  import Dispatch
  import Glibc

  /// An inotify descriptor read through a dispatch source: Linux has no vnode source, and this is how one is made.
  final class InotifyStream: @unchecked Sendable {  // Dispatch objects may be used from any thread.
    /// One event, valid while the handler runs.
    struct Event {
      let watch: Int32
      let mask: UInt32
      /// The name of the entry, for events of a watched directory.
      let name: UnsafePointer<CChar>?
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Opens the stream; events reach `handler` on `queue` with the time at which the source's handler began, those of
    /// one read together with whether they are the last of it.
    init(
      queue: DispatchQueue, clock: @escaping @Sendable () -> UInt64,
      handler: @escaping @Sendable (Event, UInt64) -> Void
    ) throws(SystemError) {
      // Non-blocking: the source says that there is something, not how much.
      let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else {
        let limits = errno == EMFILE ? ": no instances (fs.inotify.max_user_instances) or descriptors are left" : ""
        throw SystemError(errno, "open an inotify instance" + limits)
      }
      self.descriptor = descriptor
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        let time = clock()
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
          // The source is level triggered: what is not read now calls again.
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
      source.setCancelHandler { close(descriptor) }
      source.activate()
    }

    /// Watches a path for the events of `mask` and returns the watch's number.
    func add(_ path: String, _ mask: UInt32) throws(SystemError) -> Int32 {
      let watch = inotify_add_watch(descriptor, path, mask)
      guard watch >= 0 else {
        let action =
          errno == ENOSPC ? "watch \(path): no inotify watches are left (fs.inotify.max_user_watches)" : "watch \(path)"
        throw SystemError(errno, action)
      }
      return watch
    }

    func remove(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    func cancel() { source.cancel() }
  }
#endif

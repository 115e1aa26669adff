#if os(Linux)
  import Dispatch
  import Glibc

  /// Watches one file by an inotify watch on its inode, which follows it through every rename.
  ///
  /// inotify says `IN_MODIFY` and `IN_ATTRIB`; whether the file grew, got a link or lost its last name is told by
  /// comparing its status before and after. A descriptor of it is held for that (`O_PATH`, which opens nothing), so the
  /// removal of the last name shows at once as a link count of 0.
  public final class FileMonitor: FileMonitoring, @unchecked Sendable {  // State is touched on the serial queue alone.
    private let queue = DispatchQueue(label: "gcdlab.file-monitor")
    private let descriptor: Int32
    private var stream: InotifyStream?
    private var size: off_t = 0
    private var links: nlink_t = 0

    /// Starts to watch the file at `path`.
    public init(path: String, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError) {
      descriptor = open(path, O_PATH_LINUX | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError(errno, "watch \(path)") }
      remember(status())
      do {
        let stream = try InotifyStream(queue: queue, clock: monotonicNow) { [weak self] event, time in
          self?.sort(event.mask) { handler($0, time) }
        }
        self.stream = stream
        let mask = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF
        _ = try stream.add(path, UInt32(mask))
      } catch {
        stream?.cancel()
        close(descriptor)
        throw error
      }
    }

    /// Stops watching.
    public func cancel() {
      stream?.cancel()
      // Behind the handlers that may still be queued.
      queue.async { [self] in
        if stream != nil { close(descriptor) }
        stream = nil
      }
    }

    private func sort(_ mask: UInt32, _ report: (FileChange) -> Void) {
      if mask & UInt32(IN_MOVE_SELF) != 0 { report(.rename) }
      guard mask & UInt32(IN_MODIFY | IN_ATTRIB) != 0 else { return }
      let status = status()
      if mask & UInt32(IN_MODIFY) != 0 { report(status.st_size > size ? .extend : .write) }
      if mask & UInt32(IN_ATTRIB) != 0 {
        report(status.st_nlink == links ? .attrib : status.st_nlink == 0 ? .delete : .link)
      }
      remember(status)
    }

    private func status() -> stat {
      var status = stat()
      fstat(descriptor, &status)
      return status
    }

    private func remember(_ status: stat) {
      size = status.st_size
      links = status.st_nlink
    }
  }

  /// `O_PATH`, which Swift does not import without `_GNU_SOURCE`.
  private let O_PATH_LINUX: Int32 = 0o10000000

  func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
#endif

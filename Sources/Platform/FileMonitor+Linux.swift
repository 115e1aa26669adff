#if os(Linux)
  import Dispatch
  import Glibc

  /// Watches one file by an inotify watch on its inode, which follows it through every rename.
  ///
  /// inotify says `IN_MODIFY` and `IN_ATTRIB`; whether the file grew, got a link or lost its last name is told by
  /// comparing its status before and after, through the descriptor. While that is open, the removal of the last name
  /// shows at once as a link count of 0.
  ///
  /// Unchecked: its state is touched before it is activated, then by the handler alone, which a source never runs twice
  /// at once.
  public final class FileMonitor: FileMonitoring, @unchecked Sendable {
    private let descriptor: Int32
    private let stream: InotifyStream
    private var size: off_t = 0
    private var links: nlink_t = 0

    /// A source of the file that is open as `fileDescriptor`.
    public init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError) {
      descriptor = fileDescriptor
      stream = try InotifyStream(queue: queue)
      let status = status()
      size = status.st_size
      links = status.st_nlink
      do {
        _ = try stream.add(
          "/proc/self/fd/\(fileDescriptor)", UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF),
          called: currentPath(of: fileDescriptor) ?? "a descriptor that is not open")
      } catch {
        stream.cancel()
        throw error
      }
    }

    /// Sets the handler of the changes.
    public func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void) {
      stream.setEventHandler { [self] event, time in sort(event.mask) { handler($0, time) } }
    }

    /// Sets the cancellation handler, which runs after the last event.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) { stream.setCancelHandler(handler) }

    /// Begins to deliver events.
    public func activate() { stream.activate() }
    /// Holds back events from now on.
    public func suspend() { stream.suspend() }
    /// Delivers what was held back, and goes on.
    public func resume() { stream.resume() }
    /// Cancels the source.
    public func cancel() { stream.cancel() }

    /// Each kind of event remembers its own part of the status: what another event is still to tell of shows there
    /// already.
    private func sort(_ mask: UInt32, _ report: (FileChange) -> Void) {
      if mask & UInt32(IN_MOVE_SELF) != 0 { report(.rename) }
      guard mask & UInt32(IN_MODIFY | IN_ATTRIB) != 0 else { return }
      let status = status()
      if mask & UInt32(IN_MODIFY) != 0 {
        let change = status.st_size > size ? FileChange.extend : .write
        size = status.st_size
        report(change)
      }
      if mask & UInt32(IN_ATTRIB) != 0 {
        let change = status.st_nlink == links ? FileChange.attrib : status.st_nlink == 0 ? .delete : .link
        links = status.st_nlink
        report(change)
      }
    }

    private func status() -> stat {
      var status = stat()
      fstat(descriptor, &status)
      return status
    }
  }
#endif

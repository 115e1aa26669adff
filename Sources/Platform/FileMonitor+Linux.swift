#if os(Linux)
  import Dispatch
  import Glibc

  /// A monitor that watches one file with an inotify watch on the file's inode. The watch remains valid if the file is
  /// renamed.
  ///
  /// inotify reports a change of the content as `IN_MODIFY`, and every change of the status as `IN_ATTRIB`. To detect
  /// that the file grew, that its link count changed or that its last name was removed, the monitor compares the file's
  /// status before and after the event, through the descriptor. While the descriptor is open, a file without a name has
  /// a link count of 0.
  ///
  /// Conformance to `Sendable` is unchecked: before activation, only the caller uses the state. After activation, only
  /// the event handler uses the state, and two calls of a source's handler never overlap.
  public final class FileMonitor: @unchecked Sendable {
    private let descriptor: Int32
    private let stream: InotifyStream
    private var size: off_t = 0
    private var links: nlink_t = 0

    /// Creates an inactive monitor of the file that is open as `fileDescriptor`. The handlers of the monitor run on
    /// `queue`.
    ///
    /// The caller owns the descriptor, and must keep the descriptor open until the cancellation handler runs. The
    /// caller's cancellation handler must close the descriptor.
    ///
    /// - Throws: ``SystemError`` if the system has no resources left to watch the file.
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

    /// Sets the handler that receives each change, and the time in monotonic nanoseconds at which the source's handler
    /// started. Call this method before the activation.
    public func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void) {
      stream.setEventHandler { [self] event, time in sort(event.mask) { handler($0, time) } }
    }

    /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
    public func setCancelHandler(_ handler: @escaping @Sendable () -> Void) { stream.setCancelHandler(handler) }

    /// Starts the delivery of events.
    public func activate() { stream.activate() }
    /// Suspends the delivery of events. A handler that is running continues.
    public func suspend() { stream.suspend() }
    /// Resumes the delivery, beginning with the events that occurred while the delivery was suspended.
    public func resume() { stream.resume() }
    /// Cancels the monitor. No more events are delivered, and the cancellation handler runs.
    public func cancel() { stream.cancel() }

    /// Reports the changes that the mask of an inotify event contains. Each kind of event updates only its own fields
    /// of the known status, since the new status may already contain a change that a later event reports.
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

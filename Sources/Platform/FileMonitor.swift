/// What happened to a file, in the words of kqueue's vnode events.
public enum FileChange: String, Sendable, CaseIterable {
  /// Its content was written, within its size.
  case write
  /// It was written and grew.
  case extend
  /// Its mode, owner or times changed.
  case attrib
  /// Its link count changed.
  case link
  /// It was moved to another name.
  case rename
  /// Its last name was removed.
  case delete
}

/// Watches one file, whatever its name becomes, until it is cancelled.
///
/// On Darwin a vnode dispatch source, on Linux an inotify descriptor read through a dispatch source; see
/// `FileMonitor+Darwin.swift` and `FileMonitor+Linux.swift`.
public protocol FileMonitoring: AnyObject, Sendable {
  /// Starts to watch the file at `path`.
  ///
  /// - Parameter handler: called on a serial queue of the monitor's, with the time (monotonic nanoseconds) at which
  ///   the dispatch source's handler began.
  /// - Throws: ``SystemError`` when there is no such file or nothing left to watch it with.
  init(path: String, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError)

  /// Stops watching; the descriptors are closed by the source's cancel handler.
  func cancel()
}

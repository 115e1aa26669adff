import Dispatch

/// A change of a file, in the terms of kqueue's vnode events.
public enum FileChange: String, Sendable, CaseIterable {
  /// Its content was written, within its size.
  case write
  /// The file was written and grew.
  case extend
  /// Its mode, owner or times changed.
  case attrib
  /// Its link count changed.
  case link
  /// The file was moved to another name.
  case rename
  /// Its last name was removed.
  case delete
}

/// A dispatch source for the changes of one file, whatever its name becomes; it starts inactive, as other sources do.
///
/// On Darwin a vnode source, on Linux an inotify descriptor read through a read source; see `FileMonitor+Darwin.swift`
/// and `FileMonitor+Linux.swift`.
public protocol FileMonitoring: AnyObject, Sendable {
  /// A source of the file that is open as `fileDescriptor`, whose handlers will run on `queue`.
  ///
  /// The descriptor stays the caller's: it must stay open until the cancel handler runs, which is to close it.
  ///
  /// - Throws: ``SystemError`` when there is nothing left to watch it with.
  init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError)

  /// Sets what is told of each change, with the time (monotonic nanoseconds) at which the source's handler began.
  /// Before it is activated.
  func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void)

  /// Sets what runs once, behind the last event, when it was cancelled. Before it is activated.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Begins to deliver events.
  func activate()
  /// Holds back events from now on. A handler that runs goes on.
  func suspend()
  /// Delivers what was held back, and goes on.
  func resume()
  /// Ends it: no event comes any more, and the cancel handler runs.
  func cancel()
}

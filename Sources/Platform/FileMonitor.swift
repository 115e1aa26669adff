import Dispatch

/// A change of a file, named as in kqueue's vnode events.
public enum FileChange: String, Sendable, CaseIterable {
  /// The content was written, and the file did not grow.
  case write
  /// The file was written and grew.
  case extend
  /// The mode, the owner or the times of the file changed.
  case attrib
  /// The link count of the file changed.
  case link
  /// The file was moved to another name.
  case rename
  /// The last name of the file was removed.
  case delete
}

/// A dispatch source for the changes of one file. The source remains valid if the file is renamed. The source starts
/// inactive.
///
/// The source is a vnode source on Darwin (`FileMonitor+Darwin.swift`), and a read source of an inotify descriptor on
/// Linux (`FileMonitor+Linux.swift`).
public protocol FileMonitoring: AnyObject, Sendable {
  /// Creates a source for the file that is open as `fileDescriptor`. The handlers of the source run on `queue`.
  ///
  /// The caller owns the descriptor, and must keep the descriptor open until the cancellation handler runs. The
  /// caller's cancellation handler must close the descriptor.
  ///
  /// - Throws: ``SystemError`` if the system has no resources left to watch the file.
  init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError)

  /// Sets the handler that receives each change, and the time in monotonic nanoseconds at which the source's handler
  /// started. Call this method before the activation.
  func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void)

  /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Starts the delivery of events.
  func activate()
  /// Suspends the delivery of events. A handler that is running continues.
  func suspend()
  /// Resumes the delivery, beginning with the events that occurred while the delivery was suspended.
  func resume()
  /// Cancels the source. No more events are delivered, and the cancellation handler runs.
  func cancel()
}

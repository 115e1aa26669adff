import Dispatch

/// A change of a file, in the terms of kqueue's vnode events.
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

/// A dispatch source for the changes of one file, which remains valid if the file is renamed. The source starts
/// inactive.
///
/// The source is a vnode source on Darwin (`FileMonitor+Darwin.swift`), and a read source of an inotify descriptor on
/// Linux (`FileMonitor+Linux.swift`).
public protocol FileMonitoring: AnyObject, Sendable {
  /// Creates a source for the file that is open as `fileDescriptor`. The handlers of the source run on `queue`.
  ///
  /// The caller owns the descriptor. The descriptor must stay open until the cancellation handler runs, and the
  /// cancellation handler closes the descriptor.
  ///
  /// - Throws: ``SystemError`` if the system has no resources left to watch the file.
  init(fileDescriptor: Int32, queue: DispatchQueue) throws(SystemError)

  /// Sets the handler that receives each change, with the time in monotonic nanoseconds at which the source's handler
  /// started. Call this method before the activation.
  func setEventHandler(_ handler: @escaping @Sendable (FileChange, UInt64) -> Void)

  /// Sets the cancellation handler, which runs once, after the last event. Call this method before the activation.
  func setCancelHandler(_ handler: @escaping @Sendable () -> Void)

  /// Starts to deliver events.
  func activate()
  /// Suspends the delivery of events. A handler that is running continues.
  func suspend()
  /// Delivers the events that were held back, and resumes the delivery.
  func resume()
  /// Cancels the source: no more events are delivered, and the cancellation handler runs.
  func cancel()
}

/// A change of the file at a path, as `gcdlab watch` displays it.
public struct PathEvent: Sendable {
  /// The kinds of change: those of ``FileChange``, and changes of the name at the path.
  public enum Kind: String, Sendable {
    /// A file appeared at the path.
    case created
    /// Another file replaced the file at the path. Most editors save in this way.
    case replaced
    /// The content was written, and the file did not grow.
    case write
    /// The file was written and grew.
    case extend
    /// The mode, the owner or the times of the file changed.
    case attrib
    /// The file's link count changed.
    case link
    /// The file was moved away from the path.
    case renamed
    /// The name at the path was removed.
    case deleted
    /// The kernel's event queue was full, so changes before this event are missing.
    case overflow
  }

  /// The time at which the handler of the dispatch source started, in monotonic nanoseconds.
  public let time: UInt64
  /// The kind of the change.
  public let kind: Kind
  /// The path of the file that changed; an empty string for an overflow.
  public let path: String
  /// The size in bytes after the change; nil if there is no file at the path.
  public let size: Int?
  /// The size in bytes before the change; nil if the size was not known.
  public let previousSize: Int?

  /// Creates an event from its properties.
  public init(time: UInt64, kind: Kind, path: String, size: Int?, previousSize: Int?) {
    self.time = time
    self.kind = kind
    self.path = path
    self.size = size
    self.previousSize = previousSize
  }
}

/// A change at a path, as `gcdlab watch` shows it.
public struct PathEvent: Sendable {
  /// The kinds of change. In addition to ``FileChange`` there are changes of names.
  public enum Kind: String, Sendable {
    /// A file appeared under this name.
    case created
    /// Another file took this name, which is how most editors save.
    case replaced
    /// The content was written; the file did not grow.
    case write
    /// The file was written and grew.
    case extend
    /// Mode, owner or times changed.
    case attrib
    /// The link count changed.
    case link
    /// The file was moved to another name.
    case renamed
    /// The name was removed.
    case deleted
    /// The kernel's queue of events was full, so changes are missing here.
    case overflow
  }

  /// The time at which the handler received the change, in monotonic nanoseconds.
  public let time: UInt64
  /// The kind of the change.
  public let kind: Kind
  /// The path that changed.
  public let path: String
  /// The size in bytes after the change; nil if there is no file.
  public let size: Int?
  /// The size in bytes before the change; nil if it was not known.
  public let previousSize: Int?

  /// Creates a change.
  public init(time: UInt64, kind: Kind, path: String, size: Int?, previousSize: Int?) {
    self.time = time
    self.kind = kind
    self.path = path
    self.size = size
    self.previousSize = previousSize
  }
}

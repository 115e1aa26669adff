/// A change at a path, as `gcdlab watch` shows it.
public struct PathEvent: Sendable {
  /// What happened. Beyond ``FileChange``, what happens to names.
  public enum Kind: String, Sendable {
    /// Something appeared under this name.
    case created
    /// Another file took this name over: how most editors save.
    case replaced
    /// The content was written, within its size or shorter.
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
    /// The kernel's queue was full; changes are missing here.
    case overflow
  }

  /// When the handler learned of it, in monotonic nanoseconds.
  public let time: UInt64
  /// What happened.
  public let kind: Kind
  /// The path it happened to.
  public let path: String
  /// The size in bytes afterwards; nil when there is no file.
  public let size: Int?
  /// The size in bytes as it was known before.
  public let previousSize: Int?

  /// A change.
  public init(time: UInt64, kind: Kind, path: String, size: Int?, previousSize: Int?) {
    self.time = time
    self.kind = kind
    self.path = path
    self.size = size
    self.previousSize = previousSize
  }
}

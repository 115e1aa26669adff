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

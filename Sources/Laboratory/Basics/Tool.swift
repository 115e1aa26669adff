import Synchronization

/// The name and the version of the tool.
public enum Tool {
  /// The name of the tool: `gcdlab`.
  public static let name = "gcdlab"
  /// The name of the command in the lab's texts: `gcdlab`, or the name that another lab sets when it starts.
  public static var command: String {
    get { ownName.withLock(\.self) }
    set { ownName.withLock { $0 = newValue } }
  }
  private static let ownName = Mutex(name)

  /// The version of the tool.
  public static let version = "1.0.0"
}

import Synchronization

/// The tool's own name and version.
public enum Tool {
  /// `gcdlab`.
  public static let name = "gcdlab"
  /// What this lab's own texts call its command: `gcdlab`, or the name of a lab of one's own, which sets it at start.
  public static var command: String {
    get { ownName.withLock(\.self) }
    set { ownName.withLock { $0 = newValue } }
  }
  private static let ownName = Mutex(name)

  /// The released version.
  public static let version = "1.0.0"
}

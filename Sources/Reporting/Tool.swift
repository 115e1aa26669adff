/// The tool's own name and version.
public enum Tool {
  /// `gcdlab`.
  public static let name = "gcdlab"
  /// The released version.
  public static let version = "0.1.0"
}

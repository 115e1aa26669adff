/// How text may look where it is going. Renderers never look at the terminal themselves.
public struct TextStyle: Sendable {
  /// Columns to use; anything above 0.
  public let width: Int
  /// Whether colours are wanted.
  public let color: Bool
  /// Whether more than ASCII can be shown: bars, ticks and marks have plain stand-ins.
  public let unicode: Bool

  /// A way to look.
  public init(width: Int = 80, color: Bool = false, unicode: Bool = true) {
    self.width = max(1, width)
    self.color = color
    self.unicode = unicode
  }

  func sign(_ fancy: String, _ plain: String) -> String { unicode ? fancy : plain }
}

/// When to colour.
public enum ColorChoice: String, Sendable, CaseIterable {
  /// On a terminal that can, unless the environment says otherwise.
  case auto
  /// Always.
  case always
  /// Never.
  case never

  /// Whether to colour a stream.
  ///
  /// `NO_COLOR` (no-color.org) turns colour off and `CLICOLOR_FORCE` on, when they are set to anything but nothing; a
  /// choice on the command line wins over both.
  public func isOn(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    func isSet(_ name: String) -> Bool { !(environment(name) ?? "").isEmpty }
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      if isSet("NO_COLOR") { return false }
      if isSet("CLICOLOR_FORCE"), environment("CLICOLOR_FORCE") != "0" { return true }
      return isTerminal && isSet("TERM") && environment("TERM") != "dumb"
    }
  }
}

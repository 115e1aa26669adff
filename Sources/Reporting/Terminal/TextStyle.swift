import Platform

/// How text may look where it is going. Renderers never look at the terminal themselves.
public struct TextStyle: Sendable {
  /// Columns to use, 1 to ``widest``.
  public let width: Int
  /// Whether colours are wanted.
  public let color: Bool
  /// Whether more than ASCII can be shown: bars, ticks and marks have plain stand-ins.
  public let unicode: Bool

  /// No terminal is wider, and a plot takes memory and time by its width.
  public static let widest = 10_000

  /// A way to look; a `width` out of range is taken for the nearest that is not.
  public init(width: Int = 80, color: Bool = false, unicode: Bool = true) {
    self.width = min(max(1, width), Self.widest)
    self.color = color
    self.unicode = unicode
  }

  /// Text of several lines for a terminal: of what is no visible character, only line ends, tabs and the colours of
  /// ``Ink`` are left, and these only where colours are wanted.
  ///
  /// Whatever makes a piece of a line has seen to it already (``inLine``), which alone can tell a line end from outside
  /// from one of the report. This is for what was forgotten.
  public func safe(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x0a }) { return text }
    var safe = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\u{1b}", color, let code = rest.firstIndex(of: "m").map({ rest[...$0] }), Ink.isOurs(code) {
        safe.unicodeScalars.append(scalar)
        safe.unicodeScalars.append(contentsOf: code)
        rest = rest[code.endIndex...]
      } else if scalar.isHidden, scalar != "\n", scalar != "\t", scalar != "\r" || rest.first != "\n" {
        safe += scalar.writtenOut
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  /// A paragraph, broken between words.
  public func paragraph(_ text: String) -> String {
    text.wrapped(to: max(20, width)).map { $0 + "\n" }.joined()
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

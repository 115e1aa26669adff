import Laboratory
import Platform

/// The capabilities of the output. Renderers never examine the terminal themselves.
public struct TextStyle: Sendable {
  /// The number of columns, from 1 to ``widest``.
  public let width: Int
  /// Whether colours are wanted.
  public let color: Bool
  /// Whether characters other than ASCII can be shown. Bars, ticks and marks have replacements in ASCII.
  public let unicode: Bool

  /// The largest width. No terminal is wider, and the memory and the time of a plot grow with its width.
  public static let widest = 10_000

  /// Creates a style. A `width` out of range is replaced by the nearest one in range.
  public init(width: Int = 80, color: Bool = false, unicode: Bool = true) {
    self.width = min(max(1, width), Self.widest)
    self.color = color
    self.unicode = unicode
  }

  /// Returns a text of several lines for a terminal. Of the invisible characters, only line ends, tabs and the colours
  /// of ``SemanticColor`` are left, and colours only if they are wanted.
  ///
  /// Each piece of a line was already cleaned when it was made (``inLine``), since only then a line end from outside
  /// can be distinguished from a line end of the report. This method removes the characters that were missed there.
  public func safe(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x0a }) { return text }
    var safe = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\u{1b}", color, let code = rest.firstIndex(of: "m").map({ rest[...$0] }), SemanticColor.isOurs(code)
      {
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

  /// Returns a paragraph, wrapped between words.
  public func paragraph(_ text: String) -> String {
    wrapped(text).map { $0 + "\n" }.joined()
  }

  func sign(_ fancy: String, _ plain: String) -> String { unicode ? fancy : plain }
}

/// The condition under which the output has colours.
public enum ColorChoice: String, Sendable, CaseIterable {
  /// Colours are used on a terminal that supports them, unless the environment says otherwise.
  case auto
  /// Colours are always used.
  case always
  /// Colours are never used.
  case never

  /// Returns whether a stream gets colours.
  ///
  /// `NO_COLOR` (no-color.org) turns colours off and `CLICOLOR_FORCE` turns them on if they are set to any text other
  /// than the empty one. The text `0` for `CLICOLOR_FORCE` has no effect. A choice on the command line has priority
  /// over both.
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

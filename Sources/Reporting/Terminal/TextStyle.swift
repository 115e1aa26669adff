import Laboratory
import Platform

/// The style of text: the width, and whether colours and Unicode characters are used. Renderers use only the style and
/// do not query the terminal.
public struct TextStyle: Sendable {
  /// The number of columns, from 1 to ``widest``.
  public let width: Int
  /// Whether colours are used.
  public let color: Bool
  /// Whether characters other than ASCII are used. Bars, ticks and marks have replacements in ASCII.
  public let unicode: Bool

  /// The maximum width. This maximum exceeds the widths of terminals, and limits the memory and the time for plots.
  public static let widest = 10_000

  /// Creates a style. A `width` outside the range from 1 to ``widest`` is clamped to this range.
  public init(width: Int = 80, color: Bool = false, unicode: Bool = true) {
    self.width = min(max(1, width), Self.widest)
    self.color = color
    self.unicode = unicode
  }

  /// Returns a text of several lines that is safe for a terminal. The text contains no invisible characters except line
  /// ends, tabs and the colours of ``SemanticColor``. Colours are removed unless the style has colours.
  ///
  /// Text from outside is also cleaned when it becomes part of a line (``inLine``), since line ends in such text cannot
  /// be recognized later. This method makes the remaining invisible characters visible.
  public func safe(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0x0a }) { return text }
    var safe = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\u{1b}", color, let code = rest.firstIndex(of: "m").map({ rest[...$0] }), SemanticColor.isCode(code)
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

  /// Returns the quiet lines of a remark, wrapped at the width and indented by a number of columns.
  public func remark(_ text: String, indent: Int) -> [String] { wrapped(text, .quiet, indent: indent) }

  /// Returns a text wrapped between words to the width of the style.
  public func paragraph(_ text: String) -> String {
    wrapped(text).map { $0 + "\n" }.joined()
  }

  func sign(_ fancy: String, _ plain: String) -> String { unicode ? fancy : plain }
}

/// The choice of whether the output has colours.
public enum ColorChoice: String, Sendable, CaseIterable {
  /// Colours are used on a terminal that supports them, unless the environment turns them off.
  case auto
  /// Colours are always used.
  case always
  /// Colours are never used.
  case never

  /// Returns whether colours are used for a stream.
  ///
  /// `NO_COLOR` (no-color.org) turns colours off and `CLICOLOR_FORCE` turns them on if the variable is not empty. The
  /// value `0` of `CLICOLOR_FORCE` has no effect. Otherwise, colours are used on a terminal whose `TERM` is neither
  /// empty nor `dumb`. The choices `always` and `never` override the environment.
  ///
  /// - Parameters:
  ///   - isTerminal: whether the stream is a terminal.
  ///   - environment: a closure that returns the value of an environment variable; nil if the variable is not set.
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

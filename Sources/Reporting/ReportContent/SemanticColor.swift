import Laboratory
import Platform
@preconcurrency import Rainbow

/// The colours of the lab's texts. Each colour has one meaning.
enum SemanticColor {
  case heading
  /// Text that readers can skip: evidence, and parts of explanations.
  case quiet
  /// A result that is as claimed.
  case good
  /// A failure.
  case bad
  /// A result that requires caution.
  case care
  /// The name of a variant, a scenario or a parameter.
  case name

  /// Returns `text` with its hidden characters written out. If `style` has colour, the result also contains the escape
  /// codes of this colour.
  func callAsFunction(_ text: String, _ style: TextStyle) -> String {
    let text = text.inLine
    guard style.color, !text.isEmpty else { return text }
    _ = Self.ready
    return Rainbow.generateString(for: Rainbow.Entry(segments: [segment(text)]))
  }

  /// Returns whether the text after an escape character is the code of one of these colours, `[31;1m`, or of a colour
  /// in ``Palette``.
  static func isCode(_ code: Substring.UnicodeScalarView) -> Bool {
    guard code.first == "[" else { return false }
    if Palette.isCode(String(code)) { return true }
    let numbers = String(code.dropFirst().dropLast()).split(separator: ";", omittingEmptySubsequences: false)
    return numbers.allSatisfy { ["0", "1", "2", "31", "32", "33", "36"].contains($0) }
  }

  private func segment(_ text: String) -> Rainbow.Segment {
    switch self {
    case .heading: Rainbow.Segment(text: text, styles: [.bold])
    case .quiet: Rainbow.Segment(text: text, styles: [.dim])
    case .good: Rainbow.Segment(text: text, color: .named(.green))
    case .bad: Rainbow.Segment(text: text, color: .named(.red), styles: [.bold])
    case .care: Rainbow.Segment(text: text, color: .named(.yellow))
    case .name: Rainbow.Segment(text: text, color: .named(.cyan))
    }
  }

  /// A value whose first access turns off Rainbow's own detection of colour. This detection depends on standard output
  /// and the environment, whereas here the caller decides whether to use colours.
  static let ready: Void = {
    Rainbow.enabled = true
    Rainbow.outputTarget = .console
  }()
}

import Platform

/// The layout of all reports for a terminal: lines that fit, items, and sections with an empty line between them.
extension TextStyle {
  /// The number of columns that text gets on any terminal. Narrower text would be a column of single words.
  private static let fewestColumns = 20

  /// Returns a text in lines that fit, each in a colour and after some spaces.
  func wrapped(_ text: String, _ color: SemanticColor? = nil, indent: Int = 0) -> [String] {
    let space = String(repeating: " ", count: indent)
    return written(text).wrapped(to: max(Self.fewestColumns, width - indent)).map { space + (color?($0, self) ?? $0) }
  }

  /// Returns a line with the colours of its phrases. The line is wrapped as a whole before the colours are added, so a
  /// phrase that continues on another line has no colour.
  func wrapped(_ line: Line) -> [String] {
    if line.phrases.count == 1 { return wrapped(line.text, line.phrases[0].color) }
    return wrapped(line.text).map { text in
      line.phrases.reduce(text) { text, phrase in
        phrase.color.map { text.replacing(written(phrase.text), with: $0(written(phrase.text), self)) } ?? text
      }
    }
  }

  /// Returns an item of a list.
  func item(_ text: String, _ color: SemanticColor? = nil) -> [String] {
    var lines = wrapped(text, color, indent: 4)
    let mark = sign("•", "-")
    lines[0] = "  " + (color?(mark, self) ?? mark) + " " + lines[0].dropFirst(4)
    return lines
  }

  /// Returns lines below a title; empty if there are none.
  func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [SemanticColor.heading(title, self)] + lines
  }

  /// Returns a text of the lab with signs that can be shown.
  func written(_ text: String) -> String { unicode ? text : Signs.plain(text) }

  /// Returns the text of a report of sections.
  static func text(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }
}

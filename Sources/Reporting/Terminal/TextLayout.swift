import Platform

/// The layout of reports for a terminal: wrapped lines, list items, and sections separated by empty lines.
extension TextStyle {
  /// The minimum number of columns to which text is wrapped, even on a narrower terminal.
  private static let fewestColumns = 20

  /// Returns the lines of `text`, wrapped to the width of the terminal, drawn in `color` and indented by `indent`
  /// spaces.
  func wrapped(_ text: String, _ color: SemanticColor? = nil, indent: Int = 0) -> [String] {
    let space = String(repeating: " ", count: indent)
    return written(text).wrapped(to: max(Self.fewestColumns, width - indent)).map { space + (color?($0, self) ?? $0) }
  }

  /// Returns the lines of a shell command, wrapped to the width of the terminal. A backslash ends each line but the
  /// last, so that the lines can be copied into a shell.
  func command(_ text: String, indent: Int) -> [String] {
    // An option and its value stay on one line.
    let joined = text.replacing(/(--[^ ]+) (?!-)/) { "\($0.1)\u{A0}" }
    let lines = joined.wrapped(to: max(Self.fewestColumns, width - indent - 4)).map {
      $0.replacing("\u{A0}", with: " ")
    }
    return lines.enumerated().map { place, line in
      String(repeating: " ", count: place == 0 ? indent : indent + 2) + line + (place < lines.count - 1 ? " \\" : "")
    }
  }

  /// Returns a line with the colours of its phrases, wrapped to the width of the terminal. If the line has several
  /// phrases, colours are added after wrapping, and a phrase that is split by wrapping has no colour.
  func wrapped(_ line: Line) -> [String] {
    if line.isItem { return item(line.text) }
    if let (words, command) = line.commandAtEnd {
      return wrapped(words, line.phrases[0].color) + self.command(command, indent: 2)
    }
    if line.phrases.count == 1 { return wrapped(line.text, line.phrases[0].color) }
    return wrapped(line.text).map { text in
      line.phrases.reduce(text) { text, phrase in
        phrase.color.map { text.replacing(written(phrase.text), with: $0(written(phrase.text), self)) } ?? text
      }
    }
  }

  /// Returns the lines of a list item, wrapped to the width of the terminal.
  func item(_ text: String, _ color: SemanticColor? = nil) -> [String] {
    var lines = wrapped(text, color, indent: 4)
    let mark = sign("•", "-")
    lines[0] = "  " + (color?(mark, self) ?? mark) + " " + lines[0].dropFirst(4)
    return lines
  }

  /// Returns a title with lines below it; empty if `lines` is empty.
  func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [SemanticColor.heading(title, self)] + lines
  }

  /// Returns a text of the lab with replacements for characters that the terminal cannot show.
  func written(_ text: String) -> String { unicode ? text : Signs.plain(text) }

  /// Returns sections of lines as one text, with an empty line between sections.
  static func text(_ sections: [[String]]) -> String {
    sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }
}

import Laboratory

extension Lesson {
  /// Returns the lines of the lesson for a terminal. Paragraphs and items are wrapped at the width of the terminal, or
  /// at 100 columns on a wider terminal. Code is not wrapped, and an empty line separates blocks.
  func lines(_ style: TextStyle) -> [String] {
    Self.lines(blocks, room: min(style.width, 100), style)
  }

  private static func lines(_ blocks: [Block], room: Int, _ style: TextStyle) -> [String] {
    Array(blocks.map { lines($0, room: room, style) }.joined(separator: [""]))
  }

  private static func lines(_ block: Block, room: Int, _ style: TextStyle) -> [String] {
    switch block {
    case .heading(let spans): wrapped(spans, room, style, all: .heading)
    case .paragraph(let spans): wrapped(spans, room, style)
    case .code(let lines): lines.map { $0.isEmpty ? "" : "    " + SemanticColor.name($0, style) }
    case .list(let isNumbered, let items): list(items, isNumbered: isNumbered, room: room, style)
    }
  }

  private static func list(_ items: [[Block]], isNumbered: Bool, room: Int, _ style: TextStyle) -> [String] {
    // There is no empty line between items that consist of one paragraph.
    let isLoose = items.contains { $0.count { if case .list = $0 { false } else { true } } > 1 }
    let parts = items.enumerated().map { index, blocks -> [String] in
      let mark = isNumbered ? "\(index + 1). " : style.sign("•", "-") + " "
      let inner = max(10, room - mark.count)
      let body = isLoose ? lines(blocks, room: inner, style) : blocks.flatMap { lines($0, room: inner, style) }
      return body.enumerated().map { line, text in
        text.isEmpty ? "" : (line == 0 ? mark : String(repeating: " ", count: mark.count)) + text
      }
    }
    return Array(parts.joined(separator: isLoose ? [""] : []))
  }

  /// Returns words in lines, with their colours. The escape codes of the colours do not count as part of the width.
  private static func wrapped(_ spans: [Span], _ room: Int, _ style: TextStyle, all: SemanticColor? = nil) -> [String] {
    var lines: [String] = []
    var (line, used) = ("", 0)
    for word in words(spans, all) {
      let cells = word.reduce(0) { $0 + $1.text.displayWidth }
      if used > 0, used + 1 + cells > max(20, room) {
        lines.append(line)
        (line, used) = ("", 0)
      }
      line += (used > 0 ? " " : "") + word.map { $0.color?($0.text, style) ?? $0.text.inLine }.joined()
      used += cells + (used > 0 ? 1 : 0)
    }
    return lines + [line]
  }

  /// Returns the words between spaces. A word is an array of parts, each of which has one colour, since the colour may
  /// change within a word: `**un**known`.
  private static func words(_ spans: [Span], _ all: SemanticColor?) -> [[(text: String, color: SemanticColor?)]] {
    var words: [[(text: String, color: SemanticColor?)]] = []
    var joins = false
    for span in spans {
      let (text, color): (String, SemanticColor?) =
        switch span {
        case .plain(let text): (text, all)
        case .bold(let text), .stressed(let text): (text, .heading)
        case .code(let text): (text, .name)
        }
      for (index, part) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { joins = false }
        guard !part.isEmpty else { continue }
        if joins, !words.isEmpty {
          words[words.count - 1].append((String(part), color))
        } else {
          words.append([(String(part), color)])
        }
        joins = true
      }
    }
    return words
  }
}

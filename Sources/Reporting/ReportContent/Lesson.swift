/// A lesson, parsed from Markdown. Lessons use a subset of Markdown: paragraphs, lists, headings, code, and words in
/// bold, in italics or as code.
struct Lesson {
  enum Block: Equatable {
    case heading([Span])
    case paragraph([Span])
    /// A list, with the blocks of each item. The items of a `numbered` list begin with numbers.
    case list(numbered: Bool, items: [[Block]])
    /// Lines that are shown unchanged.
    case code([String])
  }
  enum Span: Equatable {
    case plain(String)
    case bold(String)
    case stressed(String)
    case code(String)
  }

  let blocks: [Block]

  init(_ markdown: String) {
    let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).map {
      String($0.hasSuffix("\r") ? $0.dropLast() : $0).replacing("\t", with: "    ")
    }
    blocks = Self.blocks(lines[...], depth: 0)
  }

  /// The maximum depth of nested lists. Deeper lists are treated as text.
  private static let deepest = 8

  // MARK: Blocks

  private static func blocks(_ lines: ArraySlice<String>, depth: Int) -> [Block] {
    var blocks: [Block] = []
    var rest = lines
    var paragraph: [String] = []
    func endParagraph() {
      if !paragraph.isEmpty { blocks.append(.paragraph(spans(paragraph.joined(separator: " ")))) }
      paragraph = []
    }
    while let line = rest.first {
      let text = line.drop { $0 == " " }
      if text.isEmpty {
        endParagraph()
        rest = rest.dropFirst()
      } else if text.hasPrefix("```") {
        endParagraph()
        let body = rest.dropFirst().prefix { !$0.drop { $0 == " " }.hasPrefix("```") }
        blocks.append(.code(unindented(body)))
        rest = rest.dropFirst(body.count + 2)
      } else if paragraph.isEmpty, indent(line) >= 4 {
        var code = rest.prefix { indent($0) >= 4 || $0.allSatisfy(\.isWhitespace) }
        rest = rest.dropFirst(code.count)
        while code.last?.allSatisfy(\.isWhitespace) == true { code = code.dropLast() }
        blocks.append(.code(unindented(code)))
      } else if paragraph.isEmpty, text.hasPrefix("#"), text.drop(while: { $0 == "#" }).hasPrefix(" ") {
        blocks.append(.heading(spans(String(text.drop { $0 == "#" }.drop { $0 == " " }))))
        rest = rest.dropFirst()
      } else if depth < deepest, let marker = marker(line) {
        endParagraph()
        let (items, after) = items(rest, marker, depth)
        blocks.append(.list(numbered: marker.isNumber, items: items))
        rest = after
      } else {
        paragraph.append(String(text).trimmed)
        rest = rest.dropFirst()
      }
    }
    endParagraph()
    return blocks
  }

  private struct Marker {
    let isNumber: Bool
    /// The column at which the text of the item begins.
    let width: Int
  }

  /// Returns the marker at the beginning of a list item, such as `- ` or `1. `; nil if the line does not begin an item.
  private static func marker(_ line: String) -> Marker? {
    let indent = indent(line)
    let text = line.dropFirst(indent)
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let isNumber = (1...3).contains(digits.count)
    let sign = isNumber ? text.dropFirst(digits.count).prefix(1) : text.prefix(1)
    guard isNumber ? sign == "." : ["-", "*", "+"].contains(sign) else { return nil }
    let afterMarker = text.dropFirst(digits.count + 1)
    guard afterMarker.hasPrefix(" ") else { return nil }
    return Marker(isNumber: isNumber, width: line.count - afterMarker.drop { $0 == " " }.count)
  }

  private static func items(
    _ lines: ArraySlice<String>, _ first: Marker, _ depth: Int
  ) -> (items: [[Block]], rest: ArraySlice<String>) {
    var items: [[Block]] = []
    var rest = lines
    while let line = rest.first, let marker = marker(line), marker.isNumber == first.isNumber {
      var body = [String(line.dropFirst(marker.width))]
      rest = rest.dropFirst()
      // An indented line belongs to the item, and so does a line that continues the paragraph.
      while let next = rest.first {
        let isEmpty = next.allSatisfy(\.isWhitespace)
        let isIndented = indent(next) >= marker.width
        let continuesParagraph =
          !isEmpty && body.last?.isEmpty == false && self.marker(next) == nil && !next.hasPrefix("#")
        guard isEmpty || isIndented || continuesParagraph else { break }
        body.append(isEmpty ? "" : String(next.dropFirst(min(marker.width, indent(next)))))
        rest = rest.dropFirst()
      }
      items.append(blocks(body[...], depth: depth + 1))
    }
    return (items, rest)
  }

  private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func unindented(_ lines: ArraySlice<String>) -> [String] {
    let common = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map(indent).min() ?? 0
    return lines.map { String($0.dropFirst(min(common, indent($0)))) }
  }

  // MARK: Spans

  /// Returns the spans of a text, each with its style. A mark without a closing mark is plain text.
  static func spans(_ text: String) -> [Span] {
    var spans: [Span] = []
    var plain = ""
    var rest = text[...]
    func add(_ span: Span) {
      if !plain.isEmpty { spans.append(.plain(plain)) }
      plain = ""
      spans.append(span)
    }
    while let character = rest.first {
      if character == "`" {
        let fence = rest.prefix { $0 == "`" }
        if let (inner, after) = enclosed(rest, String(fence)) {
          add(.code(inner))
          rest = after
        } else {
          plain += fence
          rest = rest.dropFirst(fence.count)
        }
      } else if rest.hasPrefix("**"), let (inner, after) = enclosed(rest, "**") {
        add(.bold(inner.filter { $0 != "`" }))
        rest = after
      } else if character == "*", let (inner, after) = enclosed(rest, "*"), !inner.hasPrefix(" "), !inner.hasSuffix(" ")
      {
        add(.stressed(inner))
        rest = after
      } else if character == "\\", let next = rest.dropFirst().first, "\\`*_[]<>".contains(next) {
        plain.append(next)
        rest = rest.dropFirst(2)
      } else {
        plain.append(character)
        rest = rest.dropFirst()
      }
    }
    if !plain.isEmpty { spans.append(.plain(plain)) }
    return spans
  }

  private static func enclosed(_ text: Substring, _ mark: String) -> (inner: String, rest: Substring)? {
    let inner = text.dropFirst(mark.count)
    guard let end = inner.firstRange(of: mark), end.lowerBound > inner.startIndex else { return nil }
    return (String(inner[..<end.lowerBound]), inner[end.upperBound...])
  }
}

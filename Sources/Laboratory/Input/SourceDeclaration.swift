/// A type, a member of a type, or a function in a Swift source, with its lines.
struct SourceDeclaration: Sendable {
  /// The name of the declaration; for an extension, the name of the type.
  let name: Substring
  /// The name of the type that contains the declaration; nil at the top level.
  let owner: Substring?
  /// The name of the file.
  let file: String
  /// The text of the declaration before its body.
  let head: String
  /// The first sentence of the documentation; nil if the declaration has no documentation.
  let summary: String?
  /// The lines of the declaration and its documentation, counted from 0.
  let lines: ClosedRange<Int>
  /// Whether the declaration is a type or an extension.
  let isType: Bool
  /// Whether the declaration can be shown by itself: the declaration is at the top level, in a pattern or in an
  /// extension. Members of other types are shown only with their types.
  let isFree: Bool

  /// Whether the declaration is a type and not an extension.
  var isNewType: Bool { isType && !head.contains("extension ") }
  /// Whether the declaration uses the trial, or is a probe or a pattern. Such a declaration contains measuring code,
  /// and is not part of the code of a variant.
  var isOfTrial: Bool { head.contains("Trial") || head.contains("Probe") || isPattern }
  /// Whether the declaration is a pattern.
  var isPattern: Bool { head.contains(": Pattern {") }
  /// Whether `explain --code` may show the declaration in full.
  var isShown: Bool { isFree && !isOfTrial && (isNewType || head.contains("func ")) }
  /// Whether the declaration is a parameter or a metric. The command `explain` describes parameters and metrics
  /// separately.
  var isDeclared: Bool { head.contains("Parameter.") || head.contains("Metric.") }

  /// Returns whether code in a file can refer to the declaration.
  func isVisible(in file: String) -> Bool { self.file == file || !head.contains("private ") }

  private static let types: Set<Substring> = ["struct", "class", "actor", "enum", "protocol", "extension"]
  private static let members: Set<Substring> = ["func", "var", "let", "typealias"]

  /// Returns the declarations in the lines of a file, except declarations inside functions. The file must be formatted:
  /// a member is indented by two columns more than its type, and a declaration ends at the first line with a closing
  /// brace in the column of the declaration.
  static func all(in lines: [Substring], of file: String) -> [SourceDeclaration] {
    // The open scopes at the beginning of a line. A scope is a type, or a conditional compilation block, which has no
    // name.
    var open: [(name: Substring?, isOther: Bool)] = []
    var found: [SourceDeclaration] = []
    for (index, line) in lines.enumerated() {
      let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      guard indent <= open.count * 2, line.utf8.count > indent else { continue }
      open.removeLast(open.count - indent / 2)
      let text = line.dropFirst(indent)
      if text.hasPrefix("//") || text.hasPrefix("}") { continue }
      if text.hasPrefix("#if") || text.hasPrefix("#else") {
        open.append((nil, open.last?.isOther ?? false))
        continue
      }
      let words = text.identifiers
      guard let kind = words.firstIndex(where: { types.contains($0) || members.contains($0) }), kind + 1 < words.count
      else { continue }
      let isType = types.contains(words[kind])
      let margin = Substring(repeating: " ", count: indent)
      let headEnd =
        lines[index...].firstIndex { $0.hasSuffix("{") || $0.hasSuffix("}") || !isType && words[kind] != "func" }
        ?? index
      let head = lines[index...headEnd].joined(separator: " ")
      let isOneLine = !lines[headEnd].hasSuffix("{")
      let last = isOneLine ? headEnd : lines[headEnd...].dropFirst().firstIndex { $0 == margin + "}" } ?? headEnd
      var first = index
      while first > 0, lines[first - 1].dropFirst(indent).hasPrefix("@") { first -= 1 }
      while first > 0, lines[first - 1].dropFirst(indent).hasPrefix("///") { first -= 1 }
      let declaration = SourceDeclaration(
        name: words[kind + 1], owner: open.last { $0.name != nil }?.name, file: file, head: head,
        summary: firstSentence(lines[first..<index].map { $0.dropFirst(indent) }), lines: first...last, isType: isType,
        isFree: !(open.last?.isOther ?? false))
      found.append(declaration)
      if isType, !isOneLine {
        open.append((declaration.name, !(declaration.isPattern || words[kind] == "extension")))
      }
    }
    return found
  }

  /// Returns the first sentence of a documentation comment; nil if the comment has no text.
  private static func firstSentence(_ comment: [Substring]) -> String? {
    let lines = comment.filter { $0.hasPrefix("///") }.map { $0.dropFirst(4) }
    let text = lines.prefix { !$0.isEmpty }.joined(separator: " ")
    guard !text.isEmpty else { return nil }
    var end = text.startIndex
    while let stop = text[end...].firstIndex(where: { ".?!".contains($0) }) {
      end = text.index(after: stop)
      // A sentence ends before a space that is followed by the beginning of another sentence.
      let rest = text[end...]
      guard let next = rest.dropFirst().first else { break }
      if rest.first == " ", next.isUppercase || next == "`" { return String(text[..<end]) }
    }
    return text
  }
}

extension StringProtocol {
  /// The identifiers in a line of Swift, in the order of the line.
  ///
  /// The implementation examines bytes, since an examination of characters would take ten times as long. The time
  /// matters, since all sources are read before a scenario is shown.
  var identifiers: [Substring] {
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    return Substring(self).utf8.split { byte in
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80
      return !(isLetter || isDigit(byte) || byte == UInt8(ascii: "_"))
    }.filter { $0.first.map(isDigit) == false }.map { Substring($0) }
  }
}

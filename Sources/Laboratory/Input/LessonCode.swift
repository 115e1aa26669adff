import Synchronization

/// The code of lessons, cut out of the patterns' sources as they were compiled.
///
/// The sources are formatted: the first line that closes a brace at the depth of a declaration ends it.
struct LessonCode: Sendable {
  private let files: [(name: String, text: String)]
  private let others: Declarations

  /// The code of the sources (`.swift`) among these files.
  init(of files: [(name: String, text: String)]) {
    self.files = files.filter { $0.name.hasSuffix(".swift") }
    // How a trial measures is no part of the lesson.
    others = Declarations(of: self.files.filter { !$0.name.hasSuffix("Trials.swift") })
  }

  /// The body of `variant`, and below it what it names: declarations of its own file, and types of the others, the
  /// instruments among them. Nil where the source is not there.
  func code(of variant: Variant) -> [String]? {
    let file = variant.place.fileName
    let lines = Self.lines(of: files.first { $0.name == file }?.text)
    guard let body = Self.body(of: variant, in: lines) else { return nil }
    let own = Self.declared(in: lines).filter { !$0.isOfTrial }
    var code = body
    // What a body declares itself is not another of that name.
    var shown = Set(Self.declared(in: body.map { Substring($0) }).map(\.name))
    var named = variant.shows.map { Substring($0) } + Self.names(in: body)
    while !named.isEmpty {
      let name = named.removeFirst()
      guard shown.insert(name).inserted else { continue }
      var found = own.filter { $0.name == name }.map { Self.text(of: $0, in: lines) }
      // What the pattern's own declarations name is shown as well, what others' do is theirs.
      if !found.isEmpty {
        named += found.flatMap { Self.names(in: $0) }
      } else if name.first?.isUppercase == true || variant.shows.contains(String(name)) {
        found = others.text(of: name).map { [$0] } ?? []
      }
      for declaration in found { code += [""] + declaration }
    }
    return code
  }

  /// The body of `variant` alone; nil where the source is not there.
  func body(of variant: Variant) -> [String]? {
    Self.body(of: variant, in: Self.lines(of: files.first { $0.name == variant.place.fileName }?.text))
  }

  /// The lines of a text. Bytes are compared, not characters, which takes a tenth of the time.
  private static func lines(of text: String?) -> [Substring] {
    text?.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) } ?? []
  }

  private static func body(of variant: Variant, in source: [Substring]) -> [String]? {
    let lines = source.dropFirst(variant.place.line - 1)
    guard let first = lines.first else { return nil }
    // The line that names the body's argument begins it.
    let indent = first.prefix { $0 == " " }
    guard let end = lines.firstIndex(where: { $0.hasPrefix(indent + "}") }),
      let start = lines[..<end].firstIndex(where: { $0.hasSuffix(" in") })
    else { return nil }
    let body = lines[start...].dropFirst().prefix(end - start - 1)
    return body.map { String($0.dropFirst($0.hasPrefix(indent + "  ") ? indent.count + 2 : 0)) }
  }

  /// The names of types and of what is called in some lines, in their order.
  private static func names(in lines: [String]) -> [Substring] {
    lines.flatMap { line -> [Substring] in
      if line.drop(while: { $0 == " " }).hasPrefix("//") { return [] }
      return line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { $0.first?.isNumber == false }
    }
  }

  /// A declaration of a type or function, by its lines.
  fileprivate struct Declaration {
    let name: Substring
    /// Where its documentation begins, or itself.
    let firstLine: Int
    let lastLine: Int
    /// Whether it is given the trial: it measures, and is no part of the lesson.
    let isOfTrial: Bool
  }

  private static let kinds: Set<Substring> = ["struct", "class", "actor", "enum", "func"]

  /// The types and functions that some lines declare, by themselves or in a pattern: the members of other types are
  /// theirs.
  fileprivate static func declared(in lines: [Substring]) -> [Declaration] {
    var declarations: [Declaration] = []
    var isInOtherType = false
    for (index, line) in lines.enumerated() {
      let indent = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      guard indent <= 2, line.utf8.count > indent, !line.dropFirst(indent).hasPrefix("//") else { continue }
      if indent == 0 { isInOtherType = false }
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      guard let name = zip(words, words.dropFirst()).first(where: { kinds.contains($0.0) })?.1 else { continue }
      let margin = Substring(repeating: " ", count: indent)
      let isOneLine = line.hasSuffix("}")
      guard let last = isOneLine ? index : lines[index...].firstIndex(where: { $0 == margin + "}" }) else { continue }
      let head = lines[index...last].prefix { !$0.hasSuffix("{") }.joined(separator: " ") + " " + line
      let isOfTrial = head.contains("Trial") || head.contains(": Pattern {")
      if isInOtherType { continue }
      isInOtherType = indent == 0 && !isOneLine && !head.contains(": Pattern {") && !words.contains("func")
      var first = index
      while first > 0, lines[first - 1].dropFirst(indent).hasPrefix("///") { first -= 1 }
      declarations.append(Declaration(name: name, firstLine: first, lastLine: last, isOfTrial: isOfTrial))
    }
    return declarations
  }

  fileprivate static func text(of declaration: Declaration, in lines: [Substring]) -> [String] {
    let indent = lines[declaration.lastLine].prefix { $0 == " " }
    return lines[declaration.firstLine...declaration.lastLine].map {
      String($0.dropFirst($0.hasPrefix(indent) ? indent.count : 0))
    }
  }

  /// The types of many files, by their names: worked out when one is first asked for.
  private final class Declarations: Sendable {
    private let files: [(name: String, text: String)]
    private let texts = Mutex<[Substring: [String]]?>(nil)

    init(of files: [(name: String, text: String)]) { self.files = files }

    func text(of name: Substring) -> [String]? {
      texts.withLock { texts in
        if texts == nil {
          var all: [Substring: [String]] = [:]
          for file in files {
            let lines = LessonCode.lines(of: file.text)
            for declaration in LessonCode.declared(in: lines) where !declaration.isOfTrial {
              all[declaration.name] = all[declaration.name] ?? LessonCode.text(of: declaration, in: lines)
            }
          }
          texts = all
        }
        return texts?[name]
      }
    }
  }
}

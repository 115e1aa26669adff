import Synchronization

/// The code of lessons, cut out of the patterns' sources as they were compiled.
struct LessonCode: Sendable {
  private let files: [(name: String, text: String)]
  private let sources: Sources

  /// The code of the sources (`.swift`) among these files.
  init(of files: [(name: String, text: String)]) {
    self.files = files.filter { $0.name.hasSuffix(".swift") }
    sources = Sources(self.files)
  }

  /// The body of `variant`; below it what it names: declarations of its own file, and types of the others, the
  /// instruments among them; and a line for each helper that all this names besides. Nil where the source is not there.
  func code(of variant: Variant) -> [String]? {
    guard let (code, shown) = listing(of: variant) else { return nil }
    let told = helpers(in: code, of: variant, without: shown).flatMap { helper in
      helper.summary.map { Self.comment("\(helper.name): \($0)") } ?? []
    }
    return code + (told.isEmpty ? [] : [""] + told)
  }

  /// A sentence as a comment of lines that are as wide as code.
  private static func comment(_ text: String) -> [String] {
    let width = 100
    var lines: [String] = []
    var line = "//"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "//  "
      }
      line += " \(word)"
    }
    return lines + [line]
  }

  /// The body of `variant` alone; nil where the source is not there.
  func body(of variant: Variant) -> [String]? {
    Self.body(of: variant, in: Self.lines(of: text(of: variant.place.fileName)))
  }

  /// What the code of `variant` names of the lab's without showing it.
  func helpers(of variant: Variant) -> [LessonHelper] {
    listing(of: variant).map { helpers(in: $0.code, of: variant, without: $0.shown) } ?? []
  }

  private func helpers(in code: [String], of variant: Variant, without shown: Set<Substring>) -> [LessonHelper] {
    var reader = LessonReader(sources.index, of: variant, without: shown)
    return reader.helpers(in: code)
  }

  /// The code that is shown, and the names of what it declares.
  private func listing(of variant: Variant) -> (code: [String], shown: Set<Substring>)? {
    let file = variant.place.fileName
    let lines = Self.lines(of: text(of: file))
    guard let body = Self.body(of: variant, in: lines) else { return nil }
    let own = SourceDeclaration.all(in: lines, of: file).filter(\.isShown)
    var code = body
    // What a body declares itself is not another of that name.
    var shown = Set(
      SourceDeclaration.all(in: body.map { Substring($0) }, of: file).filter { $0.isShown || $0.isType }.map(\.name))
    var named = variant.shows.map { Substring($0) } + Self.names(in: body)
    var told: Set<Substring> = shown
    while !named.isEmpty {
      let name = named.removeFirst()
      guard shown.insert(name).inserted else { continue }
      var found = own.filter { $0.name == name }.map { $0.text(in: lines) }
      // What the pattern's own declarations name is shown as well, what others' do is theirs.
      if !found.isEmpty {
        named += found.flatMap { Self.names(in: $0) }
      } else if name.first?.isUppercase == true || variant.shows.contains(String(name)) {
        found = shownType(name).map { [$0] } ?? []
      }
      if !found.isEmpty { told.insert(name) }
      for declaration in found {
        code += [""] + declaration
        told.formUnion(
          SourceDeclaration.all(in: declaration.map { Substring($0) }, of: file).filter(\.isType).map(\.name))
      }
    }
    return (code, told)
  }

  private func shownType(_ name: Substring) -> [String]? {
    let types = sources.index.declarations(of: name)
    guard let type = types.first(where: { $0.isShown && !Self.measures($0.file) }) else { return nil }
    return type.text(in: Self.lines(of: text(of: type.file)))
  }

  /// Whether a file says how a trial measures, which is no part of the lesson.
  private static func measures(_ file: String) -> Bool { file.hasSuffix("Trials.swift") || file == "Trial.swift" }

  private func text(of file: String) -> String? { files.first { $0.name == file }?.text }

  /// The lines of a text. Bytes are compared, not characters, which takes a tenth of the time.
  fileprivate static func lines(of text: String?) -> [Substring] {
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
    lines.flatMap { $0.drop { $0 == " " }.hasPrefix("//") ? [] : $0.identifiers }
  }
}

/// What the sources declare: worked out when it is first asked for.
private final class Sources: Sendable {
  private let files: [(name: String, text: String)]
  private let found = Mutex<SourceIndex?>(nil)

  init(_ files: [(name: String, text: String)]) { self.files = files }

  var index: SourceIndex {
    found.withLock { found in
      if let found { return found }
      let declared = onAllCores(files.count) { [files] number in
        SourceDeclaration.all(in: LessonCode.lines(of: files[number].text), of: files[number].name)
      }
      let index = SourceIndex(declared.flatMap(\.self))
      found = index
      return index
    }
  }
}

extension SourceDeclaration {
  /// Its lines with its documentation, moved to the margin.
  fileprivate func text(in source: [Substring]) -> [String] {
    let indent = source[lines.upperBound].prefix { $0 == " " }
    return source[lines].map { String($0.dropFirst($0.hasPrefix(indent) ? indent.count : 0)) }
  }
}

import Synchronization

/// The code of variants, as `explain --code` shows it. The code is part of the compiled sources of the patterns.
struct VariantCode: Sendable {
  private let files: [(name: String, text: String)]
  private let sources: Sources

  /// Creates the code of variants from the Swift sources (`.swift`) among `files`.
  init(of files: [(name: String, text: String)]) {
    self.files = files.filter { $0.name.hasSuffix(".swift") }
    sources = Sources(self.files)
  }

  /// Returns the code of `variant`; nil if the source is missing. The code is the body of the variant, the declarations
  /// that the body names, and a comment for each other documented helper that this code names. The declarations are
  /// from the body's file, or are types of other files, such as the instruments. The variant can name further
  /// declarations (``Variant/shows``).
  func code(of variant: Variant) -> [String]? {
    guard let (code, shown) = listing(of: variant) else { return nil }
    let comments = helpers(in: code, of: variant, without: shown).flatMap { helper in
      helper.summary.map { Self.comment("\(helper.name): \($0)") } ?? []
    }
    return code + (comments.isEmpty ? [] : [""] + comments)
  }

  /// Returns a sentence as the lines of a comment, with at most 100 columns.
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

  /// Returns the body of `variant`, inside the call of the variant's probe if there is one; nil if the source is
  /// missing.
  func body(of variant: Variant) -> [String]? {
    Self.body(of: variant, in: Self.lines(of: text(of: variant.place.fileName)))
  }

  /// Returns the helpers of the lab that the code of `variant` names and does not include.
  func helpers(of variant: Variant) -> [CodeHelper] {
    listing(of: variant).map { helpers(in: $0.code, of: variant, without: $0.shown) } ?? []
  }

  private func helpers(in code: [String], of variant: Variant, without shown: Set<Substring>) -> [CodeHelper] {
    var reader = HelperFinder(sources.index, of: variant, without: shown)
    return reader.helpers(in: code)
  }

  /// Returns the code of `variant`, and the names of the declarations in it; nil if the source is missing.
  private func listing(of variant: Variant) -> (code: [String], shown: Set<Substring>)? {
    let file = variant.place.fileName
    let lines = Self.lines(of: text(of: file))
    guard let body = Self.body(of: variant, in: lines) else { return nil }
    let own = SourceDeclaration.all(in: lines, of: file).filter(\.isShown)
    var code = body
    // A name that the body declares does not refer to a declaration elsewhere.
    var shown = Set(
      SourceDeclaration.all(in: body.map { Substring($0) }, of: file).filter { $0.isShown || $0.isType }.map(\.name))
    var named = variant.shows.map { Substring($0) } + Self.names(in: body)
    var listed: Set<Substring> = shown
    while !named.isEmpty {
      let name = named.removeFirst()
      guard shown.insert(name).inserted else { continue }
      var found = own.filter { $0.name == name }.map { $0.text(in: lines) }
      // Declarations that the pattern's own declarations name are included as well. Declarations that are named by
      // declarations of other files are not included.
      if !found.isEmpty {
        named += found.flatMap { Self.names(in: $0) }
      } else if name.first?.isUppercase == true || variant.shows.contains(String(name)) {
        found = shownType(name).map { [$0] } ?? []
      }
      if !found.isEmpty { listed.insert(name) }
      for declaration in found {
        code += [""] + declaration
        listed.formUnion(
          SourceDeclaration.all(in: declaration.map { Substring($0) }, of: file).filter(\.isType).map(\.name))
      }
    }
    return (code, listed)
  }

  private func shownType(_ name: Substring) -> [String]? {
    let types = sources.index.declarations(of: name)
    guard let type = types.first(where: { $0.isShown && !Self.measures($0.file) }) else { return nil }
    return type.text(in: Self.lines(of: text(of: type.file)))
  }

  /// Returns whether a file contains the measuring code of a trial, which `explain --code` leaves out.
  private static func measures(_ file: String) -> Bool { file.hasSuffix("Trials.swift") || file == "Trial.swift" }

  private func text(of file: String) -> String? { files.first { $0.name == file }?.text }

  /// Returns the lines of a text; an empty array if `text` is nil. The method compares bytes, which takes a tenth of
  /// the time of comparing characters.
  fileprivate static func lines(of text: String?) -> [Substring] {
    text?.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) } ?? []
  }

  private static func body(of variant: Variant, in source: [Substring]) -> [String]? {
    let lines = source.dropFirst(variant.place.line - 1)
    guard let first = lines.first else { return nil }
    // The body begins after the line that names the closure's arguments.
    let indent = first.prefix { $0 == " " }
    guard let end = lines.firstIndex(where: { $0.hasPrefix(indent + "}") }),
      let start = lines[..<end].firstIndex(where: { $0.hasSuffix(" in") })
    else { return nil }
    let body = lines[start...].dropFirst().prefix(end - start - 1).map {
      String($0.dropFirst($0.hasPrefix(indent + "  ") ? indent.count + 2 : 0))
    }
    let call = ProbeCall(in: lines[...start].map { $0.drop { $0 == " " } }.joined(separator: " "))
    guard variant.declarations != nil, let call, call.arguments != "trial" else { return body }
    return ["\(call.probe) { \(call.arguments) in"] + body.map { $0.isEmpty ? $0 : "  " + $0 } + ["}"]
  }

  /// The name of a variant's probe and the arguments of its body, as the source text has them.
  private struct ProbeCall {
    let probe: String
    let arguments: Substring

    /// Parses `Variant("name", .role, "summary", probe, …) { arguments in`; nil if there is no probe.
    init?(in head: String) {
      guard let start = head.firstRange(of: "Variant(")?.upperBound, let brace = head.lastIndex(of: "{") else {
        return nil
      }
      var places = [start]
      var (depth, isText) = (0, false)
      for index in head[start..<brace].indices {
        switch head[index] {
        case "\"": isText.toggle()
        case _ where isText: break
        case "(", "[": depth += 1
        case ")", "]": depth -= 1
        case "," where depth == 0: places.append(head.index(after: index))
        default: break
        }
        if depth < 0 {
          places.append(head.index(after: index))
          break
        }
      }
      guard places.count > 4 else { return nil }
      probe = head[places[3]..<head.index(before: places[4])].split(separator: " ").joined(separator: " ")
      arguments = head[head.index(after: brace)...].dropLast(" in".count).drop { $0 == " " }
    }
  }

  /// Returns the identifiers in `lines`, except in comments, in the order of the lines.
  private static func names(in lines: [String]) -> [Substring] {
    lines.flatMap { $0.drop { $0 == " " }.hasPrefix("//") ? [] : $0.identifiers }
  }
}

/// The declarations of the sources. The sources are parsed at the first access.
private final class Sources: Sendable {
  private let files: [(name: String, text: String)]
  private let found = Mutex<SourceIndex?>(nil)

  init(_ files: [(name: String, text: String)]) { self.files = files }

  var index: SourceIndex {
    found.withLock { found in
      if let found { return found }
      let declared = onAllCores(files.count) { [files] number in
        SourceDeclaration.all(in: VariantCode.lines(of: files[number].text), of: files[number].name)
      }
      let index = SourceIndex(declared.flatMap(\.self))
      found = index
      return index
    }
  }
}

extension SourceDeclaration {
  /// Returns the lines of the declaration and its documentation, without the indentation.
  fileprivate func text(in source: [Substring]) -> [String] {
    let indent = source[lines.upperBound].prefix { $0 == " " }
    return source[lines].map { String($0.dropFirst($0.hasPrefix(indent) ? indent.count : 0)) }
  }
}

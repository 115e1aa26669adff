/// A reader that finds the lab's helpers in the code of a variant.
///
/// No compiler resolves the names, so the reader searches the declarations that the code can refer to: the functions of
/// the pattern, the functions outside all types, and the members of types that were found before. For example, a helper
/// may pass a value to a closure, and the code of the closure uses a member of the value's type.
struct HelperFinder {
  private let sources: SourceIndex
  private let file: String
  private let shown: Set<Substring>
  /// The name of the pattern's type.
  private let pattern: Substring?
  /// The names of the files of the pattern.
  private let ownFiles: Set<String>
  /// The types that the code has named so far, in the order of the code.
  private var types: [Substring] = []
  /// The types of the local values, by the names of the values.
  private var locals: [Substring: Local] = ["trial": .of("Trial")]
  private var helpers: [CodeHelper] = []
  private var noted: Set<SourcePosition> = []

  /// The type of a local value.
  private enum Local {
    /// A type of the lab.
    case of(Substring)
    /// A type that the code does not name. Any of the types that were named so far may be this type.
    case unknown
    /// A type outside the lab.
    case foreign
  }
  /// The position of a declaration. The reader records one helper for each position.
  private struct SourcePosition: Hashable {
    let file: String
    let line: Int
  }

  init(_ sources: SourceIndex, of variant: Variant, without shown: Set<Substring>) {
    self.sources = sources
    self.shown = shown
    file = variant.place.fileName
    pattern = sources.type(around: variant.place)
    ownFiles = pattern.map { sources.files(of: $0) } ?? []
  }

  /// Returns the helpers that `code` names, in the order of the code.
  mutating func helpers(in code: [String]) -> [CodeHelper] {
    for line in code.map(NameChain.code) {
      bind(line)
      for chain in NameChain.all(in: line) { read(chain) }
    }
    return helpers
  }

  // MARK: Local values

  /// Records the names of values that a line declares.
  private mutating func bind(_ line: Substring) {
    let words = line.split { $0 == " " || $0 == "(" || $0 == "," || $0 == ")" }
    for (index, word) in words.enumerated() where word == "in" {
      // The words are the names of a closure's arguments or of a loop's variable.
      if let start = words[..<index].lastIndex(where: { $0.hasSuffix("{") || $0 == "for" }) {
        for name in words[(start + 1)..<index] { locals[name.prefix { $0 != ":" }] = .unknown }
      }
    }
    if let start = line.firstRange(of: "let ") ?? line.firstRange(of: "var "), let equals = line.firstRange(of: " = ") {
      let value = line[equals.upperBound...].identifiers.drop { ["try", "await"].contains($0) }.first
      for name in line[start.upperBound..<equals.lowerBound].identifiers { bind(name, to: value) }
    }
    // The loop finds `buyer: Buyer`, but not `queue: queue`.
    for (index, word) in words.enumerated() where word.hasSuffix(":") && index + 1 < words.count {
      if let type = words[index + 1].identifiers.first, sources.isOwn(type) { locals[word.dropLast()] = .of(type) }
    }
  }

  private mutating func bind(_ name: Substring, to value: Substring?) {
    guard let value else { return }
    if value.first?.isUppercase == true {
      locals[name] = sources.isOwn(value) ? .of(value) : .foreign
    } else if case .foreign? = locals[value] {
      locals[name] = .foreign
    } else {
      locals[name] = locals[value] != nil || function(value) != nil ? .unknown : .foreign
    }
  }

  // MARK: The meaning of names

  /// Records the helpers that a chain of names refers to. The search ends at the first name that has no declaration in
  /// the lab.
  private mutating func read(_ chain: NameChain) {
    var path = chain.names[...]
    var within: [Substring]
    let first = path.removeFirst()
    var name = String(first)
    if chain.isMember {
      within = []
      guard let member = member(first, of: types) else { return }
      within = note(member, as: name)
    } else if first.first?.isUppercase == true {
      guard let type = type(first) else { return }
      within = add(note(type, as: name))
    } else if let local = locals[first] {
      switch local {
      case .foreign: return
      case .of(let type): within = [type]
      case .unknown: within = types
      }
    } else if let function = function(first) {
      within = note(function, as: name)
    } else {
      return
    }
    for next in path {
      name += "." + next
      guard let member = member(next, of: within) else { return }
      within = note(member, as: name)
    }
  }

  /// Returns the lab's type called `name`; nil if there is no such type. A nested type is found only in the files of
  /// the pattern.
  private func type(_ name: Substring) -> SourceDeclaration? {
    best(name) { $0.isNewType && ($0.owner == nil || ownFiles.contains($0.file)) }
  }

  /// Returns a function or value of the pattern, or a function outside all types; nil if there is no such declaration.
  private func function(_ name: Substring) -> SourceDeclaration? {
    best(name) {
      !$0.isType && !$0.isDeclared && ($0.owner == pattern || $0.owner == nil && $0.head.contains("func "))
    }
  }

  private func member(_ name: Substring, of types: [Substring]) -> SourceDeclaration? {
    for type in types {
      if let member = best(name, { !$0.isType && $0.owner == type }) { return member }
    }
    return nil
  }

  /// Returns the best matching declaration; nil if no declaration matches. A declaration in the pattern's own files is
  /// preferred to a public declaration, and a public declaration is preferred to any other. Of two declarations of the
  /// same rank, the documented declaration is preferred.
  private func best(_ name: Substring, _ isMeant: (SourceDeclaration) -> Bool) -> SourceDeclaration? {
    func rank(_ declaration: SourceDeclaration) -> Int {
      let origin = ownFiles.contains(declaration.file) ? 0 : declaration.head.contains("public ") ? 2 : 4
      return origin + (declaration.summary == nil ? 1 : 0)
    }
    return sources.declarations(of: name).filter { $0.isVisible(in: file) && isMeant($0) }.min { rank($0) < rank($1) }
  }

  /// Records a helper, and returns the types that its declaration names.
  @discardableResult private mutating func note(_ declaration: SourceDeclaration, as name: String) -> [Substring] {
    let isShown = declaration.owner.map { shown.contains($0) } ?? false || shown.contains(declaration.name)
    if !isShown, noted.insert(SourcePosition(file: declaration.file, line: declaration.lines.lowerBound)).inserted {
      helpers.append(CodeHelper(name: name, summary: declaration.summary))
    }
    if declaration.isType { return [declaration.name] }
    return add(typesNamed(in: declaration.head))
  }

  private func typesNamed(in head: String) -> [Substring] {
    head.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }.compactMap(\.identifiers.last).filter {
      $0.first?.isUppercase == true
    }.flatMap { name -> [Substring] in
      if let alias = best(name, { $0.owner == pattern && $0.head.contains("typealias ") }) {
        return alias.head.identifiers.filter { $0.first?.isUppercase == true && $0 != name }
      }
      return [name]
    }.filter { sources.isOwn($0) && $0 != "Trial" }
  }

  @discardableResult private mutating func add(_ more: [Substring]) -> [Substring] {
    types += more.filter { !types.contains($0) }
    return more
  }
}

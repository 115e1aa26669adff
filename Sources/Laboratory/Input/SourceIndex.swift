/// The declarations of many sources, by name.
struct SourceIndex: Sendable {
  private let byName: [Substring: [SourceDeclaration]]
  private let types: [String: [SourceDeclaration]]
  private let files: [Substring: Set<String>]

  init(_ declarations: [SourceDeclaration]) {
    byName = Dictionary(grouping: declarations, by: \.name)
    types = Dictionary(grouping: declarations.filter(\.isType), by: \.file)
    files = Dictionary(grouping: declarations.filter(\.isType), by: \.name).mapValues { Set($0.map(\.file)) }
  }

  /// Returns the declarations called `name`, in the order of the files; an empty array if no declaration has this name.
  func declarations(of name: Substring) -> [SourceDeclaration] { byName[name] ?? [] }

  /// Returns the name of the type whose declaration or extension contains `place`; nil if `place` is outside all types.
  func type(around place: SourceLine) -> Substring? {
    types[place.fileName]?.first { $0.owner == nil && $0.lines.contains(place.line - 1) }?.name
  }

  /// Returns the names of the files that declare or extend a type.
  func files(of type: Substring) -> Set<String> { files[type] ?? [] }

  /// Returns whether the sources declare a type. An extension alone is not a declaration.
  func isOwn(_ type: Substring) -> Bool {
    declarations(of: type).contains(where: \.isNewType)
  }
}

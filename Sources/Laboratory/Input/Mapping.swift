/// The keys and values of a mapping, in the order of the file.
struct Mapping {
  struct Entry {
    let key: String
    let value: PlacedNode

    /// The place of the key: `file:line`.
    var keyPlace: String { "\(value.file):\(value.fallbackLine)" }
  }
  let entries: [Entry]
  let owner: PlacedNode
  /// The name of the mapping among several mappings, for errors, such as `claim 2`; nil for a single mapping.
  private let part: String?

  func node(_ key: String) -> PlacedNode { entries.first { $0.key == key }?.value ?? owner }

  /// Throws an error if the mapping contains a key that is not in `keys`.
  func allow(_ keys: [String]) throws(InputError) {
    for entry in entries where !keys.contains(entry.key) {
      throw .unknown("key", entry.key, in: part, at: entry.keyPlace, known: keys, listing: .all(as: "allowed"))
    }
  }

  func optionalText(_ key: String) throws(InputError) -> String? {
    try entries.first { $0.key == key }?.value.scalar(key)
  }

  func text(_ key: String) throws(InputError) -> String {
    guard let text = try optionalText(key) else {
      throw InputError("the key '\(key)' is missing\(part.map { " in \($0)" } ?? "")", at: owner.place)
    }
    return text
  }

  /// Returns the items of the list at `key`; an empty list if the key is missing.
  func list(_ key: String) throws(InputError) -> [PlacedNode] {
    try entries.first { $0.key == key }?.value.list(key) ?? []
  }

  /// Returns the entries of the mapping at `key`; an empty list if the key is missing.
  func entries(_ key: String) throws(InputError) -> [Entry] {
    guard let value = entries.first(where: { $0.key == key })?.value else { return [] }
    return try Mapping(value, key).entries
  }

  /// Creates a mapping from a node.
  ///
  /// - Parameters:
  ///   - name: the name of the mapping in errors, for example `a claim`.
  ///   - part: the name of this mapping among several mappings, for example `claim 2`; nil for a single mapping.
  /// - Throws: ``InputError`` if the node is not a mapping, or if a key is not a text.
  init(_ owner: PlacedNode, _ name: String, part: String? = nil) throws(InputError) {
    guard let pairs = owner.node.pairs else {
      throw InputError("\(name): expected keys and values, found \(owner.kind)", at: owner.place)
    }
    var entries: [Entry] = []
    for (key, value) in pairs {
      let line = key.line ?? owner.fallbackLine
      guard let text = key.scalar else {
        throw InputError("\(name): a key must be a word", at: "\(owner.file):\(line)")
      }
      entries.append(Entry(key: text, value: PlacedNode(node: value, file: owner.file, fallbackLine: line)))
    }
    self.entries = entries
    self.owner = owner
    self.part = part
  }
}

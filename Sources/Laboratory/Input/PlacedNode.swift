import Yams

/// A node of a scenario file, either parsed by Yams, or embedded in the binary when the lab was built.
enum FileNode {
  case yaml(Node)
  case shelved(ShelvedNode)

  /// The text of a scalar; nil for other nodes.
  var scalar: String? {
    switch self {
    case .yaml(let node): node.scalar?.string
    case .shelved(let node): node.scalar
    }
  }

  /// The items of a list; nil for other nodes.
  var items: [FileNode]? {
    switch self {
    case .yaml(let node): node.sequence?.map { .yaml($0) }
    case .shelved(let node): node.items?.map { .shelved($0) }
    }
  }

  /// The keys and values of a mapping; nil for other nodes.
  var pairs: [(key: FileNode, value: FileNode)]? {
    switch self {
    case .yaml(let node): node.mapping?.map { (.yaml($0.key), .yaml($0.value)) }
    case .shelved(let node): node.pairs?.map { (.shelved($0), .shelved($1)) }
    }
  }

  /// The line of the node, from 1; nil if the line is unknown.
  var line: Int? {
    switch self {
    case .yaml(let node): node.mark?.line
    case .shelved(let node): node.line
    }
  }
}

/// A node of a scenario file, and the place of the node for errors.
struct PlacedNode {
  let node: FileNode
  let file: String
  /// The line of the node's key, or of the key of an enclosing node. The place has this line if the node's own line is
  /// unknown.
  let fallbackLine: Int

  /// The file and the line of the node: `file:line`.
  var place: String { "\(file):\(node.line ?? fallbackLine)" }

  /// The text of a scalar; empty for other nodes.
  var text: String { node.scalar ?? "" }

  /// Returns the text of a scalar.
  ///
  /// - Throws: ``InputError`` if the node is not a scalar; the error calls the node `name`.
  func scalar(_ name: String) throws(InputError) -> String {
    guard let scalar = node.scalar else {
      throw InputError("\(name): expected a single value, found \(kind)", at: place)
    }
    return scalar
  }

  /// Returns the items of a list.
  ///
  /// - Throws: ``InputError`` if the node is not a list; the error calls the node `name`.
  func list(_ name: String) throws(InputError) -> [PlacedNode] {
    guard let items = node.items else { throw InputError("\(name): expected a list, found \(kind)", at: place) }
    return items.map { PlacedNode(node: $0, file: file, fallbackLine: fallbackLine) }
  }

  /// A description of the node for errors: `nothing`, the beginning of a text, `a list` or `a mapping`.
  var kind: String {
    if let text = node.scalar { return text.isEmpty ? "nothing" : "'\(text.prefix(40))'" }
    return node.items != nil ? "a list" : "a mapping"
  }
}

extension PlacedNode {
  /// Returns an error at this place. The error suggests the name in `names` that is nearest to `found`, if `found` may
  /// be a typo of that name.
  func error(
    _ message: String, near found: String = "", of names: [String] = [], listing list: InputError.List = .nothing
  ) -> InputError {
    InputError(message, at: place, near: found, of: names, listing: list)
  }
}

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
  /// The position of the mapping among several mappings, for errors, such as ` in claim 2`; empty for a single mapping.
  private let part: String

  func node(_ key: String) -> PlacedNode { entries.first { $0.key == key }?.value ?? owner }

  /// Throws an error if the mapping contains a key that is not in `keys`.
  func allow(_ keys: [String]) throws(InputError) {
    for entry in entries where !keys.contains(entry.key) {
      throw InputError(
        "unknown key '\(entry.key)'\(part)", at: entry.keyPlace, near: entry.key, of: keys,
        listing: .all(as: "allowed"))
    }
  }

  func optionalText(_ key: String) throws(InputError) -> String? {
    try entries.first { $0.key == key }?.value.scalar(key)
  }

  func text(_ key: String) throws(InputError) -> String {
    guard let text = try optionalText(key) else {
      throw InputError("the key '\(key)' is missing\(part)", at: owner.place)
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
    self.part = part.map { " in \($0)" } ?? ""
  }
}

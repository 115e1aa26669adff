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

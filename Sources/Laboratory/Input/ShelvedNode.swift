/// A node of a YAML file that was parsed when the lab was built. A command therefore need not parse all
/// scenarios at its start.
///
/// The tool `shelve` writes a node as its kind (`s` scalar, `l` list, `m` mapping), its line, the number of bytes of
/// its content, a colon, and the content: the text of a scalar, the items of a list, or the alternating keys and values
/// of a mapping. A reader skips content that is not requested.
struct ShelvedNode {
  private let kind: UInt8
  private let content: Substring
  /// The line of the node, from 1.
  let line: Int

  /// The suffix that is appended to the name of a YAML file for its shelved content.
  static let fileEnding = ".shelved"

  /// Parses the shelved text of a file; nil if the text is not exactly one node.
  init?(_ text: String) {
    var rest = text[...]
    self.init(takenFrom: &rest)
    guard rest.isEmpty else { return nil }
  }

  private init?(takenFrom rest: inout Substring) {
    var bytes = rest.utf8
    guard let kind = bytes.popFirst(), let line = Self.number(takenFrom: &bytes, upTo: UInt8(ascii: " ")),
      let count = Self.number(takenFrom: &bytes, upTo: UInt8(ascii: ":")),
      let end = bytes.index(bytes.startIndex, offsetBy: count, limitedBy: bytes.endIndex)
    else { return nil }
    self.kind = kind
    self.line = line
    content = rest[bytes.startIndex..<end]
    rest = rest[end...]
  }

  private static func number(takenFrom bytes: inout Substring.UTF8View, upTo end: UInt8) -> Int? {
    var number = 0
    while let byte = bytes.popFirst() {
      if byte == end { return number }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), number < 1 << 32 else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return nil
  }

  /// The text of a scalar; nil for other nodes.
  var scalar: String? { kind == UInt8(ascii: "s") ? String(content) : nil }

  /// The items of a list; nil for other nodes.
  var items: [ShelvedNode]? { kind == UInt8(ascii: "l") ? nodes : nil }

  /// The keys and values of a mapping; nil for other nodes.
  var pairs: [(ShelvedNode, ShelvedNode)]? {
    guard kind == UInt8(ascii: "m") else { return nil }
    let nodes = nodes
    return stride(from: 0, to: nodes.count - 1, by: 2).map { (nodes[$0], nodes[$0 + 1]) }
  }

  private var nodes: [ShelvedNode] {
    var (rest, nodes) = (content, [ShelvedNode]())
    while let node = ShelvedNode(takenFrom: &rest) { nodes.append(node) }
    return nodes
  }
}

/// A node of a YAML file that was parsed when the lab was built: so that no command parses forty files to start.
///
/// `shelve` writes it as a kind (`s` scalar, `l` list, `m` mapping), the line, the bytes of what follows, a colon and
/// that: the text of a scalar, the items of a list, the keys and values of a mapping by turns. What is not asked for is
/// passed over.
struct ShelvedNode {
  private let kind: UInt8
  private let content: Substring
  /// Its line, from 1.
  let line: Int

  /// What the name of a shelved file ends in, behind that of the file which was parsed.
  static let fileEnding = ".parsed"

  /// The one node of a file; nil for a text that is none.
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

  /// The text of a scalar; nil for anything else.
  var scalar: String? { kind == UInt8(ascii: "s") ? String(content) : nil }

  /// The items of a list; nil for anything else.
  var items: [ShelvedNode]? { kind == UInt8(ascii: "l") ? nodes : nil }

  /// The keys and values of a mapping; nil for anything else.
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

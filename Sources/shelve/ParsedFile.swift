import Yams

/// A YAML file as a lab reads it without parsing: see `ShelvedNode` in Laboratory, which reads what is written here.
enum ParsedFile {
  /// What the text of a file says; nil where that is no YAML, or aliases of aliases make it huge: the lab then parses
  /// it itself, and says what is wrong and in which line.
  static func text(of yaml: String) -> String? {
    guard let root = try? Yams.compose(yaml: yaml, .basic) else { return nil }
    // No file has more nodes than characters, but by aliases.
    var nodesLeft = yaml.utf8.count
    return text(of: root, &nodesLeft)
  }

  /// The kind of the node, its line, the bytes of what follows, a colon and that.
  private static func text(of node: Node, _ nodesLeft: inout Int) -> String? {
    nodesLeft -= 1
    guard nodesLeft >= 0, let line = node.mark?.line else { return nil }
    let (kind, parts): (String, [Node])
    switch node {
    case .scalar(let scalar): return "s\(line) \(scalar.string.utf8.count):\(scalar.string)"
    case .sequence(let items): (kind, parts) = ("l", Array(items))
    case .mapping(let pairs): (kind, parts) = ("m", pairs.flatMap { [$0.key, $0.value] })
    case .alias: return nil
    }
    var content = ""
    for part in parts {
      guard let text = text(of: part, &nodesLeft) else { return nil }
      content += text
    }
    return "\(kind)\(line) \(content.utf8.count):\(content)"
  }
}

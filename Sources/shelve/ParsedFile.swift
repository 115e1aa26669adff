import Yams

/// The content of a YAML file in the form that a lab reads without parsing: see `ShelvedNode` in Laboratory, which
/// reads what is written here.
enum ParsedFile {
  /// Returns the content of a YAML text; nil if it is not YAML, or if aliases of aliases make it huge. The lab then
  /// parses it itself, and reports the problem and its line.
  static func text(of yaml: String) -> String? {
    guard let root = try? Yams.compose(yaml: yaml, .basic) else { return nil }
    // Without aliases, no file has more nodes than characters.
    var nodesLeft = yaml.utf8.count
    return text(of: root, &nodesLeft)
  }

  /// Returns a node as its kind, its line, the number of bytes of its content, a colon, and the content.
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

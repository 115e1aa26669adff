import Yams

/// The content of a YAML file in a form that a lab reads without a YAML parser. `ShelvedNode` in the module Laboratory
/// reads this form.
enum ShelvedFile {
  /// Returns the content of a YAML text; nil if the text is not YAML, or if nested aliases expand to too many nodes. In
  /// these cases, the lab parses the text itself, and reports the problem with its line.
  static func text(of yaml: String) -> String? {
    guard let root = try? Yams.compose(yaml: yaml, .basic) else { return nil }
    // Without aliases, no file has more nodes than characters.
    var nodesLeft = yaml.utf8.count
    return text(of: root, &nodesLeft)
  }

  /// Returns a node as text: its kind, its line, the number of bytes of its content, a colon, and the content; nil if
  /// the node is an alias or has no line, or if `nodesLeft` would fall below 0.
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

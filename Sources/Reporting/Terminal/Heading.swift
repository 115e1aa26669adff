/// A bold name with a note after it. The note is wrapped if the line has no room for it.
enum Heading {
  static func lines(_ name: String, _ note: String, _ color: SemanticColor?, _ style: TextStyle) -> [String] {
    let (name, note) = (name.inLine, note.inLine)
    guard !note.isEmpty else { return [SemanticColor.heading(name, style)] }
    func colored(_ text: String) -> String { color?(text, style) ?? text }
    if name.displayWidth + 2 + note.displayWidth <= style.width {
      return [SemanticColor.heading(name, style) + "  " + colored(note)]
    }
    // The hyphens represent the name and the first of the two spaces after it.
    let lead = String(repeating: "-", count: name.displayWidth + 1)
    let wrapped = "\(lead) \(note)".wrapped(to: max(20, style.width - 2))
    let beside = String(wrapped[0].dropFirst(lead.count + 1))
    return [SemanticColor.heading(name, style) + (beside.isEmpty ? "" : "  " + colored(beside))]
      + wrapped.dropFirst().map { "  " + colored($0) }
  }
}

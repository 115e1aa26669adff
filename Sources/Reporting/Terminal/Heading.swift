/// A name in bold with a note after it. The note continues on the next line if there is no room.
enum Heading {
  static func lines(_ name: String, _ note: String, _ ink: Ink?, _ style: TextStyle) -> [String] {
    let (name, note) = (name.inLine, note.inLine)
    guard !note.isEmpty else { return [Ink.heading(name, style)] }
    func inked(_ text: String) -> String { ink?(text, style) ?? text }
    if name.displayWidth + 2 + note.displayWidth <= style.width {
      return [Ink.heading(name, style) + "  " + inked(note)]
    }
    // The hyphens stand for the name and the first of the two spaces after it.
    let lead = String(repeating: "-", count: name.displayWidth + 1)
    let wrapped = "\(lead) \(note)".wrapped(to: max(20, style.width - 2))
    let beside = String(wrapped[0].dropFirst(lead.count + 1))
    return [Ink.heading(name, style) + (beside.isEmpty ? "" : "  " + inked(beside))]
      + wrapped.dropFirst().map { "  " + inked($0) }
  }
}

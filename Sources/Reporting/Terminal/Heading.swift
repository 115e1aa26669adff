/// A name in bold and a note behind it, which goes on below where the line has no room for it.
enum Heading {
  static func lines(_ name: String, _ note: String, _ ink: Ink?, _ style: TextStyle) -> [String] {
    let (name, note) = (name.inLine, note.inLine)
    guard !note.isEmpty else { return [Ink.heading(name, style)] }
    func inked(_ text: String) -> String { ink?(text, style) ?? text }
    if name.displayWidth + 2 + note.displayWidth <= style.width {
      return [Ink.heading(name, style) + "  " + inked(note)]
    }
    // A stand-in for the name and the first of the two spaces behind it.
    let lead = String(repeating: "-", count: name.displayWidth + 1)
    let wrapped = "\(lead) \(note)".wrapped(to: max(20, style.width - 2))
    let beside = String(wrapped[0].dropFirst(lead.count + 1))
    return [Ink.heading(name, style) + (beside.isEmpty ? "" : "  " + inked(beside))]
      + wrapped.dropFirst().map { "  " + inked($0) }
  }
}

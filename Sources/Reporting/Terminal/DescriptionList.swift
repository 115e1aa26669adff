import Laboratory

/// A list of names with descriptions. The description is in a column beside the name, or below the name on a narrow
/// terminal.
public struct DescriptionList {
  /// Returns a list of commands as text for a terminal, each with its description.
  public static func list(_ commands: [(command: String, does: String)], _ style: TextStyle) -> String {
    let column = 4 + (commands.map(\.command.displayWidth).max() ?? 0)
    let entry = DescriptionList(column: column, style: style)
    return commands.flatMap { entry.lines($0.command, [($0.does, nil)]) }.map { $0 + "\n" }.joined()
  }

  /// The column at which the descriptions begin.
  let column: Int
  let style: TextStyle

  /// The minimum width of a description beside a name. A narrower column would contain single words.
  private static let fewestCells = 30
  private static let indent = 4

  /// Returns the lines of an entry: the name, and its descriptions in their colours.
  func lines(_ name: String, _ texts: [(says: String, color: SemanticColor?)]) -> [String] {
    let isBeside = style.width - column >= Self.fewestCells
    let indent = isBeside ? column : Self.indent
    let body = texts.filter { !$0.says.isEmpty }.flatMap { style.wrapped($0.says, $0.color, indent: indent) }
    let head = "  " + name.inLine
    guard isBeside, head.displayWidth + 2 <= column, let first = body.first else {
      return [SemanticColor.name(head, style)] + body
    }
    return [SemanticColor.name(head.padded(to: column), style) + first.dropFirst(column)] + body.dropFirst()
  }
}

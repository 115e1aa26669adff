/// The text of tables for a terminal. Columns for which there is no room are omitted.
struct TableText {
  let style: TextStyle
  /// Whether every column is included, in several parts if necessary.
  let details: Bool

  /// Returns a copy of the table that fits the terminal. The median beside a mean is omitted. Further columns are
  /// omitted in the order of ``Table/Heading/omission`` until the table fits. Texts are shortened before columns with
  /// the number ``Table/Heading/last`` are omitted. With `details`, no column is omitted.
  func fitted(_ table: Table) -> Table {
    guard !details else { return table }
    var widths = grid(table).widths
    // The ratios of the table are ratios of means, so the quotient of two medians would differ from the ratio.
    let excess = [Table.Heading.ofMedian, Table.Heading.unmissed]
    var columns = table.headings.indices.filter { table.headings[$0].omission != Table.Heading.ofMedian }
    func width() -> Int { AlignedColumns.width(of: columns.map { widths[$0] }) + 2 }
    func turn(_ column: Int) -> (Int, Int) { (table.headings[column].omission, column) }
    func omit(above least: Int) {
      while width() > style.width, let one = columns.filter({ turn($0).0 > least }).max(by: { turn($0) < turn($1) }) {
        columns.removeAll { $0 == one }
      }
    }
    omit(above: Table.Heading.last)
    let isShort = width() > style.width
    if isShort {
      widths = grid(table.shortened).widths
      omit(above: 0)
    }
    var fitted = table.keeping(columns)
    if isShort { fitted = fitted.shortened }
    let missing = table.headings.indices.filter { !columns.contains($0) }.map { table.headings[$0] }
    fitted.leftOut = missing.filter { !excess.contains($0.omission) }.map(\.title) + table.leftOut
    return fitted
  }

  private func grid(_ table: Table) -> AlignedColumns {
    AlignedColumns(
      headings: table.headings,
      rows: table.rows.map { row in
        row.cells.map { cell in
          let text = style.unicode ? cell.text : cell.plain
          // A space replaces the mark that other cells have, so that the figures are aligned.
          let hasBlank =
            table.isGrid
            && cell.facts.isDisjoint(with: [
              .key, .missing, .best, .nearBest, .undecided, .noDifference, .noisy, .unranked,
            ])
          return hasBlank ? text + " " : text
        }
      })
  }

  /// Returns the lines of a table, the part of the table that the lines contain, and whether rows or columns are
  /// omitted.
  func lines(_ table: Table) -> (lines: [String], shown: Table, isCut: Bool) {
    let grid = grid(table)
    let parts = grid.parts(keys: table.keys, within: style.width - 2)
    let shown = details ? parts[...] : parts.prefix(1)
    let note = table.keeping(Set(shown.joined()).sorted()).fittingNote
    let head = table.title.map { Heading.lines($0, note, .quiet, style) } ?? style.wrapped(note, .quiet)
    let lines = shown.enumerated().flatMap { index, columns -> [String] in
      // If a table has several parts, each part after the first part omits the rows without figures.
      let rows = table.rows.indices.filter { row in
        index == 0 && (details || table.title != nil)
          || columns.dropFirst(table.keys).contains { !table.rows[row].cells[$0].facts.contains(.missing) }
      }
      var lines = grid.keeping(columns, rows: rows).lines()
      if !lines.isEmpty { lines[0] = SemanticColor.quiet(lines[0], style) }
      for (row, line) in zip(rows, lines.indices.dropFirst()) {
        lines[line] = highlight(lines[line], table.rows[row], hasName: !table.isGrid)
      }
      return (index == 0 ? head : [""]) + lines.map { "  " + $0 }
    }
    let columns = Set(shown.joined()).sorted()
    let hidden = table.headings.indices.filter { !columns.contains($0) }
    if !hidden.isEmpty {
      let says =
        "\(hidden.count.counted("column")) hidden: \(hidden.map { table.headings[$0].title }.joined(separator: ", "))"
      let needed = AlignedColumns.width(of: grid.widths) + 2
      // Few terminals are wider.
      let remedy = needed <= 200 ? "widen to \(needed) or see --details" : "see --details"
      return (
        lines + style.wrapped("\(says); \(remedy)", .quiet, indent: 2),
        table.keeping(columns), true
      )
    }
    return (lines, table.keeping(columns), shown.count < parts.count || !details && !table.leftOut.isEmpty)
  }

  private func highlight(_ line: String, _ row: Table.Row, hasName: Bool) -> String {
    guard style.color else { return line }
    // In a list, the first column contains the variant.
    let name = hasName ? row.cells.first?.text.inLine ?? "" : ""
    let color: SemanticColor = row.needsCare ? .care : .name
    return color(name, style)
      + line.dropFirst(name.count).replacing("faster", with: SemanticColor.good("faster", style)).replacing(
        "slower", with: SemanticColor.care("slower", style))
  }
}

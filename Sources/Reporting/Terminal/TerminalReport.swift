import Laboratory
import Measurement
import Platform

/// Results for a person at a terminal.
public struct TerminalReport: Sendable {
  private let style: TextStyle

  /// A report that looks like this.
  public init(_ style: TextStyle) { self.style = style }

  /// Several results, an empty line between them.
  public func render(_ readings: [Reading]) -> String { readings.map(render).joined(separator: "\n") }

  /// Heading, tables, distributions, outcomes, claims, findings and warnings, in that order.
  public func render(_ reading: Reading) -> String {
    var sections = [heading(reading)]
    let tables = reading.tables.map(fitted)
    sections += tables.map(lines)
    sections.append(
      reading.footnotes(tables).flatMap { wrapped(style.unicode ? $0 : Signs.plain($0), .quiet, indent: 2) })
    sections += reading.seeksBest ? [sweep(reading)] : reading.distributions.map { distribution($0, reading) }
    sections.append(section("outcomes", reading.outcomes.flatMap { item($0, .care) }))
    sections.append(section("claims", reading.claims.flatMap(claim)))
    sections.append(section("findings", reading.document.findings.flatMap { item($0.says, nil) }))
    sections.append(section("warnings", reading.document.warnings.flatMap { item($0.says, .care) }))
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private func heading(_ reading: Reading) -> [String] {
    let scenario = reading.document.scenario
    let room = max(1, style.width - scenario.name.displayWidth - 2)
    var lines = [Ink.heading(scenario.name, style) + "  " + scenario.title.clipped(to: room, style)]
    lines += wrapped(scenario.source, .quiet)
    if !reading.settings.isEmpty { lines += wrapped(reading.settings, nil) }
    lines += wrapped(reading.facts.joined(separator: ", "), .quiet)
    return lines + (reading.command.map { wrapped($0, .quiet) } ?? [])
  }

  // MARK: Tables

  /// The table without the columns that there is no room for, as far as leaving them out can make room.
  private func fitted(_ table: Table) -> Table {
    let widths = grid(table).widths
    var columns = Array(table.headings.indices)
    func width() -> Int { TextGrid.width(of: columns.map { widths[$0] }) + 2 }
    while width() > style.width,
      let least = columns.filter({ table.headings[$0].rank > 0 }).max(by: {
        table.headings[$0].rank < table.headings[$1].rank
      })
    {
      columns.removeAll { $0 == least }
    }
    return table.keeping(columns)
  }

  private func grid(_ table: Table) -> TextGrid {
    TextGrid(
      headings: table.headings,
      rows: table.rows.map { row in
        row.cells.map { cell in
          let text = style.unicode ? cell.text : cell.plain
          // A blank where others have a mark, so that the figures line up.
          let hasBlank = table.isGrid && cell.facts.isDisjoint(with: [.key, .missing, .best, .nearBest])
          return hasBlank ? text + " " : text
        }
      })
  }

  private func lines(_ table: Table) -> [String] {
    let grid = grid(table)
    let head = table.title.map { title($0, table.note) } ?? Ink.quiet(table.note.clipped(to: style.width, style), style)
    return parts(of: table, grid.widths).enumerated().flatMap { index, columns -> [String] in
      // A row that has nothing in a further part needs no place in it.
      let rows = table.rows.indices.filter { row in
        index == 0
          || columns.dropFirst(table.keys).contains { !table.rows[row].cells[$0].facts.contains(.missing) }
      }
      var lines = grid.keeping(columns, rows: rows).lines()
      if !lines.isEmpty { lines[0] = Ink.quiet(lines[0], style) }
      for (row, line) in zip(rows, lines.indices.dropFirst()) {
        lines[line] = highlight(lines[line], table.rows[row], hasName: !table.isGrid)
      }
      return [index == 0 ? head : ""] + lines.map { "  " + $0 }
    }
  }

  /// The columns in parts that fit the width, each with those that say what a row is.
  private func parts(of table: Table, _ widths: [Int]) -> [[Int]] {
    let keys = Array(0..<table.keys)
    var parts: [[Int]] = []
    var columns = keys
    for column in table.keys..<max(table.keys, table.headings.count) {
      let wider = TextGrid.width(of: (columns + [column]).map { widths[$0] }) + 2
      if columns.count > keys.count, wider > style.width {
        parts.append(columns)
        columns = keys
      }
      columns.append(column)
    }
    return parts + [columns]
  }

  private func highlight(_ line: String, _ row: Table.Row, hasName: Bool) -> String {
    guard style.color else { return line }
    // In a list the variant is in front.
    let name = hasName ? row.cells.first?.text.inLine ?? "" : ""
    let ink: Ink = row.isBroken ? .care : .name
    return ink(name, style)
      + line.dropFirst(name.count).replacing("faster", with: Ink.good("faster", style)).replacing(
        "slower", with: Ink.care("slower", style))
  }

  // MARK: Plots

  private func sweep(_ reading: Reading) -> [String] {
    guard let sweep = reading.sweeps.first, sweep.metric.name == reading.headline?.name else { return [] }
    let plot = SweepPlot(sweep, style)
    let lines = plot.lines()
    guard !lines.isEmpty else { return [] }
    return [title("\(sweep.metric.name) by \(sweep.parameter.name)", "medians of the rounds\(plot.note)")] + lines
  }

  private func distribution(_ distribution: Distribution, _ reading: Reading) -> [String] {
    let lines = HistogramPlot(distribution, style).lines()
    guard !lines.isEmpty else { return [] }
    let note = "log scale" + (reading.document.scenario.sweep.isEmpty ? "" : ", each variant at its best point")
    return [title("distribution of \(distribution.metric.name)", note)] + lines
  }

  // MARK: What is said of the run

  private func claim(_ claim: ClaimFacts) -> [String] {
    let indent = 19
    let evidence = "\(claim.check): \(claim.evidenceText)"
    guard style.width >= 50 else {
      return ["  " + claim.verdict.text(style)] + wrapped(claim.says, nil, indent: 4)
        + wrapped(evidence, .quiet, indent: 4)
    }
    var lines = wrapped(claim.says, nil, indent: indent)
    lines[0] = "  " + claim.verdict.text(style) + "  " + lines[0].dropFirst(indent)
    return lines + wrapped(evidence, .quiet, indent: indent)
  }

  private func title(_ name: String, _ note: String) -> String {
    let room = style.width - name.displayWidth - 2
    return Ink.heading(name, style) + (room > 10 ? "  " + Ink.quiet(note.clipped(to: room, style), style) : "")
  }

  private func section(_ name: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [Ink.heading(name, style)] + lines
  }

  private func item(_ text: String, _ ink: Ink?) -> [String] {
    var lines = wrapped(text, ink, indent: 4)
    lines[0] = "  " + (ink?(style.sign("•", "-"), style) ?? style.sign("•", "-")) + " " + lines[0].dropFirst(4)
    return lines
  }

  private func wrapped(_ text: String, _ ink: Ink?, indent: Int = 0) -> [String] {
    text.wrapped(to: max(20, style.width - indent)).map { line in
      String(repeating: " ", count: indent) + (ink?(line, style) ?? line)
    }
  }
}

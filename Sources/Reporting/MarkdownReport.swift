import Laboratory
import Measurement
import TextTable

/// Results as GitHub Markdown.
public enum MarkdownReport {
  /// A section for a scenario: machine, tables, claims, findings, warnings.
  public static func render(_ results: Results) -> String {
    let tables = ResultTables(results: results)
    let machine = results.machine
    var parts = [
      "## \(escape(results.experiment.name)): \(escape(results.experiment.title))",
      "Source: \(escape(results.experiment.source))",
      "\(escape(machine.cpu ?? "unknown processor")), \(machine.cores) cores, \(machine.os) \(machine.kernel), "
        + "seed \(results.seed), noise floor \(Quantity(machine.floor, .nanoseconds))",
    ]
    let shown =
      tables.isGrid
      ? tables.grids : [tables.headline(width: .max), tables.others].compactMap(\.self)
    for table in shown {
      parts.append("**\(escape(table.title))**: \(escape(table.note))")
      parts.append(grid(table.headings, table.rows))
    }
    if !tables.footnotes.isEmpty { parts.append(list(tables.footnotes)) }
    if !tables.outcomes.isEmpty { parts.append("**Outcomes**\n\n" + list(tables.outcomes)) }
    let claims = results.judgements.map {
      [$0.verdict.rawValue, $0.claim.says, "`\($0.claim.check.text)`", $0.evidenceText]
    }
    if !claims.isEmpty {
      parts.append(grid(["verdict", "claim", "check", "evidence"].map { TextGrid.Heading($0, .left) }, claims))
    }
    if !results.findings.isEmpty { parts.append("**Findings**\n\n" + list(results.findings.map(\.says))) }
    if !results.warnings.isEmpty { parts.append("**Warnings**\n\n" + list(results.warnings.map(\.says))) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  static func grid(_ headings: [TextGrid.Heading], _ rows: [[String]]) -> String {
    TextGrid(
      headings: headings.map { .init(escape($0.title), $0.side) }, rows: rows.map { $0.map(escape) }
    ).lines(style: Style.pipe).joined(separator: "\n")
  }

  static func list(_ items: [String]) -> String { items.map { "- " + escape($0) }.joined(separator: "\n") }

  /// A `|` would end a table's cell, and TextTable leaves it as it is.
  static func escape(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("\n", with: " ")
  }
}

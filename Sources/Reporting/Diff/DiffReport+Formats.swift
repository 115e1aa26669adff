import Laboratory
import Measurement

/// The formats of a report on a diff other than text.
extension DiffReport {
  /// The diff as GitHub Markdown.
  public var markdown: String {
    let parts =
      MarkdownReport.texts(head)
      + tables.map { title, rows in
        MarkdownReport.section(
          title, MarkdownReport.grid(Self.headings, rows.map { cells($0, unicode: true).map(MarkdownReport.escape) }))
      } + legend(diff.rows, hasIntervals: true, hasSides: true).map(MarkdownReport.escape)
      + notes(.max).map { title, items in MarkdownReport.section(title, MarkdownReport.list(items)) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// The diff as a self-contained HTML page.
  public var html: String {
    let tables = tables.map { title, rows in
      let body = rows.map { row -> Markup in
        let cells = self.cells(row, unicode: true)
        let figures = cells.dropFirst().map { "<td>\($0)</td>" as Markup }
        return "<tr class=\"\(color(row)?.tone ?? "none")\"><th>\(cells[0])</th>\(figures)</tr>\n"
      }
      return """
        <h2>\(title)</h2>
        <div class="scroll"><table><thead><tr>\(Self.headings.map { "<th>\($0.title)</th>" as Markup })</tr></thead><tbody>
        \(body)</tbody></table></div>

        """ as Markup
    }
    let legend = legend(diff.rows, hasIntervals: true, hasSides: true).map { Line($0, .quiet) }
    return HTMLReport.page(
      "diff",
      """
      <h1>diff <small>\(scenario ?? "\(Set(diff.rows.map(\.scenario)).count) scenarios")</small></h1>
      \(HTMLReport.paragraphs(head))\(tables)\(HTMLReport.paragraphs(legend))\
      \(notes(.max).map { HTMLReport.list($0, $1) })
      """)
  }

  /// The diff as CSV (RFC 4180), with one row for each figure.
  public var csv: String {
    CSVReport.table(
      [
        [
          "scenario", "run", "metric", "unit", "old", "new", "ratio", "low", "high", "change", "old runs", "new runs",
          "reason",
        ]
      ]
        + diff.rows.map { row in
          [
            row.scenario, row.label, row.metric, row.unit.rawValue, CSVReport.number(row.old),
            CSVReport.number(row.new),
          ]
            + [row.ratio?.estimate, row.ratio?.low, row.ratio?.high].map { $0.map(CSVReport.number) ?? "" }
            + [row.change.rawValue, "\(row.runs.old)", "\(row.runs.new)", row.reason ?? ""]
        })
  }

  /// Returns the diff as JSON, schema `gcdlab.diff/2`.
  ///
  /// - Throws: `EncodingError` if a figure is not finite. The figures of a diff are finite.
  public func json() throws -> String {
    struct Row: Encodable {
      let scenario, run, metric: String
      let unit: Unit
      let old, new: Number
      let ratio, low, high: Number?
      let change: ResultDiff.Change
      let reason: String?
      let oldRuns, newRuns: Int
      let failed: Bool
    }
    struct Verdicts: Encodable {
      let scenario, says: String
      let old, new: Verdict
    }
    struct Judged: Encodable {
      let limit: Double
      let status: Int32
      let worse, undecided: [String]
    }
    struct Document: Encodable {
      var schema = "gcdlab.diff/2"
      let confidence = ConfidenceInterval.confidenceOfRuns
      let rows: [Row]
      let gate: Judged?
      let verdicts: [Verdicts]
      let missing, added, cautions: [String]
    }
    let rows = diff.rows.map { row in
      Row(
        scenario: row.scenario, run: row.label, metric: row.metric, unit: row.unit, old: .init(row.old),
        new: .init(row.new), ratio: row.ratio.map { .init($0.estimate) }, low: row.ratio.map { .init($0.low) },
        high: row.ratio.map { .init($0.high) }, change: row.change, reason: row.reason,
        oldRuns: row.runs.old, newRuns: row.runs.new, failed: hasFailed(row))
    }
    let document = Document(
      rows: rows,
      gate: judgement.map { .init(limit: $0.limit, status: $0.status, worse: $0.worse, undecided: $0.undecided) },
      verdicts: diff.verdicts.map {
        .init(scenario: $0.scenario, says: $0.says, old: $0.old.verdict, new: $0.new.verdict)
      },
      missing: diff.missing.map(\.description), added: diff.added.map(\.description),
      cautions: diff.otherCircumstances + [diff.otherLoad, diff.otherSettings].compactMap(\.self) + diff.cautions)
    return try JSONReport.pretty(document)
  }

  private var tables: [(title: String, rows: [ResultDiff.Row])] {
    diff.rows.grouped { "\($0.scenario): \($0.metric)" }.map { title, rows in (title: title, rows: rows) }
  }

  private static let headings =
    [Table.Heading("variant", .left)]
    + ["old", "new", "change"].map { Table.Heading($0) } + [Table.Heading("", .left)]
}

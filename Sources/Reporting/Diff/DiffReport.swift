import Laboratory
import Measurement

/// A diff for a terminal, as Markdown, as tidy CSV and as JSON.
public struct DiffReport: Sendable {
  private let diff: ResultDiff
  /// From which share a change to the worse fails, and what does; nil where it is not asked for.
  private let gate: Gate?

  /// A report of `diff`.
  public init(_ diff: ResultDiff, gate: Gate?) {
    self.diff = diff
    self.gate = gate
  }

  /// For a terminal: a table a scenario and metric, then what is not in it.
  public func text(_ style: TextStyle) -> String {
    var sections = tables.map { title, rows -> String in
      let grid = TextGrid(headings: Self.headings, rows: rows.map { cells($0, unicode: style.unicode) })
      let lines = grid.parts(keys: 1, within: style.width - 2).flatMap { columns in
        zip(0..., grid.keeping(columns, rows: Array(rows.indices)).lines()).map { index, line in
          index == 0 ? Ink.quiet("  " + line, style) : "  " + (ink(rows[index - 1])?(line, style) ?? line)
        }
      }
      return ([Ink.heading(title, style)] + lines + reasons(rows, style)).joined(separator: "\n")
    }
    sections += notes.map { title, items in
      let lines = items.flatMap { item in
        item.wrapped(to: max(20, style.width - 4)).enumerated().map { index, line in
          "  " + (index == 0 ? style.sign("•", "-") : " ") + " " + line
        }
      }
      return ([Ink.heading(title, style)] + lines).joined(separator: "\n")
    }
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// As GitHub Markdown.
  public var markdown: String {
    let parts =
      tables.map { title, rows in
        "**\(MarkdownReport.escape(title))**\n\n"
          + MarkdownReport.grid(Self.headings, rows.map { cells($0, unicode: true).map(MarkdownReport.escape) })
      } + notes.map { title, items in "**\(title)**\n\n" + MarkdownReport.list(items) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// As CSV (RFC 4180), one row a figure.
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

  /// As JSON, schema `gcdlab.diff/2`.
  ///
  /// - Throws: `EncodingError`, which no diff can cause: its figures are finite.
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
      gate: gate.map { .init(limit: $0.limit, status: $0.status, worse: $0.worse, undecided: $0.undecided) },
      verdicts: diff.verdicts.map { .init(scenario: $0.scenario, says: $0.says, old: $0.old, new: $0.new) },
      missing: diff.missing, added: diff.added, cautions: diff.cautions)
    return try JSONReport.pretty(document)
  }

  private func hasFailed(_ row: ResultDiff.Row) -> Bool {
    gate.map { row.isWorse(byMoreThan: $0.limit) } ?? false
  }

  private var tables: [(title: String, rows: [ResultDiff.Row])] {
    var tables: [(title: String, rows: [ResultDiff.Row])] = []
    for row in diff.rows {
      let title = "\(row.scenario): \(row.metric)"
      if let index = tables.firstIndex(where: { $0.title == title }) {
        tables[index].rows.append(row)
      } else {
        tables.append((title, [row]))
      }
    }
    return tables
  }

  private static let headings =
    [Table.Heading("variant", .left)]
    + ["old", "new", "change"].map { Table.Heading($0) } + [Table.Heading("", .left)]

  private func cells(_ row: ResultDiff.Row, unicode: Bool) -> [String] {
    let change = row.ratio.map { ratio -> String in
      let (low, high) = (Quantity.change(ratio.low), Quantity.change(ratio.high))
      let interval = "\(Quantity.change(ratio.estimate)) [\(low) \(Signs.range) \(high)]"
      return unicode ? interval : Signs.plain(interval)
    }
    let isSame = row.ratio == nil && row.old == row.new && row.change == .none
    return [
      row.label, Quantity(row.old, row.unit).description, Quantity(row.new, row.unit).description, change ?? "-",
      hasFailed(row) ? "worse: above the limit" : isSame ? "the same" : row.change.rawValue,
    ]
  }

  /// Why it cannot be told, once for all rows that share a reason.
  private func reasons(_ rows: [ResultDiff.Row], _ style: TextStyle) -> [String] {
    let reasons = rows.filter { $0.reason != nil && !hasFailed($0) }.grouped { $0.reason ?? "" }
    return reasons.flatMap { reason, of in
      let which = of.count == rows.count ? of[0].change.rawValue : of.map(\.label).joined(separator: ", ")
      return "\(which): \(reason)".wrapped(to: max(20, style.width - 2)).map { "  " + Ink.quiet($0, style) }
    }
  }

  private func ink(_ row: ResultDiff.Row) -> Ink? {
    switch row.change {
    case .better: .good
    case .worse: hasFailed(row) ? .bad : .care
    case .different, .none, .unknown: nil
    }
  }

  private var notes: [(title: String, items: [String])] {
    var summary: [String] = []
    if let gate {
      let limit = "\(Quantity.number(gate.limit * 100)) %"
      switch gate.status {
      case 0: summary.append("nothing became worse by more than \(limit)")
      case 1: summary.append("worse than is allowed: see above")
      default: summary.append("it cannot be told whether anything became worse by more than \(limit)")
      }
    }
    if diff.rows.contains(where: { $0.ratio != nil }) {
      let counts = Set(diff.rows.flatMap { [$0.runs.old, $0.runs.new] }).sorted().map(String.init)
      summary.append(
        "in brackets the interval of the change, 95 % for the whole table; a run is one observation, however many rounds "
          + "it has, and there are \(counts.joined(separator: " or ")) a side")
    }
    let verdicts = diff.verdicts.map { "\($0.scenario): \($0.says) was \($0.old.rawValue), is \($0.new.rawValue)" }
    return [
      ("verdicts that changed", verdicts), ("missing now", diff.missing), ("new", diff.added),
      ("worse", gate?.worse ?? []), ("could not be judged", gate?.undecided ?? []),
      ("read with care", diff.cautions), ("summary", summary),
    ].filter { !$0.1.isEmpty }
  }
}

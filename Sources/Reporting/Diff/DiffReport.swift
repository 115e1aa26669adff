import FoundationEssentials
import Laboratory
import Measurement

/// A diff for a terminal, as Markdown, as tidy CSV and as JSON.
public struct DiffReport: Sendable {
  private let diff: ResultDiff
  /// The share from which a change to the worse fails; nil for none.
  private let threshold: Double?

  /// A report of `diff`.
  public init(_ diff: ResultDiff, failAbove threshold: Double?) {
    self.diff = diff
    self.threshold = threshold
  }

  /// The rows that became worse by more than the threshold.
  public var failures: [ResultDiff.Row] {
    threshold.map { share in diff.rows.filter { $0.isWorse(byMoreThan: share) } } ?? []
  }

  /// For a terminal: a table a scenario and metric, then what is not in it.
  public func text(_ style: TextStyle) -> String {
    var sections = tables.map { title, rows -> String in
      let lines = TextGrid(headings: Self.headings, rows: rows.map { cells($0, unicode: style.unicode) }).lines()
      let body = zip(lines.dropFirst(), rows).map { line, row in "  " + (ink(row)?(line, style) ?? line) }
      return ([Ink.heading(title, style)] + lines.prefix(1).map { Ink.quiet("  " + $0, style) } + body)
        .joined(separator: "\n")
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
          + MarkdownReport.grid(Self.headings, rows.map { cells($0, unicode: true) })
      } + notes.map { title, items in "**\(title)**\n\n" + MarkdownReport.list(items) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// As CSV (RFC 4180), one row a figure.
  public var csv: String {
    CSVReport.table(
      [["scenario", "run", "metric", "unit", "old", "new", "ratio", "low", "high", "change"]]
        + diff.rows.map { row in
          [
            row.scenario, row.label, row.metric, row.unit.rawValue, CSVReport.number(row.old),
            CSVReport.number(row.new),
          ]
            + [row.ratio?.estimate, row.ratio?.low, row.ratio?.high].map { $0.map(CSVReport.number) ?? "" }
            + [row.change.rawValue]
        })
  }

  /// As JSON, schema `gcdlab.diff/1`.
  ///
  /// - Throws: `EncodingError`, which no diff can cause: its figures are finite.
  public func json() throws -> String {
    struct Row: Encodable {
      let scenario, run, metric: String
      let unit: Unit
      let old, new: ResultDocument.Number
      let ratio, low, high: ResultDocument.Number?
      let change: ResultDiff.Change
      let failed: Bool
    }
    struct Verdicts: Encodable {
      let scenario, says: String
      let old, new: Verdict
    }
    struct Document: Encodable {
      var schema = "gcdlab.diff/1"
      let rows: [Row]
      let verdicts: [Verdicts]
      let missing, added, cautions: [String]
    }
    let rows = diff.rows.map { row in
      Row(
        scenario: row.scenario, run: row.label, metric: row.metric, unit: row.unit, old: .init(row.old),
        new: .init(row.new), ratio: row.ratio.map { .init($0.estimate) }, low: row.ratio.map { .init($0.low) },
        high: row.ratio.map { .init($0.high) }, change: row.change, failed: hasFailed(row))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let document = Document(
      rows: rows,
      verdicts: diff.verdicts.map { .init(scenario: $0.scenario, says: $0.says, old: $0.old, new: $0.new) },
      missing: diff.missing, added: diff.added, cautions: diff.cautions)
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }

  private func hasFailed(_ row: ResultDiff.Row) -> Bool { threshold.map { row.isWorse(byMoreThan: $0) } ?? false }

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
    [TextGrid.Heading("variant", .left)]
    + ["old", "new", "change"].map { TextGrid.Heading($0) } + [TextGrid.Heading("", .left)]

  private func cells(_ row: ResultDiff.Row, unicode: Bool) -> [String] {
    let change = row.ratio.map { ratio in
      let percent = 100 * (ratio.estimate - 1)
      let text =
        ratio.estimate > 10
        ? Quantity.ratio(ratio.estimate) + "x"
        : (percent < 0 ? "" : "+") + Quantity.fixed(percent, decimals: 1) + " %"
      return text + " " + ratio.margin(unicode: unicode)
    }
    let word = hasFailed(row) ? "worse: above the limit" : row.change.rawValue
    return [
      row.label, Quantity(row.old, row.unit).description, Quantity(row.new, row.unit).description, change ?? "-", word,
    ]
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
    if let threshold {
      let count = failures.count
      let limit = "\(Quantity.number(threshold * 100)) %"
      summary.append(
        count == 0
          ? "nothing became worse by more than \(limit)"
          : "\(count) figure\(count == 1 ? "" : "s") became worse by more than \(limit)")
    }
    if !diff.rows.isEmpty {
      summary.append("± is half the 99 % interval of the change; rounds of different runs are not paired")
    }
    let verdicts = diff.verdicts.map { "\($0.scenario): \($0.says) was \($0.old.rawValue), is \($0.new.rawValue)" }
    return [
      ("verdicts that changed", verdicts), ("missing now", diff.missing), ("new", diff.added),
      ("read with care", diff.cautions), ("summary", summary),
    ].filter { !$0.1.isEmpty }
  }
}

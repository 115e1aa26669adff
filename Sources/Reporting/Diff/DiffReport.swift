import Laboratory
import Measurement

/// A report on a diff: as text for a terminal, as an HTML page, as Markdown, as tidy CSV and as JSON.
public struct DiffReport: Sendable {
  private let diff: ResultDiff
  /// The judgement of `--fail-above`; nil without this option.
  private let judgement: DiffJudgement?

  /// Creates a report on a diff.
  ///
  /// - Parameter judgement: the judgement of `--fail-above`; nil without this option.
  public init(_ diff: ResultDiff, judgement: DiffJudgement?) {
    self.diff = diff
    self.judgement = judgement
  }

  /// The maximum numbers of rows, and of notes of one kind, in a report without details.
  private static let (mostRows, mostItems) = (20, 5)

  /// Returns the diff as text for a terminal: the runs that are compared, the number of figures for each kind of
  /// change, a line for each changed figure, the worst first, and notes.
  ///
  /// If no change is significant, the text contains the largest changes with their intervals.
  ///
  /// - Parameters:
  ///   - style: the style of the text.
  ///   - details: whether every figure has a line.
  public func text(_ style: TextStyle, details: Bool = false) -> String {
    let changed = diff.rows.filter { details || $0.change.isSignificant || hasFailed($0) }.sorted { $0.rank < $1.rank }
    let shown = Array(details ? changed[...] : changed.prefix(Self.mostRows))
    // If no change is significant, the largest changes show how far the runs are from a decision.
    let undecided =
      changed.isEmpty
      ? Array(diff.rows.filter { $0.ratio != nil }.sorted { $0.rank.1 < $1.rank.1 }.prefix(Self.mostItems)) : []
    let hasIntervals =
      details || style.width >= Self.widthOfIntervals || !undecided.isEmpty && style.width >= Self.widthOfSides
    // Without room for a line for each figure, the interval is omitted first, then the old and the new figure. A report
    // with details omits nothing, and a wide table continues below.
    let hasSides = details || style.width >= (hasIntervals ? Self.widthOfIntervals : Self.widthOfSides)
    let sections =
      [
        head.flatMap(style.wrapped),
        // Without a significant change, the reasons are more important than the table, and precede it.
        (undecided.isEmpty ? [] : reasons(style))
          + table(shown + undecided, hasIntervals: hasIntervals, hasSides: hasSides, isWhole: details, style)
          + (changed.count > shown.count ? [more(changed.count - shown.count, style)] : [])
          + (undecided.isEmpty || undecided.count == diff.rows.count
            ? [] : style.wrapped("the largest changes; --details shows all \(diff.rows.count)", .quiet, indent: 2))
          + (undecided.isEmpty ? reasons(style) : []),
        byRounds.map { style.wrapped($0) } ?? [],
        legend(shown + undecided, hasIntervals: hasIntervals, hasSides: hasSides).flatMap { style.wrapped($0, .quiet) },
      ] + notes(details ? .max : Self.mostItems).map { style.section($0, $1.flatMap { style.item($0) }) }
    return TextStyle.text(sections)
  }

  private func more(_ count: Int, _ style: TextStyle) -> String {
    SemanticColor.quiet("  and \(count) more; see --details", style)
  }

  /// The lines at the beginning: a line for each side, `old: 3 runs, 2026-11-20 10:00 to 11:00 UTC`, the answers of two
  /// comparisons, a line about parameters that differ, if there are any, and the number of figures for each kind of
  /// change.
  private var head: [Line] {
    let common = scenario.map { ([$0] + [variant, metric].compactMap(\.self)).joined(separator: " ") }
    let name = common.map { "\($0): " } ?? ""
    let sides = [Line("old: \(diff.sides.old)", .quiet), Line("new: \(diff.sides.new)", .quiet)]
    let settings = diff.otherSettings.map { Line("not the same work: \($0)", .care) }
    let answers = diff.answers.map { old, new in
      old == new ? [Line("the same answer: \(new)")] : [Line("the old answer: \(old)"), Line("the new answer: \(new)")]
    }
    return sides + (answers ?? []) + [settings, Line(name + counts, .heading)].compactMap(\.self)
  }

  /// The scenario that all rows share; nil if there are several scenarios. The text names a shared scenario only once.
  private var scenario: String? {
    let all = Set(diff.rows.map(\.scenario))
    return all.count == 1 ? all.first : nil
  }

  /// The metric that all rows share; nil if there are several metrics. The text names a shared metric only once.
  private var metric: String? {
    let all = Set(diff.rows.map(\.metric))
    return all.count == 1 ? all.first : nil
  }

  /// The variant that all rows share; nil if there are several variants, or if the label of a row contains no settings.
  /// The text names a shared variant only once.
  private var variant: String? {
    let names = Set(diff.rows.map { $0.label.prefix { $0 != "[" } })
    return names.count == 1 && diff.rows.allSatisfy { $0.label.hasSuffix("]") } ? names.first.map(String.init) : nil
  }

  /// Returns the name of a row without the parts that the head of the text contains.
  private func name(of row: ResultDiff.Row) -> String {
    guard scenario != nil else { return row.name }
    let label = variant.map { row.label.dropFirst($0.count + 1).dropLast() } ?? row.label[...]
    return metric == nil ? "\(label) \(row.metric)" : String(label)
  }

  /// Returns the words for the change of a row. Reports count rows by these words.
  private func words(_ row: ResultDiff.Row) -> String {
    hasFailed(row) ? "above the limit" : row.isSame ? "the same" : row.change.words
  }

  /// The number of figures for each kind of change: `40 figures: 3 regressed, 2 improved, 35 with no change above
  /// 10 %`.
  private var counts: String {
    let all = diff.rows.sorted { $0.rank < $1.rank }.grouped(by: words)
    guard let first = all.first else { return "no figure that both sides have" }
    if diff.rows.count == 1 { return "1 figure: \(first.0)" }
    let counts = all.map { words, rows in
      "\(all.count == 1 ? "all" : "\(rows.count)") \(words.hasPrefix("no ") ? "with " : "")\(words)"
    }
    return "\(diff.rows.count) figures: " + counts.joined(separator: ", ")
  }

  /// The minimum width of a terminal for a table with the intervals of changes.
  private static let widthOfIntervals = 110
  /// The minimum width of a terminal for a table with the old and the new figures.
  private static let widthOfSides = 60

  /// Returns lines that explain the figures and the intervals of some rows.
  private func legend(_ rows: [ResultDiff.Row], hasIntervals: Bool, hasSides: Bool) -> [String] {
    guard !rows.isEmpty else { return [] }
    let kinds: [(Metric.Kind, String)] = [
      (.latency, "median durations"), (.count, "counts"), (.rate, "mean rates"),
    ]
    let names = kinds.filter { kind, _ in rows.contains { $0.kind == kind } }.map(\.1).joined(separator: ", ")
    var legend = [
      "\(hasSides ? "old, new" : "change"): \(hasSides ? "" : "of the ")\(names) of the trials, averaged over rounds and runs by the "
        + "geometric mean (by the median if one is 0)"
    ]
    if rows.contains(where: { $0.ratio != nil }) {
      let runs = Set(rows.flatMap { [$0.runs.old, $0.runs.new] }).sorted().map(String.init).joined(separator: " or ")
      let intervals =
        "simultaneous \(Quantity(100 * ConfidenceInterval.confidenceOfRuns, .percent)) confidence intervals"
      legend.append(
        (hasIntervals ? "[low \(Signs.range) high]: \(intervals) of the change" : "significant: by \(intervals)")
          + "; each run is one observation, however many rounds it has; runs per side: \(runs)")
    }
    if diff.metricsLeftOut > 0 {
      legend.append("not compared: \(diff.metricsLeftOut) more metrics; --metric NAME or --metric all compares them")
    }
    return legend
  }

  private func table(
    _ rows: [ResultDiff.Row], hasIntervals: Bool, hasSides: Bool, isWhole: Bool, _ style: TextStyle
  ) -> [String] {
    guard !rows.isEmpty else { return [] }
    let columns = hasSides ? [0, 1, 2, 3, 4] : [0, 1, 4]
    func cells(_ row: ResultDiff.Row, _ room: Int) -> [String] {
      let cells = self.cells(row, unicode: style.unicode)
      let change = hasIntervals ? cells[3] : row.ratio.map { Quantity.change($0.estimate) } ?? "-"
      let all = [cells[4], name(of: row).shortened(to: room, style), cells[1], cells[2], change]
      return columns.map { all[$0] }
    }
    let headings = columns.map {
      [
        Table.Heading("", .left), .init(scenario != nil && metric != nil ? "run" : "figure", .left), .init("old"),
        .init("new"), .init("change"),
      ][$0]
    }
    let bare = AlignedColumns(headings: headings, rows: rows.map { cells($0, 6) }).widths
    let room = isWhole ? Int.max : max(6, style.width - 2 - AlignedColumns.width(of: bare) + bare[1])
    let grid = AlignedColumns(headings: headings, rows: rows.map { cells($0, room) })
    return grid.parts(keys: 2, within: style.width - 2).flatMap { columns in
      zip(0..., grid.keeping(columns, rows: Array(rows.indices)).lines()).map { index, line in
        index == 0 ? SemanticColor.quiet("  " + line, style) : "  " + (color(rows[index - 1])?(line, style) ?? line)
      }
    }
  }

  /// Returns the reasons why changes cannot be judged. Each reason is listed once, with the number of figures that have
  /// this reason.
  private func reasons(_ style: TextStyle) -> [String] {
    let unjudged = diff.rows.filter { $0.reason != nil && !hasFailed($0) }
    return unjudged.grouped { $0.reason ?? "" }.flatMap { reason, rows in
      style.wrapped("\(rows.count) \(ResultDiff.Change.unknown.words): \(reason)", .quiet, indent: 2)
    }
  }

  /// A sentence about the inconclusive figures that differ by the rounds of one run per side; nil if there are no
  /// figures that the rounds can judge.
  private var byRounds: String? {
    let rows = diff.rows.compactMap { row in row.byRounds.map { (row: row, interval: $0) } }
    guard !rows.isEmpty else { return nil }
    let apart = rows.filter { $0.interval.low > 1 || $0.interval.high < 1 }
      .map { (row: $0.row, ratio: $0.interval.estimate) }.sorted {
        max($0.ratio, 1 / $0.ratio) > max($1.ratio, 1 / $1.ratio)
      }
    guard !apart.isEmpty else { return "By the rounds of these two runs alone, no inconclusive figure differs." }
    let shown = apart.prefix(Self.mostItems)
    let texts = zip(shown, Quantity.changes(shown.map(\.ratio))).map { "\(name(of: $0.row)) \($1)" }
    let more = apart.count > shown.count ? [" and \(apart.count - shown.count) more"] : []
    return "By the rounds of these two runs alone, \(apart.count) of \(rows.count) inconclusive figures differ: "
      + "\(texts.joined(separator: ", "))\(more.joined()). Two runs of one program can differ as much."
  }

  /// The diff as GitHub Markdown.
  public var markdown: String {
    let parts =
      head.map(MarkdownReport.text)
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
      verdicts: diff.verdicts.map { .init(scenario: $0.scenario, says: $0.says, old: $0.old, new: $0.new) },
      missing: diff.missing, added: diff.added, cautions: diff.cautions)
    return try JSONReport.pretty(document)
  }

  private func hasFailed(_ row: ResultDiff.Row) -> Bool {
    judgement.map { row.isWorse(byMoreThan: $0.limit) } ?? false
  }

  private var tables: [(title: String, rows: [ResultDiff.Row])] {
    diff.rows.grouped { "\($0.scenario): \($0.metric)" }.map { title, rows in (title: title, rows: rows) }
  }

  /// The maximum ratio between the ends of an interval whose ends a report shows. For a wider interval, the report
  /// shows `too wide`.
  private static let widestInterval = 1000.0

  private static let headings =
    [Table.Heading("variant", .left)]
    + ["old", "new", "change"].map { Table.Heading($0) } + [Table.Heading("", .left)]

  private func cells(_ row: ResultDiff.Row, unicode: Bool) -> [String] {
    let change = row.ratio.map { ratio -> String in
      let isWide = ratio.high / ratio.low > Self.widestInterval
      let changes = Quantity.changes([ratio.estimate] + (isWide ? [] : [ratio.low, ratio.high]))
      let interval = isWide ? "too wide" : changes.dropFirst().joined(separator: " \(Signs.range) ")
      let text = "\(changes[0]) [\(interval)]"
      return unicode ? text : Signs.plain(text)
    }
    return [
      row.label, Quantity(row.old, row.unit).description, Quantity(row.new, row.unit).description, change ?? "-",
      words(row),
    ]
  }

  private func color(_ row: ResultDiff.Row) -> SemanticColor? {
    switch row.change {
    case .better: .good
    case .worse: hasFailed(row) ? .bad : .care
    case .different, .none, .unknown: nil
    }
  }

  /// Returns the notes by title, with at most `most` items for each title.
  private func notes(_ most: Int) -> [(title: String, items: [String])] {
    var passed: [String] = []
    if let judgement {
      let limit = "\(Quantity.number(judgement.limit * 100)) %"
      switch judgement.status {
      case 0: passed = ["nothing became worse by more than \(limit)"]
      case 1: passed = ["worse than \(limit) allows, or failed: see \"regressed\""]
      default: passed = ["inconclusive: it is not known whether anything became worse by more than \(limit)"]
      }
    }
    let verdicts = diff.verdicts.map { change in
      "\(change.scenario), \(change.old.rawValue) \(Signs.arrow) \(change.new.rawValue): \(change.says) Old: "
        + "\(change.evidence.old). New: \(change.evidence.new)."
        + (change.isUndecidedOnOneSide ? " Only one side is decided, so this may be noise." : "")
    }
    return [
      ("verdicts that changed", verdicts), ("missing now", diff.missing), ("new", diff.added),
      ("regressed", judgement?.worse ?? []), ("could not be judged", judgement?.undecided ?? []),
      ("cautions", diff.cautions.filter { $0 != diff.otherSettings }), ("gate", passed),
    ].filter { !$0.1.isEmpty }.map { title, items in
      let left = items.count - most
      return (title, left > 0 ? items.prefix(most) + ["and \(left) more; see --details"] : items)
    }
  }
}

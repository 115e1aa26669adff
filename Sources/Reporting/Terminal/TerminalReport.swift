import Laboratory
import Measurement
import Platform

/// Results for a person at a terminal.
public struct TerminalReport: Sendable {
  private let style: TextStyle
  private let details: Bool

  /// Creates a report in a style. With `details`, the report shows the check of each claim, every requested metric, and
  /// the distributions of the metrics. Otherwise it has as much as a screen or two can show.
  public init(_ style: TextStyle, details: Bool = false) {
    self.style = style
    self.details = details
  }

  /// Returns several results, with an empty line between them.
  public func render(_ contents: [ReportContent]) -> String { contents.map(render).joined(separator: "\n") }

  /// The largest number of lines of a short report. It can be exceeded if leaving out what the details show is not
  /// enough.
  static let longest = 60

  /// The largest number of lines at this width. A narrow terminal needs more lines for the same words.
  private var longest: Int { style.width < 80 ? Self.longest * 80 / max(40, style.width) : Self.longest }

  /// The parts for which a short report has room: the tables, the lines of claims that neither failed nor speak against
  /// a document, and whether distributions are drawn.
  private struct Extent {
    let tables: [Table]
    var claimLines = 16
    var hasDistribution = true
  }

  /// Returns the report of one run. The answer stands first and last. Between them are its reasons: claims, findings,
  /// tables, distributions, warnings, and the facts about the run.
  public func render(_ content: ReportContent) -> String {
    guard !details else {
      return render(content, Extent(tables: content.tables + [content.costs].compactMap(\.self), claimLines: .max))
    }
    let leading = Table.leading(content.briefTables)
    var report = ""
    let shorter = [(12, true), (16, false), (12, false), (8, false), (4, false), (0, false)]
    for extent in [Extent(tables: content.briefTables), Extent(tables: leading)]
      + shorter.map({ Extent(tables: leading, claimLines: $0, hasDistribution: $1) })
    {
      report = render(content, extent)
      if report.utf8.count(where: { $0 == UInt8(ascii: "\n") }) <= longest { break }
    }
    return report
  }

  private func render(_ content: ReportContent, _ extent: Extent) -> String {
    let answer = answer(content)
    let claims = claims(content, extent.claimLines)
    var sections = [heading(content) + answer]
    sections.append(section("claims", claims.lines))
    sections.append(section("findings", content.findings.flatMap { item($0, nil) }))
    let all = content.seeksBest ? [] : content.distributions
    let distributions = details ? all : Array(all.prefix(extent.hasDistribution ? 1 : 0))
    let tables = extent.tables.map(fitted)
    let drawn = tables.map(lines)
    let explained = tables.lastIndex { !$0.facts.isDisjoint(with: [.ratio, .best]) } ?? 0
    sections += zip(tables.indices, drawn).map {
      $1.lines + ($0 == explained ? footnotes(content, drawn.map(\.shown)) : [])
    }
    sections.append(content.speedUp.map { plot($0.curve) } ?? [])
    sections += content.seeksBest ? [sweep(content)] : distributions.map(distribution)
    let traces = content.traces
    if !traces.isEmpty {
      let pictures = TraceText(style: style).render(traces.map(\.trace)).split(
        separator: "\n", omittingEmptySubsequences: false)
      sections.append(
        section("traces", pictures.map(String.init) + traces.compactMap(\.note).flatMap { item($0, .care) }))
    }
    sections.append(section("warnings", warnings(content).flatMap { item($0, .care) }))
    let isWhole = claims.isWhole && distributions.count == all.count && !drawn.contains { $0.isCut }
    sections.append(foot(content, isWhole: isWhole) + answer)
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private func heading(_ content: ReportContent) -> [String] {
    let scenario = content.document.scenario
    return Heading.lines(scenario.name, scenario.title, nil, style)
      + (content.grades.caution.map { wrapped($0, .care) } ?? [])
  }

  /// Returns the standings of the documents' sentences, the counts `13 claims: 11 held, 2 supported`, and the
  /// conclusion of the scenario.
  private func answer(_ content: ReportContent) -> [String] {
    let conclusion = content.conclusion.map { wrapped(style.unicode ? $0 : Signs.plain($0), .heading) } ?? []
    let cores = content.coresNote.map { wrapped($0, .care) } ?? []
    let documents = cores + colored(Grades.head, content.grades.parts.map { ($0.text, $0.standing.color) }, "; ")
    guard let first = content.answer.first else { return documents + conclusion }
    guard content.answer.count > 1 else { return documents + [first.text] + conclusion }
    let claims = colored("\(first.text): ", content.answer.dropFirst().map { ($0.text, $0.verdict?.color) }, ", ")
    return documents + claims + conclusion
  }

  /// Returns parts in a line, each in its colour; empty if there are none. The line is wrapped as a whole before the
  /// colours are added, so a part that continues on another line has none.
  private func colored(_ head: String, _ parts: [(text: String, color: SemanticColor?)], _ separator: String)
    -> [String]
  {
    guard !parts.isEmpty else { return [] }
    let text = head + parts.map(\.text).joined(separator: separator)
    return text.wrapped(to: max(20, style.width)).map { line in
      parts.reduce(line) { line, part in
        part.color.map { line.replacing(part.text, with: $0(part.text, style)) } ?? line
      }
    }
  }

  /// Returns the last lines: the machine, the extent and the command of the run, and how to see the rest.
  private func foot(_ content: ReportContent, isWhole: Bool) -> [String] {
    let lines = [
      details ? content.document.scenario.source : "", details ? content.settings : content.changedSettings,
      (details ? content.facts : content.briefFacts).joined(separator: ", "), content.command ?? "",
      content.sinceLast ?? "", content.grades.hint ?? "",
      isWhole ? "" : "--details shows all claims, metrics and distributions",
    ]
    return lines.filter { !$0.isEmpty }.flatMap { wrapped($0, .quiet) }
  }

  private func footnotes(_ content: ReportContent, _ tables: [Table]) -> [String] {
    content.footnotes(tables).flatMap { wrapped(style.unicode ? $0 : Signs.plain($0), .quiet, indent: 2) }
  }

  /// Returns the warnings. Outliers are a detail, since every run has some.
  private func warnings(_ content: ReportContent) -> [String] {
    content.warnings.filter { details || $0.kind != "outliers" }.map(\.says)
  }

  /// The number of distributions that have room for ticks at their percentiles.
  private static let fewSeries = 3

  // MARK: Tables

  /// Returns the table without the columns that have no room, as long as leaving out columns can make room. With
  /// `details`, no column is left out.
  private func fitted(_ table: Table) -> Table {
    guard !details else { return table }
    let widths = grid(table).widths
    var columns = Array(table.headings.indices)
    func width() -> Int { TextGrid.width(of: columns.map { widths[$0] }) + 2 }
    func rank(_ column: Int) -> (Int, Int) { (table.headings[column].rank, column) }
    while width() > style.width, let least = columns.filter({ rank($0).0 > 0 }).max(by: { rank($0) < rank($1) }) {
      columns.removeAll { $0 == least }
    }
    var fitted = table.keeping(columns)
    if width() > style.width { fitted = fitted.shortened }
    let missing = table.headings.indices.filter { !columns.contains($0) }.map { table.headings[$0] }
    fitted.leftOut = missing.filter { $0.rank != Table.Heading.unmissed }.map(\.title) + table.leftOut
    return fitted
  }

  private func grid(_ table: Table) -> TextGrid {
    TextGrid(
      headings: table.headings,
      rows: table.rows.map { row in
        row.cells.map { cell in
          let text = style.unicode ? cell.text : cell.plain
          // A blank stands where others have a mark, so that the figures are aligned.
          let hasBlank = table.isGrid && cell.facts.isDisjoint(with: [.key, .missing, .best, .nearBest, .unclear])
          return hasBlank ? text + " " : text
        }
      })
  }

  /// Returns the lines of a table, the part of the table that they show, and whether that is not all.
  private func lines(_ table: Table) -> (lines: [String], shown: Table, isCut: Bool) {
    let grid = grid(table)
    let parts = grid.parts(keys: table.keys, within: style.width - 2)
    let shown = details ? parts[...] : parts.prefix(1)
    let note = table.keeping(Set(shown.joined()).sorted()).fittingNote
    let head = table.title.map { title($0, note) } ?? wrapped(note, .quiet)
    let lines = shown.enumerated().flatMap { index, columns -> [String] in
      // A row without figures in a further part of the table is left out there.
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
      let needed = TextGrid.width(of: grid.widths) + 2
      return (
        lines + wrapped("\(says); widen to \(needed) or see --details", .quiet, indent: 2), table.keeping(columns), true
      )
    }
    return (lines, table.keeping(columns), shown.count < parts.count || !details && !table.leftOut.isEmpty)
  }

  private func highlight(_ line: String, _ row: Table.Row, hasName: Bool) -> String {
    guard style.color else { return line }
    // In a list, the variant stands in the first column.
    let name = hasName ? row.cells.first?.text.inLine ?? "" : ""
    let color: SemanticColor = row.needsCare ? .care : .name
    return color(name, style)
      + line.dropFirst(name.count).replacing("faster", with: SemanticColor.good("faster", style)).replacing(
        "slower", with: SemanticColor.care("slower", style))
  }

  // MARK: Plots

  private func sweep(_ content: ReportContent) -> [String] {
    content.sweepPlot(isBrief: !details).map(plot) ?? []
  }

  private func plot(_ sweep: SweepCurve) -> [String] {
    let plot = SweepPlot(sweep, style)
    let lines = plot.lines()
    guard !lines.isEmpty else { return [] }
    return title("\(sweep.metric.name) by \(sweep.parameter.name)", "\(sweep.figures)\(sweep.note)\(plot.note)")
      + lines
  }

  private func distribution(_ distribution: Distribution) -> [String] {
    let lines = HistogramPlot(distribution, style, ticks: details || distribution.series.count <= Self.fewSeries)
      .lines()
    guard !lines.isEmpty else { return [] }
    return title("distribution of \(distribution.metric.name)", "log scale\(distribution.note)") + lines
  }

  // MARK: What is said of the run

  /// Returns the claims. A short report has the gravest first: all that failed or speak against a document, as many of
  /// the others as `most` lines hold, and the number of those that are left out.
  private func claims(_ content: ReportContent, _ most: Int) -> (lines: [String], isWhole: Bool) {
    guard !content.claims.isEmpty else { return (content.leftOut.map { wrapped($0, .quiet, indent: 2) } ?? [], true) }
    let (told, asSaid) = details ? (content.claims, []) : content.claimsBySeverity
    let room = told.map(\.word.count).max() ?? 0
    // The foot of the report has the number of rounds.
    let rounds = details ? nil : content.rounds
    var lines: [String] = []
    var (used, shown) = (0, 0)
    for one in told {
      let text = claim(one, room, rounds)
      if !details, one.severity != .failed, one.severity != .againstDocument {
        guard used + text.count <= most else { break }
        used += text.count
      }
      lines += text
      shown += 1
    }
    let rest = ReportContent.counts(Array(told.dropFirst(shown)) + asSaid)
    if !rest.isEmpty {
      let says = (shown == 0 ? "" : "and ") + rest.map(\.text).joined(separator: ", ")
      lines += wrapped("\(says): see --details", .quiet, indent: 2)
    }
    lines += content.legend(isFull: details, of: Array(told.prefix(shown))).flatMap {
      wrapped(style.unicode ? $0 : Signs.plain($0), .quiet, indent: 2)
    }
    lines += content.leftOut.map { wrapped($0, .quiet, indent: 2) } ?? []
    return (lines, rest.isEmpty)
  }

  /// Returns a claim with its verdict and the evidence. The check is shown if it failed; otherwise the sentence says
  /// the same.
  private func claim(_ claim: ClaimFacts, _ room: Int, _ rounds: Int?) -> [String] {
    let isPlain = !details && !claim.verdict.isFailure(strict: false)
    // The verdict already says that every trial met the check.
    let figures =
      isPlain && claim.verdict == .held
      ? "" : (isPlain ? "" : "\(claim.check): ") + claim.evidenceText(unless: rounds)
    let sides = details ? claim.sides : claim.isAgainstDocument ? "against \(claim.grades.joined(separator: ", "))" : ""
    let evidence = [figures, sides].filter { !$0.isEmpty }.joined(separator: "; ")
    guard style.width >= 50 else {
      return ["  " + claim.verdictText(style)] + wrapped(claim.says, nil, indent: 4)
        + (evidence.isEmpty ? [] : wrapped(evidence, .quiet, indent: 4))
    }
    let indent = room + 6
    var lines = wrapped(claim.says, nil, indent: indent)
    lines[0] = "  " + claim.verdictText(style, room: room) + "  " + lines[0].dropFirst(indent)
    let last = claim.says.wrapped(to: max(20, style.width - indent)).last?.displayWidth ?? 0
    if evidence.isEmpty { return lines }
    guard isPlain, indent + last + 2 + evidence.displayWidth <= style.width else {
      return lines + wrapped(evidence, .quiet, indent: indent)
    }
    lines[lines.count - 1] += "  " + SemanticColor.quiet(style.unicode ? evidence : Signs.plain(evidence), style)
    return lines
  }

  private func title(_ name: String, _ note: String) -> [String] { Heading.lines(name, note, .quiet, style) }

  private func section(_ name: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [SemanticColor.heading(name, style)] + lines
  }

  private func item(_ text: String, _ color: SemanticColor?) -> [String] {
    var lines = wrapped(text, color, indent: 4)
    lines[0] = "  " + (color?(style.sign("•", "-"), style) ?? style.sign("•", "-")) + " " + lines[0].dropFirst(4)
    return lines
  }

  private func wrapped(_ text: String, _ color: SemanticColor?, indent: Int = 0) -> [String] {
    text.wrapped(to: max(20, style.width - indent)).map { line in
      String(repeating: " ", count: indent) + (color?(line, style) ?? line)
    }
  }
}

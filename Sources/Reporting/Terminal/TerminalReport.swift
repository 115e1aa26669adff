import Laboratory
import Measurement
import Platform

/// A report on results as text for a terminal.
public struct TerminalReport: Sendable {
  private let style: TextStyle
  private let details: Bool

  /// Creates a report in a style.
  ///
  /// - Parameters:
  ///   - style: the style of the text.
  ///   - details: whether the report contains the check of each claim, every requested metric, and the distributions of
  ///     the metrics. Without details, the report is at most two screens long in most cases.
  public init(_ style: TextStyle, details: Bool = false) {
    self.style = style
    self.details = details
  }

  /// Returns the reports on several runs, with an empty line between them.
  public func render(_ contents: [ReportContent]) -> String { contents.map(render).joined(separator: "\n") }

  /// The maximum number of lines of a short report on a terminal of 80 columns or more. A report is longer only if it
  /// exceeds this number even without the parts that can be omitted.
  static let longest = 60

  /// The maximum number of lines of a short report at the width of the terminal. A text has more lines on a narrow
  /// terminal than on a wide terminal.
  private var longest: Int { style.width < 80 ? Self.longest * 80 / max(40, style.width) : Self.longest }

  /// The extent of a short report: its tables, the maximum number of lines for claims that neither failed nor speak
  /// against a document, and whether distributions are included.
  private struct Extent {
    let tables: [Table]
    var claimLines = 16
    var hasDistribution = true
  }

  /// Returns the report on one run. The answer is first, followed by claims, findings, tables, distributions, warnings,
  /// and the facts about the run. A long report ends with a summary of the answer. The answer of a comparison is at the
  /// end, directly below the tables; a long report also begins with its decision.
  public func render(_ content: ReportContent) -> String {
    guard !details else {
      return render(content, Extent(tables: content.detailedTables, claimLines: .max))
    }
    let leading = Table.leading(content.briefTables, with: content.document.metricsOfFailingClaims)
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
    var isWhole = true
    var sections: [[String]] = []
    // The hints mention omitted parts, which are known once all parts are rendered.
    var (answer, foot): ([String], Int) = ([], 0)
    for part in content.parts(isBrief: !details) {
      switch part {
      case .head(let name, let question, let lines):
        sections.append(Heading.lines(name, question, nil, style))
        answer = (content.isComparison ? lines : content.summary).flatMap(style.wrapped)
        if !content.isComparison { sections[0] += lines.flatMap(style.wrapped) }
      case .claims:
        let claims = claims(content, extent.claimLines)
        isWhole = isWhole && claims.isWhole
        sections.append(style.section("claims", claims.lines))
      case .list(let title, let items, let color):
        sections.append(style.section(title, items.flatMap { style.item($0, color) }))
      case .tables:
        let tables = tables(content, extent.tables)
        isWhole = isWhole && tables.isWhole
        sections += tables.sections
      case .plots:
        let plots = plots(content, extent)
        isWhole = isWhole && plots.isWhole
        sections += plots.sections
      case .traces: sections.append(traces(content))
      case .foot(let lines):
        foot = sections.endIndex
        sections.append(lines.flatMap(style.wrapped))
      case .picture, .lesson, .code: break
      }
    }
    sections[foot] += hints(content, isWhole: isWhole)
    let isLong = TextStyle.text(sections).utf8.count { $0 == UInt8(ascii: "\n") } > Self.screen
    if content.isComparison {
      sections[0] += ([content.coresLine].compactMap(\.self) + content.decision).flatMap(style.wrapped)
    }
    return TextStyle.text(isLong || content.isComparison ? sections + [answer] : sections)
  }

  /// The number of lines that most terminals show.
  private static let screen = 24

  /// Returns hints: the changes since the last run, a command that shows a sentence that is not borne out, the
  /// command that explains the variants and the metrics, and the option that shows omitted parts.
  ///
  /// - Parameter isWhole: whether the report omits nothing.
  private func hints(_ content: ReportContent, isWhole: Bool) -> [String] {
    let hints = [
      content.sinceLast, content.standings.hint,
      content.document.isBuiltIn
        ? "\(Tool.command) explain \(content.document.scenarioName) explains the variants and the columns" : nil,
      isWhole ? nil : "--details shows all \(content.isComparison ? "" : "claims, ")metrics and distributions",
    ]
    return hints.compactMap(\.self).flatMap { style.wrapped($0, .quiet) }
  }

  private func traces(_ content: ReportContent) -> [String] {
    let traces = content.traces
    guard !traces.isEmpty else { return [] }
    let pictures = TraceText(style: style).render(traces.map(\.trace))
    return style.section(
      "traces",
      pictures.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        + traces.compactMap(\.note).flatMap { style.item($0, .care) })
  }

  /// The maximum number of distributions with ticks at their percentiles.
  private static let fewSeries = 3

  // MARK: Tables

  /// Returns the lines of each table, and whether no column or table is omitted. A sign is explained below the first
  /// table that contains the sign. The short report on a comparison explains all signs above the tables, so that
  /// nothing separates the tables from the answer.
  private func tables(_ content: ReportContent, _ tables: [Table]) -> (sections: [[String]], isWhole: Bool) {
    let text = TableText(style: style, details: details)
    let tables = tables.map(text.fitted)
    let drawn = tables.map(text.lines)
    let explained = zip(drawn, content.explained(drawn.map(\.shown)))
    let notes = zip(0..., explained).map { index, table in
      // A report with details contains the settings at its end.
      let settings =
        details ? nil : content.settingsNote { style.wrapped($0, .quiet, indent: 2).count <= Self.settingsLines }
      return (table.1.notes + (index == 0 ? [settings].compactMap(\.self) : [])).flatMap {
        style.wrapped($0, .quiet, indent: 2)
      }
    }
    let isWhole = !drawn.contains { $0.isCut }
    return content.isComparison && !details
      ? ([style.section("legend", notes.flatMap(\.self))] + drawn.map(\.lines), isWhole)
      : (zip(drawn, notes).map { $0.lines + $1 }, isWhole)
  }

  /// The maximum number of lines for the settings below a table.
  private static let settingsLines = 2

  // MARK: Plots

  private func plots(_ content: ReportContent, _ extent: Extent) -> (sections: [[String]], isWhole: Bool) {
    func lines(_ curve: SweepCurve?) -> [String] { curve.map { details || $0.hasShape ? plot($0) : [] } ?? [] }
    let gain = lines(content.speedUp?.curve)
    if content.isComparison {
      // A curve for one value of the other parameters would repeat a row of the grid.
      let isShown = details || !extent.tables.contains(where: \.isGrid)
      return ([gain, isShown ? lines(content.sweepPlot(isBrief: !details)) : []], isShown)
    }
    let all = content.distributions
    let shown = details ? all[...] : all.prefix(extent.hasDistribution ? 1 : 0)
    return ([gain] + shown.map(distribution), shown.count == all.count)
  }

  private func plot(_ sweep: SweepCurve) -> [String] {
    let plot = SweepPlot(sweep, style)
    let lines = plot.lines()
    guard !lines.isEmpty else { return [] }
    return title(
      "\(sweep.metric.name) by \(sweep.parameter.name)", "\(sweep.figures)\(sweep.note)\(sweep.distances)\(plot.note)")
      + lines
  }

  private func distribution(_ distribution: Distribution) -> [String] {
    let lines = HistogramPlot(distribution, style, ticks: details || distribution.series.count <= Self.fewSeries)
      .lines()
    guard !lines.isEmpty else { return [] }
    return title("distribution of \(distribution.metric.name)", "log scale\(distribution.note)") + lines
  }

  // MARK: Claims

  /// Returns the lines of the claims, and whether no claim is omitted.
  ///
  /// A short report contains the most severe claims first: all claims that failed or speak against a document, other
  /// claims in at most `most` lines, and the number of omitted claims. A few claims, as of a user's own file, are all
  /// listed.
  private func claims(_ content: ReportContent, _ most: Int) -> (lines: [String], isWhole: Bool) {
    guard !content.claims.isEmpty else {
      return (content.leftOut.map { style.wrapped($0, .quiet, indent: 2) } ?? [], true)
    }
    let areFew = content.claims.count <= Self.fewClaims
    let bySeverity = content.claimsBySeverity
    let (claims, asSaid) =
      details ? (content.claims, []) : areFew ? (bySeverity.shown + bySeverity.asSaid, []) : bySeverity
    let room = claims.map(\.word.count).max() ?? 0
    // The number of rounds is at the end of the report.
    let rounds = details ? nil : content.rounds
    var lines: [String] = []
    var (used, shown) = (0, 0)
    for one in claims {
      let text = claim(one, room, rounds)
      if !details, !areFew, one.severity != .failed, one.severity != .againstDocument {
        guard used + text.count <= most else { break }
        used += text.count
      }
      lines += text
      shown += 1
    }
    let rest = ReportContent.verdicts(Array(claims.dropFirst(shown)) + asSaid)
    if !rest.isEmpty {
      let says = (shown == 0 ? "" : "and ") + rest.map(\.text).joined(separator: ", ")
      lines += style.wrapped("\(says): see --details", .quiet, indent: 2)
    }
    lines += content.legend(isFull: details, of: Array(claims.prefix(shown))).flatMap {
      style.wrapped($0, .quiet, indent: 2)
    }
    lines += content.leftOut.map { style.wrapped($0, .quiet, indent: 2) } ?? []
    return (lines, rest.isEmpty)
  }

  /// The maximum number of claims that a short report lists regardless of their verdicts.
  private static let fewClaims = 3

  /// Returns the lines of a claim: its verdict, its text and the evidence. The check is included if the claim failed or
  /// details are shown. A short report omits the evidence for a claim that held.
  private func claim(_ claim: ClaimFacts, _ room: Int, _ rounds: Int?) -> [String] {
    let isPlain = !details && !claim.verdict.isFailure(strict: false)
    // The verdict already says that every trial met the check.
    let figures =
      isPlain && claim.verdict == .held
      ? "" : (isPlain ? "" : "\(claim.check): ") + claim.evidenceText(unless: rounds)
    let sides =
      details ? claim.sides : claim.isAgainstDocument ? "against \(claim.sentencesAgainst.joined(separator: ", "))" : ""
    let evidence = [figures, sides].filter { !$0.isEmpty }.joined(separator: "; ")
    guard style.width >= 50 else {
      return ["  " + claim.verdictText(style)] + style.wrapped(claim.says, indent: 4)
        + (evidence.isEmpty ? [] : style.wrapped(evidence, .quiet, indent: 4))
    }
    let indent = room + 6
    var lines = style.wrapped(claim.says, indent: indent)
    lines[0] = "  " + claim.verdictText(style, room: room) + "  " + lines[0].dropFirst(indent)
    let last = claim.says.wrapped(to: max(20, style.width - indent)).last?.displayWidth ?? 0
    if evidence.isEmpty { return lines }
    guard isPlain, indent + last + 2 + evidence.displayWidth <= style.width else {
      return lines + style.wrapped(evidence, .quiet, indent: indent)
    }
    lines[lines.count - 1] += "  " + SemanticColor.quiet(style.written(evidence), style)
    return lines
  }

  private func title(_ name: String, _ note: String) -> [String] { Heading.lines(name, note, .quiet, style) }
}

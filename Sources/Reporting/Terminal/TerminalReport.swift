import Laboratory
import Measurement
import Platform

/// Results for a person at a terminal.
public struct TerminalReport: Sendable {
  private let style: TextStyle
  private let details: Bool

  /// Creates a report in a style. With `details`, the report shows the check of each claim, every requested metric, and
  /// the distributions of the metrics. Otherwise the report fits on a screen or two.
  public init(_ style: TextStyle, details: Bool = false) {
    self.style = style
    self.details = details
  }

  /// Returns several results, with an empty line between them.
  public func render(_ contents: [ReportContent]) -> String { contents.map(render).joined(separator: "\n") }

  /// The largest number of lines of a short report. A report can be longer if leaving out details is not enough.
  static let longest = 60

  /// The largest number of lines at this width. A narrow terminal needs more lines for the same words.
  private var longest: Int { style.width < 80 ? Self.longest * 80 / max(40, style.width) : Self.longest }

  /// The parts for which a short report has room: the tables, the number of lines for claims that neither failed nor
  /// speak against a document, and whether distributions are drawn.
  private struct Extent {
    let tables: [Table]
    var claimLines = 16
    var hasDistribution = true
  }

  /// Returns the report of one run. The answer stands first, then its reasons: claims, findings, tables,
  /// distributions, warnings, and the facts about the run. A long report ends with the most important part of the
  /// answer.
  public func render(_ content: ReportContent) -> String {
    guard !details else {
      return render(content, Extent(tables: content.detailedTables, claimLines: .max))
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
    var isWhole = true
    let sections = content.parts(isBrief: !details).flatMap { part -> [[String]] in
      switch part {
      case .head(let name, let question, let lines):
        return [Heading.lines(name, question, nil, style) + lines.flatMap(style.wrapped)]
      case .claims:
        let claims = claims(content, extent.claimLines)
        isWhole = isWhole && claims.isWhole
        return [style.section("claims", claims.lines)]
      case .list(let title, let items, let color):
        return [style.section(title, items.flatMap { style.item($0, color) })]
      case .tables:
        let tables = tables(content, extent.tables)
        isWhole = isWhole && tables.isWhole
        return tables.sections
      case .plots:
        let plots = plots(content, hasDistribution: extent.hasDistribution)
        isWhole = isWhole && plots.isWhole
        return plots.sections
      case .traces: return [traces(content)]
      case .foot(let lines): return [lines.flatMap(style.wrapped) + hints(content, isWhole: isWhole)]
      case .picture, .lesson, .code: return []
      }
    }
    let text = TextStyle.text(sections)
    // A terminal shows the end of a long report.
    guard text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) > Self.screen else { return text }
    return TextStyle.text(sections + [content.summary.flatMap(style.wrapped)])
  }

  /// The number of lines that most terminals show.
  private static let screen = 24

  /// Returns hints on how to see the rest.
  private func hints(_ content: ReportContent, isWhole: Bool) -> [String] {
    let hints = [
      content.sinceLast, content.grades.hint,
      isWhole ? nil : "--details shows all \(content.seeksBest ? "" : "claims, ")metrics and distributions",
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

  /// The number of distributions that have room for ticks at their percentiles.
  private static let fewSeries = 3

  // MARK: Tables

  /// Returns the tables with the meaning of their signs below the last table that has ratios or a best run, and whether
  /// no column or table is left out.
  private func tables(_ content: ReportContent, _ tables: [Table]) -> (sections: [[String]], isWhole: Bool) {
    let text = TableText(style: style, details: details)
    let tables = tables.map(text.fitted)
    let drawn = tables.map(text.lines)
    let explained = tables.lastIndex { !$0.facts.isDisjoint(with: [.ratio, .best]) } ?? 0
    let sections = drawn.enumerated().map { index, table in
      let notes = index == explained ? content.footnotes(drawn.map(\.shown)) : []
      return table.lines + notes.flatMap { style.wrapped($0, .quiet, indent: 2) }
    }
    return (sections, !drawn.contains { $0.isCut })
  }

  // MARK: Plots

  private func plots(_ content: ReportContent, hasDistribution: Bool) -> (sections: [[String]], isWhole: Bool) {
    let gain = content.speedUp.map { plot($0.curve) } ?? []
    guard !content.seeksBest else { return ([gain, content.sweepPlot(isBrief: !details).map(plot) ?? []], true) }
    let all = content.distributions
    let shown = details ? all[...] : all.prefix(hasDistribution ? 1 : 0)
    return ([gain] + shown.map(distribution), shown.count == all.count)
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

  // MARK: Claims

  /// Returns the claims. A short report has the gravest first: all that failed or speak against a document, as many of
  /// the others as `most` lines hold, and the number of those that are left out.
  private func claims(_ content: ReportContent, _ most: Int) -> (lines: [String], isWhole: Bool) {
    guard !content.claims.isEmpty else {
      return (content.leftOut.map { style.wrapped($0, .quiet, indent: 2) } ?? [], true)
    }
    let (claims, asSaid) = details ? (content.claims, []) : content.claimsBySeverity
    let room = claims.map(\.word.count).max() ?? 0
    // The foot of the report has the number of rounds.
    let rounds = details ? nil : content.rounds
    var lines: [String] = []
    var (used, shown) = (0, 0)
    for one in claims {
      let text = claim(one, room, rounds)
      if !details, one.severity != .failed, one.severity != .againstDocument {
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

import Laboratory
import Measurement

/// Results for a person at a terminal.
public struct TerminalReport: Sendable {
  private let style: TextStyle

  /// A report that looks like this.
  public init(_ style: TextStyle) { self.style = style }

  /// Heading, tables, distributions, outcomes, claims, findings and warnings, in that order.
  public func render(_ results: Results) -> String {
    let tables = ResultTables(results: results, unicode: style.unicode)
    var sections = [heading(results)]
    let headline = results.experiment.headline
    if tables.isGrid {
      sections += tables.grids.map { lines(of: $0, results, keys: results.experiment.sweep.count - 1) }
    } else {
      let keys = 1 + results.experiment.sweep.count
      for table in [tables.headline(width: style.width), tables.others].compactMap(\.self) {
        sections.append(lines(of: table, results, keys: keys))
      }
    }
    sections.append(tables.footnotes.flatMap { wrapped($0, .quiet, indent: 2) })
    if results.experiment.seeksBest, let headline, let plot = SweepPlot(results, headline, style) {
      let lines = plot.lines()
      if !lines.isEmpty {
        sections.append(
          [title("\(headline.name) by \(plot.parameter.name)", "medians of the rounds\(plot.note)")] + lines)
      }
    }
    let distributions = results.experiment.seeksBest ? [] : tables.plots
    sections += distributions.map { plot in
      let shown = HistogramPlot(series: plot.series, unit: plot.metric.unit, style: style).lines()
      guard !shown.isEmpty else { return [] }
      let best = tables.plotsBestOnly ? ", each variant at its best point" : ""
      return [title("distribution of \(plot.metric.name)", "log scale\(best)")] + shown
    }
    sections.append(section("outcomes", tables.outcomes.flatMap { item($0, .care) }))
    sections.append(section("claims", claims(results).flatMap(claim)))
    sections.append(section("findings", results.findings.flatMap { item($0.says, nil) }))
    sections.append(section("warnings", results.warnings.flatMap { item($0.says, .care) }))
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// All claims; where the best is sought, only those that failed: the others are about other settings.
  private func claims(_ results: Results) -> [Judgement] {
    guard results.experiment.seeksBest else { return results.judgements }
    return results.judgements.filter { $0.verdict.isFailure(strict: false) }
  }

  private func heading(_ results: Results) -> [String] {
    let machine = results.machine
    let experiment = results.experiment
    var lines = [
      Ink.heading(experiment.name, style) + "  "
        + experiment.title.clipped(to: max(1, style.width - experiment.name.count - 2), style)
    ]
    lines += wrapped(experiment.source, .quiet)
    let swept = Set(experiment.sweep.map(\.name))
    let settings = experiment.pattern.parameters.filter { !swept.contains($0.name) }.map { parameter in
      "\(parameter.name) \(parameter.describe(experiment.parameters[parameter.name] ?? parameter.standard))"
    }
    lines += wrapped(settings.joined(separator: ", "), nil)
    let rounds = results.runs.map(\.trials.count).max() ?? 0
    let facts = [
      machine.cpu, "\(machine.cores) core\(machine.cores == 1 ? "" : "s")", "\(machine.os) \(machine.kernel)",
      "\(rounds) round\(rounds == 1 ? "" : "s") in \(Quantity(results.seconds * 1e9, .nanoseconds))",
      "seed \(results.seed)", "noise floor \(Quantity(machine.floor, .nanoseconds))",
    ]
    lines += wrapped(facts.compactMap(\.self).joined(separator: ", "), .quiet)
    return lines
  }

  private func lines(of table: ResultTables.Table, _ results: Results, keys: Int) -> [String] {
    let note = table.note
    return split(table, keeping: keys).enumerated().flatMap { index, part -> [String] in
      var lines = TextGrid(headings: part.headings, rows: part.rows).lines()
      if !lines.isEmpty { lines[0] = Ink.quiet(lines[0], style) }
      let body = lines.dropFirst().map { highlight($0, results) }
      let head =
        index == 0
        ? [table.title == "more" ? Ink.quiet(note.clipped(to: style.width, style), style) : title(table.title, note)]
        : [""]
      return head + (lines.prefix(1) + body).map { "  " + $0 }
    }
  }

  /// The table in parts that fit the width, each with the first `keys` columns.
  private func split(_ table: ResultTables.Table, keeping keys: Int) -> [ResultTables.Table] {
    func part(_ columns: [Int]) -> ResultTables.Table {
      ResultTables.Table(
        title: table.title, note: table.note, headings: columns.map { table.headings[$0] },
        rows: table.rows.map { row in columns.map { row[$0] } })
    }
    var parts: [[Int]] = []
    var columns = Array(0..<keys)
    for column in keys..<table.headings.count {
      let wider = part(columns + [column])
      if columns.count > keys, TextGrid(headings: wider.headings, rows: wider.rows).width + 2 > style.width {
        parts.append(columns)
        columns = Array(0..<keys)
      }
      columns.append(column)
    }
    return (parts + [columns]).map(part)
  }

  private func highlight(_ line: String, _ results: Results) -> String {
    guard style.color else { return line }
    // The variant is the first word of its row.
    let name = line.prefix { $0 != " " }
    let ink: Ink = results.experiment.variant(String(name))?.role == .broken ? .care : .name
    return ink(String(name), style)
      + line.dropFirst(name.count).replacing("faster", with: Ink.good("faster", style)).replacing(
        "slower", with: Ink.care("slower", style))
  }

  private func claim(_ judgement: Judgement) -> [String] {
    let indent = 19
    let evidence = "\(judgement.claim.check.text): \(judgement.evidenceText)"
    guard style.width >= 50 else {
      return ["  " + judgement.verdictText(style)] + wrapped(judgement.claim.says, nil, indent: 4)
        + wrapped(evidence, .quiet, indent: 4)
    }
    var lines = wrapped(judgement.claim.says, nil, indent: indent)
    lines[0] = "  " + judgement.verdictText(style) + "  " + lines[0].dropFirst(indent)
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

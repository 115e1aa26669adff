import Laboratory
import Measurement

/// Results as one self-contained page: no scripts, nothing from the network, light and dark, wide and narrow.
public enum HTMLReport {
  /// The page of some result documents.
  public static func render(_ documents: [ResultDocument]) -> String {
    let names = documents.map(\.scenario.name).joined(separator: ", ")
    let page: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="\(Tool.name) \(Tool.version)">
      <title>\(names) - gcdlab</title>
      <style>\(style)</style>
      </head>
      <body>
      <main>
      \(documents.map(section))</main>
      </body>
      </html>

      """
    return page.description
  }

  private static func section(_ document: ResultDocument) -> Markup {
    let scenario = document.scenario
    return """
      <section>
      <h1>\(scenario.name) <small>\(scenario.title)</small></h1>
      <p class="quiet">\(scenario.source)</p>
      <p class="quiet">\(facts(document))</p>
      \(notes(document.warnings, "warning"))\
      \(claims(document))\
      \(notes(document.findings, "finding"))\
      \(headline(document))\
      \(others(document))\
      <div class="figures">
      \(Figures(document: document).all)</div>
      </section>

      """
  }

  private static func facts(_ document: ResultDocument) -> String {
    let machine = document.machine
    let rounds = document.runs.map(\.rounds).max() ?? 0
    return [
      machine.cpu, "\(machine.cores) core\(machine.cores == 1 ? "" : "s")", "\(machine.os) \(machine.kernel)",
      "Swift \(machine.swift)",
      "\(rounds) round\(rounds == 1 ? "" : "s") in \(Quantity(document.seconds * 1e9, .nanoseconds))",
      document.started, "seed \(document.seed)", "noise floor \(Quantity(machine.floor, .nanoseconds))",
    ].compactMap(\.self).joined(separator: " · ")
  }

  private static func notes(_ texts: [String], _ kind: String) -> Markup {
    guard !texts.isEmpty else { return "" }
    return "<h2>\(kind)s</h2>\n<ul class=\"\(kind)\">\(texts.map { "<li>\($0)</li>" as Markup })</ul>\n"
  }

  private static func claims(_ document: ResultDocument) -> Markup {
    // What the run had no part in says nothing about it.
    let judged = document.claims.filter { $0.verdict != .unavailable || document.claims.count < 12 }
    guard !judged.isEmpty else { return "" }
    let items = judged.map { claim -> Markup in
      """
      <li><span class="verdict \(tone(claim.verdict))">\(claim.verdict.rawValue)</span> <div>\(claim.says)\
      <p class="quiet"><code>\(claim.check)</code>: \(claim.evidenceText)</p></div></li>

      """
    }
    return "<h2>claims</h2>\n<ul class=\"claims\">\n\(items)</ul>\n"
  }

  private static func tone(_ verdict: Verdict) -> String {
    switch verdict {
    case .held, .witnessed, .supported: "good"
    case .violated, .notWitnessed: "bad"
    case .refuted, .inconclusive: "care"
    case .unavailable: "none"
    }
  }

  // MARK: Tables

  private static let statistics: [(name: String, value: @Sendable (ResultDocument.MetricFacts) -> Double?)] = [
    ("samples", { Double($0.count) }), ("min", { $0.min.value }), ("p50", { $0.p50.value }), ("p90", { $0.p90?.value }),
    ("p99", { $0.p99?.value }), ("p99.9", { $0.p99_9?.value }), ("max", { $0.max.value }),
  ]

  private static func headline(_ document: ResultDocument) -> Markup {
    guard
      let name = document.scenario.show.first(where: { metric in document.runs.contains { $0.metrics[metric] != nil } })
    else { return "<p>Nothing was measured.</p>\n" }
    let rows = document.runs.compactMap { run in run.metrics[name].map { (run: run, facts: $0) } }
    let shown = statistics.filter { statistic in rows.contains { statistic.value($0.facts) != nil } }
    let best = document.scenario.seeksBest == true ? document.best(by: name) : nil
    let cells = rows.map { run, facts -> [String] in
      let figures = shown.map { statistic in
        statistic.value(facts).map { statistic.name == "samples" ? Quantity($0, .none).description : text($0, facts) }
          ?? ""
      }
      let ratio = document.contrast(run, by: name).map { "\(Quantity.ratio($0.estimate))x \($0.margin(unicode: true))" }
      let isBest = best?.variant == run.variant && best?.point == run.point
      let mark = [ratio, isBest ? "● best" : nil].compactMap(\.self).joined(separator: " ")
      return labels(run, document) + figures + (document.reference == nil ? [] : [mark])
    }
    let headings = parameters(document) + shown.map(\.name) + (document.reference.map { ["against \($0)"] } ?? [])
    let margin = document.reference == nil ? "" : "; ± half the 99 % interval of the ratio"
    let floor = rows.contains { $0.facts.isNearFloor($0.facts.min) } ? floorNote : ""
    return table(
      name, (document.scenario.metrics[name] ?? "") + margin + floor, headings, cells, rows.map(\.run), document)
  }

  private static func others(_ document: ResultDocument) -> Markup {
    let names = document.scenario.show.dropFirst().filter { name in document.runs.contains { $0.metrics[name] != nil } }
    guard !names.isEmpty else { return "" }
    let runs = document.runs.filter { run in names.contains { run.metrics[$0] != nil } }
    let cells = runs.map { run in
      labels(run, document)
        + names.map { name in
          guard let facts = run.metrics[name], let rounds = Summary(facts.rounds.map(\.value)) else { return "" }
          return text(rounds.p50, facts)
        }
    }
    let isNear = runs.contains { run in
      names.contains { name in run.metrics[name].map { $0.isNearFloor($0.min) } ?? false }
    }
    return table(
      "more", "the median of the rounds" + (isNear ? floorNote : ""), parameters(document) + names, cells, runs,
      document)
  }

  private static let floorNote = "; ~ within twice the noise floor"

  private static func text(_ value: Double, _ facts: ResultDocument.MetricFacts) -> String {
    Quantity(value, facts.unit).description + (facts.isNearFloor(.init(value)) ? "~" : "")
  }

  private static func parameters(_ document: ResultDocument) -> [String] { ["variant"] + document.scenario.sweep }

  private static func labels(_ run: ResultDocument.RunFacts, _ document: ResultDocument) -> [String] {
    [run.variant] + document.scenario.sweep.map { run.setting($0, document.scenario)?.valueText ?? "" }
  }

  private static func table(
    _ title: String, _ says: String, _ headings: [String], _ rows: [[String]], _ runs: [ResultDocument.RunFacts],
    _ document: ResultDocument
  ) -> Markup {
    let head = headings.map { "<th>\($0)</th>" as Markup }
    let body = zip(rows, runs).map { row, run -> Markup in
      let role = document.scenario.variants.first { $0.name == run.variant }?.role ?? ""
      let cells = row.dropFirst().map { "<td>\($0)</td>" as Markup }
      return "<tr class=\"\(role)\"><th>\(row[0])</th>\(cells)</tr>\n"
    }
    return """
      <h2>\(title) <small>\(says)</small></h2>
      <div class="scroll"><table><thead><tr>\(head)</tr></thead><tbody>
      \(body)</tbody></table></div>

      """
  }

  private static let style: Markup = """
    :root { color-scheme: light dark; --ink: light-dark(#1c2024, #e6e8eb); --quiet: light-dark(#60646c, #a0a6ae);
      --page: light-dark(#fff, #14171a); --line: light-dark(#dfe2e6, #2e3338); --good: light-dark(#0b6b3a, #5fd18f);
      --bad: light-dark(#b3261e, #ff8a80); --care: light-dark(#8a5a00, #f0c050); }
    body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 1100px; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 1.5rem 0 .25rem; } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
    small { font-weight: normal; color: var(--quiet); font-size: .85em; }
    .quiet { color: var(--quiet); font-size: .875rem; margin: .15rem 0; overflow-wrap: anywhere; }
    code { font: .9em ui-monospace, monospace; }
    ul { padding-left: 1.2rem; margin: .25rem 0; } ul.warning li::marker { color: var(--care); }
    ul.claims { list-style: none; padding: 0; } ul.claims li { display: flex; gap: .75rem; margin: .6rem 0; }
    .verdict { flex: 0 0 7.5rem; text-align: center; align-self: flex-start; border: 1px solid; border-radius: 1rem;
      font-size: .8rem; padding: .1rem 0; }
    .good { color: var(--good); } .bad { color: var(--bad); font-weight: bold; } .care { color: var(--care); }
    .none { color: var(--quiet); }
    .scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th, td { text-align: right; padding: .2rem .75rem .2rem 0; white-space: nowrap; font-size: .9rem; }
    th:first-child { text-align: left; } thead th { color: var(--quiet); font-weight: normal; border-bottom: 1px solid var(--line); }
    tbody th { font-weight: 600; } tr.broken th { color: var(--care); }
    .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 1.5rem; margin-top: 1.5rem; }
    figure { margin: 0; } figcaption { font-size: .9rem; color: var(--quiet); } figcaption b { color: var(--ink); }
    svg { width: 100%; height: auto; } .grid { stroke: var(--line); } .tick { fill: var(--quiet); font-size: 13px; }
    .end { text-anchor: end; } .mid { text-anchor: middle; }
    polyline { fill: none; stroke: var(--c); stroke-width: 2; } circle, rect { fill: var(--c); }
    .bar { stroke: var(--c); stroke-width: 5; opacity: .35; }
    .keys { margin: .25rem 0 0; font-size: .8rem; } .key { white-space: nowrap; margin-right: .75rem; }
    .key::before { content: ""; display: inline-block; width: .7em; height: .7em; border-radius: 50%; background: var(--c); margin-right: .35em; }
    .c0 { --c: light-dark(#1f6feb, #6ea8ff); } .c1 { --c: light-dark(#d1570c, #ff9d5c); } .c2 { --c: light-dark(#1a7f37, #56d364); }
    .c3 { --c: light-dark(#8250df, #c297ff); } .c4 { --c: light-dark(#bf3989, #ff80c8); } .c5 { --c: light-dark(#7d6608, #e3c645); }
    .c6 { --c: light-dark(#0f7b8a, #4fd1e0); } .c7 { --c: light-dark(#57606a, #aab2bb); }
    @media (max-width: 520px) { ul.claims li { flex-direction: column; gap: .2rem; } .verdict { flex-basis: auto; padding: .1rem .75rem; } }
    """
}

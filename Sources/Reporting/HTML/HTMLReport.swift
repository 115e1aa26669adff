import Laboratory
import Measurement

/// Results as one self-contained page: no scripts, nothing from the network, light and dark, wide and narrow.
public enum HTMLReport {
  /// Returns the page of some results. With the documents' sentences, the page is a book.
  public static func render(_ contents: [ReportContent], sentences: SentenceIndex? = nil) -> String {
    let scenarios = contents.map(\.document.scenario.name)
    let names = scenarios.count > 3 ? "\(scenarios.count) scenarios" : scenarios.joined(separator: ", ")
    let traces = contents.reduce(0) { $0 + ($1.document.traces?.count ?? 0) }
    let hasOutcomes = PictureFigure.needsPatterns(contents)
    let sections = contents.map { content in
      section(content, marksATrace: TracePage.mostMarks / max(1, traces), isOfMany: contents.count > 1)
    }
    return page(
      names,
      style: (traces > 0 ? TraceKey.style : "") + (hasOutcomes ? PictureFigure.patternStyle : ""),
      patterns: (traces > 0 ? TraceKey.patterns : "") + (hasOutcomes ? PictureFigure.patterns : ""),
      "\(tableOfContents(contents, sentences))\(sentences.map { chapters($0, contents) } ?? "")\(sections)"
    )
  }

  /// Returns a page with its title and its contents. `style` and `patterns` are what the contents need beside the style
  /// of all pages.
  static func page(_ title: String, style more: Markup = "", patterns: Markup = "", _ body: Markup) -> String {
    let page: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="\(Tool.name) \(Tool.version)">
      <title>\(title) - gcdlab</title>
      <style>\(style)\(pictureStyle)\(more)</style>
      </head>
      <body>
      \(patterns)<main>
      \(body)</main>
      </body>
      </html>

      """
    return page.description
  }

  /// Returns the contents of a page with several scenarios: a link to each scenario, with its result.
  private static func tableOfContents(_ contents: [ReportContent], _ sentences: SentenceIndex?) -> Markup {
    guard contents.count > 1 else { return "" }
    let families = contents.grouped(by: \.document.scenario.tags.first).map { family, contents -> Markup in
      """
      <h2>\(family ?? "others")</h2>
      <div class="scroll"><table class="contents"><tbody>
      \(contents.map(entry))</tbody></table></div>

      """
    }
    // A search and a stand-in say nothing of the other claims, so they do not count.
    let total = ReportContent.counts(contents.flatMap { $0.seeksBest || $0.grades.standIn != nil ? [] : $0.claims })
    return """
      <nav id="contents"><h1>What the documents say, tried</h1>
      \(sentences.map { refuted($0, contents) } ?? "")<p class="quiet">\(contents.count) scenarios, \(total.map(phrases) ?? "")</p>
      <p class="quiet">\(ClaimRelation.counts(contents.flatMap { $0.document.claims.map(\.grades) }))</p>
      \(places(contents))\(families)</nav>

      """
  }

  /// Returns the number of sentences for each standing, and the sentences that do not hold.
  private static func refuted(_ index: SentenceIndex, _ contents: [ReportContent]) -> Markup {
    let shown = Set(contents.map(\.document.scenario.name))
    let items = index.refuted.map { entry -> Markup in
      let places = entry.judgedBy.filter(shown.contains).map { " <a href=\"#\($0)\">\($0)</a>" as Markup }
      return "<li><b>\(entry.id)</b> \(entry.says)\(places)</li>\n"
    }
    let list: Markup =
      items.isEmpty
      ? "" : "<h2 class=\"bad\">Refuted sentences of the documents</h2>\n<ul class=\"refuted\">\n\(items)</ul>\n"
    return "<p>\(index.summary)</p>\n\(list)"
  }

  /// Returns the entry of a scenario in the contents: its name, its question and its result.
  private static func entry(_ content: ReportContent) -> Markup {
    let scenario = content.document.scenario
    let cautions = [content.grades.caution, content.coresNote].compactMap { $0.map { Line($0, .care) } }
    let conclusion: Markup = content.conclusion.map { "<br>\($0)" } ?? ""
    return """
      <tr><th><a href="#\(scenario.name)">\(scenario.name)</a></th><td><small>\(scenario.title)</small>\(paragraphs(cautions))\(conclusion)</td>\
      <td>\(paragraphs([content.grades.line].compactMap(\.self)))\(content.counts.map(phrases) ?? "")</td></tr>

      """
  }

  /// Returns the machine and the time of all runs; nothing if they are from several machines.
  private static func places(_ contents: [ReportContent]) -> Markup {
    guard let first = contents.first?.document, contents.allSatisfy({ $0.document.machine == first.machine }) else {
      return ""
    }
    let machine = first.machine
    let place = [
      machine.cpu, machine.coresText, "\(machine.os) \(machine.kernel)",
    ].compactMap(\.self).joined(separator: ", ")
    return "<p class=\"quiet\">\(place), \(first.started)</p>\n"
  }

  /// Returns the sentences of each document with their standings, and links to the scenarios that show them.
  private static func chapters(_ index: SentenceIndex, _ contents: [ReportContent]) -> Markup {
    let shown = Set(contents.map(\.document.scenario.name))
    let ids = Set(index.chapters.flatMap(\.entries).map(\.id))
    func chapter(_ chapter: SentenceIndex.Chapter) -> Markup {
      let rows = chapter.entries.map { entry -> Markup in
        let tries = entry.scenarios.map { name -> Markup in
          shown.contains(name) ? "<a href=\"#\(name)\">\(name)</a> " : "\(name) "
        }
        let claims = entry.judgedClaims.map { judgedClaim -> Markup in
          let name = judgedClaim.scenario
          let places: Markup =
            shown.contains(name) ? " <a href=\"#\(name)\">\(name)</a>, <a href=\"#\(name)-code\">its code</a>" : ""
          return
            "<li><b>\(judgedClaim.opinion.rawValue)</b> \(judgedClaim.claim.says) <span class=\"quiet\">\(judgedClaim.claim.verdict.rawValue), \(judgedClaim.shown ?? judgedClaim.claim.evidenceText)</span>\(places)</li>\n"
        }
        let count = entry.judgedClaims.count
        let details: Markup =
          count == 0
          ? ""
          : "<details><summary>\(count.counted("claim"))</summary><ul>\n\(claims)</ul></details>"
        let place: Markup = "<br><span class=\"quiet\">in: \(entry.place)</span>"
        let conditions: Markup =
          entry.conditions.isEmpty
          ? "" : "<br><span class=\"quiet\">tried with: \(entry.conditions.joined(separator: "; "))</span>"
        let links = entry.answers.map(\.id).map { id -> Markup in
          ids.contains(id) ? " <a href=\"#\(id)\">\(id)</a>" : " \(id)"
        }
        let answers: Markup =
          links.isEmpty ? "" : "<br><span class=\"quiet\">on the same question:\(links)</span>"
        let remark: Markup = entry.remark.map { "<br><span class=\"quiet\">\($0)</span>" } ?? ""
        let outcome: Markup =
          "<span class=\"\(entry.standing.color.tone)\">\(entry.standing.rawValue)</span>\(remark)\(conditions)\(details)"
        return
          "<tr><th id=\"\(entry.id)\">\(entry.id)</th><td>\(entry.says)\(place)\(answers)</td><td>\(entry.strength)</td><td>\(outcome)</td><td>\(tries)</td></tr>\n"
      }
      let address: Markup = chapter.address.map { "<p><a href=\"\($0)\">\($0)</a></p>" } ?? ""
      return """
        <details><summary><b>\(chapter.title)</b> \(chapter.summary)</summary>
        \(address)
        <div class="scroll"><table class="sentences"><tbody>
        \(rows)</tbody></table></div></details>

        """
    }
    let parts = index.parts.map { era, chapters -> Markup in
      let title: Markup =
        era.map { "<h2>\($0.title)</h2>\n<p>\(SentenceIndex.summary(chapters.flatMap(\.entries)))</p>\n" } ?? ""
      return "\(title)\(chapters.map(chapter))"
    }
    return "<nav><h1>The documents, sentence by sentence</h1>\n\(parts)</nav>\n"
  }

  // MARK: Lines

  /// Returns lines as paragraphs.
  static func paragraphs(_ lines: [Line]) -> Markup {
    let paragraphs = lines.map { line -> Markup in
      guard line.phrases.count == 1, let color = line.phrases[0].color else { return "<p>\(phrases(line))</p>\n" }
      let kind = color == .heading ? "conclusion" : color == .quiet ? "quiet" : color.tone
      return "<p class=\"\(kind)\">\(line.isCode ? "<code>\(line.text)</code>" : "\(line.text)" as Markup)</p>\n"
    }
    return "\(paragraphs)"
  }

  /// Returns the phrases of a line, each in its colour.
  private static func phrases(_ line: Line) -> Markup {
    let phrases = line.phrases.map { phrase -> Markup in
      phrase.color.map { "<span class=\"\($0.tone)\">\(phrase.text)</span>" } ?? "\(phrase.text)"
    }
    return "\(phrases)"
  }

  // MARK: One scenario

  private static func section(_ content: ReportContent, marksATrace: Int, isOfMany: Bool) -> Markup {
    let scenario = content.document.scenario
    let back: Markup = isOfMany ? "<p class=\"back\"><a href=\"#contents\">Contents</a></p>\n" : ""
    let parts = content.parts().map { part -> Markup in
      switch part {
      case .head(let name, let question, let lines):
        "<h1>\(name) <small>\(question)</small></h1>\n\(paragraphs(lines))"
      case .picture: PictureFigure(content).markup
      case .lesson: lesson(scenario)
      case .claims: claims(content)
      case .list(let title, let items, _): list(title, items)
      case .tables: tables(content)
      case .plots: "<div class=\"figures\">\n\(Charts(content).all)</div>\n"
      case .traces: traces(content, marksEach: marksATrace)
      case .code: code(scenario)
      case .foot(let lines): paragraphs(lines)
      }
    }
    return "<section id=\"\(scenario.name)\">\n\(back)\(parts)\(back)</section>\n"
  }

  /// Returns pictures of the recorded trials.
  private static func traces(_ content: ReportContent, marksEach: Int) -> Markup {
    let traces = content.traces
    guard !traces.isEmpty else { return "" }
    return """
      <h2>traces <small>one recorded trial of each, none of them measured</small></h2>
      \(TracePicture.figures(traces, atMost: marksEach * traces.count))

      """
  }

  private static func lesson(_ scenario: ScenarioFacts) -> Markup {
    scenario.lesson.isEmpty
      ? "" : "<details><summary>The lesson</summary>\n\(Lesson(scenario.lesson).markup)</details>\n"
  }

  /// Returns the bodies side by side, the wrong way beside the right one.
  private static func code(_ scenario: ScenarioFacts) -> Markup {
    let shown = scenario.variants.compactMap { variant in variant.code.map { (variant: variant, code: $0) } }
    guard !shown.isEmpty else { return "" }
    let bodies = shown.map { variant, code -> Markup in
      """
      <figure\(variant.isBroken ? " class=\"broken\"" : "" as Markup)><figcaption><b>\(variant.name)</b> \(variant.says)\
      </figcaption><pre><code>\(code)</code></pre></figure>

      """
    }
    return
      "<details class=\"wide\" id=\"\(scenario.name)-code\"><summary>The code that ran</summary>\n<div class=\"code\">\n\(bodies)</div></details>\n"
  }

  private static func list(_ title: String, _ items: [String]) -> Markup {
    guard !items.isEmpty else { return "" }
    return "<h2>\(title)</h2>\n<ul class=\"\(title)\">\(items.map { "<li>\($0)</li>" as Markup })</ul>\n"
  }

  /// The number of claims that are always shown. Further ones are folded, unless they failed or speak against a
  /// document.
  private static let mostClaims = 6

  /// Returns the claims, the gravest first. Claims that came out as they say are folded.
  private static func claims(_ content: ReportContent) -> Markup {
    let leftOut = paragraphs([content.leftOut].compactMap { $0.map { Line($0, .quiet) } })
    guard !content.claims.isEmpty else { return leftOut }
    let (told, asSaid) = content.claimsBySeverity
    let grave = told.count { $0.severity == .failed || $0.severity == .againstDocument }
    let shown = told.prefix(max(grave, mostClaims))
    let rest = told.dropFirst(shown.count) + asSaid
    let list: Markup = shown.isEmpty ? "" : "<ul class=\"claims\">\n\(shown.map(item))</ul>\n"
    let folded: Markup =
      rest.isEmpty
      ? ""
      : """
      <details><summary>\(shown.isEmpty ? "" : "and ")\(ReportContent.verdicts(Array(rest)).map(\.text).joined(separator: ", "))</summary>
      <ul class="claims">
      \(rest.map(item))</ul></details>

      """
    return "<h2>claims</h2>\n\(list)\(folded)\(leftOut)"
  }

  private static func item(_ claim: ClaimFacts) -> Markup {
    """
    <li><span class="verdict \(claim.verdict.color.tone)">\(claim.word)</span> <div>\(claim.says)\
    <p class="quiet"><code>\(claim.check)</code>: \(claim.evidenceText); \(claim.sides)</p></div></li>

    """
  }

  // MARK: Tables

  private static func table(_ table: Table) -> Markup {
    let hidden = table.headings.filter { $0.rank > 0 }.map(\.title)
    let head = table.headings.map { heading in
      "<th\(heading.rank > 0 ? " class=\"room\"" : "" as Markup)>\(heading.title)</th>" as Markup
    }
    let note: Markup =
      hidden.isEmpty
      ? "" : "<p class=\"quiet narrow\">Columns hidden on a narrow screen: \(hidden.joined(separator: ", ")).</p>\n"
    let body = table.rows.map { row -> Markup in
      let cells = row.cells.enumerated().map { column, cell -> Markup in
        column < table.keys
          ? "<th>\(cell.text)</th>"
          : "<td\(cell.facts.contains(.best) ? " class=\"best\"" : table.headings[column].rank > 0 ? " class=\"room\"" : "" as Markup)>\(cell.text)</td>"
      }
      return "<tr\(row.needsCare ? " class=\"broken\"" : "" as Markup)>\(cells)</tr>\n"
    }
    let title: Markup =
      table.title.map { "<h2>\($0) <small>\(table.note)</small></h2>" } ?? "<p class=\"quiet\">\(table.note)</p>"
    return """
      \(title)
      <div class="scroll"><table><thead><tr>\(head)</tr></thead><tbody>
      \(body)</tbody></table></div>
      \(note)
      """
  }

  private static func tables(_ content: ReportContent) -> Markup {
    let tables = content.explainedTables.map { one, notes -> Markup in
      "\(table(one))\(paragraphs(notes.map { Line($0, .quiet) }))"
    }
    return "\(tables)"
  }

  private static let style: Markup = """
    :root { color-scheme: light dark; --ink: light-dark(#1c2024, #e6e8eb); --quiet: light-dark(#60646c, #a0a6ae);
      --page: light-dark(#fff, #14171a); --line: light-dark(#dfe2e6, #2e3338); --good: light-dark(#0b6b3a, #5fd18f);
      --bad: light-dark(#b3261e, #ff8a80); --care: light-dark(#a8480a, #ffa657); }
    body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 1100px; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 1.5rem 0 .25rem; } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
    small { font-weight: normal; color: var(--quiet); font-size: .85em; }
    .quiet { color: var(--quiet); font-size: .875rem; margin: .15rem 0; overflow-wrap: anywhere; }
    code { font: .9em ui-monospace, monospace; }
    .conclusion { font-weight: 600; font-size: 1.1rem; margin: .25rem 0 1rem; } a { color: inherit; }
    nav details { max-width: none; margin: .4rem 0; } nav td { text-align: left; vertical-align: top; } nav td + td, .sentences td { white-space: normal; }
    ul { padding-left: 1.2rem; margin: .25rem 0; } ul.warnings li::marker { color: var(--care); }
    ul.claims { list-style: none; padding: 0; } ul.claims li { display: flex; gap: .75rem; margin: .6rem 0; }
    .verdict { flex: 0 0 7.5rem; text-align: center; align-self: flex-start; border: 1px solid; border-radius: 1rem;
      font-size: .8rem; padding: .1rem 0; }
    .good { color: var(--good); } .bad { color: var(--bad); font-weight: bold; } .care { color: var(--care); }
    .none { color: var(--quiet); }
    .scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
    th, td { text-align: right; padding: .2rem .75rem .2rem 0; white-space: nowrap; font-size: .9rem; }
    th:first-child { text-align: left; } thead th { color: var(--quiet); font-weight: normal; border-bottom: 1px solid var(--line); }
    tbody th { font-weight: normal; } tbody th:first-child { font-weight: 600; } tr.broken th { color: var(--care); }
    td.best { color: var(--good); } summary { cursor: pointer; } details { max-width: 46rem; } details.wide { max-width: none; } pre { overflow-x: auto; }
    .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 1.5rem; margin-top: 1.5rem; }
    figure { margin: 0; } figcaption { font-size: .9rem; color: var(--quiet); } figcaption b { color: var(--ink); }
    .code { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 1rem; margin-top: .75rem; }
    pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem .75rem; margin: .35rem 0; font-size: .82rem; line-height: 1.4; }
    .broken figcaption b { color: var(--care); }
    .c0 { --c: light-dark(#1f6feb, #6ea8ff); } .c1 { --c: light-dark(#0b6f7d, #4fd1e0); } .c2 { --c: light-dark(#1a7f37, #56d364); }
    .c3 { --c: light-dark(#8250df, #c297ff); } .c4 { --c: light-dark(#bf3989, #ff80c8); } .c5 { --c: light-dark(#5f6b00, #c6d06a); }
    .c6 { --c: light-dark(#8c2f4b, #ff9fb4); } .c7 { --c: light-dark(#57606a, #aab2bb); }
    .c8 { --c: light-dark(#3d5a80, #98b8e0); } .c9 { --c: light-dark(#2f6f4f, #8fd6b0); } .c10 { --c: light-dark(#5b4bb5, #a79bff); }
    .c11 { --c: light-dark(#6d4c41, #c9a99b); }
    section { break-before: page; } nav th { vertical-align: top; }
    @media print { details::details-content { content-visibility: visible; display: block; } summary { list-style: none; }
      figure, tr, ul.claims li { break-inside: avoid; } h1, h2, summary { break-after: avoid; } pre { white-space: pre-wrap; }
      .scroll { overflow: visible; } main { padding: 0; max-width: none; } }
    @media (max-width: 700px) { nav :is(table, tbody, tr, th, td) { display: block; padding-right: 0; white-space: normal; text-align: left; }
      nav tr { margin: .6rem 0; } }
    .narrow { display: none; }
    @media (max-width: 520px) { .narrow { display: block; } .room { display: none; } td:last-child { white-space: normal; }
      ul.claims li { flex-direction: column; gap: .2rem; } .verdict { flex-basis: auto; padding: .1rem .75rem; } }
    """
}

extension SemanticColor {
  /// The class of what has this colour in a page.
  var tone: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .care: "care"
    case .quiet, .heading, .name: "none"
    }
  }
}

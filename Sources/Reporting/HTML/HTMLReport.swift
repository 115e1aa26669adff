import Laboratory
import Measurement

/// Results as a self-contained HTML page. The page contains no scripts, loads nothing from the network, and adapts to
/// light and dark mode and to any width.
public enum HTMLReport {
  /// Returns the HTML page of some results.
  ///
  /// - Parameters:
  ///   - contents: the runs, each with the content of its report.
  ///   - sentences: the sentences of the documents, which the page shows before the scenarios; nil to omit them.
  public static func render(_ contents: [ReportContent], sentences: SentenceIndex? = nil) -> String {
    let scenarios = contents.map(\.document.scenario.name)
    let names = scenarios.count > 3 ? "\(scenarios.count) scenarios" : scenarios.joined(separator: ", ")
    let traces = contents.reduce(0) { $0 + ($1.document.traces?.count ?? 0) }
    let hasOutcomes = PictureFigure.needsHatching(contents)
    let sections = contents.map { content in
      section(content, marksATrace: TracePage.mostMarks / max(1, traces), isOfMany: contents.count > 1)
    }
    return page(
      names,
      style: (traces > 0 ? TraceKey.style : "") + (hasOutcomes ? PictureFigure.hatchingStyle : ""),
      patterns: (traces > 0 ? TraceKey.patterns : "") + (hasOutcomes ? PictureFigure.hatching : ""),
      "\(tableOfContents(contents, sentences))\(sentences.map { chapters($0, contents) } ?? "")\(sections)"
    )
  }

  /// Returns an HTML page.
  ///
  /// - Parameters:
  ///   - title: the title of the page.
  ///   - more: the style rules that the page needs in addition to the common style.
  ///   - patterns: the SVG patterns that the page needs.
  ///   - body: the content of the page.
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

  // MARK: Lines

  static func paragraphs(_ lines: [Line]) -> Markup {
    let paragraphs = lines.map { line -> Markup in
      if line.isItem { return "<ul><li>\(prose(line.text))</li></ul>\n" }
      guard line.phrases.count == 1, let color = line.phrases[0].color else { return "<p>\(phrases(line))</p>\n" }
      let kind = color == .heading ? "conclusion" : color == .quiet ? "quiet" : color.tone
      return "<p class=\"\(kind)\">\(line.isCode ? "<code>\(line.text)</code>" as Markup : prose(line.text))</p>\n"
    }
    return "\(paragraphs)"
  }

  /// Returns the phrases of a line as HTML, each in its colour.
  static func phrases(_ line: Line) -> Markup {
    let phrases = line.phrases.map { phrase -> Markup in
      phrase.color.map { "<span class=\"\($0.tone)\">\(phrase.text)</span>" } ?? prose(phrase.text)
    }
    return "\(phrases)"
  }

  /// Returns a text as HTML, with its code spans (``Line/spans(_:)``).
  private static func prose(_ text: String) -> Markup {
    "\(Line.spans(text).map { $0.isCode ? "<code>\($0.text)</code>" : "\($0.text)" as Markup })"
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

  /// Returns the pictures of the recorded trials.
  ///
  /// - Parameter marksEach: the approximate maximum number of marks in each picture.
  private static func traces(_ content: ReportContent, marksEach: Int) -> Markup {
    let traces = content.traces
    guard !traces.isEmpty else { return "" }
    return """
      <h2>traces <small>\(TracePicture.ofTrials)</small></h2>
      \(TracePicture.figures(traces, atMost: marksEach * traces.count))

      """
  }

  private static func lesson(_ scenario: ScenarioFacts) -> Markup {
    scenario.lesson.isEmpty
      ? "" : "<details><summary>The lesson</summary>\n\(Lesson(scenario.lesson).markup)</details>\n"
  }

  /// Returns the source code of the variants side by side.
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

  static func list(_ title: String, _ items: [String]) -> Markup {
    guard !items.isEmpty else { return "" }
    return "<h2>\(title)</h2>\n<ul class=\"\(title)\">\(items.map { "<li>\($0)</li>" as Markup })</ul>\n"
  }

  /// The maximum number of claims that are always visible. Further claims are in a closed section, unless they failed
  /// or speak against a document.
  private static let mostClaims = 6

  /// Returns the claims, the most severe first. Claims whose results are as claimed are in a closed section.
  private static func claims(_ content: ReportContent) -> Markup {
    let leftOut = paragraphs([content.leftOut].compactMap { $0.map { Line($0, .quiet) } })
    guard !content.claims.isEmpty else { return leftOut }
    let (severe, asSaid) = content.claimsBySeverity
    let failing = severe.count { $0.severity == .failed || $0.severity == .againstDocument }
    let shown = severe.prefix(max(failing, mostClaims))
    let rest = severe.dropFirst(shown.count) + asSaid
    let list: Markup = shown.isEmpty ? "" : "<ul class=\"claims\">\n\(shown.map(item))</ul>\n"
    let folded: Markup =
      rest.isEmpty
      ? ""
      : """
      <details><summary>\(shown.isEmpty ? "" : "and ")\(ReportContent.verdicts(Array(rest)).map(\.text).joined(separator: ", "))</summary>
      <ul class="claims">
      \(rest.map(item))</ul></details>

      """
    let legend = paragraphs(content.legend(isFull: false, of: content.claims).map { Line($0, .quiet) })
    return "<h2>claims</h2>\n\(list)\(folded)\(legend)\(leftOut)"
  }

  private static func item(_ claim: ClaimFacts) -> Markup {
    """
    <li><span class="verdict \(claim.color.tone)">\(claim.markedWord)</span> <div>\(claim.says)\
    <p class="quiet"><code>\(claim.check)</code>: \(claim.evidenceText); \(claim.sides)</p></div></li>

    """
  }

  // MARK: Tables

  private static func table(_ table: Table) -> Markup {
    let hidden = table.headings.filter { $0.omission > 0 }.map(\.title)
    let head = table.headings.map { heading in
      "<th\(heading.omission > 0 ? " class=\"room\"" : "" as Markup)>\(heading.title)</th>" as Markup
    }
    let note: Markup =
      hidden.isEmpty
      ? "" : "<p class=\"quiet narrow\">Columns hidden on a narrow screen: \(hidden.joined(separator: ", ")).</p>\n"
    let body = table.rows.map { row -> Markup in
      let cells = row.cells.enumerated().map { column, cell -> Markup in
        column < table.keys
          ? "<th>\(cell.text)</th>"
          : "<td\(cell.facts.contains(.best) ? " class=\"best\"" : table.headings[column].omission > 0 ? " class=\"room\"" : "" as Markup)>\(cell.text)</td>"
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
    let tables = content.explained(content.detailedTables).map { one, notes -> Markup in
      "\(table(one))\(paragraphs(notes.map { Line($0, .quiet) }))"
    }
    return "\(tables)"
  }

}

extension SemanticColor {
  /// The CSS class of elements in this colour.
  var tone: String {
    switch self {
    case .good: "good"
    case .bad: "bad"
    case .care: "care"
    case .quiet, .heading, .name: "none"
    }
  }
}

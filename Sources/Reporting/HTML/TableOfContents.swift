import Laboratory
import Measurement

/// The sections of a page that precede the sections of several scenarios: the contents, and the sentences of the
/// documents.
extension HTMLReport {
  /// Returns the contents of a page with several scenarios: a link to each scenario, with the result of its run.
  /// Returns empty markup for a single scenario.
  static func tableOfContents(_ contents: [ReportContent], _ sentences: SentenceIndex?) -> Markup {
    guard contents.count > 1 else { return "" }
    let families = contents.grouped(by: \.document.scenario.tags.first).map { family, contents -> Markup in
      """
      <h2>\(family ?? "others")</h2>
      <div class="scroll"><table class="contents"><tbody>
      \(contents.map(entry))</tbody></table></div>

      """
    }
    // The claims of comparisons and of stand-ins are not comparable with the other claims, so they do not count.
    let total = ReportContent.counts(
      contents.flatMap { $0.isComparison || $0.standings.standIn != nil ? [] : $0.claims })
    let areComparisons = contents.allSatisfy(\.isComparison)
    return """
      <nav id="contents"><h1>\(areComparisons ? "Comparisons" : "What the documents say, tried")</h1>
      \(sentences.map { refuted($0, contents) } ?? "")<p class="quiet">\(contents.count) scenarios, \(total.map(phrases) ?? "")</p>
      <p class="quiet">\(areComparisons ? "" : ClaimRelation.counts(contents.flatMap { $0.document.claims.map(\.sentenceIDs) }))</p>
      \(places(contents))\(families)</nav>

      """
  }

  /// Returns the number of sentences for each standing, and the refuted sentences.
  static func refuted(_ index: SentenceIndex, _ contents: [ReportContent]) -> Markup {
    let shown = Set(contents.map(\.document.scenario.name))
    let items = index.refuted.map { entry -> Markup in
      let places = entry.judgedBy.filter(shown.contains).map { " <a href=\"#\($0)\">\($0)</a>" as Markup }
      return "<li><b>\(entry.id)</b> \(entry.says)\(places)</li>\n"
    }
    let list: Markup =
      items.isEmpty
      ? ""
      : "<h2 class=\"bad\">Sentences of the documents that these runs refute</h2>\n<ul class=\"refuted\">\n\(items)</ul>\n"
    return "<p>\(index.summary)</p>\n\(list)"
  }

  /// Returns an entry of the contents: the scenario's name, its question and the result of its run.
  private static func entry(_ content: ReportContent) -> Markup {
    let scenario = content.document.scenario
    let cautions = [content.standings.caution, content.coresNote].compactMap { $0.map { Line($0, .care) } }
    let conclusion: Markup = content.conclusion.map { "<br>\($0)" } ?? ""
    return """
      <tr><th><a href="#\(scenario.name)">\(scenario.name)</a></th><td><small>\(scenario.title)</small>\(paragraphs(cautions))\(conclusion)</td>\
      <td>\(paragraphs([content.standings.line].compactMap(\.self)))\(content.counts.map(phrases) ?? "")</td></tr>

      """
  }

  /// Returns the machine of all runs, and the start time of the first run; empty if the runs are of several machines.
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

  /// Returns the sentences of each document with their standings, and with links to the scenarios that show the
  /// standings.
  static func chapters(_ index: SentenceIndex, _ contents: [ReportContent]) -> Markup {
    let shown = Set(contents.map(\.document.scenario.name))
    let ids = Set(index.chapters.flatMap(\.entries).map(\.id))
    // On a page of a few scenarios, the documents that they do not try would only fill the screen.
    let tried = index.chapters.filter { $0.entries.contains { !shown.isDisjoint(with: $0.scenarios) } }.map(\.name)
    let parts = index.parts.map { era, all -> Markup in
      let chapters = all.filter { tried.isEmpty || tried.contains($0.name) }
      guard !chapters.isEmpty else { return "" }
      let title: Markup =
        era.map { "<h2>\($0.title)</h2>\n<p>\(SentenceIndex.summary(chapters.flatMap(\.entries)))</p>\n" } ?? ""
      let sections = chapters.map { chapter -> Markup in
        let address: Markup = chapter.address.map { "<p><a href=\"\($0)\">\($0)</a></p>" } ?? ""
        return """
          <details><summary><b>\(chapter.title)</b> \(chapter.summary)</summary>
          \(address)
          <div class="scroll"><table class="sentences"><tbody>
          \(chapter.entries.map { sentence($0, shown, ids) })</tbody></table></div></details>

          """
      }
      return "\(title)\(sections)"
    }
    return "<nav><h1>The documents, sentence by sentence</h1>\n\(parts)</nav>\n"
  }

  /// Returns the row of a sentence, with links to scenarios and sentences on the same page.
  private static func sentence(_ entry: SentenceIndex.Entry, _ shown: Set<String>, _ ids: Set<String>) -> Markup {
    func link(_ name: String, in known: Set<String>) -> Markup {
      known.contains(name) ? "<a href=\"#\(name)\">\(name)</a>" : "\(name)"
    }
    func note(_ text: Markup?) -> Markup { text.map { "<br><span class=\"quiet\">\($0)</span>" } ?? "" }
    let claims = entry.judgedClaims.map { judged -> Markup in
      let name = judged.scenario
      let places: Markup =
        shown.contains(name) ? " \(link(name, in: shown)), <a href=\"#\(name)-code\">its code</a>" : ""
      return
        "<li><b>\(judged.opinion.rawValue)</b> \(judged.claim.says) <span class=\"quiet\">\(judged.claim.verdict.rawValue), \(judged.evidence)</span>\(places)</li>\n"
    }
    let details: Markup =
      claims.isEmpty ? "" : "<details><summary>\(claims.count.counted("claim"))</summary><ul>\n\(claims)</ul></details>"
    let answers = entry.answers.map { " \(link($0.id, in: ids))" as Markup }
    let conditions = entry.conditions.joined(separator: "; ")
    let tries = entry.scenarios.map { "\(link($0, in: shown)) " as Markup }
    return """
      <tr><th id="\(entry.id)">\(entry.id)</th><td>\(entry.says)\(note("in: \(entry.place)"))\(note(answers.isEmpty ? nil : "on the same subject:\(answers)"))</td>\
      <td>\(entry.strengthText)</td><td><span class="\(entry.standing.color.tone)">\(entry.standing.rawValue)</span>\
      \(note(entry.remark.map { "\($0)" }))\(note(conditions.isEmpty ? nil : "tried with: \(conditions)"))\(details)</td><td>\(tries)</td></tr>

      """
  }
}

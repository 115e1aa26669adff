import Laboratory
import Measurement

/// An atlas as a self-contained HTML page. The columns of the machines scroll horizontally, and the first column
/// remains visible.
public enum AtlasPage {
  /// Returns the HTML page of an atlas.
  public static func render(_ atlas: Atlas) -> String {
    HTMLReport.page(
      "\(atlas.columns.count) \(atlas.words.many)", style: style,
      """
      <h1>\(atlas.columns.count) \(atlas.words.many) side by side <small>\(atlas.sentences.isEmpty ? "" : atlas.summary)</small></h1>
      \(machines(atlas))\(paragraphs(atlas.cautions, .care))\(sentences(atlas))\
      <h1 id="scenarios">Scenario by scenario</h1>
      \(paragraphs(Atlas.notes, .quiet))\
      \(contents(atlas))\(atlas.scenarios.map { scenario($0, atlas) })
      """)
  }

  private static func paragraphs(_ texts: [String], _ color: SemanticColor) -> Markup {
    HTMLReport.paragraphs(texts.map { Line($0, color) })
  }

  private static func machines(_ atlas: Atlas) -> Markup {
    let rows = atlas.columns.enumerated().map { number, column -> Markup in
      let facts = column.facts.map { "<td>\($0.text)</td>" as Markup }
      return
        "<tr><th>\(number + 1)</th>\(facts)<td>\(column.date)</td><td>\(column.runs.count)</td><td>\(column.place)</td></tr>\n"
    }
    let heads = (atlas.columns.first?.facts ?? []).map { "<th>\($0.name)</th>" as Markup }
    return """
      <div class="scroll box"><table class="atlas words machines"><thead><tr><th>\(atlas.words.one)</th>\(heads)<th>started</th><th>scenarios</th><th>file</th></tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  /// Returns the heading row of a table, with a column for each machine. The column contains the number of the machine
  /// and the facts that distinguish the machine from the other machines.
  private static func head(_ first: String, _ atlas: Atlas, _ last: Markup = "") -> Markup {
    let heads = atlas.names.enumerated().map { number, name -> Markup in
      "<th><b>\(number + 1)</b><span>\(name)</span></th>"
    }
    return "<thead><tr><th>\(first)</th>\(heads)\(last)</tr></thead>"
  }

  // MARK: Sentences

  private static func sentences(_ atlas: Atlas) -> Markup {
    guard !atlas.sentences.isEmpty else { return "" }
    let shown = atlas.sentences.filter { $0.disagreement != .none }
    let chapters = atlas.sentences.filter { $0.disagreement == .none && $0.agreement != .never }.grouped(by: \.chapter)
    let agreed = chapters.map { chapter, sentences -> Markup in
      """
      <details class="wide"><summary><b>\(chapter)</b> \(counts(sentences, atlas.words))</summary>
      \(table(sentences, atlas))</details>

      """
    }
    return """
      <h1 id="sentences">Sentences on which \(atlas.words.many) disagree</h1>
      \(shown.isEmpty ? "<p>None.</p>\n" : table(shown, atlas))<h2>The other sentences with a verdict</h2>
      \(agreed)
      """
  }

  /// Returns the number of sentences for each kind of agreement: `12 on which machines agree, 2 without a verdict`.
  private static func counts(_ sentences: [AtlasSentence], _ words: ColumnWords) -> String {
    AtlasSentence.Agreement.allCases.compactMap { agreement in
      let count = sentences.count { $0.agreement == agreement }
      return count > 0 ? "\(count) \(agreement.words(words).dropFirst("sentences ".count))" : nil
    }.joined(separator: ", ")
  }

  private static func table(_ sentences: [AtlasSentence], _ atlas: Atlas) -> Markup {
    let rows = sentences.map { sentence -> Markup in
      let cells = sentence.standings.map {
        "<td class=\"\($0?.color.tone ?? "none")\">\(AtlasText.word($0))</td>" as Markup
      }
      let strength: Markup = sentence.strength.map { " <small>\($0.rawValue)</small>" } ?? ""
      let row: Markup = "<tr><th><b>\(sentence.id)</b> \(sentence.says)\(strength)</th>\(cells)</tr>\n"
      guard !sentence.claims.isEmpty else { return row }
      let claims = sentence.claims.map(claim)
      let isOpen: Markup = atlas.columns.count <= mostOpened ? " open" : ""
      return
        "\(row)<tr class=\"why\"><td colspan=\"\(sentence.standings.count + 1)\"><details\(isOpen)><summary>the figures that differ</summary>\(claims)</details></td></tr>\n"
    }
    return
      "<div class=\"scroll box\"><table class=\"atlas words\">\(head("sentence", atlas))<tbody>\n\(rows)</tbody></table></div>\n"
  }

  /// The maximum number of machines for which the lists of figures are initially open. With more machines, the lists
  /// are too long.
  private static let mostOpened = 4

  private static func claim(_ claim: AtlasSentence.Claim) -> Markup {
    let machines = claim.words.map { machines, says -> Markup in
      "<li><b>\(machines.map(String.init).joined(separator: " "))</b> \(says)</li>\n"
    }
    let apart: Markup = claim.apartText.map { "<p class=\"care\">\($0)</p>" } ?? ""
    return """
      <p><a href="#\(claim.scenario)">\(claim.scenario)</a>: \(claim.says)</p>
      <p class="quiet"><code>\(claim.check)</code></p><ul>
      \(machines)</ul>\(apart)

      """
  }

  // MARK: Scenarios

  /// Returns the list of scenarios, each with its largest significant difference.
  private static func contents(_ atlas: Atlas) -> Markup {
    let links = atlas.scenarios.map { scenario -> Markup in
      let most = scenario.rows.filter { $0.isSignificant == true }.compactMap(\.apart).max()
      let apart: Markup = most.map { " <span class=\"care\">\(Quantity.ratio($0))x</span>" } ?? ""
      return "<li><a href=\"#\(scenario.name)\">\(scenario.name)</a>\(apart)</li>\n"
    }
    return "<ul class=\"names\">\n\(links)</ul>\n"
  }

  private static func scenario(_ scenario: AtlasScenario, _ atlas: Atlas) -> Markup {
    let hasApart = scenario.rows.contains { $0.apart != nil }
    let rows = scenario.rows.map { row -> Markup in
      let cells = row.cells.map { cell -> Markup in
        guard let cell else { return "<td class=\"none\">-</td>" }
        let margin: Markup = cell.margin.map { "<small>\($0)</small>" } ?? ""
        return "<td title=\"\(cell.figure ?? "")\">\(cell.cell.text)\(margin)</td>"
      }
      let tone: Markup = row.isSignificant == true ? " class=\"care\"" : ""
      let apart: Markup = hasApart ? "<td\(tone)>\(row.apartText)</td>" : ""
      return "<tr\(row.isBroken ? " class=\"broken\"" : "" as Markup)><th>\(row.label)</th>\(cells)\(apart)</tr>\n"
    }
    let table: Markup =
      scenario.rows.isEmpty
      ? "<p>Nothing was measured.</p>"
      : "<div class=\"scroll box\"><table class=\"atlas\">\(head("", atlas, hasApart ? "<th>apart</th>" : ""))<tbody>\n\(rows)</tbody></table></div>"
    return """
      <h2 id="\(scenario.name)">\(scenario.name) <small>\(scenario.title)</small></h2>
      <p class="quiet">\(scenario.note)</p>
      \(paragraphs(scenario.cautions, .care))\(table)

      """
  }

  private static let style: Markup = """
    main { max-width: 1400px; } h1 small { display: block; font-size: 1rem; } .care { font-weight: normal; }
    .box { max-height: 85vh; overflow: auto; max-width: 100%; border-bottom: 1px solid var(--line); }
    .atlas { border-collapse: separate; border-spacing: 0; }
    .atlas :is(th, td) { padding: .2rem .6rem; border-bottom: 1px solid var(--line); background: var(--page); vertical-align: top; }
    .atlas tbody th, .atlas tbody th:first-child { font-weight: normal; text-align: left; }
    .atlas tr > :first-child { position: sticky; left: 0; z-index: 1; max-width: 26rem; min-width: 14rem; white-space: normal; overflow-wrap: anywhere; }
    .atlas thead th { position: sticky; top: 0; z-index: 2; vertical-align: bottom; } .atlas thead th:first-child { z-index: 3; }
    .atlas thead b { color: var(--ink); } .atlas thead span { display: block; font-size: .75rem; max-width: 9rem; white-space: normal; overflow-wrap: anywhere; }
    .atlas.words :is(th, td) { text-align: left; } .atlas td small { display: block; }
    .atlas .why > td { position: static; max-width: none; padding: 0 .6rem .4rem; }
    .why details { position: sticky; left: .6rem; max-width: min(52rem, calc(100vw - 4rem)); white-space: normal; }
    .why p { margin: .5rem 0 0; overflow-wrap: anywhere; } .why ul { margin: .25rem 0; list-style: none; padding-left: 1rem; } .why li { overflow-wrap: anywhere; }
    .machines tr > :first-child { min-width: 0; overflow-wrap: normal; }
    .names { columns: 14rem; list-style: none; padding: 0; font-size: .9rem; }
    @media (max-width: 700px) { .atlas tr > :first-child { max-width: 40vw; min-width: 6rem; font-size: .8rem; } }
    @media print { @page { size: landscape; margin: 1cm; } .box { max-height: none; overflow: visible; } .atlas { font-size: 7pt; }
      .atlas :is(th, td) { position: static; font-size: inherit; padding: .1rem .2rem; white-space: normal; } .atlas thead span, .atlas td small { font-size: 5pt; }
      .atlas tr > :first-child { position: static; max-width: 16rem; min-width: 4rem; } .names { columns: 5; } h2 { break-after: avoid; } }
    """
}

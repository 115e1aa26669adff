import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the picture at the beginning of a page. The document determines the kind of picture, and the figures in the
/// picture are those of the tables.
@Suite struct PictureTests {
  private func page(_ content: ReportContent) -> String { HTMLReport.render([content]) }

  /// Returns the content of a report after replacements in its document.
  private func changed(_ results: Results, _ words: [(String, String)]) throws -> ReportContent {
    let json = words.reduce(try JSONReport.render([results.document])) { $0.replacing($1.0, with: $1.1) }
    return ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "x").first))
  }

  private func dots(_ content: ReportContent) throws -> DotPlot {
    guard case .dots(let plot)? = content.picture else {
      throw NoPicture(found: "\(String(describing: content.picture))")
    }
    return plot
  }
  private struct NoPicture: Error { let found: String }

  /// Returns the positions of the marks in a picture's rows, in percent of the width.
  private func marks(_ page: String) -> [Double] {
    page.prefix { _ in true }.matches(of: /<svg class="mark[^"]*" x="([0-9.]+)%" y="13">/).compactMap {
      Double($0.output.1)
    }
  }

  private static let claim = Claim(
    says: "Both create it.", kind: .anomaly,
    check: Check(text: "racy.missed > 0", left: .cores, relation: .greater, right: .cores))

  /// Returns the results of a race in which some of 200 tries have the value 2.
  private static func race() -> Results {
    var results = Fixture.made(
      [
        (
          "racy",
          Fixture.rounds(6) { _ in ["missed": Array(repeating: 1, count: 150) + Array(repeating: 2, count: 50)] }
        ),
        ("sound", Fixture.rounds(6) { _ in ["missed": Array(repeating: 1, count: 200)] }),
        ("other", Fixture.rounds(6) { _ in ["elapsed": [5]] }),
      ])
    results.judgements = [Judgement(claim: claim, verdict: .witnessed, evidence: Evidence(trials: 6, met: 6))]
    return results
  }

  // MARK: The kind of picture

  @Test func `the kind of picture depends on the sweeps and figures of the document`() throws {
    func kind(_ results: Results) -> String {
      switch results.content.picture {
      case .outcomes?: "outcomes"
      case .heat?: "heat"
      case .curve?: "curve"
      case .dots?: "dots"
      case nil: "none"
      }
    }
    func swept(_ sweeps: [(name: String, values: [Int])], isComparison: Bool = true) throws -> Results {
      try Fixture.compared(sweeps, isComparison: isComparison) { _, _, values in Double(1000 * (values["stride"] ?? 1))
      }
    }
    #expect(kind(Fixture.pair) == "dots")
    #expect(try kind(swept([("stride", [1, 4])])) == "dots")
    #expect(try kind(swept([("stride", [1, 4, 16])])) == "curve")
    #expect(try kind(swept([("stride", [1, 4, 16])], isComparison: false)) == "curve")
    #expect(try kind(swept([("work", [10, 20]), ("stride", [1, 4])])) == "heat")
    // A parameter with one value has no axis.
    #expect(try kind(swept([("work", [10]), ("stride", [1, 4, 16])])) == "curve")
    #expect(kind(Self.race()) == "outcomes")
    // All runs have incomplete trials, but the metric has a better direction, so the scenario is not a hazard.
    #expect(kind(AgreementTests.holes) == "dots")
    #expect(kind(Fixture.results([("a", [[]])], outcome: .hung)) == "outcomes")
    #expect(kind(Fixture.results([("a", [[]])], outcome: .unavailable(reason: "no threads"))) == "none")
  }

  @Test func `a page begins with the verdict, the conclusion and the picture`() throws {
    var results = Fixture.pair
    results.findings = [RunNote(Conclusion.kind, "Take the fast one.")]
    let html = page(results.content)
    let places = try ["1 violated", "Take the fast one.", "<figure class=\"picture\">", "<h2>claims</h2>", "<table>"]
      .map {
        try #require(html.firstRange(of: $0)?.lowerBound, "\($0)")
      }
    #expect(places == places.sorted())
    #expect(html.matches(of: /class="picture/).count == 1)
  }

  // MARK: Figures

  @Test func `dots show the medians and ratios of the table`() throws {
    let content = Fixture.pair.content
    let rows = try dots(content).panels.flatMap(\.rows)
    let html = page(content)
    #expect(rows.map(\.label) == ["slow", "fast"])
    for row in rows {
      let cells = try #require(content.tables[0].rows.first { $0.cells[0].text == row.label }).cells.map(\.text)
      #expect(cells.contains(row.figure), "\(row.figure) in \(cells)")
      #expect(row.isReference || cells.contains(row.ratio), "\(row.ratio) in \(cells)")
      #expect(html.contains("<b>\(row.figure)</b> <small>\(row.isReference ? "baseline" : row.ratio)</small>"))
      #expect(html.contains("<title>\(row.label): \(row.figure), \(row.isReference ? "baseline" : row.ratio)</title>"))
    }
    // Lower values are on the left, and the line of the baseline crosses all rows.
    let places = marks(html)
    #expect(places.count == 2 && places[1] < places[0])
    #expect(html.matches(of: /class="reference"/).count == 2 && html.contains("Dashed line: slow."))
  }

  @Test func `a metric with many samples in a trial is a bar from the lowest to the highest`() throws {
    let results = Fixture.made([("a", Fixture.rounds(6) { _ in ["rate": [1, 2, 9]] })])
    let row = try #require(try dots(results.content).panels.first?.rows.first)
    #expect(row.figure == "1 /s … 9 /s" && row.median == nil && row.span == 1...9)
    #expect(page(results.content).contains("<td>1 /s … 9 /s</td>") && marks(page(results.content)).isEmpty)
  }

  @Test func `each point of a sweep has a panel with the rows of the table`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], baseline: "plain", isComparison: false) {
      variant, _, values in
      Double(variant == "plain" ? 20_000 : 10_000 * (values["stride"] ?? 1))
    }
    let content = results.content
    let plot = try dots(content)
    #expect(plot.panels.map(\.title) == ["stride=1", "stride=4"] && plot.morePoints == 0)
    #expect(plot.panels.map { $0.rows.map(\.figure) } == [["20 us", "10 us"], ["20 us", "40 us"]])
    let table = content.tables[0].rows.map { $0.cells.map(\.text) }
    for panel in plot.panels {
      for row in panel.rows { #expect(table.contains { $0.contains(row.figure) && $0.first == row.label }, "\(row)") }
    }
  }

  @Test func `a curve shows the table's medians, and a line for a variant without the parameter`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain", isComparison: false) {
      variant, _, values in
      variant == "plain" ? 7000 : Double(2000 * (values["stride"] ?? 1))
    }
    let content = results.content
    let html = page(content)
    let table = content.tables[0].rows.map { $0.cells.map(\.text) }
    guard case .curve(let sweep)? = content.picture else { throw NoPicture(found: "") }
    for series in sweep.series {
      for point in series.points.compactMap(\.self) {
        #expect(table.contains { $0.first == series.label && $0.contains(point.text) }, "\(series.label) \(point.text)")
      }
    }
    #expect(html.contains("<title>apply, stride=4: 8 us</title>"))
    #expect(html.contains("No markers: the variant has no stride."))
    // Each line has its name at its end, or a key if there is no room. Lines differ not only in colour.
    #expect(html.contains(/<text x="[0-9]+" y="[0-9.]+">apply<\/text>/) && html.contains("</svg> apply</span>"))
    #expect(html.contains("class=\"c0 d0\"") && html.contains("class=\"c1 d1\""))
  }

  @Test func `a grid shows the cells of its tables`() throws {
    let results = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4, 16])]) { variant, round, values in
      Double((variant == "plain" ? 30 : 10) * (values["work"] ?? 1) * (values["stride"] == 4 ? 100 : 200) + round)
    }
    let content = results.content
    guard case .heat(let map)? = content.picture else { throw NoPicture(found: "") }
    // Each amount of work has a panel, in which the variants are compared.
    #expect(map.panels.map(\.title) == ["work 10 ns", "work 20 ns"])
    #expect(map.panels.map { $0.rows.map(\.label) } == [["plain", "apply"], ["plain", "apply"]])
    let table = try #require(content.tables.first)
    let all = map.panels.flatMap(\.rows).flatMap(\.cells)
    #expect(all.map(\.text) == table.rows.flatMap { $0.cells.dropFirst(table.keys).map(\.text) })
    for cell in all { #expect(page(content).contains(">\(cell.text)</text>")) }
    #expect(all.compactMap(\.strength).max() == 1 && all.filter(\.isBest).allSatisfy { $0.strength == 0 })
    #expect(page(content).contains("<b>elapsed as a multiple of the best mean for each work</b>"))
    // A comparison has an answer even without claims.
    let answer = try #require(content.conclusions.first)
    #expect(content.counts == nil && page(content).contains("<p class=\"conclusion\">\(answer)</p>"))
  }

  @Test func `a grid shows medians if nothing is compared`() throws {
    let results = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])], isComparison: false) { _, _, values in
      values["stride"] == 4 ? nil : Double(100 * (values["work"] ?? 1))
    }
    guard case .heat(let map)? = results.content.picture else { throw NoPicture(found: "") }
    let apply = try #require(map.panels.first { $0.title == "apply" })
    #expect(apply.rows.map { $0.cells.map(\.text) } == [["1 us", "stopped"], ["2 us", "stopped"]])
    #expect(apply.rows[0].cells[1].strength == nil)
  }

  /// Returns the content of a report in which `apply` is too noisy to rank, except at stride 16, at which `apply` is
  /// much slower.
  private func noisy(_ sweeps: [(name: String, values: [Int])], baseline: String?) throws -> ReportContent {
    try Fixture.compared(sweeps, baseline: baseline, isComparison: baseline == nil) { variant, round, values in
      guard variant == "apply" else { return Double(1000 + round) }
      return values["stride"] == 16 ? Double(90_000 + round) : round.isMultiple(of: 2) ? 400 : 9000
    }.content
  }

  @Test(arguments: [nil, "plain"]) func `a cell that is too noisy to rank is hatched and has a question mark`(
    _ baseline: String?
  ) throws {
    let content = try noisy([("work", [10, 20]), ("stride", [1, 16])], baseline: baseline)
    guard case .heat(let map)? = content.picture else { throw NoPicture(found: "") }
    let rows = map.panels.flatMap(\.rows).filter { $0.label == "apply" }
    #expect(rows.count == 2)
    for row in rows {
      #expect(row.cells.map(\.isTooNoisy) == [true, false])
      #expect(row.cells[0].text.hasSuffix(Signs.undecided) && !row.cells[1].text.hasSuffix(Signs.undecided))
    }
    let html = page(content)
    #expect(html.matches(of: /<rect class="noisy"/).count == 2 && html.contains("id=\"o-noisy\""))
    #expect(html.contains("Hatched, with ?: undecided against \(baseline ?? "the lowest mean")."))
    #expect(baseline != nil || content.footnotes(content.tables).contains { $0.contains("? undecided") })
  }

  @Test(arguments: [nil, "plain"]) func `a dot that is too noisy to rank has a dashed outline and a question mark`(
    _ baseline: String?
  ) throws {
    let content = try noisy([("stride", [1, 16])], baseline: baseline)
    let rows = try dots(content).panels.flatMap(\.rows).filter { $0.label == "apply" }
    #expect(rows.map(\.isTooNoisy) == [true, false])
    let html = page(content)
    #expect(html.matches(of: /<svg class="mark noisy"[^>]*><path[^>]*>\s*<text[^>]*>\?<\/text>/).count == 1)
    #expect(html.contains("Dashed outline and ?: undecided against \(baseline ?? "the best mean")."))
    #expect(!html.contains("Hollow:"))
  }

  @Test func `the axis of percentiles leaves out ticks that would overlap`() throws {
    func ticks(_ samples: Int) -> [String] {
      let results = Fixture.made([("a", [["elapsed": (1...samples).map(Double.init)]])])
      let chart = page(results.content).split(separator: "percentiles of elapsed").last.map(String.init) ?? ""
      return chart.matches(of: /<text class="tick mid"[^>]*>([0-9.]+ %)<\/text>/).map { String($0.output.1) }
    }
    #expect(ticks(40) == ["0 %", "50 %", "90 %"])
    #expect(ticks(20_000) == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
  }

  @Test func `bars of outcomes show the counts and shares of the table`() throws {
    let content = Self.race().content
    guard case .outcomes(let bars)? = content.picture else { throw NoPicture(found: "") }
    let table = try #require(content.tables.first { $0.title == "outcomes" })
    let racy = try #require(bars.rows.first { $0.label == "racy" })
    #expect(
      table.rows.map { $0.cells.map(\.text) }.filter { $0[0] == "racy" }.map { Array($0[1...3]) }
        == racy.entries.map { [$0.outcome, $0.count.withCommas, $0.shareText] })
    #expect(racy.entries.map(\.shareText) == ["75.0 %", "25.0 %"])
    // Variants with a single outcome are displayed, too, and a variant that counts nothing is named.
    #expect(bars.rows.map(\.label) == ["racy", "sound"] && bars.leftOut == ["other"])
    let html = page(content)
    #expect(html.contains(">missed 1: 75.0 %</text>") && html.contains("<b>missed 2: 25.0 %</b>"))
    #expect(html.contains("width=\"75.00%\"") && html.contains("x=\"75.00%\"") && html.contains("Not counted: other."))
  }

  @Test func `the picture has bars for all outcomes if no variant completes all its trials`() throws {
    let trials: [Fixture.Samples] = [["elapsed": [5]], nil, nil]
    let hazard = Fixture.made([("hangs", trials), ("sound", [["elapsed": [5]], ["elapsed": [5]], ["elapsed": [5]]])])
    // The metric has no better direction, so no figure is the best.
    let content = try changed(
      hazard, [("\"better\": \"lower\"", "\"better\": \"neither\""), ("\"documented\"", "\"broken\"")])
    guard case .dots? = content.picture else { throw NoPicture(found: "one of two ended otherwise") }
    let both = try changed(
      Fixture.made([("hangs", trials), ("traps", [nil, nil, nil])], outcome: .hung),
      [("\"better\": \"lower\"", "\"better\": \"neither\"")])
    guard case .outcomes(let bars)? = both.picture else { throw NoPicture(found: "") }
    #expect(
      bars.rows.map { $0.entries.map { "\($0.outcome) \($0.count)" } } == [["hung 2", "completed 1"], ["hung 3"]])
    let html = page(both)
    #expect(
      html.contains("fill: url(#o-forbidden)")
        && html.contains("class=\"forbidden\" x=\"0.00%\" y=\"2\" width=\"66.67%\""))
    #expect(html.contains("<b>completed: 33.3 %</b>"))
  }

  // MARK: Missing figures

  @Test func `a picture shows how a run without a figure ended, or names the run`() throws {
    let plot = try dots(AgreementTests.holes.content)
    let rows = plot.panels.flatMap(\.rows)
    #expect(rows.map(\.figure).last == "trapped" && rows.last?.median == nil)
    #expect(page(AgreementTests.holes.content).contains("<i>trapped</i>"))
    let other = Fixture.made([
      ("a", Fixture.rounds(6) { _ in ["elapsed": [5]] }), ("b", Fixture.rounds(6) { _ in ["rate": [5]] }),
    ])
    #expect(try dots(other.content).leftOut == ["b"] && page(other.content).contains("No figure: b."))
  }

  @Test func `a picture of one variant with one round has a mark without an interval`() throws {
    let one = Fixture.made([("only", [["elapsed": [5000]]])]).content
    let row = try #require(try dots(one).panels.first?.rows.first)
    #expect(row.span == nil && row.figure == "5 us" && row.ratio == "")
    let html = page(one)
    #expect(
      html.contains("One round: no interval.") && !html.contains("class=\"span\"") && !html.contains("Dashed line"))
    #expect(marks(html).count == 1)
  }

  @Test func `a picture skips a headline that has no figures`()
    throws
  {
    let next = Fixture.made([("a", [["missed": [5]]])])
    #expect(try dots(next.content).title == "missed")
    let family = Fixture.made([("a", [["missed": [5]]])])
    let content = try changed(
      family, [("\"show\": [\"elapsed\", \"missed\", \"rate\"]", "\"show\": [\"each\", \"missed\", \"rate\"]")])
    #expect(try dots(content).title == "missed")
  }

  // MARK: Axes

  @Test func `an axis has a place for zero, for negative figures and for a large spread`() throws {
    func axis(_ values: [Double]) -> Axis { Axis(values, .nanoseconds, atMost: 5) }
    #expect(!axis([10, 200]).isLog && axis([10, 201]).isLog && !axis([0, 1000]).isLog && !axis([-5, 1000]).isLog)
    for values in [[0], [0, 0], [-5, 5], [1, 1e12], [5, 5], [1e-9, 2e-9], [-1e36, 1e36], [1e35, 1e36]] as [[Double]] {
      let axis = axis(values)
      let places = values.map(axis.position)
      #expect(places.allSatisfy { (0...1).contains($0) } && places == places.sorted(), "\(values): \(places)")
      #expect(
        axis.ticks.count <= 5 && axis.ticks.allSatisfy { axis.low <= $0.value && $0.value <= axis.high }, "\(values)")
    }
    let spread = Fixture.made([("a", [["elapsed": [10]]]), ("b", [["elapsed": [1e6]]]), ("c", [["elapsed": [1e3]]])])
    let html = page(spread.content)
    #expect(html.contains("Logarithmic axis."))
    let places = marks(html)
    #expect(places.count == 3 && abs(places[2] - (places[0] + 0.4 * (places[1] - places[0]))) < 1, "\(places)")
    let zero = Fixture.made([("a", [["missed": [0]]]), ("b", [["missed": [40]]])])
    #expect(marks(page(zero.content)).first == 0 && page(zero.content).contains("<b>0</b>"))
    // There is no ratio to 0, but the baseline is drawn.
    let none = Fixture.made([("a", [["elapsed": [0]]]), ("b", [["elapsed": [40]]])], baseline: "a")
    #expect(
      page(none.content).contains("Dashed line: a.") && page(none.content).contains("class=\"reference\" x1=\"0.00%\""))
  }

  @Test func `a value that is not finite does not affect a coordinate or an axis`() {
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(coordinate(value) == "0.0" && percent(value) == "0.00%")
      let axis = Axis([1, value, 5], .none)
      #expect(axis.low.isFinite && axis.high.isFinite && (0...1).contains(axis.position(value)))
    }
    #expect(Axis([.nan], .none).ticks.allSatisfy { $0.value.isFinite })
  }

  // MARK: Names from outside

  @Test func `HTML code in a document is displayed as text in every picture`() throws {
    let evil = "\\u0022><script>alert(1)</script><svg onload=\\u0022x\\u0022>\\u202e"
    let swept = try Fixture.compared([("stride", [1, 4, 16])], isComparison: false) { _, _, _ in 5000 }
    let grid = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])]) { _, _, _ in 5000 }
    for results in [Fixture.pair, swept, grid, Self.race(), AgreementTests.holes] {
      let names = ["slow", "fast", "apply", "plain", "racy", "sound", "other", "never", "fixture", "stride"]
      let content = try changed(
        results,
        names.map { ("\"\($0)\"", "\"\(evil)\($0)\"") } + [
          ("\"the whole loop\"", "\"\(evil)\""), ("\"left out\"", "\"\(evil)\""),
        ])
      let html = HTMLReport.render([content, content])
      #expect(html.contains("class=\"picture"))
      #expect(!html.contains("<script") && !html.contains("<svg onload") && !html.contains("\u{202e}"))
      #expect(html.matches(of: /<svg/).count == html.matches(of: /<\/svg>/).count)
      #expect(html.contains("&lt;script&gt;"))
    }
  }

  @Test func `the page explains that broken variants are orange`() throws {
    let plain = page(Fixture.pair.content)
    #expect(!plain.contains("Orange:") && !plain.contains("class=\"wrong\""))
    let broken = page(try changed(Fixture.pair, [("\"documented\"", "\"broken\"")]))
    #expect(broken.contains("Orange: a deliberately broken variant") && broken.contains("class=\"strip broken\""))
    #expect(broken.contains("<g class=\"wrong\">"))
  }

  // MARK: The book

  @Test func `the table of contents has families and conclusions, and every scenario links back to it`() throws {
    func content(_ name: String, _ tag: String, _ conclusion: String) throws -> ReportContent {
      var results = Fixture.pair
      results.findings = [RunNote(Conclusion.kind, conclusion)]
      return try changed(
        results, [("\"tags\": []", "\"tags\": [\"\(tag)\"]"), ("\"name\": \"fixture\"", "\"name\": \"\(name)\"")])
    }
    let html = HTMLReport.render([
      try content("one", "queues", "Take one."), try content("two", "groups", "Take two."),
      try content("three", "queues", "Take three."),
    ])
    let contents = String(
      try #require(html.split(separator: "<nav id=\"contents\">").last).split(separator: "</nav>")[0])
    let places = try [
      "<h2>queues</h2>", "#one", "Take one.", "#three", "Take three.", "<h2>groups</h2>", "#two", "Take two.",
    ].map {
      try #require(contents.firstRange(of: $0)?.lowerBound, "\($0)")
    }
    #expect(places == places.sorted() && contents.matches(of: /<h2>/).count == 2)
    #expect(html.matches(of: /<a href="#contents">/).count == 6)
    #expect(!page(Fixture.pair.content).contains("#contents"))
  }
}

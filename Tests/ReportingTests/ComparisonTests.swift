import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct ComparisonTests {
  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results.content)
  }

  @Test func `a sweep marks the best run and the runs without a difference from it`() throws {
    let swept = try Fixture.compared([("stride", [1, 4, 16, 64])], plain: .yardstick) { variant, values in
      guard variant == "apply", let stride = values["stride"] else { return 20_000 }
      return stride == 1 ? 50_000 : stride == 64 ? nil : stride == 16 ? 10_004 : 10_000
    }
    let shown = text(swept)
    #expect(shown.contains("apply         4"), "\(shown)")
    #expect(
      shown.replacing("\n ", with: "").contains(
        "● best mean except yardsticks (lower is better); ≈ no difference from it was found"), "\(shown)")
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        16") && $0.hasSuffix("≈") })
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        64") && $0.hasSuffix("stopped") })
    #expect(shown.contains("elapsed by stride  means over the rounds, both axes logarithmic"))
  }

  @Test func `a grid marks a run with two states`() throws {
    let results = try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], rounds: 40) {
      variant, round, values in
      let isAlternating = variant == "apply" && values["stride"] == 4 && values["work"] == 100
      return 10_000 + 10 * Double(round % 7) + (isAlternating && round % 5 < 2 ? 50_000 : 0)
    }
    let lines = text(results).split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasSuffix("‡") }.map { $0.contains("100 ns  apply") } == [true], "\(lines)")
    #expect(lines.contains("  ‡ each round is in one of two states, and the mean is typical of neither"))
  }

  @Test func `the best run is marked even if ratios refer to a baseline`() throws {
    let shown = text(
      try Fixture.compared([("stride", [1, 4])], baseline: "plain") { variant, values in
        variant == "plain" ? 20_000 : values["stride"] == 4 ? 10_000 : 40_000
      })
    #expect(shown.contains("vs plain"))
    #expect(shown.split(separator: "\n").contains { $0.contains("2.00x faster") && $0.hasSuffix("●") })
  }

  @Test(arguments: [20, 40, 80, 160])
  func `a grid of 100 cells fits into the terminal`(width: Int) throws {
    // There are too few rounds for intervals, whose calculation would take long in a debug build.
    let grid = try Fixture.compared([("work", Array(1...10)), ("threads", Array(1...10))], rounds: 3) {
      variant, values in
      Double((variant == "plain" ? 20_000 : 3_000) * (values["work"] ?? 1) / (values["threads"] ?? 1))
    }
    for unicode in [true, false] {
      let lines = text(grid, width: width, unicode: unicode).split(separator: "\n")
      if width >= 40 { for line in lines { #expect(String(line).displayWidth <= width, "\(line)") } }
      if !unicode { #expect(lines.allSatisfy { $0.allSatisfy(\.isASCII) }) }
    }
    let shown = text(grid)
    #expect(shown.contains("elapsed  the whole loop; as a multiple of the best mean for each work"), "\(shown)")
    // Eight values fit into one line.
    if width == 80 {
      #expect(
        shown.contains("\n   work  variant       1       2       3       4       5       6       7       8\n"),
        "\(shown)")
      #expect(shown.contains("  2 columns hidden: 9, 10; "))
    }
  }

  @Test func `a comparison has a best run for each amount of work`() throws {
    func time(_ variant: String, _ values: [String: Int]) -> Double? {
      variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    // A list marks the best of each size, and a grid marks the stride of 4 in both columns.
    let list = text(try Fixture.compared([("work", [10, 1000])], time)).split(separator: "\n").map(String.init)
    for work in ["10 ns", "1 us"] {
      #expect(
        list.contains { $0.hasPrefix("  apply") && $0.contains(" \(work) ") && $0.hasSuffix("● best mean") }, "\(list)")
    }
    #expect(list.contains { $0.contains("● best mean for each work, over all variants (lower is better)") })
    let grid = text(try Fixture.compared([("stride", [1, 4]), ("work", [10, 1000])], time))
    #expect(grid.contains("apply  elapsed as a multiple of the best mean for each work, by work"))
    let best = grid.split(separator: "\n").filter { $0.contains("us●  ") && $0.hasSuffix("ms●") }
    #expect(best.count == 1 && best[0].hasPrefix("       4  "), "\(grid)")
  }

  @Test func `each amount of work in a grid has its own best cell`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? 40_000 : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    let lines = text(grid).split(separator: "\n").map(String.init)
    let table = try #require(lines.firstIndex { $0.hasPrefix("elapsed  the whole loop; as a multiple of the best") })
    func row(_ work: String, _ variant: String) throws -> [Substring] {
      let row = try #require(lines.dropFirst(table).first { $0.hasPrefix("  \(work)  \(variant)") }, "\(lines)")
      return row.replacing(/\ ([mu]s)/) { String($0.1) }.split(separator: " ").dropFirst(3).map(\.self)
    }
    // For the small problem, apply is the best. For the large problem, the loop is the best. Its only figure is in each
    // column, since it ignores the stride.
    #expect(try row("10 ns", "apply").map(\.last) == ["x", "●", "x"], "\(lines)")
    #expect(try row(" 1 us", "plain").allSatisfy { $0.hasSuffix("us●") }, "\(lines)")
    #expect(lines.contains { $0.contains("● best mean for each work, over all variants (lower is better)") })
    // Each problem has a line in the plot, and the report does not choose a problem.
    let details = TerminalReport(TextStyle(), details: true)
    let plotted = details.render(grid.content)
    for label in ["apply[work=10ns]", "apply[work=1us]"] { #expect(plotted.contains(label)) }
    let many = try Fixture.compared([("work", Array(1...9)), ("threads", Array(1...5))], rounds: 3) { _, values in
      Double(values["work"] ?? 1)
    }
    #expect(
      details.render(many.content).split { $0.isWhitespace }.joined(separator: " ").contains(
        "each variant only at the setting with its best mean"))
  }

  @Test func `a grid has one column for a variant without the last parameter, and means without ratios`()
    throws
  {
    let both = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4, 16])]) { variant, round, _ in
      (variant == "plain" ? 1000 : 3000) * (round < 3 ? 1 : 4)
    }
    let ratios = try #require(both.content.tables.first)
    #expect(ratios.headings.map(\.title) == ["work", "variant", "1", "4", "16"], "\(ratios.headings)")
    #expect(ratios.note == "the whole loop; as a multiple of the best mean for each work, by stride")
    let alone = Results(
      experiment: both.experiment, machine: both.machine, seed: 1, started: both.started,
      runs: both.runs.filter { $0.variant.name == "plain" })
    let content = alone.content
    let figures = try #require(content.tables.first)
    #expect(figures.note == "elapsed, means over the rounds", "\(figures.note)")
    let plotted = try #require(content.sweeps.first).series.compactMap { $0.points.first.flatMap { $0 }?.text }
    // The median of the rounds would be 2.5 us.
    #expect(
      figures.rows.map(\.cells.last?.text) == plotted && plotted.allSatisfy { $0.hasPrefix("2") }, "\(figures.rows)")
    #expect(!plotted.contains { $0.hasPrefix("2.5") })
    #expect(!content.footnotes(content.tables).contains { $0.contains("significantly") })
    // The picture of a page has the same cells.
    let page = HTMLReport.render([content])
    #expect(page.contains("<b>mean elapsed</b>") && page.contains(">any stride</text>"))
    #expect(page.matches(of: /<rect class="cell/).count == 2)
  }

  @Test func `a comparison over several values of one parameter has a list, even if other parameters have one value`()
    throws
  {
    func tables(_ works: [Int]) throws -> [Table] {
      try Fixture.compared([("work", works), ("stride", [1, 4])]) { _, _ in 1000 }.content.tables
    }
    // A full report of a grid also has the list, with the intervals of the ratios.
    #expect(try tables([10]).map(\.isGrid) == [false] && tables([10, 20]).map(\.isGrid) == [true, false])
    let grid = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])]) { _, _ in 1000 }
    #expect(grid.content.briefTables.map(\.isGrid) == [true])
  }

  @Test func `a grid has a rough estimate for a run whose ratio is imprecise and undecided`() throws {
    let noisy = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])]) { variant, round, _ in
      variant == "plain" ? 1000 : round.isMultiple(of: 2) ? 10_000 : 150
    }
    let table = try #require(noisy.content.tables.first)
    let rows = table.rows.filter { $0.cells[1].text == "apply" }
    #expect(rows.count == 2 && rows.allSatisfy { $0.cells.dropFirst(2).allSatisfy { $0.text == "1.2x??" } }, "\(rows)")
    #expect(
      noisy.content.footnotes([table]).contains("?? undecided, and a difference of 2x or more is possible"),
      "\(noisy.content.footnotes([table]))")
    #expect(table.note.contains("as a multiple of the lowest mean for each work"), "\(table.note)")
  }

  @Test func `a note below the table names the settings that all runs share`() throws {
    let compared = try Fixture.compared([("stride", [1, 4])]) { _, _, _ in 1000 }
    // The answer of a comparison contains the settings.
    #expect(text(compared).contains("Measured at work 15 ns, threads 1.") && !text(compared).contains("\n  at work"))
    var experiment = compared.experiment
    experiment.isComparison = false
    let results = Results(
      experiment: experiment, machine: compared.machine, seed: 1, started: "", runs: compared.runs)
    #expect(text(results).contains("\n  at work 15 ns, threads 1\n"), "\(text(results))")
    let detailed = TerminalReport(TextStyle(), details: true).render(results.content)
    #expect(!detailed.contains("at work 15 ns") && detailed.contains("\nwork 15 ns, threads 1\n"), "\(detailed)")
    #expect(
      results.content.settingsNote { !$0.contains("threads") } == "at work 15 ns and 1 more: see --details")
    // No variant of this run reads the stride.
    experiment = try Fixture.compared([("work", [10, 20])]) { _, _, _ in 1000 }.experiment
    experiment.isComparison = false
    experiment.variants = experiment.variants.filter { $0.name == "plain" }
    let plain = Results(experiment: experiment, machine: results.machine, seed: 1, started: "", runs: [])
    #expect(plain.content.settingsNote { _ in true } == "at threads 1")
  }

  @Test func `a cell with a very wide interval has the ends of the interval in place of the ratio`() throws {
    let content = try Fixture.compared([("stride", [1, 4])]) { variant, round, values in
      if variant == "plain" { return nil }
      return values["stride"] == 1 ? Double(1000 + round) : round.isMultiple(of: 2) ? 80_000 : 500_000
    }.content
    let cells = try #require(content.tables.first).rows.compactMap { $0.cells.last?.text }
    #expect(cells.contains { $0.wholeMatch(of: /[\d.]+x to \d+x slower/) != nil }, "\(cells)")
    #expect(content.footnotes(content.tables).contains { $0.hasPrefix("low to high: simultaneous 99 %") })
  }

  /// The interval of a run that varies widely may include 1 although the run is slower in every round.
  @Test func `a run that is worse than the best in all rounds is called slower, however much it varies`() throws {
    func cells(_ least: Double) throws -> [String] {
      let content = try Fixture.compared([("stride", [1, 4])], rounds: 12) { variant, round, values in
        if variant == "plain" { return nil }
        return values["stride"] == 1 ? 1000 + Double(round) : least * .pow(3, Double(round * 7 % 12))
      }.content
      return try #require(content.tables.first).rows.compactMap { $0.cells.last?.text }
    }
    #expect(try cells(1100).contains { $0.hasSuffix("x slower") || $0.hasSuffix("x slower in all rounds") })
    #expect(try !cells(1100).contains { $0.hasSuffix("?") })
    #expect(try cells(3).contains { $0.contains("x faster to ") && $0.hasSuffix("x slower ?") })
  }

  @Test func `the legend explains the signs and words of the cells as printed`() throws {
    let content = try Fixture.compared([("stride", [1, 2, 4, 8, 16, 64])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 16: 10_000 + Double(round)
      case 4: round.isMultiple(of: 2) ? 4000 : 90_000
      default: 90_000 + Double(round)
      }
    }.content
    let table = try #require(content.tables.first)
    let (full, short) = (content.footnotes([table]), content.footnotes([table.shortened]))
    #expect(
      full.contains { $0.hasPrefix("±") } && full.contains { $0.contains("? undecided: more than 10 % is possible") },
      "\(full)")
    #expect(!short.contains { $0.hasPrefix("±") || $0.contains("[low") }, "\(short)")
    #expect(
      short.contains {
        $0.hasPrefix(
          "a ratio without ?: significantly different from the lowest mean"
        )
      })
    #expect(short.contains { $0.contains("? undecided: more than 10 % is possible") }, "\(short)")
    #expect(short.contains { $0.contains("no best mean is named, since the lowest may be chance (lower is better)") })
  }

  @Test func `a comparison on a metric without a better direction has the cells of a run without a comparison`()
    throws
  {
    func cells(isComparison: Bool) throws -> [[Cell]] {
      let swept = try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain", isComparison: isComparison) {
        variant, round, values in
        let (mean, period) = variant == "plain" ? (20_000.0, 2) : (10_000 + Double(values["stride"] ?? 0), 3)
        return mean * (1 + 0.01 * Double(round % period))
      }
      let json = try JSONReport.render([swept.document]).replacing("\"lower\"", with: "\"neither\"")
      let document = try #require(try ResultDocument.parse(Array(json.utf8), place: "neither").first)
      let content = ReportContent(document)
      if isComparison {
        #expect(content.conclusion?.hasPrefix("Not ranked: neither a higher nor a lower `elapsed` is better.") == true)
      }
      return try #require(content.tables.first).rows.map(\.cells)
    }
    let (chosen, plain) = (try cells(isComparison: true), try cells(isComparison: false))
    #expect(chosen == plain && chosen.joined().contains { $0.facts.contains(.ratioWithMargin) })
  }
}

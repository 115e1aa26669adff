import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct ComparisonTests {
  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results.content)
  }

  @Test func `a sweep marks the best run and the runs without a difference from it`() throws {
    let swept = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, values in
      guard variant == "apply", let stride = values["stride"] else { return 20_000 }
      return stride == 1 ? 50_000 : stride == 64 ? nil : stride == 16 ? 10_004 : 10_000
    }
    let shown = text(swept)
    #expect(shown.contains("apply         4"), "\(shown)")
    #expect(shown.contains("● best mean (lower is better); ≈ no difference from it was found"))
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        16") && $0.hasSuffix("≈") })
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        64") && $0.hasSuffix("stopped") })
    #expect(shown.contains("elapsed by stride  means over the rounds, both axes logarithmic"))
  }

  @Test func `a plot of settings with 0 has equal distances`() throws {
    let swept = try Fixture.compared([("work", [0, 10, 20, 10_000])]) { variant, values in
      variant == "apply" ? 1000 + Double(values["work"] ?? 0) : 900
    }
    let shown = text(swept)
    #expect(shown.contains("elapsed by work  means over the rounds, work at equal distances"), "\(shown)")
    let ticks = try #require(shown.split(separator: "\n").first { $0.contains("└") })
    let places = ticks.enumerated().filter { $1 == "┬" }.map(\.offset)
    #expect(Set(zip(places, places.dropFirst()).map { $1 - $0 }).count <= 2 && places.count == 4, "\(shown)")
  }

  @Test func `a grid marks a run with two states`() throws {
    let results = try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], rounds: 40) {
      variant, round, values in
      let isAlternating = variant == "apply" && values["stride"] == 4 && values["work"] == 100
      return 10_000 + 10 * Double(round % 7) + (isAlternating && round % 5 < 2 ? 50_000 : 0)
    }
    let lines = text(results).split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasSuffix("‡") }.map { $0.contains("100 ns  apply") } == [true], "\(lines)")
    #expect(lines.contains("  ‡ the rounds alternate between two states, and the mean is typical of neither"))
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
    // Nine values fit into one line.
    if width == 80 {
      #expect(
        shown.contains("\n   work  variant      1      2      3      4      5      6      7      8      9\n"),
        "\(shown)")
      #expect(shown.contains("  1 column hidden: 10; "))
    }
  }

  @Test func `a search has a best run for each amount of work`() throws {
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
    #expect(try row("10 ns", "apply").map(\.last) == ["0", "●", "0"], "\(lines)")
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

  @Test func `a search over several values of one parameter has a list, even if other parameters have one value`()
    throws
  {
    func tables(_ works: [Int]) throws -> [Table] {
      try Fixture.compared([("work", works), ("stride", [1, 4])]) { _, _ in 1000 }.content.tables
    }
    #expect(try tables([10]).allSatisfy { !$0.isGrid } && tables([10, 20]).allSatisfy(\.isGrid))
  }

  @Test func `a grid has a rough estimate for a run whose ratio is imprecise and undecided`() throws {
    let noisy = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])]) { variant, round, _ in
      variant == "plain" ? 1000 : round.isMultiple(of: 2) ? 10_000 : 150
    }
    let table = try #require(noisy.content.tables.first)
    let rows = table.rows.filter { $0.cells[1].text == "apply" }
    #expect(rows.count == 2 && rows.allSatisfy { $0.cells.dropFirst(2).allSatisfy { $0.text == "1.2?" } }, "\(rows)")
    #expect(table.note.contains("as a multiple of the lowest mean for each work"), "\(table.note)")
  }

  @Test func `each line of a plot has its own mark, and lines that coincide have a common mark`() throws {
    func lines(_ second: Double) throws -> [String] {
      let results = try Fixture.compared([("stride", [1, 4, 16]), ("threads", [10, 20])]) { variant, _, values in
        variant == "apply" ? 1000 : values["threads"] == 10 ? 9000 : second
      }
      return SweepPlot(try #require(results.content.sweeps.first), TextStyle(width: 120)).lines()
    }
    let apart = try lines(5000)
    let legend = try #require(apart.last)
    #expect(legend.contains("╌ plain[threads=10]") && legend.contains("═ plain[threads=20]"), "\(legend)")
    #expect(apart.contains { $0.contains("╌╌╌") } && apart.contains { $0.contains("═══") })
    #expect(try lines(9000).contains { $0.contains("✱✱✱") })
  }

  @Test func `a note below the table names the settings that all runs share`() throws {
    let search = try Fixture.compared([("stride", [1, 4])]) { _, _, _ in 1000 }
    // The answer of a search contains the settings.
    #expect(text(search).contains("Measured at work 15 ns, threads 1.") && !text(search).contains("\n  at work"))
    var experiment = search.experiment
    experiment.isSearch = false
    let results = Results(
      experiment: experiment, machine: search.machine, seed: 1, started: "", runs: search.runs)
    #expect(text(results).contains("\n  at work 15 ns, threads 1\n"), "\(text(results))")
    let detailed = TerminalReport(TextStyle(), details: true).render(results.content)
    #expect(!detailed.contains("at work 15 ns") && detailed.contains("\nwork 15 ns, threads 1\n"), "\(detailed)")
    #expect(
      results.content.settingsNote { !$0.contains("threads") } == "at work 15 ns and 1 more: see --details")
    // No variant of this run reads the stride.
    experiment = try Fixture.compared([("work", [10, 20])]) { _, _, _ in 1000 }.experiment
    experiment.isSearch = false
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
    #expect(short.contains { $0.hasPrefix("a ratio without ≈ or ?: significantly different from the best mean") })
    #expect(short.contains { $0.contains("? undecided: more than 10 % is possible") }, "\(short)")
    #expect(short.contains { $0.contains("no best mean is named, since the lowest may be chance (lower is better)") })
  }

  @Test func `a search on a metric without a better direction has the cells of a run without a search`()
    throws
  {
    func cells(isSearch: Bool) throws -> [[Cell]] {
      let swept = try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain", isSearch: isSearch) {
        variant, round, values in
        let (mean, period) = variant == "plain" ? (20_000.0, 2) : (10_000 + Double(values["stride"] ?? 0), 3)
        return mean * (1 + 0.01 * Double(round % period))
      }
      let json = try JSONReport.render([swept.document]).replacing("\"lower\"", with: "\"neither\"")
      let document = try #require(try ResultDocument.parse(Array(json.utf8), place: "neither").first)
      let content = ReportContent(document)
      if isSearch {
        #expect(content.conclusion?.hasPrefix("Not ranked: neither a higher nor a lower `elapsed` is better.") == true)
      }
      return try #require(content.tables.first).rows.map(\.cells)
    }
    let (chosen, plain) = (try cells(isSearch: true), try cells(isSearch: false))
    #expect(chosen == plain && chosen.joined().contains { $0.facts.contains(.interval) })
  }

  @Test func `a sweep is plotted in ASCII, and not at all in a very narrow terminal`() throws {
    let plot = try Fixture.compared([("stride", [1, 2, 4])]) { _, values in Double(1000 * (values["stride"] ?? 1)) }
    let sweep = try #require(plot.content.sweeps.first)
    let drawn = SweepPlot(sweep, TextStyle(unicode: false)).lines()
    #expect(drawn.joined(separator: "\n").contains("- plain  * apply"))
    #expect(SweepPlot(sweep, TextStyle(width: 20)).lines().isEmpty)
  }

  @Test func `a plot has a line for each amount of work, or names the amount that it shows`() throws {
    func curve(_ works: [Int]) throws -> SweepCurve {
      let results = try Fixture.compared([("work", works), ("stride", Array(1...20))], rounds: 3) { variant, values in
        variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
      }
      return try #require(results.content.sweeps.first)
    }
    let few = try curve([10, 100])
    #expect(few.series.map(\.label) == ["apply[work=10ns]", "apply[work=100ns]"])
    #expect(few.note == "")
    let many = try curve([10, 20, 30, 40, 50, 60, 70, 80, 90])
    #expect(many.series.map(\.label) == ["apply[work=50ns]"])
    #expect(many.note == ", at work=50ns")
  }

  @Test func `points that coincide have a common mark, and noise does not fill the plot`() throws {
    func plot(_ time: @escaping (String, [String: Int]) -> Double) throws -> [String] {
      let results = try Fixture.compared([("stride", [1, 4, 16, 64])], rounds: 3) { time($0, $1) }
      return SweepPlot(try #require(results.content.sweeps.first), TextStyle()).lines()
    }
    let together = try Fixture.compared([("stride", [1, 4, 16, 64]), ("work", [1, 2])], rounds: 3) { variant, values in
      variant == "plain" ? nil : Double(1000 * (values["stride"] ?? 1))
    }
    let coincide = SweepPlot(try #require(together.content.sweeps.first), TextStyle()).lines()
    #expect(coincide.last?.contains("✱ several") == true, "\(coincide)")
    // The strides differ by a tenth of a percent, so their points are in one row or two.
    let flat = try plot { variant, values in (variant == "plain" ? 2000 : 1000) + Double(values["stride"] ?? 1) / 64 }
    #expect(flat.count { $0.contains("○") && !$0.contains("apply") } <= 2, "\(flat)")
    let noise = try plot { variant, values in variant == "plain" ? 1000 : 1000 + Double((values["stride"] ?? 1) % 5) }
    #expect(noise.prefix(12).count { $0.contains("○") || $0.contains("●") || $0.contains("✱") } <= 3, "\(noise)")
  }

  @Test func `a terminal draws only some of many series, and draws every series with details`() throws {
    let many = try Fixture.compared([("work", [10, 20, 30]), ("stride", [1, 4, 16, 64])], rounds: 3) {
      variant, values in
      Double((values["work"] ?? 1) * (variant == "plain" ? 3000 : 1000))
    }
    let all = try #require(many.content.sweeps.first?.series.map(\.label))
    let brief = try #require(many.content.sweepPlot(isBrief: true))
    let labels = brief.series.map(\.label)
    #expect(all.count > 3 && labels.count < all.count && labels.contains("apply[work=10ns]"), "\(all) \(labels)")
    #expect(brief.note.contains("--details draws "), "\(brief.note)")
    // The short report has the grid alone.
    #expect(!text(many).contains("┤") && text(many).contains("--details shows all metrics and distributions"))
    let details = TerminalReport(TextStyle(), details: true).render(many.content)
    #expect(details.contains("┤") && !details.contains("--details draws"))
  }
}

/// Tests of the answer of a search.
@Suite struct SearchAnswerTests {
  /// Returns the answer for the given figures of `apply` at some strides, and of `plain` if it has figures.
  private func answer(
    _ strides: [Int] = [1, 4, 16, 64], plain: Double? = nil, rounds: Int = 6, noise: Double = 0.0002,
    baseline: String? = nil, _ apply: (Int) -> Double?
  ) throws -> String {
    let results = try Fixture.compared([("stride", strides)], rounds: rounds, baseline: baseline) {
      variant, round, values in
      let mean = variant == "plain" ? plain : apply(values["stride"] ?? 0)
      return mean.map { $0 * (1 + noise * Double((round * 7 + (values["stride"] ?? 0)) % 5)) }
    }
    let says = try #require(results.content.conclusion)
    let stopped =
      " Not measured, since a trial took too long: plain; give it more time, as in --time 5s, or allow longer trials "
      + "(--trial-time)."
    #expect(says.contains(stopped) == (plain == nil), "\(says)")
    #expect(says.hasSuffix(Self.conditions), "\(says)")
    return says.replacing(stopped, with: "").replacing(Self.conditions, with: "")
  }

  private static let conditions = " Measured at work 15 ns, threads 1."

  @Test func `the answer names the range of good settings and the worst setting`()
    throws
  {
    func time(_ stride: Int) -> Double { stride == 1 ? 50_000 : stride == 4 ? 12_000 : 10_000 }
    // The answer names one setting, and the settings near it with the largest possible difference.
    func near(_ answer: String) -> String { answer.replacing(#/within \d+\.\d % of/#, with: "near") }
    #expect(
      near(try answer { time($0) })
        == "Use stride 16 or 64 (near the best). Lowest mean: stride 16, 10.0 us. Stride 1 is 5.00x slower."
    )
    let upTo = near(try answer { time(64 / $0) })
    #expect(upTo.hasPrefix("Use stride 1 or 4 (near the best). Lowest mean: stride "), "\(upTo)")
    #expect(upTo.hasSuffix(", 10.0 us. Stride 64 is 5.00x slower."), "\(upTo)")
    #expect(
      near(try answer { $0 == 4 || $0 == 16 ? 10_000 : 30_000 }).hasPrefix(
        "Use stride 4 or 16 (near the best). Lowest mean: stride "))
    #expect(
      near(try answer([1, 4, 16, 64, 256]) { [4, 64, 256].contains($0) ? 10_000 : 30_000 }).hasPrefix(
        "Use stride 4, 64 or 256 (near the best). Lowest mean: stride "))
    // More than three settings are a range, whose ends were tried.
    #expect(
      near(try answer([1, 4, 16, 64, 256]) { $0 == 1 ? 30_000 : 10_000 }).hasPrefix(
        "Use stride 4 to 256 (near the best). Lowest mean: stride "))
  }

  @Test func `the answer names a single best setting, or any setting if none differs`() throws {
    #expect(
      try answer { $0 == 4 ? 10_000 : 20_000 }.hasPrefix("Stride 4 is fastest, 10.0 us. All others are at least "))
    let flat = try answer([1, 4, 16, 64]) { _ in 10_000 }
    #expect(
      flat.contains(
        /^Use any tried stride from 1 to 64 \(within \d\.\d % of the best\)\. Lowest mean: stride \d+, 10\.0 us\.$/),
      "\(flat)")
  }

  @Test func `the answer says that the best variant is a yardstick, and names the best of the others`() throws {
    let says = try answer(plain: 5000) { $0 == 1 ? 10_000 : 20_000 }
    #expect(
      says.hasPrefix(
        "Fastest: plain (a yardstick), 5.00 us. Fastest without yardsticks: apply with stride 1, 10.0 us."),
      "\(says)")
    #expect(try answer(plain: 50_000) { $0 == 1 ? 10_000 : 20_000 }.hasPrefix("Fastest: apply with stride 1, 10.0 us"))
    // The only other run is not named a second time as the slowest.
    let only = try answer([1], plain: 5000) { _ in 10_000 }
    #expect(only.contains("Fastest without yardsticks: apply with stride 1, 10.0 us."), "\(only)")
    #expect(!only.contains("apply is"), "\(only)")
    // The others are compared with each other: the order of two that alternate is undecided.
    let noisy = try Fixture.compared([("stride", [1, 4, 64])]) { variant, round, values in
      guard variant != "plain" else { return 5000 }
      let stride = values["stride"]
      return stride == 64 ? 90_000 : (round % 2 == 0) == (stride == 1) ? 10_000 : 13_000
    }.content.conclusion
    #expect(
      noisy?.contains("Fastest without yardsticks (undecided): apply with stride 1 (") == true
        && noisy?.contains("stride 4 (") == true && noisy?.contains("stride 64 (") == false, "\(noisy ?? "")")
    // Nothing has a ratio to 0.
    let zero = try answer(plain: 0) { $0 == 1 ? 10_000 : 20_000 }
    #expect(zero.contains("Fastest without yardsticks: apply with stride 1, 10.0 us."), "\(zero)")
  }

  @Test func `the answer about the user's own program precedes the best setting`() throws {
    var results = try Fixture.compared([("stride", [1, 4])]) { variant, values in
      variant == "plain" ? nil : values["stride"] == 4 ? 10_000 : 20_000
    }
    results.findings.append(RunNote(Conclusion.ownAnswer, "For your loop: use stride 7.", runs: []))
    let lines = results.content.conclusions
    #expect(lines.first == "For your loop: use stride 7.", "\(lines)")
    #expect(lines[1].hasPrefix("For the measured program: stride 4 is fastest, "), "\(lines)")
    #expect(results.content.decision.map(\.text) == ["For your loop: use stride 7."])
  }

  @Test func `the answer names the variants, the best variant first`() throws {
    let both = try answer(plain: 10_000) { $0 == 1 ? 50_000 : $0 == 4 ? 12_000 : 10_000 }
    #expect(
      both.contains(
        /^Fastest: plain, apply \(stride 16 or 64\); within \d\.\d % of the best\. Lowest mean: .*10\.0 us\./),
      "\(both)")
    #expect(both.contains("plain") && both.contains("apply (stride 16 or 64)"), "\(both)")
    #expect(
      both.hasSuffix(
        "Slowest: apply with stride 1, 5.00x slower than apply with stride 16. plain is a yardstick: only for comparison."
      ),
      "\(both)")
  }

  @Test func `the answer recommends the runs that are nearly alike, and names a noisier run apart from them`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])], rounds: 20) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: round.isMultiple(of: 2) ? 4000 : 40_000
      case 4: round.isMultiple(of: 3) ? 8500 : 11_300
      default: 10_000 + Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(/^Use stride 4 or 16: which is best is undecided \(at most 1\d % apart\)\./), "\(says)")
    #expect(says.contains(/Undecided, with more noise \(at most \d\.\dx apart\): stride 1\./), "\(says)")
  }

  @Test func `the answer names runs that are too noisy to rank, and the time that would decide`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 90_000 + Double(round)
      case 4: round.isMultiple(of: 2) ? 4000 : 90_000
      default: 10_000 + Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.hasPrefix(
        "Undecided (too noisy): stride 4 or 16. Lowest mean (may be chance): stride 16, 10.0 us. "), "\(says)")
    #expect(
      says.contains(
        /To decide, compare these alone \(stride=4,16\), or give it more time: --time \d+s may be enough\.|At this noise, even --time 180s may not decide: compare these alone \(stride=4,16\), or leave it undecided\./
      ),
      "\(says)")
    // No row of a table is marked as the best.
    let cells = try #require(results.content.tables.first).rows.compactMap { $0.cells.last?.text }
    #expect(cells.contains("lowest mean ?") && !cells.contains { $0.contains(Signs.best) }, "\(cells)")
    #expect(!says.contains(" leads ") && !says.contains(" best, "), "\(says)")
  }

  /// The ranges of the slowest settings overlap, so none of them can be called the slowest.
  @Test func `the answer names the setting with the highest mean if the slowest setting is uncertain`() throws {
    let says = try answer(noise: 0.005) { $0 == 1 ? 1000 : $0 == 4 ? 5000 : 20_000 + Double($0) }
    #expect(says.contains(/Highest mean: stride 64, 20\.\dx slower/), "\(says)")
    let wide = try answer(noise: 0.02) { $0 == 1 ? 1000 : $0 == 4 ? 5000 : 20_000 + Double($0) }
    #expect(wide.contains(/Highest mean: stride 64, 1\d\.\dx to 2\d\.\dx slower/), "\(wide)")
    let apart = try answer { Double(1000 * $0) }
    #expect(apart.hasSuffix("Stride 64 is 64.0x slower."), "\(apart)")
  }

  @Test func `a setting that is certainly faster than the slowest one is not among the slowest`() throws {
    // The best setting varies so much that the intervals of the others overlap.
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 1000 + 1000 * Double(round % 3)
      case 4: 20_000 + 10 * Double(round % 2)
      default: 40_000 + 10 * Double(round % 2)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains(" Stride 16 is ") && !says.contains("Stride 4 or 16"), "\(says)")
  }

  @Test func `the answer about several groups compares the others with a baseline`() throws {
    let results = try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], baseline: "plain") {
      variant, values in
      Double((variant == "plain" ? 4000 : values["stride"] == 4 ? 1000 : 10_000) * (values["work"] == 10 ? 1 : 10))
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(
        "Compared with plain, faster: apply with stride 4 (4.0x, at 2 of 2 settings); slower: apply with stride 1 (2.5x, "
          + "at 2 of 2 settings)."), "\(says)")
  }

  @Test func `settings whose figures are all 0 are equal, although they have no ratio`() throws {
    let says = try answer(plain: 0) { $0 == 64 ? 10_000 : 0 }
    #expect(says.hasPrefix("Fastest: plain, apply (stride 1, 4 or 16); no difference found. "), "\(says)")
  }

  @Test func `a setting is not called the best if all others have too few rounds`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 8) { variant, round, values in
      variant == "plain" || values["stride"] == 4 && round > 2 ? nil : 10_000 * Double(values["stride"] ?? 1)
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.hasPrefix("Stride 1 has the best mean so far. Too few rounds to rank: stride 4. To decide, "), "\(says)")
  }

  @Test func `a time in a document can be far longer than a run`() {
    #expect(Budget.enough(for: 1e20) == 1_000_000_000)
  }

  @Test func `if only the best setting is left, the others are not listed as the slowest`() throws {
    let says = try answer([1, 4, 16, 64, 256]) { $0 == 1 ? 10_000 : 40_000 }
    #expect(says.contains(/All others are at least 3\.9\dx slower\./), "\(says)")
  }

  @Test func `a setting is not called the slowest if an undecided one may be as slow`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": 10_000 + Double(round)
      case 1: 10_010 + Double(round)
      case 4: [9_000, 17_000, 9_500, 16_000, 9_000, 18_000][round]
      default: 14_000 + 10 * Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains("Undecided: apply with stride 4. Highest mean: apply with stride 64, 1.40x slower than"),
      "\(says)")
    #expect(!says.contains("Slowest"), "\(says)")
  }

  @Test func `a ratio of a mean between two states is an average`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 40) { variant, round, values in
      guard variant == "apply" else { return nil }
      return values["stride"] == 1 ? 10_000 + Double(round) : round % 5 < 2 ? 10_500 + Double(round) : 90_000
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains("Stride 4 is on average "), "\(says)")
  }

  @Test func `the answer mentions that the best setting is the largest or the smallest that was tried`() throws {
    #expect(try answer { 64_000 / Double($0) }.hasPrefix("Stride 64 is fastest, 1.00 us, the largest stride tried."))
    #expect(
      try answer([4, 16, 64]) { 250 * Double($0) }.hasPrefix("Stride 4 is fastest, 1.00 us, the smallest stride tried.")
    )
    // There is no smaller stride than 1.
    #expect(try answer { 1000 * Double($0) }.hasPrefix("Stride 1 is fastest, 1.00 us. "))
    // Larger strides have the same effect as 1,024, so that a larger sweep would show nothing.
    let alike = try answer([1, 4, 16, 1024]) { $0 == 1024 ? 1000 : 9000 }
    #expect(alike.hasPrefix("Stride 1024 is fastest, 1.00 us. "), "\(alike)")
  }

  /// The answer and the table rank means. A reader must learn that a best mean is worse in most rounds.
  @Test func `the answer says in which share of the rounds the best setting is better, if that is seldom`() throws {
    func says(_ fast: Int) throws -> String {
      let results = try Fixture.compared([("stride", [1, 4])], rounds: 30) { variant, round, values in
        guard variant == "apply" else { return nil }
        return values["stride"] == 1 ? 1000 + Double(round % 3) : round % 10 < fast ? 100 : 1100
      }
      return try #require(results.content.conclusion)
    }
    let (seldom, usually) = (try says(6), try says(9))
    #expect(seldom.contains("slower, but only in 60 % of the rounds."), "\(seldom)")
    #expect(!usually.contains("of the rounds"), "\(usually)")
  }

  @Test func `the answer names the second-best setting`() throws {
    let says = try answer { $0 == 16 ? 10_000 : $0 == 4 ? 11_000 : 50_000 }
    #expect(
      says.contains("Stride 16 is fastest, 10.0 us. Next: stride 4, 1.10x slower. Highest mean: stride "), "\(says)")
    // The sentence on the worst setting says the same.
    #expect(try !answer([1, 4]) { $0 == 1 ? 10_000 : 50_000 }.contains("Next"))
  }

  /// Medians rank the runs. A user would not expect a run with the best median to have the worst slow samples.
  @Test func `the answer mentions slow samples of the best run if those of another run are much faster`() throws {
    func says(slow: Double) throws -> String {
      let made = Fixture.made([
        (
          "one",
          Fixture.rounds(6) { round in
            ["elapsed": Array(repeating: 1000 + Double(round), count: 97) + [slow, slow, slow]]
          }
        ),
        ("two", Fixture.rounds(6) { round in ["elapsed": Array(repeating: 2000 + Double(round), count: 100)] }),
      ])
      var experiment = made.experiment
      (experiment.show, experiment.isSearch) = (["elapsed"], true)
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
      return try #require(results.content.conclusion)
    }
    #expect(try says(slow: 1000) == "Fastest: one, 1.00 us. two is 2.00x slower. Measured at stride 1.")
    let slow = try says(slow: 90_000)
    #expect(
      slow.contains(/But the p99 of elapsed is 90 us with one, and 2\.0\d us with two\. Measured at stride 1\.$/),
      "\(slow)")
  }

  /// A variant that alternates between a fast and a slow state can have the worse mean and win most rounds.
  @Test func `a variant that is faster in most rounds is not called slower`() throws {
    let made = Fixture.made([
      ("steady", Fixture.rounds(60) { round in ["elapsed": [1000 + Double(round % 7)]] }),
      ("alternating", Fixture.rounds(60) { round in ["elapsed": [round % 5 < 3 ? 900 : 2000 + Double(round % 7)]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isSearch) = (["elapsed"], true)
    let content = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs
    ).content
    let says = try #require(content.conclusion)
    #expect(
      says.contains(
        /^Undecided( \(at most [0-9.]+ % apart\))?: all\. Lowest mean: steady, 1\.00 us, beside alternating, 1\.24 us \(900 ns in 60 % of the rounds, 2\.00 us in the others\), but alternating is faster in 60 % of the rounds\. More time may not decide: alternating alternates between two states\. Measured/
      ),
      "\(says)")
    let cells = content.tables.flatMap(\.rows).flatMap { $0.cells.map(\.text) }
    #expect(
      cells.contains { $0.hasPrefix("undecided: better in 60 % of the rounds") }
        && !cells.contains { $0.contains("slower") }, "\(cells)")
  }

  @Test func `the answer says which of two equal settings is faster in most rounds`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 50_000
      case 4: 10_000
      // Faster in two thirds of the rounds, and slower on average.
      default: round.isMultiple(of: 3) ? 10_060 : 9_990
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains("Lowest mean: stride 4, 10.0 us, but stride 16 is faster in 67 % of the rounds."), "\(says)")
    let variants = try Fixture.compared([("stride", [4])]) { variant, round, values in
      variant == "plain" ? 10_000 : round.isMultiple(of: 3) ? 10_060 : 9_990
    }
    let other = try #require(variants.content.conclusion)
    #expect(
      other.contains(
        /Lowest mean: plain \(a yardstick\), 10\.0 us, but apply with stride 4 is faster in 67 % of the rounds\./),
      "\(other)")
  }

  @Test func `if every other setting may be as bad as the worst, the answer names none of them`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      // The interval of stride 1 is wide, and contains those of strides 4 and 16.
      case 1: 30_000 + 30_000 * Double(round % 3)
      case 4: 40_000 + 10 * Double(round % 2)
      case 16: 45_000 + 10 * Double(round % 2)
      default: 10_000
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains(/All others are at least 1\.\d+x slower\./), "\(says)")
  }

  @Test func `settings that are certainly within a few percent of the best count as good`() throws {
    let says = try answer([1, 4, 16], noise: 0.001) { $0 == 1 ? 10_000 : $0 == 4 ? 10_300 : 12_000 }
    #expect(says.contains(/^Use stride 1 or 4 \(within 3\.\d % of the best\)\. Lowest mean: stride 1,/), "\(says)")
    #expect(says.contains("Stride 16 is 1.2"), "\(says)")
  }

  /// A few slow rounds change the mean and not the median. The displayed figures are those that are ranked.
  @Test func `the ranked figure is in the table, in the plot and in the answer`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      if variant == "plain" { return nil }
      return values["stride"] == 1 ? (round < 3 ? 2000 : 8000 + Double(round)) : values["stride"] == 4 ? 1000 : 40_000
    }
    let content = results.content
    let table = try #require(content.tables.first)
    let column = try #require(table.headings.firstIndex { $0.title == "mean" })
    let row = try #require(table.rows.first { $0.cells[1].text == "1" && $0.cells[0].text == "apply" })
    #expect(row.cells[column].text == "4.00 us", "\(row.cells.map(\.text))")
    let curve = try #require(content.sweeps.first)
    #expect(curve.series.first { $0.label == "apply" }?.points.first.flatMap { $0 }?.text == "4.00 us")
    #expect(
      curve.figures == "means over the rounds" && HTMLReport.render([content]).contains("apply, stride=1: 4.00 us"))
    #expect(
      content.footnotes(content.tables).first == "mean: the geometric mean of the rounds, by which the runs are ranked")
  }

  @Test func `a narrow terminal keeps the marks and mentions that columns are hidden`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])], samples: 40) { variant, round, values in
      variant == "plain" ? nil : Double(values["stride"] == 4 ? 1000 : 9000) + Double(round)
    }
    let narrow = TerminalReport(TextStyle(width: 40)).render(results.content).split(separator: "\n").map(String.init)
    #expect(narrow.contains { $0.hasPrefix("  apply") && $0.hasSuffix("● best") }, "\(narrow)")
    #expect(narrow.contains { $0.hasSuffix("mean p50   vs best") || $0.hasSuffix("vs best") }, "\(narrow)")
    #expect(narrow.allSatisfy { $0.displayWidth <= 40 })
    let named = TerminalReport(TextStyle(width: 20)).render(results.content)
    #expect(named.contains("● best") && named.contains("--details shows all"), "\(named)")
    let page = HTMLReport.render([results.content])
    #expect(page.contains("<th class=\"room\">p50</th>") && page.contains("Columns hidden on a narrow screen: "))
  }

  @Test func `the answer explains why no run is the best if each task has only one run`() throws {
    let both = try Fixture.compared([("work", [1000, 10])]) { _, values in Double(values["work"] ?? 1) }
    let alone = Results(
      experiment: both.experiment, machine: both.machine, seed: 1, started: both.started,
      runs: both.runs.filter { $0.variant.name == "apply" })
    let says = try #require(alone.content.conclusion)
    let cells = try #require(alone.content.tables.first).rows.flatMap { $0.cells.map(\.text) }
    #expect(says.hasPrefix("Not ranked: each work is a task of its own, "), "\(says)")
    #expect(!cells.contains { $0.contains("best mean") }, "\(cells)")
  }

  @Test func `each amount of work has an answer, in the order of the request`() throws {
    let grid = try Fixture.compared([("work", [1000, 10]), ("stride", [1, 4])]) { variant, values in
      // The best run of the first work is a run of the second variant.
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
        * ((variant == "plain") == (values["work"] == 10) ? 0.1 : 1)
    }
    let says = try #require(grid.content.conclusion)
    let first = try #require(says.firstRange(of: " work 1 us: "))
    let second = try #require(says.firstRange(of: " work 10 ns: "))
    #expect(first.lowerBound < second.lowerBound, "\(says)")
    #expect(
      grid.content.conclusions.first == "Without yardsticks, apply with stride 4 is fastest at all values of work.",
      "\(says)")
  }

  @Test func `the answer suggests a comparison of the undecided variants alone if others are decided`() throws {
    func says(_ third: Double) throws -> String {
      let made = Fixture.made([
        ("one", Fixture.rounds(6) { round in ["elapsed": [10_000 + 3000 * Double(round % 3)]] }),
        ("two", Fixture.rounds(6) { round in ["elapsed": [10_000 + 3000 * Double((round + 1) % 3)]] }),
        ("three", Fixture.rounds(6) { round in ["elapsed": [third + 3000 * Double((round + 2) % 3)]] }),
      ])
      var experiment = made.experiment
      (experiment.show, experiment.isSearch) = (["elapsed"], true)
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
      return try #require(results.content.conclusion)
    }
    let apart = try says(90_000)
    #expect(apart.contains("To decide, compare these alone (--variant one --variant two), or "), "\(apart)")
    // If all variants are undecided, no variant is omitted.
    let together = try says(10_000)
    #expect(!together.contains("--variant"), "\(together)")
  }

  /// Stride 4 is slightly faster in the rounds of both strides, and may be much faster. Stride 1 has the best mean,
  /// since two more rounds of stride 1 are fast.
  @Test func `a setting that may be much better than the best mean is not within a few percent of the best`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 12) { variant, round, values in
      if variant == "plain" { return nil }
      if values["stride"] == 1 { return round < 10 ? 10_000 : 4000 }
      return round < 10 ? round.isMultiple(of: 2) ? 10_700 : 8700 : nil
    }
    let says = try #require(results.content.conclusion)
    #expect(says.hasPrefix("Use stride 1 or 4: which is best is undecided (at most "), "\(says)")
    #expect(says.contains("Lowest mean (may be chance): stride 1") && !says.contains("within"), "\(says)")
  }

  /// Means of times and of speed-ups agree with each other. A median of the speed-ups would not.
  @Test func `rates beside a ranked mean are means`() throws {
    let made = Fixture.made([
      ("one", Fixture.rounds(8) { round in ["elapsed": [round < 3 ? 1000 : 4000], "rate": [round < 3 ? 4 : 1]] }),
      ("two", Fixture.rounds(8) { round in ["elapsed": [8000 + Double(round)], "rate": [0.5]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isSearch) = (["elapsed", "rate"], true)
    let content = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs
    ).content
    let text = content.tables.flatMap(\.rows).flatMap { $0.cells.map(\.text) }
    // The geometric mean of three rates of 4 and five rates of 1 is 1.68. The median is 1.
    #expect(text.contains { $0.hasPrefix("1.68") }, "\(text)")
    #expect(content.tables.contains { $0.note.contains("geometric means of the rounds: rate") })
  }

  @Test func `the answer says how much time gives a setting enough rounds`() throws {
    let results = try Fixture.compared([("stride", [1])], rounds: 6) { variant, round, _ in
      variant == "plain" ? round < 3 ? 5000 : nil : 1000
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains("oo few rounds to rank: plain"), "\(says)")
    #expect(says.contains(/To decide, give it more time: --time \d+s may be enough\./), "\(says)")
  }

  @Test func `the answer suggests a sweep that finds where a variant is no longer among the best`() throws {
    func says(_ works: [Int]) throws -> String {
      let grid = try Fixture.compared([("work", works), ("stride", [1])]) { variant, values in
        variant == "plain" ? 10_000 : values["work"] == works[0] ? 20_000 : 1000
      }
      return try #require(grid.content.conclusion)
    }
    let hint =
      "plain is best at work=10ns, but not at work=1us; sweep more values to find the change, as in "
      + "work=10ns..1us:x2."
    let found = try says([10, 1000])
    #expect(found.contains(hint), "\(found)")
    // At the second amount of work, no variant is certainly the best, so the change may begin after the first amount.
    let undecided = try Fixture.compared([("work", [10, 100, 10_000]), ("stride", [1])], rounds: 6) {
      variant, round, values in
      if variant == "plain" { return 10_000 }
      return values["work"] == 10 ? 20_000 : values["work"] == 100 ? round.isMultiple(of: 2) ? 14_000 : 7000 : 1000
    }
    let wide = try #require(undecided.content.conclusion)
    #expect(wide.contains("as in work=10ns..10us:x2."), "\(wide)")
    // Neither the values nor a multiple of them is computed.
    #expect(try says([1 << 61, Int.max]).contains("sweep more values"))
    // All values of the sweep were tried.
    #expect(try !says([10, 20, 40]).contains("sweep more values"))
    // There is no value between these two, so the change is found.
    let adjacent = try says([10, 11])
    #expect(adjacent.contains("plain is best at work=10ns, but not at work=11ns."), "\(adjacent)")
    #expect(!adjacent.contains("sweep more values"))
    // A sweep that doubles the values has no value between these two.
    #expect(try !says([10, 20]).contains("sweep more values"))
  }

  @Test func `a variant that remains the best with one of its settings does not stop being the best`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 64])]) { variant, values in
      if variant == "plain" { return 50_000 }
      return values["work"] == 1000 && values["stride"] == 1 ? 20_000 : 10_000
    }
    let says = try #require(grid.content.conclusion)
    #expect(says.contains("apply with stride 64") && !says.contains("but not at"), "\(says)")
  }

  @Test func `the answer about many amounts joins those with the same best run, and says how much worse others are`()
    throws
  {
    func answer(_ works: Int, _ threads: [Int], _ time: @escaping (_ work: Int, _ threads: Int) -> Double) throws
      -> [String]
    {
      try Fixture.compared([("work", Array(1...works)), ("threads", threads)]) { variant, values in
        variant == "plain" ? 90_000 : time(values["work"] ?? 0, values["threads"] ?? 0)
      }.content.conclusions
    }
    let two = try answer(4, [10, 20]) { work, threads in (work < 3) == (threads == 20) ? 1000 : 1000 * Double(work + 1)
    }
    #expect(
      two.first
        == "Fastest: apply with threads 20 at work 1 ns and 2 ns; apply with threads 10 at work 3 ns and 4 ns.",
      "\(two)")
    #expect(
      two.contains(
        "- work 1 ns and 2 ns: apply with threads 20; slower: apply with threads 10 (2.0x to 3.0x), plain with threads 10 "
          + "(90x), plain with threads 20 (90x)."), "\(two)")
    // Each amount has a best run of its own.
    let each = try answer(5, [1, 2, 3, 4, 5]) { work, threads in threads == work ? 1000 : 2000 }
    #expect(
      each.first
        == "Fastest: apply with threads 1 at 1, apply with threads 2 at 1, apply with threads 3 at 1, others "
        + "at 2 of the 5 settings.",
      "\(each)")
  }

  @Test func `the advice names the tasks that more time may not decide`() throws {
    let grid = try Fixture.compared([("work", [10, 100, 1000]), ("stride", [1])], rounds: 12) {
      variant, round, values in
      let noise = values["work"] == 1000 ? 40 : 1.1
      return 10_000 * (round.isMultiple(of: 2) == (variant == "plain") ? noise : 1)
    }
    let says = try #require(grid.content.conclusion)
    #expect(
      says.contains(
        /To decide, give it more time: --time \d+s may be enough; even --time 180s may not decide work=1us\./
      ),
      "\(says)")
  }

  @Test func `the answer after too few rounds mentions how many are needed`() throws {
    #expect(
      try answer(rounds: 3) { $0 == 4 ? 10_000 : 20_000 }
        == "Stride 4 has the best mean so far. 6 rounds are needed to rank the settings: --time 3s should give "
        + "them, or --quick, whose trials are smaller.")
  }

  @Test func `the first sentence says whether a setting is, or may be, the best at all values`() throws {
    /// Returns the first sentence for figures of `apply` at strides 1 and 4, at each amount of work.
    func first(_ figure: @escaping (_ work: Int, _ stride: Int, _ round: Int) -> Double) throws -> String? {
      try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], rounds: 12) { variant, round, values in
        variant == "plain" ? 90_000 : figure(values["work"] ?? 0, values["stride"] ?? 0, round)
      }.content.conclusions.first
    }
    let isBest = try first { _, stride, _ in stride == 4 ? 1000 : 3000 }
    #expect(isBest == "apply with stride 4 is fastest at all values of work.")
    // Without a difference there is a winner, but not alone.
    let isNear = try first { work, stride, round in
      work == 10 ? (stride == 4 ? 1000 : 3000) : 1000 + Double((round * 7 + stride) % 5)
    }
    #expect(isNear == "apply with stride 4 is fastest, or as good as the best, at all values of work.")
    let mayBe = try first { work, stride, round in
      work == 10 ? (stride == 4 ? 1000 : 3000) : round.isMultiple(of: 2) == (stride == 4) ? 1000 : 1300
    }
    #expect(mayBe == "Fastest: apply with stride 4 at work 10 ns; apply with stride 1 or 4 (undecided) at work 1 us.")
    let isOpen = try first { _, stride, round in (round.isMultiple(of: 2) == (stride == 4)) ? 1000 : 1500 }
    #expect(isOpen == "apply with stride 1 or 4 may be fastest at all values of work.")
  }

  @Test func `the first sentence names a value alone if one setting is the best with it everywhere`() throws {
    let says = try Fixture.compared([("work", [10, 1000]), ("cores", [1, 2]), ("stride", [1, 4])]) {
      variant, values in
      if variant == "plain" { return nil }
      return (values["work"] == 10) == (values["stride"] == 4) ? 1000 : 3000
    }.content.conclusions.first
    #expect(says == "Fastest: stride 4 at work 10 ns; stride 1 at work 1 us.", "\(says ?? "")")
  }

  @Test func `the first sentence names no run that the table shows as slower`() throws {
    /// Returns the conclusions on strides beside a yardstick. Stride 16 varies widely.
    func conclusions(_ second: Double, yardstick: Double = 500) throws -> [String] {
      try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16, 64])], rounds: 20) { variant, round, values in
        let noise = Double((round * 7 + (values["stride"] ?? 0)) % 5)
        switch values["stride"] {
        case 4: return second * (1 + 0.004 * noise)
        case 16: return round.isMultiple(of: 2) ? 3000 : 90_000
        case 64: return round.isMultiple(of: 3) ? 3000 : 90_000
        default: return variant == "plain" ? yardstick + noise : 1000 * (1 + 0.004 * noise)
        }
      }.content.conclusions
    }
    // The noise of strides 16 and 64 says nothing about stride 4.
    let slower = try conclusions(1300)
    #expect(
      slower.first == "Without yardsticks, apply with stride 1 is fastest at all values of work.", "\(slower)")
    // Stride 4 is certainly slower, although by little.
    let near = try conclusions(1050, yardstick: 2000)
    #expect(near.first == "apply with stride 1 is fastest at all values of work.", "\(near)")
    #expect(near.contains { $0.hasPrefix("- work 10 ns: apply with stride 1 (1") && $0.contains("stride 4 (1") })
  }

  @Test func `the other runs are compared with the best usable run, and not with a yardstick`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])]) { variant, values in
      variant == "plain" ? 10 : values["stride"] == 4 ? 1300 : 1000
    }
    let says = results.content.conclusions
    #expect(
      says.contains {
        $0.contains("plain (10") && $0.contains("without yardsticks: apply with stride 1, 1.0")
          && $0.contains("apply with stride 4 is 1.3") && !$0.contains("130x")
      }, "\(says)")
    #expect(says.contains("plain is a yardstick: only for comparison."), "\(says)")
  }

  @Test func `the answer names all runs that are much slower than the candidates`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16, 64])], rounds: 12) { variant, round, values in
      let noise = 1 + 0.002 * Double(round)
      return switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 1000 * (round.isMultiple(of: 2) ? 1.2 : 1)
      case 4: 1000 * (round.isMultiple(of: 2) ? 1 : 1.2)
      case 16: 4000 * noise
      default: 9000 * noise
      }
    }.content.conclusions
    #expect(says.contains { $0.hasPrefix("Stride 16 or 64 is at least 3.") && $0.hasSuffix("x slower.") }, "\(says)")
    #expect(says.contains { $0.hasPrefix("Stride 64 is 7.40x") }, "\(says)")
  }

  @Test func `the first sentence names only the lowest mean if the runs differ too widely`() throws {
    let says = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], rounds: 12) { variant, round, values in
      if variant == "plain" { return 90_000 }
      if values["work"] == 10 { return values["stride"] == 4 ? 1000 : 3000 }
      return round.isMultiple(of: 2) == (values["stride"] == 4) ? 1000 : 30_000
    }.content.conclusions.first
    #expect(
      says?.contains(
        /^Fastest: apply with stride 4 at work 10 ns; apply with stride \d \(lowest mean, undecided\) at work 1 us\.$/)
        == true, "\(says ?? "")")
  }

  @Test func `the answer has the second metric of each run that may be the best, and leaves out runs without it`()
    throws
  {
    let times: [(String, Double, Double?)] = [
      ("one", 1000, 5), ("two", 1001, nil), ("three", 1002, 5), ("four", 3000, 7), ("five", 4000, nil),
    ]
    var results = Fixture.made(
      times.map { name, time, rate in
        (
          name,
          Fixture.rounds(8) { round in
            ["elapsed": [time + Double(round)]].merging(rate.map { ["rate": [$0]] } ?? [:]) { $1 }
          }
        )
      })
    var experiment = results.experiment
    (experiment.show, experiment.isSearch) = (["elapsed", "rate"], true)
    results = Results(
      experiment: experiment, machine: results.machine, seed: 1, started: results.started, runs: results.runs)
    let says = results.content.conclusions
    #expect(
      says.contains { $0.hasPrefix("Rate (") && $0.hasSuffix("): 5.00 /s (one and three), 7.00 /s (four).") }, "\(says)"
    )
  }

  @Test func `the answer is directly below the table, and a long report also begins with the decision`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])]) { variant, values in
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000)) * (variant == "plain" ? 5 : 1)
    }
    let lines = TerminalReport(TextStyle()).render(results.content).split(separator: "\n").map(String.init)
    let first = "apply with stride 4 is fastest at all values of work."
    let place = try #require(lines.firstIndex(of: first), "\(lines)")
    #expect(lines[place - 1].contains("1.02 ms") && lines[place + 1].contains("work 10 ns: apply with stride 4"))
    let legend = try #require(lines.firstIndex(of: "legend"), "\(lines)")
    #expect(
      lines.last?.hasPrefix("Measured at ") == true && lines[legend..<place].contains { $0.contains("● best mean") })
    #expect(lines[..<legend].contains { $0.contains("seed 1") } && lines[1] != first, "\(lines)")
    let tall = try Fixture.compared([("work", Array(10...40)), ("stride", [1, 4])]) { variant, values in
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000)) * (variant == "plain" ? 5 : 1)
    }
    let long = TerminalReport(TextStyle()).render(tall.content).split(separator: "\n").map(String.init)
    #expect(long.indices.filter { long[$0] == first }.count == 2 && long[1] == first, "\(long)")
  }

  @Test func `each amount of work has a best setting of its own`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    let says = try #require(grid.content.conclusion)
    #expect(says.contains("work 10 ns: stride 4 (10"), "\(says)")
    #expect(
      says.contains("work 1 us: stride 4 (1") && says.hasPrefix("Stride 4 is fastest at all values of work."), "\(says)"
    )
    // With a single variant, only the settings change, and the lines name them.
    let changing = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])]) { variant, values in
      variant == "plain" ? nil : (values["work"] == 10) == (values["stride"] == 4) ? 1000 : 3000
    }
    let other = try #require(changing.content.conclusion)
    #expect(
      other.hasPrefix("Fastest: stride 4 at work 10 ns; stride 1 at work 1 us.")
        && other.contains("work 10 ns: stride 4 (") && other.contains("work 1 us: stride 1 ("), "\(other)")
    #expect(!other.contains("best at"), "\(other)")
  }

  @Test func `the answer names the fastest of the variants without a flaw`() throws {
    let made = Fixture.made([
      ("wild", Fixture.rounds(6) { round in ["missed": [33], "elapsed": [1000 + Double(round % 2)]] }),
      ("safe", Fixture.rounds(6) { round in ["missed": [0], "elapsed": [10_000 + Double(round % 3)]] }),
      ("slow", Fixture.rounds(6) { round in ["missed": [0], "elapsed": [40_000 + Double(round % 2)]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isSearch) = (["missed", "elapsed"], true)
    let results = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
    let json = try JSONReport.render([results.document]).replacing("\"neither\"", with: "\"lower\"")
    let document = try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first)
    #expect(
      ReportContent(document).conclusion
        == "No missed, except: wild. Fastest: safe, 10.0 us. slow is 4.00x slower. Measured at stride 1.")
    // The answer does not depend on which of the two metrics is the headline.
    let flipped = json.replacing(/"show": \[\s*"missed",\s*"elapsed"\s*\]/, with: #""show": ["elapsed", "missed"]"#)
    #expect(flipped != json)
    let content = ReportContent(try #require(try ResultDocument.parse(Array(flipped.utf8), place: "own").first))
    #expect(content.conclusion == ReportContent(document).conclusion)
    let rows = try #require(content.tables.first).rows.map { $0.cells.map(\.text) }
    #expect(
      rows.map(\.last) == ["33 missed", "● best mean", rows[2].last] && rows[2].last?.hasPrefix("4.00x slower") == true,
      "\(rows)")
  }

  @Test func `every format has the answer, including JSON and a report of a saved run`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? nil : values["stride"] == 4 ? 10_000 : 50_000
    }
    let content = results.content
    let says = content.conclusions
    #expect(says.first?.hasPrefix("Stride 4 is fastest") == true && says.count > 1)
    let json = try JSONReport.render([content.document])
    for text in [json, MarkdownReport.render([content]), HTMLReport.render([content])] {
      for sentence in says { #expect(text.contains(sentence), "\(sentence)") }
    }
    let changed = json.replacing(try #require(says.first), with: "As it was.")
    let saved = try #require(try ResultDocument.parse(Array(changed.utf8), place: "own").first)
    #expect(ReportContent(saved).conclusions == ["As it was."] + says.dropFirst())
  }
}

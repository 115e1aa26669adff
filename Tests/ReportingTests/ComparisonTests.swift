import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct ComparisonTests {
  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results.reading)
  }

  @Test func `a sweep marks the best, and what is not told from it`() throws {
    let swept = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, values in
      guard variant == "apply", let stride = values["stride"] else { return 20_000 }
      return stride == 1 ? 50_000 : stride == 64 ? nil : stride == 16 ? 10_004 : 10_000
    }
    let shown = text(swept)
    #expect(shown.contains("apply         4"), "\(shown)")
    #expect(shown.contains("● best (lower is better), ≈ not significantly different from the best"))
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        16") && $0.hasSuffix("≈") })
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        64") && $0.hasSuffix("stopped") })
    #expect(shown.contains("elapsed by stride  medians over the rounds, both axes logarithmic"))
  }

  @Test func `with a baseline the ratios are to it, and the best is still marked`() throws {
    let shown = text(
      try Fixture.compared([("stride", [1, 4])], baseline: "plain") { variant, values in
        variant == "plain" ? 20_000 : values["stride"] == 4 ? 10_000 : 40_000
      })
    #expect(shown.contains("vs plain"))
    #expect(shown.split(separator: "\n").contains { $0.contains("2.00x faster") && $0.hasSuffix("●") })
  }

  @Test(arguments: [20, 40, 80, 160])
  func `a grid of 100 cells stays within the terminal`(width: Int) throws {
    // Too few rounds for intervals, which would take their time in a debug build.
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
    #expect(shown.contains("apply  elapsed as a multiple of the best for each work, by threads"))
    // Ten values across, in one piece.
    if width == 80 {
      #expect(
        shown.contains("\n   work      1      2      3      4      5      6      7      8      9     10\n"), "\(shown)")
    }
  }

  @Test func `how much there is to do is not a way to do it`() throws {
    func time(_ variant: String, _ values: [String: Int]) -> Double? {
      variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    // In a list each of both is the best, in a grid the stride of 4 in both columns.
    let list = text(try Fixture.compared([("work", [10, 1000])], time)).split(separator: "\n").map(String.init)
    for work in ["10 ns", "1 us"] {
      #expect(
        list.contains { $0.hasPrefix("  apply") && $0.contains(" \(work) ") && $0.hasSuffix("● best") }, "\(list)")
    }
    #expect(list.contains { $0.contains("● best for each work, over all variants (lower is better)") })
    let grid = text(try Fixture.compared([("stride", [1, 4]), ("work", [10, 1000])], time))
    #expect(grid.contains("apply  elapsed as a multiple of the best for each work, by work"))
    #expect(grid.split(separator: "\n").contains { $0.split(separator: " ") == ["4", "1.00●", "1.00●"] }, "\(grid)")
  }

  @Test func `each row of a grid has its best: a smaller problem is none`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? 40_000 : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    let lines = text(grid).split(separator: "\n").map(String.init)
    let table = try #require(
      lines.firstIndex { $0.hasPrefix("apply  elapsed as a multiple of the best for each work") })
    // Of the small problem apply is the best, of the large one the loop, which ignores the stride and the work.
    #expect(lines[table + 2].split(separator: " ").suffix(3).map(String.init) == ["3.00", "1.00●", "3.00"])
    #expect(lines.contains { $0.contains("● best for each work, over all variants (lower is better)") })
    // A line a problem, and no slice alone.
    for label in ["apply[work=10ns]", "apply[work=1us]"] { #expect(lines.contains { $0.contains(label) }) }
    let many = try Fixture.compared([("work", Array(1...9)), ("threads", Array(1...5))], rounds: 3) { _, values in
      Double(values["work"] ?? 1)
    }
    #expect(
      text(many).split { $0.isWhitespace }.joined(separator: " ").contains("each variant only at its best setting"))
  }

  @Test func `where neither way is better nothing is chosen, and the intervals are as narrow as without a choice`()
    throws
  {
    func cells(seeksBest: Bool) throws -> [[Cell]] {
      let swept = try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain", seeksBest: seeksBest) {
        variant, round, values in
        let (mean, period) = variant == "plain" ? (20_000.0, 2) : (10_000 + Double(values["stride"] ?? 0), 3)
        return mean * (1 + 0.01 * Double(round % period))
      }
      let json = try JSONReport.render([swept.document]).replacing("\"lower\"", with: "\"neither\"")
      let document = try #require(try ResultDocument.parse(Array(json.utf8), place: "neither").first)
      return try #require(Reading(document).tables.first).rows.map(\.cells)
    }
    let (chosen, plain) = (try cells(seeksBest: true), try cells(seeksBest: false))
    #expect(chosen == plain && chosen.joined().contains { $0.facts.contains(.interval) })
  }

  @Test func `words are plotted at equal steps`() throws {
    let plot = try Fixture.compared([("stride", [1, 2, 4])]) { _, values in Double(1000 * (values["stride"] ?? 1)) }
    let sweep = try #require(plot.reading.sweeps.first)
    let drawn = SweepPlot(sweep, TextStyle(unicode: false)).lines()
    #expect(drawn.joined(separator: "\n").contains("o plain  * apply"))
    #expect(SweepPlot(sweep, TextStyle(width: 20)).lines().isEmpty)
  }

  @Test func `a plot never chooses how much there is to do: each has a line, or one is held fixed and said`() throws {
    func curve(_ works: [Int]) throws -> SweepCurve {
      let results = try Fixture.compared([("work", works), ("stride", Array(1...20))], rounds: 3) { variant, values in
        variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
      }
      return try #require(results.reading.sweeps.first)
    }
    let few = try curve([10, 100])
    #expect(few.series.map(\.label) == ["apply[work=10ns]", "apply[work=100ns]"])
    #expect(few.note == "")
    let many = try curve([10, 20, 30, 40, 50, 60, 70, 80, 90])
    #expect(many.series.map(\.label) == ["apply[work=50ns]"])
    #expect(many.note == ", at work=50ns")
  }

  @Test func `points that fall together have a mark of their own, and noise does not fill the plot`() throws {
    func plot(_ time: @escaping (String, [String: Int]) -> Double) throws -> [String] {
      let results = try Fixture.compared([("stride", [1, 4, 16, 64])], rounds: 3) { time($0, $1) }
      return SweepPlot(try #require(results.reading.sweeps.first), TextStyle()).lines()
    }
    let together = try plot { _, values in Double(1000 * (values["stride"] ?? 1)) }
    #expect(together.last?.contains("✱ several") == true, "\(together)")
    // A tenth of a percent from stride to stride: they stand in one row, or two.
    let flat = try plot { variant, values in (variant == "plain" ? 2000 : 1000) + Double(values["stride"] ?? 1) / 64 }
    #expect(flat.count { $0.contains("○") && !$0.contains("apply") } <= 2, "\(flat)")
    let noise = try plot { variant, values in variant == "plain" ? 1000 : 1000 + Double((values["stride"] ?? 1) % 5) }
    #expect(noise.prefix(12).count { $0.contains("○") || $0.contains("●") || $0.contains("✱") } <= 3, "\(noise)")
  }

  @Test func `a search ends in a sentence: the best and its equals, or that none stands out`() throws {
    let clear = try Fixture.compared([("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? 90_000 : values["stride"] == 4 ? 10_000 : 50_000
    }
    #expect(clear.reading.conclusion?.hasPrefix("Best elapsed: apply[stride=4], 10.") == true)
    #expect(text(clear).contains("\nBest elapsed: apply[stride=4], 10."))
    let flat = try Fixture.compared([("stride", [1, 4, 4096])], seeksBest: true) { variant, round, values in
      variant == "plain" ? nil : 10_000 * (1 + 0.01 * Double((round * 7 + (values["stride"] ?? 0)) % 5))
    }
    #expect(
      flat.reading.conclusion == "No stride (1 … 4096) stands out: none differs significantly from the best.")
  }
}

import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the plots of a comparison.
@Suite struct SweepPlotTests {
  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results.content)
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
    let many = try Fixture.compared(
      [("work", [10, 20, 30]), ("stride", [1, 4, 16, 64])], rounds: 3, plain: .yardstick
    ) {
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

import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct ComparisonTests {
  /// A comparison whose figures follow from the settings.
  private func results(
    _ sweeps: [(name: String, values: [Int])], rounds: Int = 6, baseline: String? = nil,
    _ figure: (_ variant: String, _ values: [String: Int]) -> Double?
  ) throws -> Results {
    var pattern = Fixture.Pattern(variants: [
      Variant("plain", .yardstick, ignores: ["stride"], "a way"), Variant("apply", .documented, "another way"),
    ])
    pattern.parameters += [
      .duration("work", 0...1_000_000, default: 15, "each"), .count("threads", 1...100, default: 1, "at once"),
    ]
    let experiment = try Experiment(
      name: "fixture", pattern: pattern, title: "A fixture", source: "Nowhere", variants: pattern.variants,
      baseline: baseline, show: ["elapsed"]
    ).sweeping(sweeps.map { ($0.name, $0.values.map(ParameterValue.integer)) })
    let runs = Plan(experiment, budget: .quick, seed: 1).runs.map { run in
      var run = run
      let values = run.parameters.compactMapValues { if case .integer(let number) = $0 { number } else { nil } }
      run.trials = (0..<rounds).map { round in
        guard let mean = figure(run.variant.name, values) else {
          return TrialRecord(round: round, outcome: .stopped(after: .seconds(3)))
        }
        var observation = Observation()
        observation.record("elapsed", mean * (1 + 0.01 * Double((round * 7 + Int(mean)) % 5)))
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
      return run
    }
    return Results(
      experiment: experiment, machine: Fixture.machine, seed: 1, started: "2026-11-21T00:00:00Z", seconds: 1, runs: runs
    )
  }

  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results)
  }

  @Test func `a sweep marks the best, and what is not told from it`() throws {
    let swept = try results([("stride", [1, 4, 16, 64])]) { variant, values in
      guard variant == "apply", let stride = values["stride"] else { return 20_000 }
      return stride == 1 ? 50_000 : stride == 64 ? nil : stride == 16 ? 10_004 : 10_000
    }
    let shown = text(swept)
    #expect(shown.contains("apply         4"), "\(shown)")
    #expect(shown.contains("● best (lower is better), ≈ these rounds do not tell it from the best"))
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        16") && $0.hasSuffix("≈") })
    #expect(shown.split(separator: "\n").contains { $0.contains("apply        64") && $0.hasSuffix("stopped") })
    #expect(shown.contains("elapsed by stride  medians of the rounds, stride logarithmic"))
  }

  @Test func `with a baseline the ratios are to it, and the best is still marked`() throws {
    let shown = text(
      try results([("stride", [1, 4])], baseline: "plain") { variant, values in
        variant == "plain" ? 20_000 : values["stride"] == 4 ? 10_000 : 40_000
      })
    #expect(shown.contains("against plain"))
    #expect(shown.split(separator: "\n").contains { $0.contains("2.00x faster") && $0.hasSuffix("●") })
  }

  @Test(arguments: [20, 40, 80, 160])
  func `a grid of 100 cells stays within the terminal`(width: Int) throws {
    // Too few rounds for intervals, which would take their time in a debug build.
    let grid = try results([("work", Array(1...10)), ("threads", Array(1...10))], rounds: 3) { variant, values in
      Double((variant == "plain" ? 20_000 : 3_000) * (values["work"] ?? 1) / (values["threads"] ?? 1))
    }
    for unicode in [true, false] {
      let lines = text(grid, width: width, unicode: unicode).split(separator: "\n")
      if width >= 40 { for line in lines { #expect(String(line).displayWidth <= width, "\(line)") } }
      if !unicode { #expect(lines.allSatisfy { $0.allSatisfy(\.isASCII) }) }
    }
    let shown = text(grid)
    #expect(shown.contains("apply  elapsed as a multiple of the best, across: threads"))
    // Ten values across, in one piece.
    if width == 80 {
      #expect(
        shown.contains("\n   work      1      2      3      4      5      6      7      8      9     10\n"), "\(shown)")
    }
  }

  @Test func `words are plotted at equal steps`() throws {
    let plot = try results([("stride", [1, 2, 4])]) { _, values in Double(1000 * (values["stride"] ?? 1)) }
    let drawn = try #require(SweepPlot(plot, plot.experiment.headline!, TextStyle(unicode: false))).lines()
    #expect(drawn.joined(separator: "\n").contains("o plain  * apply"))
    #expect(SweepPlot(plot, plot.experiment.headline!, TextStyle(width: 20))?.lines().isEmpty == true)
  }
}

import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the choice of the best run, and of the comparison of the other runs with it.
@Suite struct RunComparisonTests {
  private func content(
    _ figures: [(String, [Double?])], metric: String = "elapsed", baseline: String? = nil, isComparison: Bool = true
  ) -> ReportContent {
    let variants = figures.map { variant, rounds -> (String, [Fixture.Samples]) in
      (variant, rounds.map { figure in figure.map { [metric: [$0]] } })
    }
    let made = Fixture.made(variants, baseline: baseline)
    var experiment = made.experiment
    experiment.show = [metric]
    experiment.isComparison = isComparison
    return Results(experiment: experiment, machine: made.machine, seed: 7, started: "", runs: made.runs).content
  }

  @Test(arguments: [("elapsed", 1), ("rate", 0), ("missed", nil)] as [(String, Int?)])
  func `the best run has the lowest latency or the highest rate`(_ metric: String, _ best: Int?) {
    #expect(
      content([("loop", [10, 12]), ("apply", [5, 6]), ("none", [nil])], metric: metric).comparison?.best == best)
    #expect(content([("none", [nil])], metric: metric).comparison?.best == nil)
  }

  @Test func `ratios refer to the best run or to the baseline`() throws {
    let figures = [("loop", Array(repeating: 10.0, count: 6)), ("apply", Array(repeating: 5, count: 6))]
    let sought = try #require(content(figures).comparison)
    #expect(sought.reference == "the best mean" && sought.contrasts[0]?.ratio == 2 && sought.contrasts[1] == nil)
    #expect(sought.references == [1] && sought.nearBest.isEmpty)
    let based = try #require(content(figures, baseline: "loop").comparison)
    #expect(based.reference == "loop" && based.contrasts[1]?.ratio == 0.5 && based.references == [0] && based.best == 1)
    let claims = try #require(content(figures, isComparison: false).comparison)
    #expect(claims.best == nil && claims.reference == nil)
  }

  @Test func `runs that the rounds cannot distinguish from the best run count as near the best`() throws {
    let near = content([("loop", [10, 10.1, 10, 10.1, 10, 10.1]), ("apply", [10.1, 10, 10.1, 10, 10.1, 9.9])])
    #expect(near.comparison?.nearBest == [0] && near.comparison?.best == 1)
    // With ten times the noise, a difference of more than a tenth is possible.
    let undecided = content([("loop", [10, 11, 10, 11, 10, 11]), ("apply", [11, 10, 11, 10, 11, 9.9])])
    #expect(undecided.comparison?.nearBest == [] && undecided.comparison?.undecided == [0])
  }

  @Test func `a ratio pairs rounds with the same number`() throws {
    let holes = content([("loop", [10, 20, nil, 80]), ("apply", [5, nil, 20, 40])], baseline: "loop")
    let contrast = try #require(holes.comparison?.contrasts[1])
    // Rounds 1 and 4 are paired. If figures were paired by index, the ratios would be 0.5, 1 and 0.5.
    #expect(contrast.ratio == 0.5 && contrast.interval == nil && contrast.isDistinct == nil)
    #expect(
      content([("loop", [10, nil]), ("apply", [nil, 5])], baseline: "loop").comparison?.contrasts.isEmpty == true)
    #expect(content([("loop", [0, 1]), ("apply", [1, 1])], baseline: "loop").comparison?.contrasts.isEmpty == true)
  }

  /// Returns the number of tables in which a cell differs significantly from the best cell or from the baseline, of
  /// `count` tables with identical cells.
  private func told(_ count: Int, cells: Int, baseline: String?, seed: UInt64, _ noise: (inout SplitMix64) -> Double)
    -> Int
  {
    var generator = SplitMix64(seed: seed)
    return (0..<count).count { _ in
      let figures = (0..<cells).map { cell in ("cell\(cell)", (0..<6).map { _ -> Double? in noise(&generator) }) }
      let comparison = content(figures, baseline: baseline, isComparison: baseline == nil).comparison
      return comparison?.contrasts.values.contains { $0.isDistinct == true } == true
    }
  }

  @Test(arguments: [nil, "cell0"])
  func `ten identical cells rarely have a significant difference`(_ baseline: String?) {
    #expect(told(100, cells: 10, baseline: baseline, seed: 4) { 1000 + Double.random(in: 0...100, using: &$0) } <= 3)
    // The noise has two values: six rounds with the same value appear perfectly steady by chance.
    let two = told(100, cells: 10, baseline: baseline, seed: 6) { generator in
      (Bool.random(using: &generator) ? 1000 : 1300) + Double.random(in: 0...10, using: &generator)
    }
    #expect(two <= 3)
  }

  @Test func `a difference of a twentieth is significant among ten cells`() throws {
    var generator = SplitMix64(seed: 9)
    func round(_ mean: Double) -> Double? { mean * (1 + 0.017 * Double.random(in: -1...1, using: &generator)) }
    let found = (0..<40).count { _ in
      let cells = (0..<10).map { cell in ("cell\(cell)", (0..<10).map { _ in round(cell == 3 ? 1000 : 1050) }) }
      let comparison = content(cells).comparison
      return comparison?.best == 3 && comparison?.contrasts.values.allSatisfy { $0.isDistinct == true } == true
    }
    #expect(found >= 36)
  }
}

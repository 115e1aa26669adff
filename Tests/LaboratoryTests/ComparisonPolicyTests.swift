import Laboratory
import Measurement
import Testing

/// Tests of the choice of the best run in a comparison.
@Suite struct ComparisonPolicyTests {
  private static func comparison(_ variants: [(name: String, time: Double, mayBeBest: Bool)]) -> Comparison {
    let cells = variants.map { variant in
      Comparison.Cell(
        variant: variant.name, point: [:],
        figures: (0..<6).map { RoundFigure(round: $0, value: variant.time + Double($0 % 3)) },
        mayBeBest: variant.mayBeBest)
    }
    return Comparison(
      cells, Comparison.Policy(baseline: nil, seeksBest: true, sweep: [], problem: []), ranking: .lower)
  }

  @Test func `a broken variant is not the best, however fast`() {
    let found = Self.comparison([("plain", 2000, true), ("unprotected", 100, false), ("locked", 1000, true)])
    #expect(found.best == 2 && found.bests == [2])
    #expect(found.contrasts[1].map { $0.ratio < 0.2 } == true)
  }

  @Test func `a run without a competitor is not the best of its problem`() {
    func comparison(_ problem: [String]) -> Comparison {
      let cells = [1, 2].map { work in
        Comparison.Cell(
          variant: "plain", point: ["work": .integer(work)],
          figures: (0..<6).map { RoundFigure(round: $0, value: Double(100 * work + $0 % 2)) })
      }
      return Comparison(
        cells, Comparison.Policy(baseline: nil, seeksBest: true, sweep: ["work"], problem: problem), ranking: .lower)
    }
    #expect(comparison(["work"]).bests.isEmpty)
    #expect(comparison([]).bests == [0])
  }

  @Test func `one variant is the best if all are broken`() {
    #expect(Self.comparison([("one", 2000, false), ("other", 100, false)]).best == 1)
  }
}

import Measurement
import Testing

@testable import Laboratory

/// Tests of the choice of the best run in a comparison.
@Suite struct ComparisonPolicyTests {
  private static func comparison(_ variants: [(name: String, time: Double, mayBeBest: Bool)]) -> Comparison {
    let cells = variants.map { variant in
      Comparison.Entry(
        variant: variant.name, point: [:],
        figures: (0..<6).map { RoundFigure(round: $0, value: variant.time + Double($0 % 3)) },
        mayBeBest: variant.mayBeBest)
    }
    return Comparison(
      cells, Comparison.Policy(baseline: nil, seeksBest: true, sweep: [], problem: []), ranking: .lower)
  }

  @Test func `two runs are compared only in the rounds that both have`() {
    func cell(_ name: String, _ figure: (Int) -> Double?) -> Comparison.Entry {
      let figures = (0..<40).compactMap { round in figure(round).map { RoundFigure(round: round, value: $0) } }
      return Comparison.Entry(variant: name, point: [:], figures: figures)
    }
    let policy = Comparison.Policy(baseline: nil, seeksBest: true, sweep: [], problem: [])
    // The machine became three times as slow after the rounds in which both runs took part.
    let quick = cell("quick") { Double($0 % 3) * 0.1 + ($0 < 6 ? 10 : 30) }
    let slow = cell("slow") { $0 < 6 ? 25 + Double($0 % 2) * 0.1 : nil }
    #expect(Comparison([quick, slow], policy, ranking: .lower).best == 0)
    // A run that was better in the shared rounds is the best run, however slow the machine was in these rounds.
    let late = cell("late") { $0 < 30 ? nil : 20 + Double($0 % 2) * 0.1 }
    #expect(Comparison([quick, late], policy, ranking: .lower).best == 1)
  }

  @Test func `a broken variant is not the best variant, however fast it is`() {
    let found = Self.comparison([("plain", 2000, true), ("unprotected", 100, false), ("locked", 1000, true)])
    #expect(found.best == 2 && found.bests == [2])
    #expect(found.contrasts[1].map { $0.ratio < 0.2 } == true)
  }

  @Test func `a yardstick is the reference only if no two other runs are compared, or if it is the baseline`() {
    func found(_ names: [String], baseline: String? = nil) -> Comparison {
      let cells = [("call", 10.0), ("task", 1000), ("group", 1100)].filter { names.contains($0.0) }.map { name, time in
        Comparison.Entry(
          variant: name, point: [:], figures: (0..<6).map { RoundFigure(round: $0, value: time + Double($0 % 3)) },
          isYardstick: name == "call")
      }
      let policy = Comparison.Policy(baseline: baseline, seeksBest: true, sweep: [], problem: [])
      return Comparison(cells, policy, ranking: .lower)
    }
    let all = found(["call", "task", "group"])
    #expect(all.best == 1 && all.runs(competingWith: 1) == [1, 2] && all.runs(betterThan: 1) == [0])
    // The yardstick is far from the best run, and the other run is not.
    #expect(all.runs(apartBy: 2) == [0])
    #expect(found(["call", "task"]).best == 0)
    #expect(found(["call", "task", "group"], baseline: "call").best == 0)
  }

  @Test func `the share of the rounds that agree does not depend on the direction of the ratio`() throws {
    func agreement(_ ratios: [Double]) throws -> Double {
      func figures(_ values: [Double]) -> [RoundFigure] {
        values.enumerated().map { RoundFigure(round: $0, value: $1) }
      }
      let rounds = PairedRounds(figures(ratios), against: figures(ratios.map { _ in 1 }))
      return try #require(Contrast(rounds)).agreement
    }
    // A round without a difference agrees with neither direction.
    #expect(try agreement([2, 1, 2, 1, 2, 1, 2, 1]) == 0.5)
    #expect(try agreement([0.5, 1, 0.5, 1, 0.5, 1, 0.5, 1]) == 0.5)
  }

  @Test func `the precision of a comparison is not that of a run without a rank`() {
    let found = Self.comparison([("plain", 2000, true), ("unprotected", 1, false), ("locked", 1000, true)])
    #expect(found.leastPrecise { _ in false }.map { $0.ratio > 1.99 } == true)
    // Broken variants are ranked among themselves.
    let broken = Self.comparison([("unprotected", 1, false), ("wild", 2, false)])
    #expect(broken.leastPrecise { _ in false }.map { $0.ratio > 1.5 } == true)
  }

  @Test func `the only run at an amount of work is not the best run`() {
    func comparison(_ problem: [String]) -> Comparison {
      let cells = [1, 2].map { work in
        Comparison.Entry(
          variant: "plain", point: ["work": .integer(work)],
          figures: (0..<6).map { RoundFigure(round: $0, value: Double(100 * work + $0 % 2)) })
      }
      return Comparison(
        cells, Comparison.Policy(baseline: nil, seeksBest: true, sweep: ["work"], problem: problem), ranking: .lower)
    }
    #expect(comparison(["work"]).bests.isEmpty)
    #expect(comparison([]).bests == [0])
  }

  @Test func `the fastest variant is the best variant if all variants are broken`() {
    #expect(Self.comparison([("one", 2000, false), ("other", 100, false)]).best == 1)
  }

  /// With one smallest spread for all groups, the noise of the long tasks would hide differences of short tasks.
  @Test func `a noisy group does not widen the intervals of a quiet group`() throws {
    func figures(_ time: Double, noise: Double) -> [RoundFigure] {
      (0..<12).map { RoundFigure(round: $0, value: time * (1 + noise * Double($0 * 5 % 7))) }
    }
    func cell(_ work: Int, _ time: Double, noise: Double) -> Comparison.Entry {
      Comparison.Entry(
        variant: "\(time)", point: ["work": .integer(work)], figures: figures(time, noise: noise))
    }
    let quiet = [cell(1, 100, noise: 0.002), cell(1, 105, noise: 0.001), cell(1, 104, noise: 0.003)]
    let noisy = (0..<4).map { cell(2, 1000 + 10 * Double($0), noise: 0.5 * Double($0)) }
    let policy = Comparison.Policy(baseline: nil, seeksBest: true, sweep: ["work"], problem: ["work"])
    let found = Comparison(quiet + noisy, policy, ranking: .lower)
    #expect(found.bests == [0, 3] && found.undecided.isDisjoint(with: [1, 2]))
    #expect(found.contrasts[1]?.isDistinct == true && found.contrasts[2]?.isDistinct == true)
    let rounds = PairedRounds(figures(104, noise: 0.003), against: figures(105, noise: 0.001))
    let ends = try [2, 4].map { try #require(found.contrast(rounds, inGroupOf: $0)?.interval) }
    #expect(ends[0].high < 1.02 && ends[1].high > 1.1)
  }
}

import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of the speed-up with more cores, with invented figures.
@Suite struct ScalingTests {
  private func cell(
    _ variant: String, _ cores: Int, stride: Int? = nil, rounds: Int = 6, _ figure: (Int) -> Double
  ) -> Comparison.Entry {
    var point: [String: ParameterValue] = ["cores": .integer(cores)]
    if let stride { point["stride"] = .integer(stride) }
    return Comparison.Entry(
      variant: variant, point: point,
      figures: (0..<rounds).map { RoundFigure(round: $0, value: figure($0)) })
  }

  @Test func `a speed-up is relative to the fewest cores in the same rounds`() throws {
    // In every other round, the machine is three times as slow for both variants. The ratios must not depend on this
    // change.
    func time(_ round: Int) -> Double { round.isMultiple(of: 2) ? 3000 : 1000 }
    let scaling = Scaling(
      [
        cell("apply", 2) { time($0) / 1.9 }, cell("loop", 2) { time($0) }, cell("apply", 1, time),
        cell("loop", 1, time),
      ],
      .lower)
    let apply = try #require(scaling.series.first { $0.variant == "apply" })
    #expect(apply.steps.map(\.cores) == [1, 2] && apply.steps.map(\.run) == [2, 0] && apply.fewest == 1)
    let speedup = try #require(apply.steps[1].speedup)
    #expect(abs(speedup.ratio - 1.9) < 1e-9 && speedup.isDistinct == true)
    #expect(abs(apply.efficiency(speedup.ratio, 2) - 95) < 1e-9)
    #expect(apply.steps[0].speedup == nil)
    let loop = try #require(scaling.series.first { $0.variant == "loop" }?.steps[1].speedup)
    #expect(loop.ratio == 1 && loop.isDistinct == false)
  }

  @Test func `a higher rate on more cores is a speed-up`() throws {
    let scaling = Scaling([cell("a", 1) { _ in 100 }, cell("a", 4) { _ in 300 }], .higher)
    let series = try #require(scaling.series.first)
    #expect(abs((series.steps[1].speedup?.ratio ?? 0) - 3) < 1e-9)
    #expect(abs(series.efficiency(3, 4) - 75) < 1e-9)
  }

  @Test func `the fewest cores are the reference if one core was not measured`() throws {
    let scaling = Scaling([cell("a", 2) { _ in 100 }, cell("a", 8) { _ in 50 }], .lower)
    let series = try #require(scaling.series.first)
    #expect(series.fewest == 2 && abs(series.efficiency(2, 8) - 50) < 1e-9)
  }

  @Test func `a variant on only one number of cores has no speed-up`() {
    #expect(Scaling([cell("a", 1) { _ in 100 }, cell("b", 2) { _ in 50 }], .lower).series.isEmpty)
    #expect(Scaling([cell("a", 1) { _ in 1 }, cell("a", 2, rounds: 0) { _ in 1 }], .lower).series.isEmpty)
    let few = Scaling([cell("a", 1, rounds: 2) { _ in 2 }, cell("a", 2, rounds: 2) { _ in 1 }], .lower)
    #expect(few.series[0].steps[1].speedup?.ratio == 2 && few.series[0].steps[1].speedup?.interval == nil)
  }

  @Test func `each variant has one fastest setting`() {
    let scaling = Scaling(
      [1, 64].flatMap { stride in
        [1, 2].flatMap { cores in
          [cell("apply", cores, stride: stride) { _ in Double(1000 / stride / cores) }]
        }
      } + [cell("loop", 1) { _ in 5 }, cell("loop", 2) { _ in 5 }], .lower)
    #expect(scaling.series.filter(\.isFastest).map(\.point) == [["stride": .integer(64)], [:]])
  }

  // MARK: The law

  private func finding(_ cores: [Int], _ time: (Double) -> Double) throws -> RunNote? {
    let experiment = FakePattern.experiment(sweep: [Sweep("cores", cores.map(ParameterValue.integer))])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs.filter { $0.variant.name == "apply" }
    for index in runs.indices {
      var observation = Observation()
      observation.record("elapsed", time(Double(runs[index].cores ?? 0)))
      runs[index].trials = (0..<6).map { TrialRecord(round: $0, outcome: .completed, observation: observation) }
    }
    return Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs).scalability.first
  }

  @Test func `figures for four numbers of cores determine a scaling law, and its peak or its limit`() throws {
    func law(_ sigma: Double, _ kappa: Double) -> (Double) -> Double {
      { n in 1e6 * (1 + sigma * (n - 1) + kappa * n * (n - 1)) / n }
    }
    let peaked = try #require(try finding([1, 2, 4, 8, 16], law(0.05, 0.01)))
    #expect(peaked.kind == "scalability" && peaked.runs.count == 5)
    #expect(
      peaked.says
        == "apply on n cores, by the Universal Scalability Law: contention σ 0.0500, coherence κ 0.0100; slower again "
        + "with more than 10 cores; leave-one-out error 0 %")
    let beyond = try #require(try finding([1, 2, 3, 4], law(0, 0.01)))
    #expect(beyond.says.contains("slower again with more than 10 cores, beyond the 4 that were tried"), "\(beyond)")
    let amdahl = try #require(try finding([1, 2, 3, 4], law(0.1, 0)))
    #expect(amdahl.says.contains("at most 10.0 times as fast as on one core"), "\(amdahl)")
    #expect(try finding([1, 2, 4], law(0.05, 0.01)) == nil)
  }

  @Test func `the scalability note mentions that no law fits`() throws {
    let saw = try #require(
      try finding([1, 2, 3, 4, 5, 6]) { $0.truncatingRemainder(dividingBy: 2) == 0 ? 1000 : 2000 })
    #expect(saw.says.hasPrefix("apply: no law of scalability fits; leave-one-out error"), "\(saw)")
  }
}

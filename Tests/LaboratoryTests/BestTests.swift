import Testing

@testable import Laboratory

@Suite struct BestTests {
  private func results(_ figures: [String: [Double]], metric: String = "elapsed", baseline: String? = nil) throws
    -> Results
  {
    var experiment = FakePattern.experiment()
    experiment.baseline = baseline
    experiment.seeksBest = true
    let runs = Plan(experiment, budget: .quick, seed: 1).runs.map { run in
      var run = run
      run.trials = (figures[run.variant.name] ?? []).enumerated().map { round, value in
        var observation = Observation()
        observation.record(metric, value)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
      return run
    }
    return Results(experiment: experiment, machine: FakePattern.machine, seed: 1, started: "", runs: runs)
  }

  private func metric(_ name: String) throws -> Metric { try #require(FakePattern().metric(name)) }

  @Test func theBestIsTheLowestLatencyOrTheHighestRate() throws {
    let figures = ["loop": [10, 12.0], "apply": [5, 6], "broken": [7, 7]]
    #expect(try results(figures).best(by: metric("elapsed"))?.label == "apply")
    #expect(try results(figures, metric: "rate").best(by: metric("rate"))?.label == "loop")
    #expect(try results(figures, metric: "missed").best(by: metric("missed")) == nil)
    #expect(try results([:]).best(by: metric("elapsed")) == nil)
  }

  @Test func ratiosReferToTheBestOrTheBaseline() throws {
    let figures = ["loop": Array(repeating: 10.0, count: 6), "apply": Array(repeating: 5, count: 6)]
    let best = try results(figures)
    let loop = try #require(best.run("loop")), apply = try #require(best.run("apply"))
    let sought = try best.comparison(by: metric("elapsed"))
    #expect(sought[loop]?.ratio == 2 && sought[apply] == nil && sought.isReference(apply) && !sought.isNearBest(loop))
    #expect(sought.reference == "the best")
    let based = try results(figures, baseline: "loop").comparison(by: metric("elapsed"))
    #expect(based[apply]?.ratio == 0.5 && based.isReference(loop) && based.best?.label == "apply")
  }

  @Test func whatTheRoundsDoNotTellFromTheBestIsNearIt() throws {
    let near = try results(["loop": [10, 11, 10, 11, 10, 11], "apply": [11, 10, 11, 10, 11, 9.9]])
    #expect(try near.comparison(by: metric("elapsed")).isNearBest(#require(near.run("loop"))))
  }

  @Test func aContrastIsOfPairedRounds() throws {
    let some = try results(["loop": [10, 20, 40], "apply": [5, 10, 20]])
    let loop = try #require(some.run("loop")), apply = try #require(some.run("apply"))
    let contrast = try #require(try Contrast(apply, against: loop, by: metric("elapsed"), seed: 1))
    #expect(contrast.ratio == 0.5 && contrast.interval == nil && contrast.isDistinct == nil)
    #expect(try Contrast(apply, against: #require(some.run("broken")), by: metric("elapsed"), seed: 1) == nil)
    let zero = try results(["loop": [0, 1], "apply": [1, 1]])
    #expect(
      try Contrast(#require(zero.run("apply")), against: #require(zero.run("loop")), by: metric("elapsed"), seed: 1)
        == nil)
  }
}

import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of the resources that a trial reports as missing on the machine.
@Suite struct ShortageTests {
  private func trial(_ shortages: Set<String> = []) -> Trial {
    Trial(variant: "loop", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2, shortages: shortages)
  }

  @Test func `a trial reports each shortage once`() {
    let variant = Variant("loop", .yardstick, "a way") { trial in
      trial.recordShortage(of: "a second core")
      trial.recordShortage(of: "a second core")
    }
    let report = trial().run(variant)
    #expect(report.shortages == ["a second core"])
    #expect(TrialRecord(of: variant, round: 0, report).shortages == ["a second core"])
    #expect(trial().run(Variant("loop", .yardstick, "a way") { _ in }).shortages == nil)
  }

  @Test func `a trial knows the shortages that other trials found`() {
    #expect(trial(["a second core"]).isKnownShortage("a second core"))
    #expect(!trial(["a second core"]).isKnownShortage("a third core"))
    #expect(!trial().isKnownShortage("a second core"))
  }

  @Test func `a trial that lacks a second core is repeated, but only rarely if repetitions do not help`() async throws {
    var count = 0
    func run(_ repeats: inout Repeats, isAllowed: Bool = true, lacking: (Int) -> Bool) async throws -> Set<String> {
      try await repeats.untilComplete(isAllowed: isAllowed) {
        count += 1
        return (TrialRecord(round: 0, outcome: .completed, shortages: lacking(count) ? [Cores.second] : []), nil)
      }.trial.shortages
    }
    var repeats = Repeats()
    #expect(try await run(&repeats) { $0 < 3 }.isEmpty && count == 3)
    #expect(try await run(&repeats) { _ in false }.isEmpty && count == 4)
    #expect(try await run(&repeats, isAllowed: false) { _ in true } == [Cores.second] && count == 5)
    var useless = Repeats()
    for _ in 0..<20 { #expect(try await run(&useless) { _ in true } == [Cores.second]) }
    #expect(count == 5 + 20 + 5, "after three useless repetitions, only every sixteenth trial is repeated")
    #expect(useless.notes.map(\.says) == ["5 repetitions replaced trials that found no second core"])
    #expect(Repeats().notes.isEmpty)
    // A repetition that does not complete does not replace the trial.
    var broken = Repeats()
    let kept = try await broken.untilComplete(isAllowed: true) {
      count += 1
      return count.isMultiple(of: 2)
        ? (TrialRecord(round: 0, outcome: .hung), nil)
        : (TrialRecord(round: 0, outcome: .completed, shortages: [Cores.second]), nil)
    }
    #expect(kept.trial.outcome == .completed)
  }

  @Test func `the warning about a shortage lists the runs that lacked the resource`() {
    let experiment = FakePattern.experiment()
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    runs[0].trials = (0..<2).map { TrialRecord(round: $0, outcome: .completed, shortages: ["a second core"]) }
    runs[1].trials = [TrialRecord(round: 0, outcome: .completed)]
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    let remark = results.warnings(within: .quick).first { $0.kind == "lacking" }
    #expect(
      remark?.says.hasPrefix("a second core was not available in 2 of ")
        == true)
    #expect(remark?.runs == [runs[0].label])
  }

  /// The test judges a claim on a parallel loop that lacked a second core in some of ten rounds.
  @Test(arguments: [(0, Verdict.refuted), (5, .refuted), (6, .inconclusive)])
  func `a claim is inconclusive, not refuted, if most rounds have a shortage`(_ lacking: Int, _ verdict: Verdict) throws
  {
    let claims = [try FakePattern.claim(.performance, "apply.missed < loop.missed")]
    var runs = Plan(FakePattern.experiment(), budget: .standard, seed: 1).runs
    for index in runs.indices {
      let isLoop = runs[index].variant.name == "loop"
      runs[index].trials = (0..<10).map { round in
        var observation = Observation()
        observation.record("missed", isLoop ? 1 : 9 + round % 2)
        return TrialRecord(
          round: round, outcome: .completed, observation: observation,
          shortages: !isLoop && round < lacking ? ["a second core"] : [])
      }
    }
    let results = Results(
      experiment: FakePattern.experiment(claims: claims), machine: .test, seed: 1, started: "", runs: runs)
    let judged = try #require(Judge(results).judgements().first)
    #expect(judged.verdict == verdict, "\(judged)")
    if verdict == .inconclusive {
      #expect(judged.evidence.reason == "a second core was not available in 6 of 10 rounds")
    }
  }

  /// Figures on one core and on two cores are not comparable.
  @Test func `a comparison leaves out trials without a second core if each run has enough other trials`() {
    func results(lacking count: Int, isComparison: Bool = true) -> Results {
      var experiment = FakePattern.experiment()
      experiment.isComparison = isComparison
      var runs = Plan(experiment, budget: .quick, seed: 1).runs
      for index in runs.indices {
        runs[index].trials = (0..<10).map { round in
          TrialRecord(
            round: round, outcome: .completed, shortages: index == 0 && round < count ? [Cores.second] : [])
        }
      }
      return Results(
        Measurements(
          experiment: experiment, machine: .test, seed: 1, started: "", seconds: 1, earlyEnd: nil, runs: runs,
          disturbances: []), within: .quick)
    }
    func note(_ results: Results) -> String? { results.warnings.first { $0.kind == "left-out" }?.says }
    let some = results(lacking: 4)
    #expect(some.runs[0].trials.map(\.round) == [4, 5, 6, 7, 8, 9] && some.runs[1].trials.count == 10)
    #expect(note(some)?.hasPrefix("without 4 of ") == true, "\(some.warnings)")
    for all in [results(lacking: 5), results(lacking: 4, isComparison: false)] {
      #expect(all.runs[0].trials.count == 10 && note(all) == nil)
    }
  }
}

import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of every verdict on invented trials. Each check both fails and holds in a test.
@Suite struct JudgeTests {
  /// Returns the results of one claim. `figures` contains a value in each round for each variant and metric, recorded
  /// `samples` times; nil if the round has no figure.
  private func results(
    _ kind: Claim.Kind, _ check: String, _ figures: [String: [String: [Double?]]], outcome: Outcome = .completed,
    rounds: Int = 10, samples: Int = 1
  ) throws -> Results {
    var results = Results(
      experiment: FakePattern.experiment(claims: [try FakePattern.claim(kind, check)]), machine: .test,
      seed: 1, started: "2026-01-01T00:00:00Z",
      runs: Plan(FakePattern.experiment(), budget: .standard, seed: 1).runs)
    for index in results.runs.indices {
      for round in 0..<rounds {
        var observation = Observation()
        for (metric, values) in figures[results.runs[index].variant.name] ?? [:] {
          guard let value = values[round % values.count] else { continue }
          for _ in 0..<samples { observation.record(metric, value) }
        }
        results.runs[index].trials.append(
          TrialRecord(
            round: round, outcome: observation.metrics.isEmpty ? outcome : .completed, observation: observation))
      }
    }
    return results
  }

  private func judge(
    _ kind: Claim.Kind, _ check: String, _ figures: [String: [String: [Double?]]], outcome: Outcome = .completed,
    rounds: Int = 10, samples: Int = 1
  ) throws -> Judgement {
    let results = try results(kind, check, figures, outcome: outcome, rounds: rounds, samples: samples)
    return try #require(Judge(results).judgements().first)
  }

  @Test func `a comparison fails for a violated guarantee, and not for an unseen anomaly`() throws {
    let never = ["loop": ["missed": [0.0]], "apply": ["missed": [0]]]
    func verdict(_ kind: Claim.Kind, _ check: String, isComparison: Bool) throws -> Judgement {
      let made = try results(kind, check, never)
      var experiment = made.experiment
      experiment.isComparison = isComparison
      let results = Results(
        experiment: experiment, machine: made.machine, seed: made.seed, started: made.started, runs: made.runs)
      return try #require(Judge(results).judgements().first)
    }
    #expect(try verdict(.anomaly, "any.missed > 0", isComparison: false).verdict == .notWitnessed)
    let unseen = try verdict(.anomaly, "any.missed > 0", isComparison: true)
    #expect(unseen.verdict == .unavailable && unseen.isExcused)
    #expect(try verdict(.guarantee, "all.missed > 0", isComparison: true).verdict == .violated)
  }

  @Test func `a guarantee is violated if one trial breaks it`() throws {
    let clean = ["loop": ["missed": [0.0]], "apply": ["missed": [0]]]
    let held = try judge(.guarantee, "all.missed == 0", clean)
    #expect(held.verdict == .held)
    #expect(held.evidence.trials == 20)
    let once = ["loop": ["missed": [0.0]], "apply": ["missed": [0, 0, 0, 0, 0, 0, 0, 0, 0, 3]]]
    let violated = try judge(.guarantee, "all.missed == 0", once)
    #expect(violated.verdict == .violated)
    #expect(violated.evidence.left == 3)
    #expect(violated.evidence.met == 19)
    #expect(violated.evidence.reason == "apply in round 10")
  }

  @Test(arguments: [Outcome.hung, .trapped(signal: 4), .broken(reason: "no report")])
  func `a guarantee is violated by a trial that does not complete`(_ outcome: Outcome) throws {
    let judged = try judge(.guarantee, "apply.missed == 0", [:], outcome: outcome)
    #expect(judged.verdict == .violated)
    #expect(judged.evidence.reason == "apply \(outcome.kind.rawValue) in round 1")
  }

  @Test func `an anomaly is witnessed if one trial shows it`() throws {
    let once: [Double?] = [0, 0, 0, 0, 0, 0, 0, 7, 0, 0]
    #expect(try judge(.anomaly, "broken.missed > 0", ["broken": ["missed": once]]).verdict == .witnessed)
    #expect(try judge(.anomaly, "broken.missed > 0", ["broken": ["missed": [0]]]).verdict == .notWitnessed)
  }

  @Test(arguments: [
    Outcome.hung, .trapped(signal: 4), .broken(reason: "no report"), .unavailable(reason: "signal 9"),
    .stopped(after: .seconds(1)),
  ])
  func `an anomaly that no trial showed is unavailable if some trials were lost`(_ outcome: Outcome) throws {
    let check = "broken.missed > 0"
    let unseen = try judge(.anomaly, check, ["broken": ["missed": [0, nil]]], outcome: outcome)
    #expect(unseen.verdict == .unavailable && !unseen.isExcused)
    #expect(unseen.evidence.trials == 5 && unseen.evidence.lost == 5)
    #expect(unseen.evidence.reason?.hasPrefix("not seen, but 5 of 10 trials were lost: broken ") == true)
    // All trials are lost, as if the variant hung in all of them.
    #expect(try judge(.anomaly, check, [:], outcome: outcome).verdict == .unavailable)
    let seen = try judge(.anomaly, check, ["broken": ["missed": [3, nil]]], outcome: outcome)
    #expect(seen.verdict == .witnessed)
    #expect(seen.evidence.trials == 5 && seen.evidence.met == 5 && seen.evidence.lost == 5)
    // A guarantee is also judged on trials that did not complete.
    #expect(try judge(.guarantee, "broken.missed == 0", ["broken": ["missed": [0, nil]]]).evidence.lost == 0)
  }

  @Test func `the evidence has a range for counts that differ between trials`() throws {
    func ranges(_ kind: Claim.Kind, _ check: String, _ figures: [Double]) throws -> [ClosedRange<Double>?] {
      let evidence = try judge(
        kind, check, ["apply": ["missed": figures.map { $0 }, "elapsed": figures.map { $0 }], "loop": ["missed": [1]]]
      ).evidence
      return [evidence.leftRange, evidence.rightRange]
    }
    #expect(try ranges(.guarantee, "apply.missed > 1", [4, 100]) == [4...100, nil])
    #expect(try ranges(.guarantee, "apply.missed > 1", [4, 4]) == [nil, nil])
    // The range is that of the trials that broke the claim.
    #expect(try ranges(.guarantee, "apply.missed > 4", [2, 3, 100]) == [2...3, nil])
    #expect(try ranges(.anomaly, "apply.missed > 4", [2, 50, 100]) == [50...100, nil])
    #expect(try ranges(.performance, "loop.missed < apply.missed", [4, 100]) == [nil, 4...100])
    // Durations have a median.
    #expect(try ranges(.performance, "apply.elapsed < 1us", [4, 100]) == [nil, nil])
  }

  @Test func `the check of an anomaly can name an outcome`() throws {
    #expect(try judge(.anomaly, "broken.hung == 1", [:], outcome: .hung).verdict == .witnessed)
    #expect(try judge(.anomaly, "broken.hung == 1", ["broken": ["missed": [0]]]).verdict == .notWitnessed)
  }

  @Test func `a check of any variant is met if one variant meets it in each round`() throws {
    let shared = ["loop": ["missed": [1.0, 0]], "apply": ["missed": [0, 1]], "broken": ["missed": [0]]]
    #expect(try judge(.guarantee, "any.missed == 1", shared).verdict == .held)
    let lacking = ["loop": ["missed": [1.0, 0]], "apply": ["missed": [0]], "broken": ["missed": [0]]]
    #expect(try judge(.guarantee, "any.missed == 1", lacking).verdict == .violated)
  }

  @Test func `a performance claim is inconclusive if its interval includes equality`() throws {
    func verdict(_ left: [Double], _ right: [Double], _ check: String = "apply.elapsed < loop.elapsed") throws
      -> Verdict
    {
      try judge(.performance, check, ["apply": ["elapsed": left], "loop": ["elapsed": right]]).verdict
    }
    let noisy = [98.0, 101, 99, 103, 97, 100, 102, 99, 101, 100]
    let double = noisy.map { $0 * 2 }
    #expect(try verdict(noisy, double.reversed()) == .supported)
    #expect(try verdict(double, noisy.reversed()) == .refuted)
    #expect(try verdict(noisy, noisy.reversed()) == .inconclusive)
    #expect(try verdict(double, noisy.reversed(), "apply.elapsed > loop.elapsed") == .supported)
    #expect(try verdict(double, noisy.reversed(), "apply.elapsed < 3 * loop.elapsed") == .supported)
    #expect(try verdict(double, noisy, "apply.elapsed < 1us") == .supported)
  }

  @Test func `a performance claim with figures of 0 is judged without a ratio`() throws {
    let judged = try judge(
      .performance, "apply.missed < loop.missed", ["apply": ["missed": [0]], "loop": ["missed": [1, 2]]])
    #expect(judged.verdict == .supported)
    #expect(judged.evidence.ratio == nil)
    let same = try judge(
      .performance, "apply.missed < loop.missed", ["apply": ["missed": [0]], "loop": ["missed": [0]]])
    #expect(same.verdict == .refuted)
  }

  @Test func `counts are judged round by round, never by their mean`() throws {
    func verdict(_ check: String, _ left: [Double], _ right: [Double] = [0], rounds: Int = 10) throws -> Verdict {
      try judge(
        .performance, check, ["apply": ["missed": left.map { $0 }], "loop": ["missed": right.map { $0 }]],
        rounds: rounds
      ).verdict
    }
    // The check holds in every round, although the interval of the mean includes 1.
    #expect(try verdict("apply.missed <= 1", [0, 1, 1, 1, 0, 1, 1, 1, 1, 1]) == .supported)
    #expect(try verdict("apply.missed <= 1", [2, 2, 3], rounds: 6) == .refuted)
    #expect(try verdict("apply.missed <= 1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 900]) == .inconclusive)
    #expect(try verdict("apply.missed <= 1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 900], rounds: 20) == .supported)
    // Both sides are counts. A few rounds may all differ in one direction by chance, unless the ranges are disjoint.
    #expect(try verdict("apply.missed < loop.missed", [1, 5], [2, 6], rounds: 6) == .inconclusive)
    #expect(try verdict("apply.missed < loop.missed", [1, 5], [2, 6], rounds: 8) == .supported)
    #expect(try verdict("apply.missed < loop.missed", [1, 5], [6, 9], rounds: 6) == .supported)
    #expect(try verdict("apply.missed <= loop.missed", [4], [4], rounds: 6) == .supported)
    #expect(try verdict("apply.missed < loop.missed", [4], [4], rounds: 6) == .refuted)
  }

  @Test func `one extreme round does not prevent a verdict if the ranges of both sides are disjoint`() throws {
    func judged(_ left: [Double?], _ right: [Double?]) throws -> Judgement {
      try judge(
        .performance, "apply.elapsed < loop.elapsed", ["apply": ["elapsed": left], "loop": ["elapsed": right]],
        rounds: 6)
    }
    let (low, wild) = ([1.0, 2, 1, 2, 1, 2].map { $0 as Double? }, [9.0, 9, 9, 9, 9, 900_000].map { $0 as Double? })
    let apart = try judged(low, wild)
    #expect(apart.verdict == .supported && apart.evidence.reason == Evidence.disjoint)
    #expect((apart.evidence.ratio?.high ?? 0) > 1)
    #expect(try judged(wild, low).verdict == .refuted)
    #expect(try judged([1, 2, 1, 2, 1, 9], [9, 9, 9, 9, 9, 900_000]).verdict == .inconclusive)
  }

  @Test func `the evidence has one trial as an example and one as a counterexample`() throws {
    let once = ["apply": ["missed": [0, 0, 3].map { $0 as Double? }]]
    let judged = try judge(.guarantee, "apply.missed == 0", once, rounds: 3)
    #expect(judged.evidence.example == Evidence.Example(run: "apply", round: 1, left: 0))
    #expect(judged.evidence.counterexample == Evidence.Example(run: "apply", round: 3, left: 3))
    let hung = try judge(.anomaly, "broken.hung == 1", [:], outcome: .hung, rounds: 2)
    #expect(hung.evidence.example == Evidence.Example(run: "broken", round: 1, left: 1, ended: "hung"))
    #expect(hung.evidence.counterexample == nil)
  }

  @Test func `a performance claim with too few rounds is inconclusive`() throws {
    let figures = ["apply": ["elapsed": [1.0]], "loop": ["elapsed": [9.0]]]
    let judged = try judge(.performance, "apply.elapsed < loop.elapsed", figures, rounds: 3)
    #expect(judged.verdict == .inconclusive)
    #expect(judged.evidence.reason == "3 rounds: too few to tell (6 needed)")
  }

  @Test func `a claim on a missing figure is unavailable`() throws {
    let judged = try judge(.guarantee, "apply[stride=1].missed == 0", ["apply": ["missed": [0]]])
    #expect(judged.verdict == .unavailable)
    #expect(judged.evidence.reason == "apply[stride=1] is not part of this run" && judged.isLeftOut)
    let refused = try judge(.guarantee, "apply.missed == 0", [:], outcome: .unavailable(reason: "too few descriptors"))
    #expect(refused.verdict == .unavailable)
    #expect(refused.evidence.reason == "too few descriptors" && !refused.isLeftOut)
  }

  @Test(arguments: [Outcome.unavailable(reason: "signal 9"), .stopped(after: .seconds(1))])
  func `a guarantee on all variants is unavailable if one variant lost all its trials`(_ outcome: Outcome) throws {
    // All trials of the loop were lost.
    let judged = try judge(
      .guarantee, "all.missed == 0", ["apply": ["missed": [0]], "broken": ["missed": [0]]], outcome: outcome)
    #expect(judged.verdict == .unavailable && !judged.isExcused)
    #expect(judged.evidence.reason == "no trial showed loop: \(outcome.detail ?? "")")
    // A failure counts, even if other variants have no figures.
    let violated = try judge(
      .guarantee, "all.missed == 0", ["apply": ["missed": [0]], "broken": ["missed": [1]]], outcome: outcome)
    #expect(violated.verdict == .violated)
    // One trial of each variant is enough.
    let lossy: [Double?] = [0, nil, nil, nil, nil]
    let seen = try judge(
      .guarantee, "all.missed == 0", ["apply": ["missed": [0]], "broken": ["missed": [0]], "loop": ["missed": lossy]],
      outcome: outcome)
    #expect(seen.verdict == .held && seen.evidence.trials == 22)
  }

  @Test func `the word cores is the pool's width in an upper bound, and the machine's cores in a lower bound`()
    throws
  {
    func verdict(_ check: String, of blocks: Double) throws -> Verdict? {
      var results = try results(.guarantee, check, ["apply": ["blocks": [blocks]]])
      results = Results(
        experiment: results.experiment,
        machine: {
          var machine = Machine.test; machine.cores = 1; machine.poolWidth = 2; return machine
        }(), seed: 1,
        started: "", runs: results.runs)
      return Judge(results).judgements().first?.verdict
    }
    #expect(try verdict("apply.blocks <= cores", of: 2) == .held)
    #expect(try verdict("apply.blocks <= cores", of: 3) == .violated)
    #expect(try verdict("apply.blocks <= 2 * cores", of: 4) == .held)
    #expect(try verdict("apply.blocks > cores", of: 2) == .held)
    #expect(try verdict("apply.blocks > cores", of: 1) == .violated)
  }

  @Test func `an anomaly of all variants is unavailable if one variant lost all its trials`() throws {
    let judged = try judge(
      .anomaly, "all.missed > 0", ["apply": ["missed": [0]], "loop": ["missed": [0]]],
      outcome: .unavailable(reason: "signal 9"))
    #expect(judged.verdict == .unavailable)
    #expect(judged.evidence.reason == "no trial showed broken: signal 9")
  }

  @Test func `a claim on a point outside the run is excused, and a claim on lost trials is not`() throws {
    #expect(try judge(.guarantee, "apply[stride=1].missed == 0", ["apply": ["missed": [0]]]).isExcused)
    let lost = Outcome.unavailable(reason: "signal 9")
    #expect(try !judge(.guarantee, "apply.missed == 0", [:], outcome: lost).isExcused)
    #expect(
      try !judge(.performance, "apply.elapsed < loop.elapsed", ["loop": ["elapsed": [1]]], outcome: lost).isExcused)
    // A performance claim on a missing optional figure is excused. A guarantee on a missing figure is not.
    let without = ["apply": ["elapsed": [1.0]], "loop": ["elapsed": [1.0]]]
    #expect(try judge(.performance, "apply.rate > loop.rate", without).isExcused)
    #expect(try !judge(.guarantee, "apply.missed == 0", without).isExcused)
  }

  @Test func `a check of a percentile is unanswerable if no trial has enough samples for it`() throws {
    func unanswerableChecks(_ check: String, samples: Int) throws -> [String] {
      try results(.performance, check, ["apply": ["elapsed": [5]], "loop": ["elapsed": [nil, 9]]], samples: samples)
        .unanswerableChecks.map(\.description)
    }
    #expect(
      try unanswerableChecks("apply.elapsed.p99 < loop.elapsed.p99", samples: 7) == [
        "fake: check 'apply.elapsed.p99 < loop.elapsed.p99': p99 needs 100 samples in each trial; apply had at most 7"
      ])
    #expect(try unanswerableChecks("apply.elapsed.p99 < loop.elapsed.p99", samples: 100) == [])
    #expect(try unanswerableChecks("apply.elapsed.p50 < loop.elapsed", samples: 1) == [])
    let judged = try judge(.guarantee, "apply.elapsed.p90 < 9ns", ["apply": ["elapsed": [5]]], samples: 9)
    #expect(judged.verdict == .unavailable)
    #expect(judged.evidence.reason == "p90 needs 10 samples in each trial; apply had at most 9")
  }

  @Test(arguments: Statistic.allCases)
  func `a statistic has a value only if there are at least its minimum number of samples`(_ statistic: Statistic) {
    let fewest = statistic.fewestSamples
    #expect(Summary(Array(repeating: 1, count: fewest))?[statistic] != nil)
    #expect(Summary(Array(repeating: 1, count: fewest - 1))?[statistic] == nil)
  }

  @Test func `only failed guarantees and anomalies fail a run that is not strict`() {
    let failures = Verdict.allCases.filter { $0.isFailure(strict: false) }
    #expect(failures == [.violated, .notWitnessed])
    #expect(Verdict.allCases.filter { $0.isFailure(strict: true) } == [.violated, .notWitnessed, .refuted])
  }
}

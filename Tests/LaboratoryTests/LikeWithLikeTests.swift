import LabTesting
import Testing

@testable import Laboratory

/// Tests that a check compares its sides at the same point, in the same round, and only if both sides have a figure.
@Suite struct LikeWithLikeTests {
  /// Returns the verdict on a claim over strides 1 and 16. `figure` returns each run's elapsed time in a round; nil for
  /// a trial that another process killed.
  private func judge(
    _ kind: Claim.Kind, _ check: String, rounds: Int = 8, _ figure: (_ label: String, _ round: Int) -> Double?
  ) throws -> Judgement {
    let experiment = FakePattern.experiment(
      claims: [try FakePattern.claim(kind, check)], sweep: [Sweep("stride", [.integer(1), .integer(16)])])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      runs[index].trials = (0..<rounds).map { round in
        guard let value = figure(runs[index].label, round) else {
          return TrialRecord(round: round, outcome: .unavailable(reason: "signal 9 ended the worker"))
        }
        var observation = Observation()
        observation.record("elapsed", value)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    return try #require(
      Judge(Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)).judgements().first)
  }

  /// Returns figures that are better at one point and worse at the other.
  private func crossed(_ label: String, _ round: Int) -> Double {
    let base: Double =
      switch label {
      case "apply[stride=1]": 200
      case "apply[stride=16]": 50
      default: 100
      }
    return base + Double(round % 3)
  }

  @Test(arguments: ["apply.elapsed < broken.elapsed", "apply.elapsed > broken.elapsed", "loop.elapsed < apply.elapsed"])
  func `a claim is inconclusive if its points disagree`(_ check: String) throws {
    let judged = try judge(.performance, check, crossed)
    #expect(judged.verdict == .inconclusive)
    #expect(judged.evidence.reason?.contains("supported at stride=") == true, "\(judged.evidence)")
    #expect(judged.evidence.reason?.contains("refuted at stride=") == true, "\(judged.evidence)")
  }

  @Test func `a claim whose points agree is supported, with the weakest point as its evidence`() throws {
    let judged = try judge(.performance, "apply.elapsed < broken.elapsed") { label, round in
      crossed(label, round) * (label.hasPrefix("broken") ? 4 : 1)
    }
    #expect(judged.verdict == .supported)
    #expect(judged.evidence.reason == "at each of 2 settings; shown: stride=1")
    #expect(judged.evidence.trials == 8)
  }

  @Test func `two points with three rounds each are too few for a verdict`() throws {
    let judged = try judge(.performance, "apply.elapsed < broken.elapsed", rounds: 3) { label, round in
      label.hasPrefix("apply") ? 1 : 100
    }
    #expect(judged.verdict == .inconclusive)
  }

  @Test func `a guarantee that compares two variants is judged only in the rounds that both have`() throws {
    let judged = try judge(.guarantee, "apply[stride=1].elapsed < broken[stride=1].elapsed") { label, round in
      label.hasPrefix("broken") ? (round < 4 ? nil : 100) : 50
    }
    #expect(judged.verdict == .held)
    #expect(judged.evidence.trials == 4)
  }

  @Test func `a guarantee on a percentile of too few samples is unavailable`() throws {
    let judged = try judge(.guarantee, "apply.elapsed.p99 < 1s", crossed)
    #expect(judged.verdict == .unavailable)
  }
}

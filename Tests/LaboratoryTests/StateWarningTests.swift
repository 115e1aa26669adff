import LabTesting
import Testing

@testable import Laboratory

/// Tests of the warning about a figure with two states.
@Suite struct StateWarningTests {
  /// Returns the warning about a variant with `low` rounds of 5 us and `10 - low` rounds of 60 us.
  ///
  /// - Parameter switches: the number of involuntary switches in a round; nil if the number was not recorded.
  private func warning(low: Int, isComparison: Bool, switches: (Int) -> Int? = { _ in nil }) throws -> String {
    var experiment = FakePattern.experiment()
    experiment.isComparison = isComparison
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    runs[0].trials = (0..<10).map { round in
      var observation = Observation()
      observation.record("elapsed", (round < low ? 5000 : 60_000) + Double(round))
      switches(round).map { observation.record("involuntary-switches", Double($0)) }
      return TrialRecord(round: round, outcome: .completed, observation: observation)
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    return try #require(results.warnings(within: .quick).first { $0.kind == "two-states" }).says
  }

  @Test func `the warning about two states mentions whether a trial had the table's figure`() throws {
    let mean = try warning(low: 5, isComparison: true)
    #expect(mean.contains("in 5 rounds (17.3 us, the mean, is a value that no trial had)"), "\(mean)")
    let median = try warning(low: 5, isComparison: false)
    #expect(median.contains("in 5 rounds (32.5 us, the median, is a value that no trial had)"), "\(median)")
    let often = try warning(low: 2, isComparison: false)
    #expect(often.contains("in 8 rounds (60.0 us, the median, is in the range of the upper state)"), "\(often)")
  }

  @Test func `the warning about two states begins with the variants that a program may use`() throws {
    var runs = Array(Plan(FakePattern.experiment(), budget: .quick, seed: 1).runs.reversed())
    for place in runs.indices {
      runs[place].trials = (0..<10).map { round in
        var observation = Observation()
        observation.record("elapsed", (round < 5 ? 5000 : 60_000) + Double(round))
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    let broken = try #require(runs.firstIndex { $0.variant.role == .broken })
    let usable = try #require(runs.indices.first { runs[$0].variant.role != .broken })
    #expect(broken < usable)
    let results = Results(experiment: FakePattern.experiment(), machine: .test, seed: 1, started: "", runs: runs)
    let says = try #require(results.warnings(within: .quick).first { $0.kind == "two-states" }).says
    #expect(says.contains("in one: \(runs[usable].label) "), "\(says)")
  }

  @Test func `the warning about two states names the switches that distinguish the states`() throws {
    let shared = try warning(low: 5, isComparison: true) { $0 < 5 ? $0 % 2 : 14 + $0 }
    #expect(shared.contains("; involuntary-switches 0 in the lower state and 21 in the upper)"), "\(shared)")
    let alike = try warning(low: 5, isComparison: true) { 14 + $0 % 2 }
    #expect(!alike.contains("switches"), "\(alike)")
    // The counts do not follow the states.
    let mixed = try warning(low: 5, isComparison: true) { $0.isMultiple(of: 3) ? 0 : 20 }
    #expect(!mixed.contains("switches"), "\(mixed)")
  }
}

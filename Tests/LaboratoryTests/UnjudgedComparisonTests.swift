import LabTesting
import Testing

@testable import Laboratory

/// Tests that a comparison does not pass if a run has no figure.
@Suite struct UnjudgedComparisonTests {
  /// Returns the reason why a comparison does not pass in which all trials of one run have the given outcome.
  private func reason(_ outcome: Outcome) -> String? {
    var experiment = FakePattern.experiment()
    experiment.isComparison = true
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for place in runs.indices {
      runs[place].trials = (0..<3).map { round in
        var observation = Observation()
        if place > 0 { observation.record("elapsed", 5000) }
        return TrialRecord(round: round, outcome: place > 0 ? .completed : outcome, observation: observation)
      }
    }
    return Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs).whyUnjudged()
  }

  @Test func `a comparison with a run whose trials were all stopped does not pass, unlike one with unavailable trials`()
  {
    #expect(reason(.completed) == nil)
    #expect(reason(.stopped(after: .seconds(2)))?.contains("has no figure: a trial took longer than 2") == true)
    #expect(reason(.unavailable(reason: "no open can fail")) == nil)
  }
}

import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// What trials find the machine to lack.
@Suite struct ShortageTests {
  private func trial(_ shortages: Set<String> = []) -> Trial {
    Trial(variant: "loop", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2, shortages: shortages)
  }

  @Test func `a trial says what it waited for in vain, once`() {
    let variant = Variant("loop", .yardstick, "a way") { trial in
      trial.lacks("a second core")
      trial.lacks("a second core")
    }
    let report = TrialReport(of: variant, trial())
    #expect(report.shortages == ["a second core"])
    #expect(TrialRecord(of: variant, round: 0, report).shortages == ["a second core"])
    #expect(TrialReport(of: Variant("loop", .yardstick, "a way") { _ in }, trial()).shortages == nil)
  }

  @Test func `a trial knows what others found out`() {
    #expect(trial(["a second core"]).isKnownToLack("a second core"))
    #expect(!trial(["a second core"]).isKnownToLack("a third core"))
    #expect(!trial().isKnownToLack("a second core"))
  }

  @Test func `the run warns of it, and names the runs`() {
    let experiment = FakePattern.experiment()
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    runs[0].trials = (0..<2).map { TrialRecord(round: $0, outcome: .completed, shortages: ["a second core"]) }
    runs[1].trials = [TrialRecord(round: 0, outcome: .completed)]
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    let remark = results.cautions(within: .quick).first { $0.kind == "lacking" }
    #expect(
      remark?.says.hasPrefix("a second core was not available in 2 of ")
        == true)
    #expect(remark?.runs == [runs[0].label])
  }
}

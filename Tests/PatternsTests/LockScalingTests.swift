import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A signal of the whole process counts system calls, so each test runs in a process of its own.
@Suite struct LockScalingTests {
  @Test(arguments: ["mutex", "pthread-mutex", "serial-sync", "actor"], [1, 8])
  func `no entry is lost, and every metric is recorded`(_ variant: String, _ threadsPerCore: Int) async {
    await #expect(processExitsWith: .success) {
      [variant = variant as String, threadsPerCore = threadsPerCore as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: LockScaling(), files: Catalogue.files,
        ["threads-per-core": .integer(threadsPerCore), "hold": .integer(1000)])
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("lost") == 0)
      #expect(try #require(attempt.total("longest-run")) >= 1)
      #expect(try #require(attempt.trial.observation.samples("clocked-entry")?.summary).count >= 40)
    }
  }

  @Test
  func `the answer of a comparison states the number of threads for each setting, and that tasks enter the actor`() {
    let pattern = LockScaling()
    func findings(_ variants: [String]) -> [String] {
      let runs = [1, 4].flatMap { setting in
        pattern.variants.filter { variants.contains($0.name) }.map { variant in
          VariantRun(
            variant: variant, point: Point(), parameters: ["threads-per-core": .integer(setting)],
            trials: [TrialRecord(round: 0, outcome: .completed, observation: Observation())])
        }
      }
      return pattern.findings(in: FakePattern.comparison(runs)).map(\.says)
    }
    let cores = Machine.test.usedCores
    let threads = "Threads: \(max(2, cores)) at threads-per-core 1, \(4 * cores) at threads-per-core 4"
    let pauses = " They do nothing between two entries; threads that work in between contend less."
    #expect(findings(["mutex"]) == [threads + "." + pauses])
    #expect(
      findings(["mutex", "actor"]) == [
        threads + "; as many tasks enter the actor, on at most one thread for each core." + pauses
      ])
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = LockScaling()
    let settings: [String: ParameterValue] = ["threads-per-core": .integer(2), "hold": .integer(0)]
    // There is no lock, so the first thread inside waits until a second thread is inside.
    return ["mutex.lost == 0", "all.lost == 0"].map { check in
      Red(check, "mutex", of: pattern, settings) { trial in
        try pattern.contend(trial, patience: .seconds(10)) { entries in entries.each { entry in entry.enter() } }
        pattern.recordOwnerInWord(trial)
      }
    }
  }
}

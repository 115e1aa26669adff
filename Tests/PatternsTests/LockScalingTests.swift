import Instruments
import LabTesting
import Testing

@testable import Patterns

/// System calls are counted by a signal of the whole process, so each test runs in a process of its own.
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
      #expect(try #require(attempt.trial.observation.samples("entry")?.summary).count >= 40)
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = LockScaling()
    let settings: [String: ParameterValue] = ["threads-per-core": .integer(2), "hold": .integer(0)]
    // Nothing excludes the threads: the first one inside waits until a second one is inside.
    return ["mutex.lost == 0", "all.lost == 0"].map { check in
      Red(check, "mutex", of: pattern, settings) { trial in
        try pattern.contend(trial, patience: .seconds(10)) { entries in entries.each { door in door.enter() } }
        pattern.recordOwnerInWord(trial)
      }
    }
  }
}

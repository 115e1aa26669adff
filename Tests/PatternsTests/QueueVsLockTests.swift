import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A signal of the whole process counts system calls, so each test of a trial runs in a process of its own.
@Suite struct QueueVsLockTests {
  private static let guarded = QueueVsLock().variants.filter { $0.role != .broken }.map(\.name)

  @Test(arguments: guarded) func `no update is lost`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueueVsLock(), files: Catalogue.files, ["batch": .integer(10)])
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("lost-updates") == 0)
    }
  }

  @Test func `one of two unprotected updates is lost`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "unprotected", of: QueueVsLock(), files: Catalogue.files, ["updates": .integer(1)])
      #expect(attempt.total("lost-updates") == 1)
    }
  }

  @Test func `the variant with an actor requires two cores`() throws {
    let actor = try #require(QueueVsLock().variants.first { $0.name == "actor" })
    #expect(actor.needs.map(\.says) == ["2 cores"])
  }

  @Test func `a time that is not longer than the wait of the first reader contains no update`() {
    let number = SharedNumber(steps: 0, parties: 1, patience: .milliseconds(1))
    number.partyBegins()
    number.update()
    #expect(number.waited > 0)
    #expect(number.timeOfUpdates(in: number.waited + 7) == 7)
    #expect(number.timeOfUpdates(in: number.waited) == nil && number.timeOfUpdates(in: number.waited - 1) == nil)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = QueueVsLock()
    // The updates are not exclusive.
    let unguarded = guarded.map { variant in
      Red("\(variant).lost-updates == 0", variant, of: pattern) { trial in
        if variant == "serial-async" {
          try pattern.measure(trial, patience: .seconds(10), { updates in updates.each { $0.update() } }, untilDone: {})
        } else if variant == "actor" {
          try waitFor {
            try await pattern.measure(trial, patience: .seconds(10)) { updates async in updates.each { $0.update() } }
          }
        } else {
          try pattern.measure(trial, patience: .seconds(10)) { updates in updates.each { $0.update() } }
        }
      }
    }
    let one = Red("unprotected.lost-updates > 0", "unprotected", of: pattern) { trial in
      let lock = Lock()
      try pattern.measure(trial) { updates in updates.each { number in lock.mutex.withLock { _ in number.update() } } }
    }
    return unguarded + [one]
  }
}

import CDispatchSupport
import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A test process does not serve the main queue, so another queue replaces it. `main-actor` runs only in a worker
/// (`PromiseTests`).
@Suite struct HopCostTests {
  static var pattern: HopCost {
    var pattern = HopCost()
    pattern.mainQueue = DispatchQueue(label: "main")
    return pattern
  }
  private static let few: [String: ParameterValue] = [
    "batch": .integer(5), "callers": .integer(3), "calls": .integer(20),
  ]

  @Test func `the answer of a comparison says which variants only lock their target`() {
    func findings(_ variants: [String]) -> [String] {
      let runs = Self.pattern.variants.filter { variants.contains($0.name) }.map {
        VariantRun(variant: $0, point: Point(), parameters: [:], trials: [])
      }
      return Self.pattern.findings(in: FakePattern.comparison(runs)).map(\.says)
    }
    let rest =
      "the other variants wake a thread. They are not different speeds of the same work. "
      + "`--metric contended` compares them with several callers."
    #expect(
      findings(["queue", "queue-sync", "actor"]) == [
        "queue-sync and actor only lock the target if no other caller uses it; " + rest
      ])
    #expect(findings(["queue", "actor"]) == ["actor only locks the target if no other caller uses it; " + rest])
    #expect(findings(["queue-sync", "actor"]).isEmpty && findings(["queue", "continuation"]).isEmpty)
  }

  @Test(
    arguments: ["queue", "queue-c", "queue-sync", "actor", "actor-on-queue", "continuation", "main-queue"], [1, 3])
  func `every round trip takes place, one at a time`(_ variant: String, _ hoppers: Int) async throws {
    // The process is the test's own, since the trial examines whether all threads sleep.
    await #expect(processExitsWith: .success) { [variant = variant as String, hoppers = hoppers as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: Self.pattern, files: Catalogue.files, Self.few.merging(["callers": .integer(hoppers)]) { $1 })
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.verdicts == ["all.lost == 0": .held, "all.overlaps == 0": .held])
      #expect(attempt.trial.observation.samples("round-trip")?.summary?.count == Batches.count)
    }
  }

  @Test func `a block that sync submits runs on the calling thread`() async throws {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("queue-sync", of: Self.pattern, files: Catalogue.files, Self.few)
      #expect(attempt.trial.observation.samples("thread-switches")?.summary?.max == 0)
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = pattern
    return [
      // The visit returns before its work is executed.
      Red("all.lost == 0", "queue", of: pattern, few) { trial in
        try pattern.hop(trial) { here, _, back in here.async(execute: back) }
      },
      // Each caller visits its own queue in place of the common one.
      Red("all.overlaps == 0", "queue", of: pattern, few) { trial in
        try pattern.hop(trial) { here, visits, back in
          here.async {
            visits.add()
            here.async(execute: back)
          }
        }
      },
    ]
  }
}

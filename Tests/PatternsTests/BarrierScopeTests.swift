import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct BarrierScopeTests {
  @Test(arguments: ["private", "targets-global", "at-target", "actor"], [1, 5])
  func `no block overlaps with a barrier that excludes all blocks`(_ variant: String, _ barriers: Int) async throws {
    let attempt = try await Attempt(
      variant, of: BarrierScope(), files: Catalogue.files, ["barriers": .integer(barriers)])
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.verdicts.count == 2 && attempt.areAll(.held), "\(attempt.verdicts)")
  }

  @Test(arguments: ["global", "sibling"], [1, 3])
  func `every block overlaps with a barrier that excludes no block`(_ variant: String, _ barriers: Int) async throws {
    let attempt = try await Attempt(
      variant, of: BarrierScope(), files: Catalogue.files, ["barriers": .integer(barriers)])
    #expect(attempt.total("barrier-began-early") == barriers && attempt.total("ran-beside-barrier") == barriers)
    #expect(attempt.areAll(.witnessed), "\(attempt.verdicts)")
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = BarrierScope()
    /// Executes blocks without a barrier, and with enough time for blocks to overlap.
    @Sendable func excludesNothing(_ trial: Trial) throws {
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try pattern.countOverlaps(trial, patience: .seconds(20)) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    /// Executes blocks on a private queue, on which no block overlaps the barrier.
    @Sendable func excludesAll(_ trial: Trial) throws {
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try pattern.countOverlaps(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    return ["private", "targets-global", "at-target", "actor"].flatMap { variant in
      ["barrier-began-early", "ran-beside-barrier"].map { metric in
        Red("\(variant).\(metric) == 0", variant, of: pattern, ["barriers": .integer(1)], excludesNothing)
      }
    }
      + ["global", "sibling"].flatMap { variant in
        ["barrier-began-early", "ran-beside-barrier"].map { metric in
          Red("\(variant).\(metric) > 0", variant, of: pattern, ["barriers": .integer(1)], excludesAll)
        }
      }
  }
}

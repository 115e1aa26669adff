import Dispatch
import LabTesting
import Laboratory
import Testing

@testable import Patterns

@Suite struct BarrierScopeTests {
  @Test(arguments: ["private", "targets-global", "at-target", "actor"], [1, 5])
  func `nobody gets past a barrier that keeps all out`(_ variant: String, _ barriers: Int) async throws {
    let attempt = try await Attempt(
      variant, of: BarrierScope(), files: Catalogue.files, ["barriers": .integer(barriers)])
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.verdicts.count == 2 && attempt.verdicts.values.allSatisfy { $0 == .held }, "\(attempt.verdicts)")
  }

  @Test(arguments: ["global", "neighbour"], [1, 3])
  func `everybody gets past one that keeps nobody out`(_ variant: String, _ barriers: Int) async throws {
    let attempt = try await Attempt(
      variant, of: BarrierScope(), files: Catalogue.files, ["barriers": .integer(barriers)])
    #expect(attempt.total("went-past") == barriers && attempt.total("walked-in") == barriers)
    #expect(attempt.verdicts.values.allSatisfy { $0 == .witnessed }, "\(attempt.verdicts)")
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = BarrierScope()
    /// No barrier at all, and enough time to come in.
    @Sendable func keepsNobodyOut(_ trial: Trial) throws {
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try pattern.lookForIntruders(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    /// A queue of one's own, where intruders are awaited in vain.
    @Sendable func keepsAllOut(_ trial: Trial) throws {
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try pattern.look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    return ["private", "targets-global", "at-target", "actor"].flatMap { variant in
      ["went-past", "walked-in"].map { metric in
        Red("\(variant).\(metric) == 0", variant, of: pattern, ["barriers": .integer(1)], keepsNobodyOut)
      }
    }
      + ["global", "neighbour"].flatMap { variant in
        ["went-past", "walked-in"].map { metric in
          Red("\(variant).\(metric) > 0", variant, of: pattern, ["barriers": .integer(1)], keepsAllOut)
        }
      }
  }
}

import Exploration
import Laboratory
import Testing

@testable import Reporting

@Suite struct ExplorationNoteTests {
  @Test func `the note names the variants that break, and counts the orders that break no other variant`() throws {
    let results = [
      try explored("unlocked", locks: false), try explored("locked"), try explored("locked too"),
      try explored("wrong", adds: 2),
      ExplorationResult(
        pattern: "sum", variant: .init("static", isBroken: false, obstacle: "there is one order"), summary: nil,
        seconds: 0),
    ]
    #expect(
      RunNote(exploring: results)?.says
        == """
        explored in a model of Dispatch: every order of steps breaks wrong; some order of steps breaks unlocked; \
        none of the 4 orders breaks any of the other 2 explored variants; 1 variant cannot be explored \
        (gcdlab explore sum)
        """
    )
    #expect(
      RunNote(exploring: [results[1]])?.says
        == "explored in a model of Dispatch: none of the 2 orders breaks locked (gcdlab explore sum)")
  }

  @Test func `the note names the variants whose exploration is incomplete`() throws {
    let result = try explored("locked", isOver: { true })
    #expect(
      RunNote(exploring: [result])?.says
        == "explored in a model of Dispatch: not all orders of locked were tried in the time (gcdlab explore sum)")
  }

  @Test func `results without an explored variant have no note`() {
    let variant = ExploredPattern.Variant("static", isBroken: false, obstacle: "there is one order")
    #expect(
      RunNote(exploring: [ExplorationResult(pattern: "sum", variant: variant, summary: nil, seconds: 0)]) == nil)
  }

  /// Explores two threads that each add one to a sum, and returns the result.
  private func explored(
    _ name: String, locks: Bool = true, adds: Int = 1, isOver: () -> Bool = { false }
  ) throws -> ExplorationResult {
    let program: @Sendable () -> Void = {
      let sum = Shared("sum", 0)
      let lock = ModelLock()
      Execution.threads(2) { _ in
        if locks { lock.withLock { _ in sum.value += adds } } else { sum.value += adds }
      }
      if sum.atEnd != 2 { Execution.breaks("lost") }
    }
    return ExplorationResult(
      pattern: "sum", variant: .init(name, isBroken: !locks, program: program),
      summary: try Explorer(program).explore(.all, isOver: isOver), seconds: 0)
  }
}

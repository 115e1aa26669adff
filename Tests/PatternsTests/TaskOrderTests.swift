import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct TaskOrderTests {
  private static let pattern = TaskOrder()

  // The variants of the main actor require a main thread of their own: `PromiseTests` runs all variants in workers.
  @Test(arguments: ["tasks", "child-tasks", "priorities", "isolated", "implicit", "stream", "serial-queue"])
  func `each variant keeps its promises`(_ variant: String) async throws {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (OrderRound) async -> Void) -> Red {
      let variant = String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, ["items": .integer(4), "repeats": .integer(2)]) { trial in
        if variant.hasSuffix("priorities") { return try pattern.runEachMixedRound(trial, body) }
        try pattern.runRounds(trial, isTimed: true, body)
      }
    }
    @Sendable func forward(_ round: OrderRound) { for item in round.items { item.recordArrival() } }
    @Sendable func backward(_ round: OrderRound) { for item in round.items.reversed() { item.recordArrival() } }
    /// Delivers the items of each priority in the reverse order, and no item of the lower priority after a higher one.
    @Sendable func backwardInHalves(_ round: OrderRound) {
      for item in round.items.reversed() where !item.isInSecondHalf { item.recordArrival() }
      for item in round.items.reversed() where item.isInSecondHalf { item.recordArrival() }
    }
    return ["tasks", "child-tasks"].map { red("\($0).inversions > 0", forward) }
      + [red("priorities.overtaken > 0", forward), red("priorities.overtaken > 0", backwardInHalves)]
      + ["isolated", "main-actor", "main-priorities", "implicit", "stream", "serial-queue"].map {
        red("\($0).inversions == 0", backward)
      }
      + [
        Red("all.lost == 0", "stream", of: pattern, ["items": .integer(2), "repeats": .integer(1)]) { trial in
          // The second item of the first round does not arrive, and the first item arrives twice.
          let rounds = ExecutionCounts(count: 1)
          try pattern.runRounds(trial, isTimed: true, patience: .zero) { round in
            round.items[0].recordArrival()
            round.items[rounds.ran(0) > 1 ? 1 : 0].recordArrival()
          }
        },
        Red("all.lost == 0", "stream", of: pattern, ["items": .integer(2), "repeats": .integer(1)]) { trial in
          // The first round, which is not timed, loses an item.
          let rounds = ExecutionCounts(count: 1)
          try pattern.runRounds(trial, isTimed: true, patience: .zero) { round in
            round.items[0].recordArrival()
            if rounds.ran(0) > 1 { round.items[1].recordArrival() }
          }
        },
      ]
  }
}

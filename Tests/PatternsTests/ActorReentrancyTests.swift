import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Each test runs in a process of its own, so that no other test uses the threads of Swift's pool.
@Suite struct ActorReentrancyTests {
  private static let pattern = ActorReentrancy()
  private static let right = ["check-again", "take-first", "task-chain", "serial-queue"]

  private static func attempt(_ variant: String, seats: Int, buyers: Int) async throws -> Attempt {
    try await Attempt(
      variant, of: pattern, files: Catalogue.files,
      ["seats": .integer(seats), "buyers": .integer(buyers), "repeats": .integer(2), "payment": .integer(1000)])
  }

  @Test(arguments: right, [(1, 2), (1, 20), (10, 20), (5, 3)])
  func `no seat is oversold, and no wanted seat is left unsold`(_ variant: String, _ size: (seats: Int, buyers: Int))
    async
  {
    await #expect(processExitsWith: .success) {
      [variant = variant as String, seats = size.seats as Int, buyers = size.buyers as Int] in
      let attempt = try await Self.attempt(variant, seats: seats, buyers: buyers)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("oversold") == 0 && attempt.total("unsold") == 0)
      let isTooMany = variant == "check-again"
      #expect(
        try #require(attempt.total("concurrent-payments")) > (isTooMany ? seats : 0)
          && isTooMany == (attempt.total("concurrent-payments") ?? 0 > seats))
      #expect(isTooMany == (attempt.total("refunds") ?? 0 > 0))
      #expect(attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
    }
  }

  @Test(arguments: [(1, 2), (1, 20), (10, 20)])
  func `seats that are checked before an await are oversold`(_ size: (seats: Int, buyers: Int)) async {
    await #expect(processExitsWith: .success) { [seats = size.seats as Int, buyers = size.buyers as Int] in
      let attempt = try await Self.attempt("check-then-await", seats: seats, buyers: buyers)
      #expect(attempt.trial.outcome == .completed)
      #expect(try #require(attempt.total("oversold")) > 0)
      #expect(attempt.total("refunds") == 0 && attempt.total("unsold") == 0)
    }
  }

  @Test(arguments: ["task-chain", "serial-queue"])
  func `only one buyer pays at a time if the sales are serialized`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Self.attempt(variant, seats: 3, buyers: 9)
      #expect(attempt.total("concurrent-payments") == 1)
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let settings: [String: ParameterValue] = [
      "seats": .integer(2), "buyers": .integer(5), "repeats": .integer(1), "payment": .integer(100),
    ]
    func red(
      _ check: String, patience: Duration = .seconds(10), _ sell: @escaping @Sendable (Seats, Buyer) async -> Bool
    )
      -> Red
    {
      let variant = check.hasPrefix("all") ? "take-first" : String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, settings) { trial in
        try pattern.sell(patience: patience)(trial) { count in
          let seats = Seats(count: count)
          return { buyer in await sell(seats, buyer) }
        }
      }
    }
    @Sendable func looksBeforeItAwaits(_ seats: Seats, _ buyer: Buyer) async -> Bool {
      guard await seats.areLeft else { return false }
      await buyer.pay()
      await seats.takeAnyway()
      return true
    }
    @Sendable func takesFirst(_ seats: Seats, _ buyer: Buyer) async -> Bool {
      guard await seats.take() else { return false }
      await buyer.pay()
      return true
    }
    return [
      red("check-then-await.oversold > 0", patience: .zero, takesFirst),
      red("check-again.refunds > 0", patience: .zero, takesFirst),
      // The buyer pays even if there is no seat.
      red("take-first.refunds == 0") { seats, buyer in
        await buyer.pay()
        return await seats.take()
      },
      // The buyer takes a seat without selling it.
      red("all.unsold == 0", patience: .zero) { seats, buyer in
        guard await seats.take() else { return false }
        await buyer.pay()
        return false
      },
    ] + right.map { red("\($0).oversold == 0", looksBeforeItAwaits) }
  }

  /// An actor with seats, and without a box office.
  private actor Seats {
    private var count: Int
    init(count: Int) { self.count = count }

    var areLeft: Bool { count > 0 }
    func takeAnyway() { count -= 1 }
    func take() -> Bool {
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }
}

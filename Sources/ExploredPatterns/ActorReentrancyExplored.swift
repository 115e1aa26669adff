import Exploration
import Instruments

/// A model of the sale of one seat to two buyers.
private final class Sale: @unchecked Sendable {
  let seats = 1
  var sold = 0

  var buyers: [Buyer] { [1, 2].map { Buyer(number: $0) } }

  func sell(_ isSold: Bool, to buyer: Buyer) {
    Execution.note("\(buyer.name) gets \(isSold ? "a" : "no") seat")
    if isSold { sold += 1 }
    if sold > seats { Execution.breaks("two buyers have the only seat") }
  }

  func judge() { if sold < seats { Execution.breaks("the seat is not sold") } }
}

/// A model of a buyer of a seat.
struct Buyer: Sendable {
  fileprivate let number: Int
  fileprivate var name: String { "buyer \(number)" }

  /// Pays for the seat, and waits asynchronously for the payment.
  func pay() async {
    Execution.note("\(name) begins to pay")
    await withUnsafeContinuation { continuation in
      Execution.thread("payment \(number)") {
        Execution.step("arrives")
        continuation.resume()
      }
    }
    Execution.note("\(name) has paid")
  }

  /// Pays for the seat, and blocks the thread until the payment is complete.
  func payBlocking() {
    Execution.note("\(name) begins to pay")
    Execution.step("\(name) has paid")
  }
}

extension ActorReentrancy {
  static let exploration = Self.explored(settings: ["buyers": .integer(2), "seats": .integer(1)])

  func sell(patience: Duration? = nil) -> Probe<@Sendable (_ seats: Int) -> @Sendable (Buyer) async -> Bool> {
    Probe { _, open in
      let sale = Sale()
      let sell = open(sale.seats)
      try waitFor {
        await withTaskGroup { group in
          for buyer in sale.buyers { group.addTask { sale.sell(await sell(buyer), to: buyer) } }
        }
      }
      sale.judge()
    }
  }

  var sellBlocks: Probe<@Sendable (_ seats: Int) -> @Sendable (Buyer) -> Bool> {
    Probe { _, open in
      let sale = Sale()
      let sell = open(sale.seats)
      let buyers = sale.buyers
      Execution.threads(buyers.count) { thread in sale.sell(sell(buyers[thread]), to: buyers[thread]) }
      sale.judge()
    }
  }
}

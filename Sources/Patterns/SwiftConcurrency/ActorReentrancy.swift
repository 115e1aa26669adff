import Dispatch
import Laboratory

/// Is what was checked before an `await` still so after it?
///
/// A block of a serial queue runs from its beginning to its end before the next begins. A method of an actor does not: where it
/// awaits, others may run on the actor, and change what it has read.
///
/// ```swift
/// guard seats > 0 else { return false }
/// await buyer.pay()
/// seats -= 1
/// ```
///
/// Here more buyers want a seat than there are seats. At first each payment is held until one buyer more is paying than there are
/// seats, or, where that cannot come to be, until `patience` is over. Then the same is done with nothing in the way, and timed.
///
/// Beyond the documents: what becomes of the serial queue (Concurrency Programming Guide, Dispatch Queues) in Swift concurrency.
struct ActorReentrancy: Pattern {
  static let name = "actor-reentrancy"

  let seats = Setting.count("seats", 1...10_000, default: 10, "seats for sale")
  let buyers = Setting.count("buyers", 2...20_000, default: 40, "who wants one of them; at least one more than seats")
  let payment = Setting.duration(
    "payment", .zero ... .milliseconds(10), default: .microseconds(5), "how long a payment takes that is not held")
  let patience = Setting.duration(
    "patience", .zero ... .seconds(1), default: .milliseconds(2),
    "how long payments are held where so many buyers cannot come to pay at once")
  let repeats = Setting.count("repeats", 1...1000, default: 10, "how often the seats are sold with nothing in the way")

  let oversold = Metric.count("oversold", "seats that were sold beyond those that there were")
  let unsold = Metric.count("unsold", "seats that were left, although more wanted one")
  let refunds = Metric.count("refunds", "buyers who had paid and got no seat")
  let payingAtOnce = Metric.count("paying-at-once", "buyers who were paying at the same time, at most, while held")
  let perBuyer = Metric.latency(
    "per-buyer",
    "from the first buyer's coming until the last has an answer, with nothing in the way, over their number")

  var variants: [Variant] {
    Variant(
      "check-then-await", .broken, "an actor: looks for a seat, awaits the payment, takes the seat", without: [patience]
    ) { trial in
      actor BoxOffice {
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          guard seats > 0 else { return false }
          await buyer.pay()
          seats -= 1
          return true
        }
      }
      try sell(trial, patience: .seconds(10)) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    }
    Variant("check-again", .modern, "an actor: the same, and looks again after the await", without: [patience]) {
      trial in
      actor BoxOffice {
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          guard seats > 0 else { return false }
          await buyer.pay()
          // Others may have been here meanwhile; who was late gets the money back.
          guard seats > 0 else { return false }
          seats -= 1
          return true
        }
      }
      try sell(trial, patience: .seconds(10)) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    }
    Variant("take-first", .modern, "an actor: takes the seat in the same breath, and awaits the payment then") {
      trial in
      actor BoxOffice {
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          guard seats > 0 else { return false }
          seats -= 1
          await buyer.pay()
          return true
        }
      }
      try sell(trial, patience: trial[patience]) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    }
    Variant("in-turn", .modern, "an actor: each sale is a task that awaits the one before") { trial in
      actor BoxOffice {
        var seats: Int
        var last: Task<Bool, Never>?
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          let sale = Task { [last] in
            _ = await last?.value
            guard seats > 0 else { return false }
            await buyer.pay()
            seats -= 1
            return true
          }
          last = sale
          return await sale.value
        }
      }
      try sell(trial, patience: trial[patience]) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    }
    Variant("serial-queue", .documented, "a serial queue: its block looks, waits for the payment and takes the seat") {
      trial in
      // Its queue keeps others out.
      final class BoxOffice: @unchecked Sendable {
        let queue = DispatchQueue(label: "box office")
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) -> Bool {
          queue.sync {
            guard seats > 0 else { return false }
            buyer.payBlocking()
            seats -= 1
            return true
          }
        }
      }
      try sellBlocks(trial, patience: trial[patience]) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in office.sell(to: buyer) }
      }
    }
  }

  /// Every payment by itself, and the longest wait for buyers.
  func longest(_ trial: Trial) -> Duration? {
    (trial[payment] + .microseconds(20)) * trial[buyers] * (trial[repeats] + 1) + .seconds(11)
  }
}

import Dispatch
import Instruments

/// Is a condition that was checked before an `await` still true after the `await`?
///
/// A block of a serial queue runs to its end before the next block starts. The calls of an actor's methods may
/// interleave: at each `await` of a method, other calls may run on the actor and change the state that the method has
/// read.
///
/// ```swift
/// guard seats > 0 else { return false }
/// await buyer.pay()
/// seats -= 1
/// ```
///
/// In a trial, more buyers ask for a seat than there are seats. In the first sale, each payment is held until more
/// buyers are paying than there are seats, or until a time limit has passed. The trial then times further sales, in
/// which no payment is held.
///
/// Beyond the documents: this pattern examines what replaces a serial queue (Concurrency Programming Guide, Dispatch
/// Queues) in Swift concurrency.
struct ActorReentrancy: Pattern {
  static let name = "actor-reentrancy"

  let seats = Parameter.count("seats", 1...10_000, default: 10, "seats for sale")
  let buyers = Parameter.count(
    "buyers", 2...20_000, default: 40, "buyers who each ask for a seat; at least one more than seats")
  let payment = Parameter.duration(
    "payment", .zero ... .milliseconds(10), default: .microseconds(5), "duration of a payment that is not held")
  let patience = Parameter.duration(
    "patience", .zero ... .seconds(1), default: .milliseconds(2),
    "how long payments are held if the actor or queue admits too few buyers to oversell"
  ).ofMeasurement
  let repeats = Parameter.count("repeats", 1...1000, default: 10, "timed sales per trial, in which no payment is held")
    .ofMeasurement

  let oversold = Metric.count(
    "oversold",
    "seats sold beyond the available seats, over all sales of a trial: one with payments held, then `repeats`")
  let unsold = Metric.count(
    "unsold", "seats left unsold, although more buyers asked for a seat, over all sales of a trial")
  let refunds = Metric.count("refunds", "buyers who paid and got no seat, over all sales of a trial")
  let concurrentPayments = Metric.count(
    "concurrent-payments", "peak number of payments in progress at once, while payments are held")
  let perBuyer = Metric.latency(
    "per-buyer",
    "time of a sale with nothing held, from the first request to the last answer, divided by the number of buyers")

  var variants: [Variant] {
    Variant(
      "check-then-await", .broken, "actor: checks for a free seat, awaits the payment, takes the seat",
      sell(patience: .seconds(10))
    ) { seats in
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
      let office = BoxOffice(seats: seats)
      return { buyer in await office.sell(to: buyer) }
    }
    Variant("check-again", .modern, "actor: checks before and after awaiting payment", sell(patience: .seconds(10))) {
      seats in
      actor BoxOffice {
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          guard seats > 0 else { return false }
          await buyer.pay()
          // Another call may have sold the last seat; this buyer is then refunded.
          guard seats > 0 else { return false }
          seats -= 1
          return true
        }
      }
      let office = BoxOffice(seats: seats)
      return { buyer in await office.sell(to: buyer) }
    }
    Variant(
      "take-first", .modern, "actor: checks and takes the seat without an await in between, then awaits the payment",
      sell()
    ) { seats in
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
      let office = BoxOffice(seats: seats)
      return { buyer in await office.sell(to: buyer) }
    }
    Variant("task-chain", .modern, "actor: each sale is a task that awaits the previous one", sell()) { seats in
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
      let office = BoxOffice(seats: seats)
      return { buyer in await office.sell(to: buyer) }
    }
    Variant(
      "serial-queue", .documented, "serial queue: one block checks, waits for the payment and takes the seat",
      sellBlocks
    ) { seats in
      // Conformance to `Sendable` is unchecked: the queue runs one sale at a time.
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
      let office = BoxOffice(seats: seats)
      return { buyer in office.sell(to: buyer) }
    }
  }

  /// Returns an upper bound for the duration of a trial: the time that all payments need if they are made one after the
  /// other, plus eleven seconds for the held payments.
  func longest(_ trial: Trial) -> Duration? {
    (trial[payment] + .microseconds(20)) * trial[buyers] * (trial[repeats] + 1) + .seconds(11)
  }
}

import Dispatch
import Instruments
import Synchronization

extension ActorReentrancy {
  /// A closure that creates a box office with a number of seats, and returns a closure that sells a seat to a buyer.
  /// The returned closure returns whether the buyer received a seat.
  typealias Opening = @Sendable (_ seats: Int) -> @Sendable (Buyer) async -> Bool

  /// Returns a probe that sells seats to buyers, each of which is a task. In the first sale, payments are held until
  /// more buyers are paying than there are seats, or until a time limit has passed. In the later sales, no payment is
  /// held.
  ///
  /// - Parameter limit: the time limit of the held payments, counted from the submission of the last buyer; nil for the
  ///   setting `patience`.
  func sell(patience limit: Duration? = nil) -> Probe<Opening> {
    Probe(reads: settings + (limit == nil ? [patience] : []), records: results) { trial, open in
      try sellAll(trial, patience: limit ?? trial[patience]) { sale in
        let sell = open(sale.seats)
        try waitFor {
          await withTaskGroup { group in
            for buyer in sale.buyers { group.addTask { buyer.recordSale(await sell(buyer)) } }
            sale.allHaveAsked()
          }
        }
      }
    }
  }

  /// A probe that sells seats to buyers, each of which is a block on the global queue. The sales proceed as in
  /// ``sell(patience:)``, with the setting `patience` as the time limit of the held payments.
  var sellBlocks: Probe<@Sendable (_ seats: Int) -> @Sendable (Buyer) -> Bool> {
    Probe(reads: settings + [patience], records: results) { trial, open in
      try sellAll(trial, patience: trial[patience]) { sale in
        let sell = open(sale.seats)
        let all = DispatchGroup()
        for buyer in sale.buyers {
          DispatchQueue.global().async(group: all) { buyer.recordSale(sell(buyer)) }
        }
        sale.allHaveAsked()
        all.wait()
      }
    }
  }

  /// The settings that every trial reads.
  private var settings: [any Declaration] { [seats, buyers, payment, repeats] }
  /// The metrics that every trial records.
  private var results: [any Declaration] { [oversold, unsold, refunds, concurrentPayments, perBuyer] }

  private func sellAll(_ trial: Trial, patience: Duration, _ run: (Sale) throws -> Void) throws {
    try SystemThread.requireCapacity(for: 8)
    let (seats, steps) = (trial[seats], trial.steps(payment))
    let buyers = max(trial[buyers], seats + 1)
    let held = Sale(seats: seats, buyers: buyers, steps: steps, heldUpTo: patience)
    try run(held)
    var (oversold, unsold, refunds) = (held.oversold, held.unsold, held.refunds)
    for _ in 0..<trial[repeats] {
      let sale = Sale(seats: seats, buyers: buyers, steps: steps)
      let begin = MonotonicClock.now()
      try run(sale)
      trial.record(perBuyer, MonotonicClock.now() - begin, over: buyers)
      oversold += sale.oversold
      unsold += sale.unsold
      refunds += sale.refunds
    }
    trial.record(self.oversold, oversold)
    trial.record(self.unsold, unsold)
    trial.record(self.refunds, refunds)
    trial.record(concurrentPayments, held.concurrentPayments)
  }
}

/// A sale with more buyers than seats. The sale records which buyers paid and which buyers received a seat.
final class Sale: Sendable {
  /// The number of seats for sale.
  let seats: Int
  private let steps: Int
  private let paying = Gauge()
  /// A gate that opens when more buyers are paying than there are seats; nil if payments are not held.
  private let tooMany: TimedGate?
  private let paid: Slots<Atomic<Bool>>
  private let sold: Slots<Atomic<Bool>>

  /// Creates a sale.
  ///
  /// - Parameters:
  ///   - steps: the steps of calibrated work that each payment takes if it is not held.
  ///   - patience: the time limit of the held payments; nil if payments are not held. The method ``allHaveAsked()``
  ///     starts the time limit.
  init(seats: Int, buyers: Int, steps: Int, heldUpTo patience: Duration? = nil) {
    self.seats = seats
    self.steps = steps
    tooMany = patience.map { TimedGate(limit: $0) }
    paid = Slots(count: buyers) { _ in Atomic(false) }
    sold = Slots(count: buyers) { _ in Atomic(false) }
  }

  /// All buyers of the sale.
  var buyers: [Buyer] { (0..<paid.count).map { Buyer(sale: self, index: $0) } }

  /// Starts the time limit of the held payments. Call this method once all buyers have been submitted. Has no effect if
  /// payments are not held.
  func allHaveAsked() { tooMany?.startTimeLimit() }

  fileprivate func pay(_ index: Int) async {
    if let tooMany {
      recordPayment(tooMany)
      await tooMany.wait()
      paying.down()
    } else {
      spin(steps / 2)
      await Task.yield()
      spin(steps - steps / 2)
    }
    paid[index].store(true, ordering: .relaxed)
  }

  fileprivate func payBlocking(_ index: Int) {
    if let tooMany {
      recordPayment(tooMany)
      tooMany.wait()
      paying.down()
    } else {
      spin(steps)
    }
    paid[index].store(true, ordering: .relaxed)
  }

  fileprivate func recordSale(_ index: Int) { sold[index].store(true, ordering: .relaxed) }

  private func recordPayment(_ tooMany: TimedGate) { if paying.up() > seats { tooMany.open() } }

  private func spin(_ steps: Int) { CalibratedWork.run(steps: steps) }

  // MARK: Results

  private var soldSeats: Int { (0..<sold.count).count { sold[$0].load(ordering: .relaxed) } }
  /// The number of seats that were sold beyond the available seats.
  var oversold: Int { max(0, soldSeats - seats) }
  /// The number of seats that were not sold.
  var unsold: Int { max(0, seats - soldSeats) }
  /// The number of buyers who paid and did not receive a seat.
  var refunds: Int {
    (0..<paid.count).count { paid[$0].load(ordering: .relaxed) && !sold[$0].load(ordering: .relaxed) }
  }
  /// The maximum number of buyers who were paying at the same time while payments were held; 0 if payments were not
  /// held.
  var concurrentPayments: Int { paying.peak }
}

/// A buyer who wants one seat.
struct Buyer: Sendable {
  fileprivate let sale: Sale
  fileprivate let index: Int

  /// Pays for a seat, and suspends the caller until the payment has been made.
  func pay() async { await sale.pay(index) }
  /// Pays for a seat, and blocks the thread until the payment has been made.
  func payBlocking() { sale.payBlocking(index) }
  /// Records whether the buyer received a seat.
  fileprivate func recordSale(_ isSold: Bool) { if isSold { sale.recordSale(index) } }
}

import Dispatch
import Instruments
import Synchronization

/// The measuring code, which sends items and notes the items that are received.
extension StreamVsSource {
  /// The number of bursts that count, after one that is a warm-up.
  private static let rounds = 10

  /// The longest time of a trial: 20 us for every item on an idle machine.
  func longest(_ trial: Trial) -> Duration? {
    let bursts = (Self.rounds + 1) * trial[burst]
    return .microseconds(20) * (bursts + trial[messages] + trial[stream]) + .milliseconds(100)
  }

  /// The settings of every trial.
  private var settings: [any Declaration] { [burst, messages, stream] }
  /// The metrics of every trial.
  private var results: [any Declaration] { [lost, policyViolations, sendCost, latency, perItem] }

  /// Sends items in bursts while the consumer is held, one by one, and as a stream, and counts the items that were
  /// lost.
  ///
  /// - Parameter kept: the items of a burst that the consumer should receive.
  func pass<Kept: Sequence<Int> & SendableMetatype>(
    keeping kept: @escaping @Sendable (_ items: [Int]) -> Kept
  ) -> Probe<@Sendable (Inbox) -> Outbox> {
    Probe(reads: settings, records: results) { trial, begin in
      _ = try send(trial, keeping: kept, begin)
    }
  }

  /// Sends items as `pass` does through a buffer of limited capacity, and counts the dropped items that `yield` did not
  /// report.
  ///
  /// - Parameter kept: the items of a burst that the consumer should receive.
  func passBounded<Kept: Sequence<Int> & SendableMetatype>(
    keeping kept: @escaping @Sendable (_ items: [Int], _ capacity: Int) -> Kept
  ) -> Probe<@Sendable (Inbox, _ capacity: Int) -> Outbox> {
    Probe(reads: settings + [buffer], records: results + [unreportedDrops]) { trial, begin in
      let capacity = trial[buffer]
      let unreported = try send(trial, keeping: { kept($0, capacity) }) { begin($0, capacity) }
      trial.record(unreportedDrops, unreported)
    }
  }

  /// Returns the number of lost items that `yield` did not report.
  private func send(
    _ trial: Trial, keeping kept: ([Int]) -> some Sequence<Int>, _ begin: (Inbox) -> Outbox
  ) throws -> Int {
    // The consumer is held while it takes item 0.
    let items = Array(1...trial[burst])
    let expected = Array(kept(items))
    let batch = Pieces(items)
    var (lost, unpromised, unreported) = (0, 0, 0)
    for round in 0...Self.rounds {
      let inbox = Inbox(holdsFirst: true)
      let outbox = begin(inbox)
      // The first item is 1, since a source does not report 0.
      outbox.send(1)
      try inbox.awaitHeld()
      let time = MonotonicClock.time { outbox.sendAll(batch) }
      if round > 0 { trial.record(sendCost, time, over: items.count) }
      inbox.release()
      try inbox.finish(outbox)
      let taken = Array(inbox.taken.dropFirst())
      unpromised += taken.difference(from: expected).count
      // One sum represents all items.
      let missing = expected.count == 1 && taken == expected && expected != items ? 0 : items.count - taken.count
      lost += max(0, missing)
      unreported += abs(missing - inbox.drops)
    }
    trial.noteFloor(of: sendCost, over: items.count) { batch.each { _ in } }
    trial.record(self.lost, lost)
    trial.record(policyViolations, unpromised)

    let inbox = Inbox()
    let outbox = begin(inbox)
    try trial.record(latency, count: trial[messages]) { try inbox.latency { outbox.send(1) } }
    let count = trial[stream]
    let all = Pieces(1...count)
    let start = MonotonicClock.now()
    outbox.sendAll(all)
    try inbox.finish(outbox)
    trial.record(perItem, max(1, inbox.lastTime - start), over: count)
    return unreported
  }
}

/// The ways in which a trial sends items, and in which it ends the stream of items.
struct Outbox {
  /// Sends items one after the other.
  let sendAll: (Pieces<Int>) -> Void
  /// Ends the stream of items. Items that were sent before are still received.
  let end: () -> Void

  /// Creates an outbox that sends items by `send` and ends by `end`.
  init(send: @escaping (Pieces<Int>) -> Void, end: @escaping () -> Void) { (sendAll, self.end) = (send, end) }

  /// Sends one item.
  func send(_ item: Int) { sendAll(Pieces(CollectionOfOne(item))) }
}

/// The consumer's side, which receives the items.
final class Inbox: Sendable {
  /// The queue of handlers and blocks; tasks run in Swift's pool.
  let queue = DispatchQueue(label: "inbox")
  private struct State {
    var taken: [Int] = []
    var drops = 0
    var lastTime: UInt64 = 0
    var holds: Bool
    var isAwaited = false
  }
  private let state: Mutex<State>
  private let gate = Gate()
  private let isHeld = DispatchSemaphore(value: 0)
  private let arrived = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  /// The longest wait for something that must happen.
  private static let patience = Duration.seconds(20)

  /// Creates an inbox. If `holdsFirst`, the first item holds the consumer until it is released.
  init(holdsFirst: Bool = false) { state = Mutex(State(holds: holdsFirst)) }

  // MARK: For the consumer

  /// Takes an item as the consumer does, and holds the consumer on it if the trial asks for that.
  func take(_ item: Int) async {
    if keep(item) { await gate.passed() }
  }

  /// Takes an item, in a handler or a block.
  @available(*, noasync) func take(_ item: Int) {
    if keep(item) { gate.queue.sync {} }
  }

  /// Notes that no more items will be received.
  func ended() { hasEnded.signal() }

  /// - Returns: whether the consumer must be held.
  private func keep(_ item: Int) -> Bool {
    let (holds, isAwaited) = state.withLock { state in
      state.taken.append(item)
      state.lastTime = MonotonicClock.now()
      defer { (state.holds, state.isAwaited) = (false, false) }
      return (state.holds, state.isAwaited)
    }
    if holds { isHeld.signal() }
    if isAwaited { arrived.signal() }
    return holds
  }

  // MARK: For the sender

  /// Notes whether the stream reports that it dropped an item.
  func note(_ result: AsyncStream<Int>.Continuation.YieldResult) {
    if case .dropped = result { state.withLock { $0.drops += 1 } }
  }

  // MARK: For the trial

  /// The received items, in the order of their arrival.
  var taken: [Int] { state.withLock { $0.taken } }
  /// The number of times that `yield` reported a dropped item.
  var drops: Int { state.withLock { $0.drops } }
  /// The time at which the last item was received.
  var lastTime: UInt64 { state.withLock { $0.lastTime } }

  /// Waits until the consumer is held.
  func awaitHeld() throws { try isHeld.wait(within: Self.patience, else: "what was passed on was not taken") }

  /// Lets the held consumer continue.
  func release() { gate.open() }

  /// Returns how long it takes until the item that `send` sends is received.
  func latency(_ send: () -> Void) throws -> UInt64 {
    state.withLock { $0.isAwaited = true }
    let start = MonotonicClock.now()
    send()
    try arrived.wait(within: Self.patience, else: "what was passed on was not taken")
    let last = lastTime
    return last > start ? last - start : 0
  }

  /// Ends the stream, and waits until all items are received.
  func finish(_ outbox: Outbox) throws {
    // A cancelled source does not deliver the events that it still holds.
    queue.drainSources()
    outbox.end()
    try hasEnded.wait(within: Self.patience, else: "what was passed on was not taken")
  }
}

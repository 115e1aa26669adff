import Dispatch
import Instruments
import Synchronization

/// What the variants are put through: items are passed on, and what is taken is noted.
extension StreamVsSource {
  /// How many bursts count, behind one that warms up.
  private static let rounds = 10

  /// Every item takes 20 us at most, on a machine that is not busy.
  func longest(_ trial: Trial) -> Duration? {
    let bursts = (Self.rounds + 1) * trial[burst]
    return .microseconds(20) * (bursts + trial[messages] + trial[stream]) + .milliseconds(100)
  }

  /// Passes items on: bursts while the consumer is held, single ones, and a stream; counts those that were lost.
  ///
  /// - Parameters:
  ///   - reportsDrops: whether `yield` says which items it drops, so that those it does not report are counted.
  ///   - kept: what the consumer should be given of a burst.
  func pass(
    _ trial: Trial, reportsDrops: Bool = false, keeping kept: ([Int]) -> some Sequence<Int>, _ begin: (Inbox) -> Outbox
  ) throws {
    // The consumer is held in item 0.
    let items = Array(1...trial[burst])
    let expected = Array(kept(items))
    let batch = Pieces(items)
    var (lost, unpromised, untold) = (0, 0, 0)
    for round in 0...Self.rounds {
      let inbox = Inbox(holdsFirst: true)
      let outbox = begin(inbox)
      // A source takes 0 for no news, so that the first says 1.
      outbox.send(1)
      try inbox.awaitHeld()
      let time = MonotonicClock.time { outbox.sendAll(batch) }
      if round > 0 { trial.record(sendCost, time, over: items.count) }
      inbox.release()
      try inbox.finish(outbox)
      let taken = Array(inbox.taken.dropFirst())
      unpromised += taken.difference(from: expected).count
      // One sum stands for all of them.
      let missing = expected.count == 1 && taken == expected && expected != items ? 0 : items.count - taken.count
      lost += max(0, missing)
      untold += abs(missing - inbox.drops)
    }
    trial.noteFloor(of: sendCost, over: items.count) { batch.each { _ in } }
    trial.record(self.lost, lost)
    trial.record(policyViolations, unpromised)
    if reportsDrops { trial.record(unreportedDrops, untold) }

    let inbox = Inbox()
    let outbox = begin(inbox)
    try trial.record(latency, count: trial[messages]) { try inbox.latency { outbox.send(1) } }
    let count = trial[stream]
    let all = Pieces(1...count)
    let start = MonotonicClock.now()
    outbox.sendAll(all)
    try inbox.finish(outbox)
    trial.record(perItem, max(1, inbox.lastTime - start), over: count)
  }
}

/// How a trial sends items, and how it says that no more will come.
struct Outbox {
  /// Passes items on, one behind the other.
  let sendAll: (Pieces<Int>) -> Void
  /// No more will be: what was passed on before is still taken.
  let end: () -> Void

  /// Items are passed on by `send`, and no more will be after `end`.
  init(send: @escaping (Pieces<Int>) -> Void, end: @escaping () -> Void) { (sendAll, self.end) = (send, end) }

  /// Passes one on.
  func send(_ item: Int) { sendAll(Pieces(CollectionOfOne(item))) }
}

/// The consumer's side: what it is given.
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
  /// How long is waited for what must come.
  private static let patience = Duration.seconds(20)

  /// One in which the first item keeps the consumer busy until it is released, if so.
  init(holdsFirst: Bool = false) { state = Mutex(State(holds: holdsFirst)) }

  // MARK: For the consumer

  /// Takes an item as the consumer does, and holds the consumer on it where the trial says so.
  func take(_ item: Int) async {
    if keep(item) { await gate.passed() }
  }

  /// Takes an item, in a handler or a block.
  @available(*, noasync) func take(_ item: Int) {
    if keep(item) { gate.queue.sync {} }
  }

  /// Notes that no more items will be taken.
  func ended() { hasEnded.signal() }

  /// - Returns: whether the consumer is to be held.
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

  /// Notes whether the stream says that it dropped an item.
  func note(_ result: AsyncStream<Int>.Continuation.YieldResult) {
    if case .dropped = result { state.withLock { $0.drops += 1 } }
  }

  // MARK: For the trial

  /// What was taken, in its order.
  var taken: [Int] { state.withLock { $0.taken } }
  /// How often the sender was told that an item was dropped.
  var drops: Int { state.withLock { $0.drops } }
  /// When the last was taken.
  var lastTime: UInt64 { state.withLock { $0.lastTime } }

  /// Waits until the consumer is held.
  func awaitHeld() throws { try isHeld.wait(within: Self.patience, else: "what was passed on was not taken") }

  /// Lets the held consumer go on.
  func release() { gate.open() }

  /// How long it takes until what `send` sends is taken.
  func latency(_ send: () -> Void) throws -> UInt64 {
    state.withLock { $0.isAwaited = true }
    let start = MonotonicClock.now()
    send()
    try arrived.wait(within: Self.patience, else: "what was passed on was not taken")
    let last = lastTime
    return last > start ? last - start : 0
  }

  /// Ends it, and waits until all that was passed on is taken.
  func finish(_ outbox: Outbox) throws {
    // A source that is cancelled does not tell what it still has.
    queue.drainSources()
    outbox.end()
    try hasEnded.wait(within: Self.patience, else: "what was passed on was not taken")
  }
}

import Dispatch
import Instruments
import Synchronization

/// The code that sends items and records which items are received, and the finding about variants that do not pass on
/// all items.
extension StreamVsSource: FindingPattern {
  /// Returns an array with one note for a comparison that compares variants that pass on all items with others. The
  /// note names the others. Returns an empty array for any other experiment.
  func findings(in results: Results) -> [RunNote] {
    guard results.experiment.isComparison else { return [] }
    func runs(_ names: String...) -> [VariantRun] { results.runs.filter { names.contains($0.variant.name) } }
    let (sums, bounded) = (runs("source"), runs("stream-newest", "stream-oldest"))
    guard !(sums + bounded).isEmpty, sums.count + bounded.count < results.runs.count else { return [] }
    let names = bounded.map(\.variant.name).distinct
    let parts = [
      sums.isEmpty ? nil : "source delivers the sum of its items, and not the items",
      names.isEmpty
        ? nil : "\(names.joined(separator: " and ")) \(names.count > 1 ? "drop" : "drops") items of a burst (lost)",
    ]
    return [
      RunNote(
        Conclusion.advice, "Not all variants do the same: \(parts.compactMap(\.self).joined(separator: "; ")).",
        runs: (sums + bounded).map(\.label))
    ]
  }

  /// The number of measured bursts, after one warm-up burst.
  private static let rounds = 10

  /// Returns an upper bound for the duration of a trial: 20 microseconds for each item, plus 100 milliseconds.
  func longest(_ trial: Trial) -> Duration? {
    let bursts = (Self.rounds + 1) * trial[burst]
    return .microseconds(20) * (bursts + trial[messages] + trial[stream]) + .milliseconds(100)
  }

  /// The settings that every trial reads.
  private var settings: [any Declaration] { [burst, messages, stream] }
  /// The metrics that every trial records.
  private var results: [any Declaration] { [lost, policyViolations, sendCost, latency, perItem] }

  /// Returns a probe that sends items in three ways: in bursts while the consumer is held, one by one, and without
  /// pauses. The probe records how many items of the bursts were lost, how many violated the buffering policy, and the
  /// times of all three ways.
  ///
  /// - Parameter kept: a closure that returns the items of a burst that the consumer should receive.
  func pass<Kept: Sequence<Int> & SendableMetatype>(
    keeping kept: @escaping @Sendable (_ items: [Int]) -> Kept
  ) -> Probe<@Sendable (Inbox) -> Outbox> {
    Probe(reads: settings, records: results) { trial, begin in
      _ = try send(trial, keeping: kept, begin)
    }
  }

  /// Returns a probe that sends items as ``pass(keeping:)`` does, but through a buffer of limited capacity. The probe
  /// also records how many lost items `yield` did not report as dropped, and how many items it reported wrongly.
  ///
  /// - Parameter kept: a closure that returns the items of a burst that the consumer should receive.
  func passBounded<Kept: Sequence<Int> & SendableMetatype>(
    keeping kept: @escaping @Sendable (_ items: [Int], _ capacity: Int) -> Kept
  ) -> Probe<@Sendable (Inbox, _ capacity: Int) -> Outbox> {
    Probe(reads: settings + [buffer], records: results + [unreportedDrops]) { trial, begin in
      let capacity = trial[buffer]
      let unreported = try send(trial, keeping: { kept($0, capacity) }) { begin($0, capacity) }
      trial.record(unreportedDrops, unreported)
    }
  }

  /// Sends all items of a trial. Returns the number of lost items that `yield` did not report as dropped, plus the
  /// number of reports of other items, summed over the bursts.
  private func send(
    _ trial: Trial, keeping kept: ([Int]) -> some Sequence<Int>, _ begin: (Inbox) -> Outbox
  ) throws -> Int {
    // The consumer is held at an item that is sent before these items.
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
      // A source delivers one sum for all items. If the sum is right, no item is missing. A second receipt of an item
      // does not stand for another item.
      let isSum = expected.count == 1 && taken == expected && expected != items
      let missing = isSum ? [] : Set(items).subtracting(taken)
      lost += missing.count
      let reported = missing.intersection(inbox.drops).count
      unreported += missing.count - reported + inbox.drops.count - reported
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

/// A trial's access to a stream: sends items, and ends the stream.
struct Outbox {
  /// A closure that sends items one after another.
  let sendAll: (Pieces<Int>) -> Void
  /// A closure that ends the stream of items.
  let end: () -> Void

  init(send: @escaping (Pieces<Int>) -> Void, end: @escaping () -> Void) { (sendAll, self.end) = (send, end) }

  /// Sends one item.
  func send(_ item: Int) { sendAll(Pieces(CollectionOfOne(item))) }
}

/// A record of the received items, with the state of the consumer.
final class Inbox: Sendable {
  /// The queue of the handlers and blocks that receive items. Tasks that receive items run in Swift's pool instead.
  let queue = DispatchQueue(label: "inbox")
  private struct State {
    var taken: [Int] = []
    var drops: [Int] = []
    var lastTime: UInt64 = 0
    var holds: Bool
    var isAwaited = false
  }
  private let state: Mutex<State>
  private let gate = Gate()
  private let isHeld = DispatchSemaphore(value: 0)
  private let arrived = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  /// The maximum time that a trial waits for an expected event.
  private static let patience = Duration.seconds(20)

  /// Creates an empty inbox. If `holdsFirst` is true, the consumer is held at the first item until ``release()`` is
  /// called.
  init(holdsFirst: Bool = false) { state = Mutex(State(holds: holdsFirst)) }

  // MARK: For the consumer

  /// Records an item, and suspends the consumer if the trial holds the consumer.
  func take(_ item: Int) async {
    if keep(item) { await gate.wait() }
  }

  /// Records an item in a handler or a block, and blocks the thread if the trial holds the consumer.
  @available(*, noasync) func take(_ item: Int) {
    if keep(item) { gate.queue.sync {} }
  }

  /// Records that no more items will be received.
  func ended() { hasEnded.signal() }

  /// Records an item.
  ///
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

  /// Records the dropped item if `result` reports that an item was dropped.
  func note(_ result: AsyncStream<Int>.Continuation.YieldResult) {
    if case .dropped(let item) = result { state.withLock { $0.drops.append(item) } }
  }

  // MARK: For the trial

  /// The received items, in the order of their arrival.
  var taken: [Int] { state.withLock { $0.taken } }
  /// The items that `yield` reported as dropped.
  var drops: [Int] { state.withLock { $0.drops } }
  /// The time at which the last item was received, in nanoseconds of the monotonic clock; 0 if no item was received.
  var lastTime: UInt64 { state.withLock { $0.lastTime } }

  /// Waits until the consumer is held.
  ///
  /// - Throws: ``WaitTimeoutError`` if the consumer is not held within 20 seconds.
  func awaitHeld() throws { try isHeld.wait(within: Self.patience, else: "the first item was not received") }

  /// Resumes the held consumer.
  func release() { gate.open() }

  /// Executes `send`, and returns the nanoseconds until the sent item is received.
  ///
  /// - Throws: ``WaitTimeoutError`` if the item is not received within 20 seconds.
  func latency(_ send: () -> Void) throws -> UInt64 {
    state.withLock { $0.isAwaited = true }
    let start = MonotonicClock.now()
    send()
    try arrived.wait(within: Self.patience, else: "an item was not received")
    let last = lastTime
    return last > start ? last - start : 0
  }

  /// Waits until the queue is empty, ends the stream, and waits until the consumer has received all items.
  ///
  /// - Throws: ``WaitTimeoutError`` if the stream does not end within 20 seconds.
  func finish(_ outbox: Outbox) throws {
    // A cancelled source does not deliver pending events.
    queue.drainSources()
    outbox.end()
    try hasEnded.wait(within: Self.patience, else: "the stream of items did not end")
  }
}

import Dispatch
import Instruments
import Synchronization

/// The code that sends events and records the data that the handler receives.
extension CustomSource {
  /// The number of single events whose delivery is timed.
  private static let deliveries = 100

  /// Returns the longest time that a trial takes on an idle machine, with one handler call for each event.
  func longest(_ trial: Trial) -> Duration? {
    // The trial sends bursts of two kinds, a burst of zeros, the stream, and the single events.
    let bursts = 2 * (Batches.count + 1) + 1
    let runs: Int = bursts * (trial[burst] + 1) + trial[stream] + Self.deliveries + 10
    return trial[work] * runs
  }

  /// Returns a probe that sends events to a source: bursts while the handler's queue or the handler is held, single
  /// events, zeros, and a stream.
  ///
  /// - Parameter patience: the maximum time to wait for the handler call that is to be held.
  func deliver(
    _ coalescing: Coalescing, patience: Duration = .seconds(20)
  ) -> Probe<@Sendable (Events) -> Sender> {
    Probe(reads: settings, records: metrics) { trial, begin in
      let events = Events(steps: trial.steps(work))
      try deliver(trial, coalescing, patience: patience, events, begin(events))
    }
  }

  /// Returns a probe that sends events to a source as ``deliver(_:patience:)`` does. The handler of the source runs on
  /// a queue that is used with Dispatch's C functions.
  func deliverByFunctions(_ coalescing: Coalescing) -> Probe<@Sendable (FunctionQueue, Events) -> Sender> {
    Probe(reads: settings, records: metrics) { trial, begin in
      let queue = FunctionQueue(label: "events")
      let events = Events(steps: trial.steps(work), queue: queue)
      try deliver(trial, coalescing, patience: .seconds(20), events, begin(queue, events))
    }
  }

  private var settings: [any Declaration] { [burst, stream, work] }

  private var metrics: [any Declaration] {
    [
      handlerCallsPerBurst, handlerCallsWhileRunning, inexact, zerosDelivered, lostBeforeZero, merges, handlerCalls,
      mergesPerCall, cost, streamCost, delivery, lag,
    ]
  }

  private func deliver(_ trial: Trial, _ coalescing: Coalescing, patience: Duration, _ events: Events, _ sender: Sender)
    throws
  {
    let burst = trial[burst]
    defer { sender.end() }
    // The first use of a queue and a source is expensive, so this event is the warm-up.
    sender.send(1)
    _ = events.takeReceived()

    var inexact = 0
    var (mostPerBurst, mostWhileRunning) = (0, 0)
    for round in 0...Batches.count {
      let pieces = coalescing.pieces(burst, round: round)
      let batch = Pieces(pieces)
      let hold = events.holdQueue()
      let time = MonotonicClock.time { sender.sendAll(batch) }
      hold.release()
      if round > 0 { trial.record(cost, time, over: burst) }
      let received = events.takeReceived()
      mostPerBurst = max(mostPerBurst, received.count)
      if coalescing.merge(received) != coalescing.merge(pieces) { inexact += 1 }
    }
    for round in 0...Batches.count {
      let pieces = coalescing.pieces(burst, round: round)
      let hold = try events.holdHandler(within: patience) { sender.send(1) }
      sender.sendAll(Pieces(pieces))
      hold.release()
      let received = events.takeReceived()
      mostWhileRunning = max(mostWhileRunning, received.count)
      if coalescing.merge(received) != coalescing.merge(pieces) { inexact += 1 }
    }
    let batch = Pieces(coalescing.pieces(burst, round: 0))
    trial.noteFloor(of: cost, over: burst) { batch.each { _ in } }
    trial.record(handlerCallsPerBurst, mostPerBurst)
    trial.record(handlerCallsWhileRunning, mostWhileRunning)
    deliverSingly(trial, events, sender)
    deliverZeros(trial, burst, events, sender)
    if deliverStream(trial, coalescing, events, sender) { inexact += 1 }
    trial.record(self.inexact, inexact)
  }

  private func deliverSingly(_ trial: Trial, _ events: Events, _ sender: Sender) {
    var deliveries = LatencyHistogram()
    for _ in 0..<Self.deliveries {
      let start = MonotonicClock.now()
      sender.send(1)
      // An event that was not delivered has no latency. If no event was delivered, the trial is broken.
      if !events.takeReceived().isEmpty { deliveries.record(events.lastReceived - start) }
    }
    trial.record(delivery, deliveries)
  }

  private func deliverZeros(_ trial: Trial, _ burst: Int, _ events: Events, _ sender: Sender) {
    for _ in 0..<burst { sender.send(0) }
    trial.record(zerosDelivered, events.takeReceived().count)
    let hold = events.holdQueue()
    sender.send(7)
    sender.send(0)
    hold.release()
    trial.record(lostBeforeZero, events.takeReceived().contains(7) ? 0 : 1)
  }

  /// Sends a stream of events, and records the metrics of the stream.
  ///
  /// - Returns: true if the data that the handler received does not merge to the same result as the sent events.
  private func deliverStream(_ trial: Trial, _ coalescing: Coalescing, _ events: Events, _ sender: Sender) -> Bool {
    let pieces = coalescing.pieces(trial[stream], round: 0)
    // The first two events are sent while the handler is known to wait, so that some events coalesce on any machine.
    let (first, others, lastOne) = (
      Pieces(pieces.prefix(2)), Pieces(pieces.dropFirst(2).dropLast()), Pieces(pieces.suffix(1))
    )
    let hold = events.holdQueue()
    let start = MonotonicClock.now()
    sender.sendAll(first)
    hold.release()
    sender.sendAll(others)
    let last = MonotonicClock.now()
    sender.sendAll(lastOne)
    let end = MonotonicClock.now()
    let received = events.takeReceived()
    trial.record(streamCost, end - start, over: pieces.count)
    trial.noteFloor(of: streamCost, over: pieces.count) { others.each { _ in } }
    // If the last event was never delivered, no lag is recorded, and the trial is broken.
    if events.lastReceived > last { trial.record(lag, events.lastReceived - last) }
    trial.record(merges, pieces.count)
    trial.record(handlerCalls, received.count)
    trial.record(mergesPerCall, Double(pieces.count) / Double(received.count))
    return coalescing.merge(received) != coalescing.merge(pieces)
  }
}

/// The operation by which a source merges several events.
enum Coalescing {
  /// The sum of the events.
  case sum
  /// The bitwise OR of the events.
  case mask
  /// The last event.
  case last

  /// Returns `count` events that are not 0. The merged result differs from round to round.
  ///
  /// Of a mask, 62 events have a bit of their own, so the loss of one of these events changes the merged result. The
  /// other events share a bit. In consecutive rounds, different events have bits of their own.
  func pieces(_ count: Int, round: Int) -> [UInt] {
    guard self == .mask else { return (0..<count).map { UInt($0 + round + 1) } }
    let own = 62
    return (0..<count).map { index in
      let place = (index + round * (count - own % count)) % count
      return place < own ? 1 << UInt((place + round) % 63) : 1 << 63
    }
  }

  /// Returns the result of merging several events; 0 if `pieces` is empty.
  func merge(_ pieces: [UInt]) -> UInt {
    switch self {
    case .sum: pieces.reduce(0, &+)
    case .mask: pieces.reduce(0, |)
    case .last: pieces.last ?? 0
    }
  }
}

/// A trial's access to a source: sends events, and cancels the source.
struct Sender {
  /// A closure that sends events one after another.
  let sendAll: (Pieces<UInt>) -> Void
  /// A closure that cancels the source. The closure does nothing if the sender has no source to cancel.
  let end: () -> Void

  /// Creates a sender that sends events with `sendAll`, and whose closure ``end`` cancels `source`.
  init(of source: any DispatchSourceProtocol, _ sendAll: @escaping (Pieces<UInt>) -> Void) {
    self.sendAll = sendAll
    end = { source.cancel() }
  }

  /// Creates a sender that sends events with `sendAll`, and whose closure ``end`` does nothing.
  init(_ sendAll: @escaping (Pieces<UInt>) -> Void) {
    self.sendAll = sendAll
    end = {}
  }

  /// Sends one event.
  func send(_ piece: UInt) { sendAll(Pieces(CollectionOfOne(piece))) }
}

/// A record of the data that the handler of a source received.
final class Events: Sendable {
  /// The queue of the handler.
  let queue = DispatchQueue(label: "events")
  private let functionQueue: FunctionQueue?
  private let steps: Int
  private let state = Mutex((received: [UInt](), lastReceived: UInt64(0)))
  private let handler = Hold()

  /// Creates an empty record.
  ///
  /// - Parameters:
  ///   - steps: the number of steps of calibrated work in each handler call.
  ///   - queue: the queue of the handler if Dispatch's C functions created the queue; nil if the handler runs on
  ///     ``queue``.
  init(steps: Int, queue: FunctionQueue? = nil) {
    self.steps = steps
    functionQueue = queue
  }

  /// Does the calibrated work of a handler call, records the data of the call, and blocks the call if the trial holds
  /// it.
  func received(_ data: UInt) {
    CalibratedWork.run(steps: steps)
    state.withLock { state in
      state.received.append(data)
      state.lastReceived = MonotonicClock.now()
    }
    handler.waitIfSet()
  }

  /// Waits until all sent events have been delivered, and returns the data that the handler received since the previous
  /// call of this method.
  func takeReceived() -> [UInt] {
    if let functionQueue { functionQueue.drainSources() } else { queue.drainSources() }
    return state.withLock { state in
      defer { state.received.removeAll(keepingCapacity: true) }
      return state.received
    }
  }

  /// The time at which the handler recorded the last data, in nanoseconds of the monotonic clock; 0 before the first
  /// data.
  var lastReceived: UInt64 { state.withLock { $0.lastReceived } }

  /// Blocks the queue, so that the handler has to wait, and returns the hold.
  func holdQueue() -> Hold { functionQueue?.hold() ?? queue.hold() }

  /// Executes `send`, waits until the resulting handler call is held, and returns the hold. The data of that handler
  /// call is discarded.
  ///
  /// - Throws: ``WaitTimeoutError`` if the handler does not run within `patience`.
  func holdHandler(within patience: Duration, _ send: () -> Void) throws -> Hold {
    handler.holdNext()
    send()
    try handler.awaitHeld(within: patience, else: "the handler did not run")
    state.withLock { $0.received.removeAll(keepingCapacity: true) }
    return handler
  }
}

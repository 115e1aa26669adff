import Dispatch
import Laboratory
import Measurement
import Synchronization

/// What the variants are put through: news is passed on, and what the handler is told is noted.
extension CustomSource {
  /// Single pieces whose delivery is timed.
  private static let deliveries = 100

  /// How long a trial takes at most: the handler runs for each piece of news.
  func longest(_ trial: Trial) -> Duration? {
    // Bursts of two kinds and one of zeros, the stream, and single pieces.
    let bursts = 2 * (Batches.count + 1) + 1
    let runs: Int = bursts * (trial[burst] + 1) + trial[stream] + Self.deliveries + 10
    return trial[work] * runs
  }

  /// Passes news on: bursts while the handler waits, and while it runs, zeros, and a stream.
  ///
  /// - Parameter patience: how long a handler is awaited that does not run.
  func tell(
    _ trial: Trial, _ merging: Merging, patience: Duration = .seconds(20), _ begin: (News) -> Sender
  ) throws {
    let news = News(steps: trial.steps(work))
    try tell(trial, merging, patience: patience, news, begin(news))
  }

  /// The same where the handler runs on a queue of the C functions.
  func tell(
    _ trial: Trial, _ merging: Merging, on queue: FunctionQueue, _ begin: (FunctionQueue, News) -> Sender
  ) throws {
    let news = News(steps: trial.steps(work), queue: queue)
    try tell(trial, merging, patience: .seconds(20), news, begin(queue, news))
  }

  private func tell(_ trial: Trial, _ merging: Merging, patience: Duration, _ news: News, _ sender: Sender) throws {
    let burst = trial[burst]
    defer { sender.end() }
    // The first use of a queue and a source is dear: it warms up.
    sender.send(1)
    _ = news.takeHeard()

    var inexact = 0
    var (mostWhileWaiting, mostWhileRunning) = (0, 0)
    for round in 0...Batches.count {
      let pieces = merging.pieces(burst, round: round)
      let batch = Pieces(pieces)
      let release = news.holdQueue()
      let time = MonotonicClock.time { sender.sendAll(batch) }
      release()
      if round > 0 { trial.record(cost, time, over: burst) }
      let heard = news.takeHeard()
      mostWhileWaiting = max(mostWhileWaiting, heard.count)
      if merging.merge(heard) != merging.merge(pieces) { inexact += 1 }
    }
    for round in 0...Batches.count {
      let pieces = merging.pieces(burst, round: round)
      let release = try news.holdHandler(within: patience) { sender.send(1) }
      sender.sendAll(Pieces(pieces))
      release()
      let heard = news.takeHeard()
      mostWhileRunning = max(mostWhileRunning, heard.count)
      if merging.merge(heard) != merging.merge(pieces) { inexact += 1 }
    }
    let batch = Pieces(merging.pieces(burst, round: 0))
    trial.noteFloor(of: cost, over: burst) { batch.each { _ in } }
    trial.record(toldWhileWaiting, mostWhileWaiting)
    trial.record(toldWhileRunning, mostWhileRunning)
    tellSingly(trial, news, sender)
    tellZeros(trial, burst, news, sender)
    if tellStream(trial, merging, news, sender) { inexact += 1 }
    trial.record(self.inexact, inexact)
  }

  private func tellSingly(_ trial: Trial, _ news: News, _ sender: Sender) {
    var deliveries = LatencyHistogram()
    for _ in 0..<Self.deliveries {
      let start = MonotonicClock.now()
      sender.send(1)
      // One that was not told has no time; if none was, the trial is broken.
      if !news.takeHeard().isEmpty { deliveries.record(news.lastHeard - start) }
    }
    trial.record(delivery, deliveries)
  }

  private func tellZeros(_ trial: Trial, _ burst: Int, _ news: News, _ sender: Sender) {
    for _ in 0..<burst { sender.send(0) }
    trial.record(zerosTold, news.takeHeard().count)
    let release = news.holdQueue()
    sender.send(7)
    sender.send(0)
    release()
    trial.record(lostBeforeZero, news.takeHeard().contains(7) ? 0 : 1)
  }

  /// - Returns: whether what the handler was told is not exact.
  private func tellStream(_ trial: Trial, _ merging: Merging, _ news: News, _ sender: Sender) -> Bool {
    let pieces = merging.pieces(trial[stream], round: 0)
    // The first two come while the handler surely waits, so that some are merged however fast it is.
    let (first, others, lastOne) = (
      Pieces(pieces.prefix(2)), Pieces(pieces.dropFirst(2).dropLast()), Pieces(pieces.suffix(1))
    )
    let release = news.holdQueue()
    let start = MonotonicClock.now()
    sender.sendAll(first)
    release()
    sender.sendAll(others)
    let last = MonotonicClock.now()
    sender.sendAll(lastOne)
    let end = MonotonicClock.now()
    let heard = news.takeHeard()
    trial.record(streamCost, end - start, over: pieces.count)
    trial.noteFloor(of: streamCost, over: pieces.count) { others.each { _ in } }
    // Where the last piece was never told there is no time, and the trial is broken.
    if news.lastHeard > last { trial.record(lag, news.lastHeard - last) }
    trial.record(merges, pieces.count)
    trial.record(runs, heard.count)
    trial.record(mergesPerRun, Double(pieces.count) / Double(heard.count))
    return merging.merge(heard) != merging.merge(pieces)
  }
}

/// What becomes of several pieces of news.
enum Merging {
  /// They are added up.
  case sum
  /// Their bits are collected.
  case mask
  /// The last one stays.
  case last

  /// So many pieces, none of them 0; those of the next round come to something else.
  func pieces(_ count: Int, round: Int) -> [UInt] {
    (0..<count).map { self == .mask ? 1 << UInt(round % 32 + $0 % 32) : UInt($0 + round + 1) }
  }

  /// What several come to; nothing, if there are none.
  func merge(_ pieces: [UInt]) -> UInt {
    switch self {
    case .sum: pieces.reduce(0, &+)
    case .mask: pieces.reduce(0, |)
    case .last: pieces.last ?? 0
    }
  }
}

/// How news is passed on, and how that ends.
struct Sender {
  /// Passes pieces on, one behind the other.
  let sendAll: (Pieces<UInt>) -> Void
  /// Ends it.
  let end: () -> Void

  /// By way of a source, which is cancelled in the end.
  init(of source: any DispatchSourceProtocol, _ sendAll: @escaping (Pieces<UInt>) -> Void) {
    self.sendAll = sendAll
    end = { source.cancel() }
  }

  /// Without a source.
  init(_ sendAll: @escaping (Pieces<UInt>) -> Void) {
    self.sendAll = sendAll
    end = {}
  }

  /// Passes one on.
  func send(_ piece: UInt) { sendAll(Pieces(CollectionOfOne(piece))) }
}

/// The news as the handler hears it.
final class News: Sendable {
  /// Where the handler runs, but for one of the C functions.
  let queue = DispatchQueue(label: "news")
  private let functionQueue: FunctionQueue?
  private let steps: Int
  private let state = Mutex(State())
  private let handlerIsHeld = DispatchSemaphore(value: 0)
  private let handlerIsReleased = DispatchSemaphore(value: 0)

  private struct State {
    var heard: [UInt] = []
    var lastHeard: UInt64 = 0
    var holds = false
  }

  /// News that the handler works on for so many steps; it runs on `queue`, where one is given.
  init(steps: Int, queue: FunctionQueue? = nil) {
    self.steps = steps
    functionQueue = queue
  }

  /// The handler was told this.
  func heard(_ data: UInt) {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    let holds = state.withLock { state in
      state.heard.append(data)
      state.lastHeard = MonotonicClock.now()
      defer { state.holds = false }
      return state.holds
    }
    if holds {
      handlerIsHeld.signal()
      handlerIsReleased.wait()
    }
  }

  /// All that the handler was told since the last time, once it has been told everything that was passed on.
  ///
  /// A source with news is in its queue, or its handler runs, and then it is in the queue when that has ended: behind a second
  /// block there is nothing left.
  func takeHeard() -> [UInt] {
    for _ in 0..<2 { if let functionQueue { functionQueue.sync() } else { queue.sync {} } }
    return state.withLock { state in
      defer { state.heard.removeAll(keepingCapacity: true) }
      return state.heard
    }
  }

  /// When the handler had heard the last of it.
  var lastHeard: UInt64 { state.withLock { $0.lastHeard } }

  /// Has a block run in the queue until what is returned is called, so that the handler waits.
  func holdQueue() -> () -> Void {
    let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let block: @Sendable () -> Void = {
      isHeld.signal()
      isReleased.wait()
    }
    if let functionQueue { functionQueue.async(block) } else { queue.async(execute: block) }
    isHeld.wait()
    return { isReleased.signal() }
  }

  /// Holds the handler in its next run, to which `send` leads, until what is returned is called. That run's news is forgotten.
  func holdHandler(within patience: Duration, _ send: () -> Void) throws -> () -> Void {
    state.withLock { $0.holds = true }
    send()
    let deadline = DispatchTime.now() + .nanoseconds(Int(patience.nanoseconds))
    guard handlerIsHeld.wait(timeout: deadline) == .success else { throw NotTold(patience: patience) }
    state.withLock { $0.heard.removeAll(keepingCapacity: true) }
    return { [handlerIsReleased] in _ = handlerIsReleased.signal() }
  }
}

/// A handler that was waited for in vain.
private struct NotTold: Error, CustomStringConvertible {
  let patience: Duration
  var description: String { "the handler did not run within \(patience) of a piece of news" }
}

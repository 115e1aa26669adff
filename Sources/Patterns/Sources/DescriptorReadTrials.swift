import Dispatch
import Instruments
import Synchronization

/// The longest wait for something that must happen.
private let patience = Duration.seconds(20)

/// The measuring code, which writes bytes and compares them with what is read.
extension DescriptorRead {
  /// Starts to read from a descriptor, and returns a closure that the owner of the reader calls to stop the reader
  /// early. The reader must close the descriptor and then call `received.ended()`.
  typealias Begin = @Sendable (_ descriptor: Int32, _ received: ReceivedData) throws -> () -> Void

  /// The longest time of a trial: the bytes at 10 MB per second, and a second.
  func longest(_ trial: Trial) -> Duration? { .microseconds(trial[size] / 10) + .seconds(1) }

  /// The settings of the trials that read everything that is written.
  private var wholeSettings: [any Declaration] { [kind, messages, size] }

  /// The metrics of the trials that read everything that is written.
  private var wholeMetrics: [any Declaration] { [latency, throughput, lost, corrupted, leftOpen] }

  /// Writes single bytes, each after the previous byte was read, then all others as fast as possible, and closes the
  /// writer's end.
  var readWhole: Probe<Begin> {
    Probe(reads: wholeSettings, records: wholeMetrics) { trial, begin in
      try readEverything(trial, thenSilence: false, begin)
    }
  }

  /// Writes bytes that are all read, and then tests the reader while no data comes, and at the end of the data.
  var readWholeThenSilence: Probe<Begin> {
    Probe(
      reads: wholeSettings,
      records: wholeMetrics + [callsAfterEnd, callsAfterShutdown, queueBlocked, unrelatedClosed]
    ) { trial, begin in try readEverything(trial, thenSilence: true, begin) }
  }

  private func readEverything(_ trial: Trial, thenSilence: Bool, _ begin: Begin) throws {
    ignoreBrokenPipes()
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    let opened = OpenedDescriptors()
    let kind = trial[kind]
    let messages = trial[messages]
    let pair = try DescriptorPair(kind, in: scratch, opened)
    // The first message is a warm-up.
    let bytes = payload(messages + 1 + trial[size], seed: trial.seed)
    let received = ReceivedData(of: bytes, until: .end)
    let start: UInt64
    if kind == .file {
      writeBlocking(bytes[...], to: pair.writer)
      close(pair.writer)
      start = MonotonicClock.now()
      _ = try begin(pair.reader, received)
    } else {
      _ = try begin(pair.reader, received)
      var times: [UInt64] = []
      for message in 0...messages {
        let time = try received.latency { writeBlocking(bytes[message...message], to: pair.writer) }
        if message > 0 { times.append(time) }
      }
      trial.record(latency, times)
      start = MonotonicClock.now()
      try SystemThread {
        writeBlocking(bytes[(messages + 1)...], to: pair.writer)
        close(pair.writer)
      }.detach()
    }
    try received.awaitEnd()
    let count = kind == .file ? bytes.count : trial[size]
    if received.state.count == bytes.count {
      trial.record(throughput, Double(count) * 1e9 / Double(max(1, received.state.lastTime - start)))
    }
    trial.record(lost, max(0, bytes.count - received.state.count))
    trial.record(corrupted, received.state.corrupted)
    if thenSilence {
      let seen = try silence(trial, DescriptorPair(kind, in: scratch, opened), begin)
      trial.record(queueBlocked, seen.queueBlocked)
      trial.record(callsAfterEnd, seen.callsAfterEnd)
      var closed = received.unrelatedClosed + seen.unrelatedClosed
      if kind == .socket {
        let pair = try DescriptorPair(kind, in: scratch, opened)
        let shut = try silence(trial, pair, endsBy: { shutdown($0, Int32(SHUT_WR)) }, begin)
        trial.record(callsAfterShutdown, shut.callsAfterEnd)
        closed += shut.unrelatedClosed
      }
      trial.record(unrelatedClosed, closed)
    }
    trial.record(leftOpen, opened.count)
  }

  /// Writes some bytes while the handler runs, and then no more: once with the writer's end left open, once with it
  /// closed.
  var readTail: Probe<Begin> {
    Probe(reads: [kind, tail], records: [leftUnread, beyondEstimate, lost, corrupted, leftOpen]) { trial, begin in
      ignoreBrokenPipes()
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let opened = OpenedDescriptors()
      let head = 64
      let bytes = payload(head + trial[tail], seed: trial.seed)
      let whileOpen = try readBurst(bytes, head: head, from: DescriptorPair(trial[kind], in: scratch, opened), begin)
      let pair = try DescriptorPair(trial[kind], in: scratch, opened)
      let received = ReceivedData(of: bytes, until: .end)
      received.handler.holdNext()
      writeBlocking(bytes[..<head], to: pair.writer)
      let cancel = try begin(pair.reader, received)
      try received.handler.awaitHeld(within: patience, else: "the handler did not run")
      writeBlocking(bytes[head...], to: pair.writer)
      close(pair.writer)
      received.handler.release()
      // If nothing reports the end, the variant does not cancel its source, so the trial does.
      if try !Standstill().wait(for: { received.state.hasEnded }) { cancel() }
      try received.awaitEnd()
      trial.record(leftUnread, max(0, bytes.count - whileOpen.state.count))
      trial.record(beyondEstimate, received.state.beyondEstimate)
      trial.record(lost, max(0, bytes.count - received.state.count))
      trial.record(corrupted, whileOpen.state.corrupted + received.state.corrupted)
      trial.record(leftOpen, opened.count)
    }
  }

  /// Has bytes read, and writes all but the first `head` bytes while the handler runs. The writer's end stays open.
  private func readBurst(
    _ bytes: [UInt8], head: Int, from pair: DescriptorPair, _ begin: Begin
  ) throws -> ReceivedData {
    let received = ReceivedData(of: bytes, until: .cancelled)
    received.handler.holdNext()
    writeBlocking(bytes[..<head], to: pair.writer)
    let cancel = try begin(pair.reader, received)
    try received.handler.awaitHeld(within: patience, else: "the handler did not run")
    writeBlocking(bytes[head...], to: pair.writer)
    received.handler.release()
    _ = try Standstill().wait { received.state.count >= bytes.count }
    cancel()
    try received.awaitEnd()
    close(pair.writer)
    return received
  }

  /// Writes some bytes to a pipe, and then nothing for a while.
  var readSilence: Probe<Begin> {
    Probe(records: [queueBlocked, lost, leftOpen]) { trial, begin in
      ignoreBrokenPipes()
      let opened = OpenedDescriptors()
      let seen = try silence(trial, DescriptorPair(.pipe, opened), begin)
      trial.record(queueBlocked, seen.queueBlocked)
      trial.record(lost, seen.lost)
      trial.record(leftOpen, opened.count)
    }
  }

  /// Writes some bytes to a pipe for each core, whose handlers share a concurrent queue, and then nothing for a while.
  var readSilenceOnAllCores: Probe<Begin> {
    Probe(records: [queueBlocked, lost, leftOpen]) { trial, begin in
      ignoreBrokenPipes()
      let opened = OpenedDescriptors()
      let pairs = try (0..<trial.cores).map { _ in try DescriptorPair(.pipe, opened) }
      let queue = DispatchQueue(label: "reading", attributes: .concurrent)
      let bytes = payload(1000, seed: trial.seed)
      try Standstill().warmUp()
      let readings = try pairs.map { pair in
        let received = ReceivedData(of: bytes, until: .cancelled, on: queue)
        writeBlocking(bytes[...], to: pair.writer)
        return (received: received, cancel: try begin(pair.reader, received))
      }
      _ = try Standstill().wait { readings.allSatisfy { $0.received.state.count >= bytes.count } }
      trial.record(queueBlocked, try Standstill().isHeldUp(queue) ? 1 : 0)
      for pair in pairs { close(pair.writer) }
      for reading in readings {
        reading.cancel()
        try reading.received.awaitEnd()
      }
      trial.record(lost, readings.sum { max(0, bytes.count - $0.received.state.count) })
      trial.record(leftOpen, opened.count)
    }
  }

  /// Writes some bytes to a TCP connection, closes the writer's end, and counts the handler calls after the end.
  var readClosedConnection: Probe<Begin> {
    Probe(records: [callsAfterEnd, leftOpen]) { trial, begin in
      ignoreBrokenPipes()
      let opened = OpenedDescriptors()
      trial.record(callsAfterEnd, try silence(trial, DescriptorPair.connected(opened), begin).callsAfterEnd)
      trial.record(leftOpen, opened.count)
    }
  }

  private func silence(
    _ trial: Trial, _ pair: DescriptorPair, endsBy end: (_ writer: Int32) -> Void = { close($0) }, _ begin: Begin
  ) throws -> (queueBlocked: Int, callsAfterEnd: Int, lost: Int, unrelatedClosed: Int) {
    let writerIdentity = FileIdentity(of: pair.writer)
    let bytes = payload(1000, seed: trial.seed)
    let received = ReceivedData(of: bytes, until: .cancelled)
    writeBlocking(bytes[...], to: pair.writer)
    let cancel = try begin(pair.reader, received)
    _ = try Standstill().wait { received.state.count >= bytes.count }
    let queueBlocked = try Standstill().isHeldUp(received.queue) ? 1 : 0
    end(pair.writer)
    _ = try Standstill().wait { received.state.callsAfterEnd >= 100 }
    cancel()
    try received.awaitEnd()
    if FileIdentity(of: pair.writer) == writerIdentity { close(pair.writer) }
    return (
      queueBlocked, min(100, received.state.callsAfterEnd), max(0, bytes.count - received.state.count),
      received.unrelatedClosed
    )
  }

  /// Stops the reading while the handler is about to read, and then opens unrelated files, which get the descriptor's
  /// number if it is free.
  ///
  /// - Parameter handlerCloses: whether the handler closes the descriptor. The trial then also counts the other
  ///   descriptors that the handler closes.
  func readWithReusedDescriptor(handlerCloses: Bool) -> Probe<Begin> {
    Probe(records: [unrelatedBytes, leftOpen] + (handlerCloses ? [unrelatedClosed] : [])) { trial, begin in
      ignoreBrokenPipes()
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let opened = OpenedDescriptors()
      let pair = try DescriptorPair(.pipe, in: scratch, opened)
      let path = scratch.file("strange")
      let strange = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard strange >= 0 else { throw SystemError(errno, "create a file in \(ScratchDirectory.parent)") }
      writeBlocking([UInt8](repeating: strangeByte, count: 4096)[...], to: strange)
      close(strange)
      let bytes = payload(64, seed: trial.seed)
      let received = ReceivedData(of: bytes, until: .cancelled)
      received.handler.holdNext()
      writeBlocking(bytes[...], to: pair.writer)
      let wantsNoMore = try begin(pair.reader, received)
      try received.handler.awaitHeld(within: patience, else: "the handler did not run")
      wantsNoMore()
      let unrelated = UnrelatedFiles(of: path)
      defer { unrelated.close() }
      received.handler.release()
      try received.awaitEnd()
      trial.record(unrelatedBytes, received.state.strange)
      if handlerCloses { trial.record(unrelatedClosed, received.unrelatedClosed + unrelated.closed) }
      close(pair.writer)
      trial.record(leftOpen, opened.count)
    }
  }
}

/// The bytes that a variant has read and passes on. They are compared with those that were written.
final class ReceivedData: Sendable {
  /// The event after which ``process(_:_:)`` has all the bytes that it wants.
  enum EndCondition { case end, cancelled }

  fileprivate struct State {
    /// The number of bytes that were read.
    var count = 0
    /// The number of these bytes that differ from those written in the same place.
    var corrupted = 0
    /// The number of these bytes that only the unrelated file contains.
    var strange = 0
    /// The number of reads that returned more than the estimate.
    var beyondEstimate = 0
    var estimated: Int?
    var hasComeToEnd = false
    /// The number of reads after the read that reached the end.
    var callsAfterEnd = 0
    /// The time at which the last byte was read.
    var lastTime: UInt64 = 0
    var hasEnded = false
    var unrelated = UnrelatedFiles(toOpen: Host.image.path)
  }
  /// The queue of the handlers.
  let queue: DispatchQueue
  private let expected: [UInt8]
  private let endCondition: EndCondition
  fileprivate let state = WaitableValue(State())
  /// Holds the handler in a run, after it got its estimate and before it reads.
  fileprivate let handler = Hold()

  /// Creates a reading that expects these bytes. Its handlers run on `queue`, by default a serial queue of its own.
  init(
    of expected: [UInt8], until endCondition: EndCondition, on queue: DispatchQueue = DispatchQueue(label: "reading")
  ) {
    self.queue = queue
    self.expected = expected
    self.endCondition = endCondition
  }

  // MARK: For the code that reads

  /// Notes the source's estimate of the bytes available, and returns it.
  func expects(_ estimated: Int) -> Int {
    state.note { $0.estimated = estimated }
    handler.pass()
    return estimated
  }

  /// Checks the result of a `read`: a number of bytes, the end (0), nothing or an error (-1).
  ///
  /// - Returns: whether the reading is done, because it has all the bytes that it wants.
  @discardableResult func process(_ bytes: UnsafeRawPointer?, _ actual: Int) -> Bool {
    state.note { state in
      let estimated = state.estimated
      state.estimated = nil
      if let estimated, actual > estimated { state.beyondEstimate += 1 }
      guard actual > 0 else {
        if state.hasComeToEnd { state.callsAfterEnd += 1 }
        if actual == 0 { state.hasComeToEnd = true }
        return actual == 0 && endCondition == .end
      }
      let bytes = UnsafeRawBufferPointer(start: bytes, count: actual)
      let begin = min(state.count, expected.count)
      let wrong = differing(bytes, from: expected[begin..<min(begin + actual, expected.count)])
      state.corrupted += wrong
      if wrong > 0 { state.strange += bytes.count { $0 == strangeByte } }
      state.count += actual
      state.lastTime = MonotonicClock.now()
      return false
    }
  }

  /// Notes that the reading is over and the descriptor closed. The number of the descriptor is free now, and unrelated
  /// files are opened at once.
  func ended() {
    state.note { state in
      if !state.hasEnded { state.unrelated.open() }
      state.hasEnded = true
    }
  }

  // MARK: For the trial

  /// Returns how long it takes until the bytes that `write` writes are read, by a handler call that begins for them.
  /// Bytes that are written while a handler still drains are read sooner.
  func latency(of write: () -> Void) throws -> UInt64 {
    // The wait is short, since a handler that waits in `read` blocks its queue.
    let isIdle = DispatchSemaphore(value: 0)
    queue.async { isIdle.signal() }
    _ = isIdle.wait(timeout: .after(.milliseconds(10)))
    let before = state.count
    let start = MonotonicClock.now()
    write()
    guard state.wait(within: patience, until: { $0.count > before }) else {
      throw WaitTimeoutError("a byte was not read", within: patience)
    }
    let last = state.lastTime
    return last > start ? last - start : 0
  }

  /// Waits until nothing is read any more and the handlers have ended.
  func awaitEnd() throws {
    guard state.wait(within: patience, until: \.hasEnded) else {
      throw WaitTimeoutError("reading did not end", within: patience)
    }
    queue.sync {}
  }

  /// The number of descriptors of unrelated files that were opened at the end and have been closed since. Closes the
  /// others.
  var unrelatedClosed: Int {
    state.note { state in
      defer {
        state.unrelated.close()
        state.unrelated = UnrelatedFiles(toOpen: Host.image.path)
      }
      return state.unrelated.closed
    }
  }
}

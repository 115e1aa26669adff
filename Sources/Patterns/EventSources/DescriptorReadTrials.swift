import Dispatch
import Instruments
import Synchronization

/// The maximum time that a trial waits for an expected event.
private let patience = Duration.seconds(20)

/// The code that writes bytes and compares them with the bytes that a variant reads.
extension DescriptorRead {
  /// A closure that starts to read from a descriptor, and returns a closure that stops the reader early. The reader
  /// must close the descriptor and then call `received.ended()`.
  typealias Begin = @Sendable (_ descriptor: Int32, _ received: ReceivedData) throws -> () -> Void

  /// Returns the longest time that a trial takes on an idle machine: the time of all bytes at 10 MB per second, 100
  /// microseconds for each message, and one second for the rest.
  func longest(_ trial: Trial) -> Duration? {
    .microseconds(trial[size] / 10) + .microseconds(100) * trial[messages] + .seconds(1)
  }

  /// The parameters of the trials that read all written bytes.
  private var wholeSettings: [any Declaration] { [kind, messages, size] }

  /// The metrics of the trials that read all written bytes.
  private var wholeMetrics: [any Declaration] { [latency, throughput, lost, corrupted, leftOpen] }

  /// A probe that writes single bytes, each after the previous byte was read. The probe then writes all remaining bytes
  /// as fast as possible, and closes the writer's end. If the descriptor is a file, the probe writes all bytes before
  /// the reader starts.
  var readWhole: Probe<Begin> {
    Probe(reads: wholeSettings, records: wholeMetrics) { trial, begin in
      try readEverything(trial, thenSilence: false, begin)
    }
  }

  /// A probe that writes all bytes as ``readWhole`` does, and then tests the reader while no data arrives and at the
  /// end of the data.
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

  /// A probe that tests the reader with two pairs of descriptors in turn. The probe writes the last bytes while the
  /// handler runs. The writer's end of the first pair then remains open until the reader has ended. The writer's end of
  /// the second pair is closed as soon as the last bytes are written.
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
      // If the end is not reported, the variant does not cancel its source. The trial then stops the reader.
      if try !Standstill().wait(for: { received.state.hasEnded }) { cancel() }
      try received.awaitEnd()
      trial.record(leftUnread, max(0, bytes.count - whileOpen.state.count))
      trial.record(beyondEstimate, received.state.beyondEstimate)
      trial.record(lost, max(0, bytes.count - received.state.count))
      trial.record(corrupted, whileOpen.state.corrupted + received.state.corrupted)
      trial.record(leftOpen, opened.count)
    }
  }

  /// Writes the first `head` bytes, and writes the remaining bytes while the handler runs. The writer's end remains
  /// open until the reader has ended. Returns the record of the read bytes.
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

  /// A probe that writes bytes to a pipe, and checks whether the handler's queue is blocked while no more bytes are
  /// written.
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

  /// A probe that writes bytes to one pipe for each core, and checks whether the handlers' queue is blocked while no
  /// more bytes are written. The handlers share a concurrent queue.
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

  /// A probe that writes bytes to a TCP connection, closes the writer's end, and counts the handler calls that follow
  /// the call that reached the end.
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

  /// Returns a probe that stops the reader while the handler is about to read, and then opens an unrelated file several
  /// times. One of the new descriptors receives the number of the reader's descriptor if that number is free.
  ///
  /// - Parameter handlerCloses: whether the cancellation handler closes the descriptor. If true, the trial also counts
  ///   the unrelated descriptors that the variant closes.
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
      let cancel = try begin(pair.reader, received)
      try received.handler.awaitHeld(within: patience, else: "the handler did not run")
      cancel()
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

/// A record of the bytes that a variant has read, and of their differences from the written bytes.
final class ReceivedData: Sendable {
  /// The event that ends the reading: the end of the file, or a cancellation.
  enum EndCondition { case end, cancelled }

  fileprivate struct State {
    /// The number of bytes that were read.
    var count = 0
    /// The number of read bytes that differ from the bytes written at the same position.
    var corrupted = 0
    /// The number of read bytes whose value occurs only in the unrelated file.
    var strange = 0
    /// The number of reads that returned more bytes than the source had estimated.
    var beyondEstimate = 0
    var estimated: Int?
    var hasReachedEnd = false
    /// The number of reads without data after the read that reached the end of the file.
    var callsAfterEnd = 0
    /// The time at which the last bytes were read, in nanoseconds of the monotonic clock.
    var lastTime: UInt64 = 0
    var hasEnded = false
    var unrelated = UnrelatedFiles(toOpen: Host.executable.path)
  }
  /// The queue of the handlers.
  let queue: DispatchQueue
  private let expected: [UInt8]
  private let endCondition: EndCondition
  fileprivate let state = WaitableValue(State())
  /// The hold that blocks the handler between the source's estimate and the read.
  fileprivate let handler = Hold()

  /// Creates an empty record that compares the read bytes with `expected`. The handlers run on `queue`, which is a new
  /// serial queue by default.
  init(
    of expected: [UInt8], until endCondition: EndCondition, on queue: DispatchQueue = DispatchQueue(label: "reading")
  ) {
    self.queue = queue
    self.expected = expected
    self.endCondition = endCondition
  }

  // MARK: For the code that reads

  /// Records the source's estimate of the available bytes, and returns the estimate. Blocks the handler call if the
  /// trial holds it.
  func expects(_ estimated: Int) -> Int {
    state.note { $0.estimated = estimated }
    handler.waitIfSet()
    return estimated
  }

  /// Records the result of a `read`: the number of bytes, 0 at the end of the file, or -1 for no data or an error.
  ///
  /// - Returns: true if the read reached the end of the file and the end condition is `end`.
  @discardableResult func process(_ bytes: UnsafeRawPointer?, _ actual: Int) -> Bool {
    state.note { state in
      let estimated = state.estimated
      state.estimated = nil
      if let estimated, actual > estimated { state.beyondEstimate += 1 }
      guard actual > 0 else {
        if state.hasReachedEnd { state.callsAfterEnd += 1 }
        if actual == 0 { state.hasReachedEnd = true }
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

  /// Records that the reader has closed the descriptor. The first call immediately opens an unrelated file several
  /// times. One of the new descriptors receives the number of the closed descriptor if that number is still free.
  func ended() {
    state.note { state in
      if !state.hasEnded { state.unrelated.open() }
      state.hasEnded = true
    }
  }

  // MARK: For the trial

  /// Executes `write`, and returns the nanoseconds until the written bytes are read. The method first waits up to 10
  /// milliseconds for a running handler, which would read the bytes earlier than a new handler call.
  ///
  /// - Throws: ``WaitTimeoutError`` if nothing is read within 20 seconds.
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

  /// Waits until the reader has ended and no handler is running on ``queue``.
  ///
  /// - Throws: ``WaitTimeoutError`` if the reader does not end within 20 seconds.
  func awaitEnd() throws {
    guard state.wait(within: patience, until: \.hasEnded) else {
      throw WaitTimeoutError("reading did not end", within: patience)
    }
    // Without the barrier, the block would not wait for the handlers on a concurrent queue.
    queue.sync(flags: .barrier) {}
  }

  /// The number of unrelated descriptors that other code has closed or replaced since ``ended()`` opened them. Reading
  /// this property closes the descriptors that are still open.
  var unrelatedClosed: Int {
    state.note { state in
      defer {
        state.unrelated.close()
        state.unrelated = UnrelatedFiles(toOpen: Host.executable.path)
      }
      return state.unrelated.closed
    }
  }
}

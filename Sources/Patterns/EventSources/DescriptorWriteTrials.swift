import Dispatch
import Instruments
import Synchronization

/// The code that reads the bytes that a variant writes. The reader is slow, or does not read.
extension DescriptorWrite {
  /// A closure that starts to write to a descriptor, and returns a closure that stops the writer early. The writer must
  /// close the descriptor and then call `outgoing.ended()`.
  typealias Begin = @Sendable (_ descriptor: Int32, _ outgoing: OutgoingData) throws -> () -> Void

  /// Returns the longest time that a trial takes on an idle machine. The time includes the reader's pauses, each up to
  /// three times as long as requested, and an examination of the threads each time that space becomes available.
  func longest(_ trial: Trial) -> Duration? {
    let pieces: Int = trial[size] / trial[readSize] + 1
    return (trial[pause] + .microseconds(100)) * pieces * 3 + .milliseconds(10) * trial[frees] + .seconds(1)
  }

  /// The tests of a trial with a reader that does not read.
  enum Stall {
    /// No tests.
    case none
    /// A test of whether the writer blocks its queue while no space is available.
    case full
    /// The test of ``full``, and tests of the handler calls when space becomes available and when the reader closes its
    /// end.
    case room
  }

  /// Returns the metrics of the tests with a reader that does not read.
  private func metrics(of stall: Stall) -> [any Declaration] {
    switch stall {
    case .none: []
    case .full: [queueBlocked, writeTime]
    case .room:
      [
        queueBlocked, writeTime, latency, callsWhileFull, missedCalls, unreportedSpace, sourceData, accepted,
        laterSourceData, notifiedOfClose, busyLoop,
      ]
    }
  }

  /// Returns a probe that slowly reads all bytes that the variant writes, and then runs the tests with a reader that
  /// does not read.
  ///
  /// - Parameters:
  ///   - readLast: whether the reader begins only after the writer has ended. The reader then cannot free space while
  ///     the writer is preempted within `write`. The reader of a file always begins after the writer has ended.
  ///   - stall: the tests with a reader that does not read.
  ///   - patience: the maximum time to wait for a handler call.
  func writeWhole(
    readLast: Bool = false, then stall: Stall = .none, patience: Duration = .seconds(20)
  ) -> Probe<Begin> {
    Probe(
      reads: [kind, size, readSize, pause] + (stall == .room ? [frees] : []),
      records: [lost, corrupted, leftOpen] + metrics(of: stall)
    ) { trial, begin in
      ignoreBrokenPipes()
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let opened = OpenedDescriptors()
      let kind = trial[kind]
      let pair = try DescriptorPair(kind, in: scratch, opened)
      let outgoing = OutgoingData(payload(trial[size], seed: trial.seed))
      let reader = SlowReader(of: outgoing.bytes, piece: trial[readSize], pause: trial[pause])
      if kind == .file || readLast {
        _ = try begin(pair.writer, outgoing)
        try outgoing.awaitEnd()
        if kind == .file { try outgoing.requireCapacity() }
        reader.readAll(pair.reader)
      } else {
        let thread = try SystemThread { reader.readAll(pair.reader) }
        _ = try begin(pair.writer, outgoing)
        try outgoing.awaitEnd()
        thread.join()
      }
      trial.record(lost, max(0, outgoing.bytes.count - reader.count))
      trial.record(corrupted, reader.corrupted)
      if stall != .none {
        trial.record(writeTime, outgoing.state.times)
        try self.stall(trial, kind, scratch, opened, thenRoom: stall == .room, patience: patience, begin)
      }
      trial.record(leftOpen, opened.count)
    }
  }

  /// Runs the tests of a variant with a reader that does not read.
  private func stall(
    _ trial: Trial, _ kind: DescriptorKind, _ scratch: ScratchDirectory, _ opened: OpenedDescriptors, thenRoom: Bool,
    patience: Duration, _ begin: Begin
  ) throws {
    let pair = try DescriptorPair(kind, in: scratch, opened)
    // The bytes exceed the capacity of a pipe or socket, even if the reader frees space `rooms` times.
    let rooms = thenRoom ? trial[frees] : 0
    // A read must not wait for a writer that has not filled the pipe or socket again.
    if kind != .file { _ = fcntl(pair.reader, F_SETFL, O_NONBLOCK) }
    let outgoing = OutgoingData([UInt8](repeating: 1, count: 1_048_576 * (2 + rooms)))
    let end = try begin(pair.writer, outgoing)
    try Standstill().wait()
    trial.record(queueBlocked, try Standstill().isHeldUp(outgoing.queue) ? 1 : 0)
    let taken = outgoing.state.count
    guard kind == .file || taken < outgoing.bytes.count else {
      throw Unavailable("the \(kind.rawValue) accepted all \(taken) bytes, so it never became full")
    }
    if thenRoom {
      trial.record(sourceData, outgoing.state.firstReported ?? 0)
      trial.record(self.accepted, taken)
    }
    if thenRoom, kind != .file { try freeSpace(trial, pair, holding: taken, outgoing, patience: patience) }
    close(pair.reader)
    if thenRoom, kind != .file {
      let waited = try waitForRunOrSpin(outgoing)
      trial.record(notifiedOfClose, waited.ran ? 1 : 0)
      trial.record(busyLoop, waited.spins ? 1 : 0)
    }
    end()
    try outgoing.awaitEnd()
  }

  /// Reads most of the bytes in a full pipe or socket several times, then half of the bytes once, and records the
  /// resulting handler calls.
  private func freeSpace(
    _ trial: Trial, _ pair: DescriptorPair, holding taken: Int, _ outgoing: OutgoingData, patience: Duration
  ) throws {
    var times: [UInt64?] = []
    // Some bytes remain unread. The source's data then shows whether the source deducts them from the available space.
    let most = taken - taken / 8
    for _ in 0..<trial[frees] {
      times.append(outgoing.latency(within: patience) { take(most, from: pair.reader) })
      // The writer has filled the space again once all threads sleep.
      try Standstill().wait()
    }
    trial.record(latency, times)
    trial.record(missedCalls, times.count { $0 == nil })
    trial.record(callsWhileFull, outgoing.state.callsWhileFull)
    trial.record(laterSourceData, outgoing.state.laterSourceData)
    outgoing.expectsRun()
    take(taken / 2, from: pair.reader)
    let isCalled = try Standstill().wait { outgoing.state.ranAt != nil }
    trial.record(unreportedSpace, isCalled ? 0 : fill(pair.writer))
    // No space is left once all threads sleep, so only the close of the reader's end can cause the next handler call.
    try Standstill().wait()
    outgoing.expectsRun()
  }

  /// Waits until the handler has begun, all other threads sleep, or other threads have used 30 milliseconds of
  /// processor time.
  ///
  /// - Returns: whether the handler has begun, and whether other threads used the processor time without a handler
  ///   call.
  private func waitForRunOrSpin(_ outgoing: OutgoingData) throws -> (ran: Bool, spins: Bool) {
    let others = { clock(CLOCK_PROCESS_CPUTIME_ID) &- clock(CLOCK_THREAD_CPUTIME_ID) }
    let start = others()
    var spins = false
    let ran = try Standstill().wait {
      spins = outgoing.state.ranAt == nil && others() - start > 30_000_000
      return outgoing.state.ranAt != nil || spins
    }
    return (ran && !spins, spins)
  }

  private func clock(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Writes bytes without blocking until no space is left, and returns the number of bytes written.
  private func fill(_ descriptor: Int32) -> Int {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 1, count: 65_536)
    var count = 0
    while case let actual = write(descriptor, bytes, bytes.count), actual > 0 { count += actual }
    return count
  }

  /// Reads `count` bytes. Returns early if no more bytes are available.
  private func take(_ count: Int, from descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 1_048_576, alignment: 1) { buffer in
      var left = count
      while left > 0 {
        let actual = read(descriptor, buffer.baseAddress, min(left, buffer.count))
        guard actual > 0 else { return }
        left -= actual
      }
    }
  }
}

/// The bytes that a variant writes, with a record of the writer's progress.
///
/// Conformance to `Sendable` is unchecked: the bytes never change, and a lock protects the record.
final class OutgoingData: @unchecked Sendable {
  fileprivate struct State {
    /// The number of bytes that `write` accepted.
    var count = 0
    /// The first value of the source's data, in bytes of available space; nil before the first handler call that reads
    /// the data.
    var firstReported: Int?
    /// The largest value of the source's data after the first value, in bytes.
    var laterSourceData = 0
    /// The number of writes that found no available space.
    var callsWhileFull = 0
    var isAwaited = false
    var withheld: SystemError?
    /// The time at which the expected handler call began, in nanoseconds of the monotonic clock; nil before that call.
    var ranAt: UInt64?
    var hasEnded = false
    /// The duration of each write, in nanoseconds.
    var times = LatencyHistogram()
  }
  /// The serial queue of the handlers.
  let queue = DispatchQueue(label: "writing")
  /// All bytes to write.
  let bytes: [UInt8]
  fileprivate let state = WaitableValue(State())

  /// Creates a record of writing `bytes`.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: For the code that writes

  /// All bytes to write, as dispatch data.
  var all: DispatchData { bytes.withUnsafeBytes { DispatchData(bytes: $0) } }

  /// Records the available space that the source's data reports, in bytes.
  func notes(available room: Int) {
    state.note { state in
      if state.firstReported == nil {
        state.firstReported = room
      } else {
        state.laterSourceData = max(state.laterSourceData, room)
      }
    }
  }

  /// Executes `write` with the remaining bytes, and records how many bytes `write` accepted.
  ///
  /// - Returns: true if all bytes are written, or if `write` failed with an error other than EAGAIN and EINTR.
  func next(_ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
    let start = MonotonicClock.now()
    let done = state.note { state in
      if state.isAwaited { (state.isAwaited, state.ranAt) = (false, start) }
      return state.count
    }
    let (actual, time, error) = bytes.withUnsafeBytes { bytes in
      let start = MonotonicClock.now()
      let actual = write(UnsafeRawBufferPointer(rebasing: bytes[done...]))
      let error = errno
      return (actual, MonotonicClock.now() - start, actual < 0 ? error : 0)
    }
    let isGone = ![0, EAGAIN, EINTR].contains(error)
    if isGone { failed(error) }
    return state.note { state in
      state.times.record(time)
      state.count += max(0, actual)
      if actual <= 0, !isGone { state.callsWhileFull += 1 }
      return isGone || state.count == bytes.count
    }
  }

  /// Records the error that ended the writing, if a limit of the machine caused the error. A missing reader is not
  /// recorded.
  func failed(_ error: Int32) {
    let error = SystemError(error, "write")
    guard error.isMachineLimitation else { return }
    state.note { $0.withheld = $0.withheld ?? error }
  }

  /// Verifies that a file accepted all bytes. Does nothing if `write` never reported accepted bytes.
  ///
  /// - Throws: ``Unavailable`` if the file accepted only some of the bytes. The disk is then full, or a limit is
  ///   reached.
  func requireCapacity() throws {
    let count = state.count
    guard count > 0, count < bytes.count else { return }
    throw Unavailable("a file took \(count) of \(bytes.count) bytes: no more space is available, or a limit is reached")
  }

  /// Records that the writer has ended and closed the descriptor.
  func ended() { state.note { $0.hasEnded = true } }

  // MARK: For the trial

  /// Requests a record of the time at which the next handler call begins.
  func expectsRun() {
    state.note { ($0.isAwaited, $0.ranAt) = (true, nil) }
  }

  /// Executes `makeRoom`, and returns the nanoseconds until the next handler call begins; nil if no call begins within
  /// `patience`.
  func latency(within patience: Duration, of makeRoom: () -> Void) -> UInt64? {
    expectsRun()
    let start = MonotonicClock.now()
    makeRoom()
    state.wait(within: patience) { $0.ranAt != nil }
    return state.ranAt.map { $0 > start ? $0 - start : 0 }
  }

  /// Waits until the writer has ended and no handler is running.
  ///
  /// - Throws: the error that ended the writing, if a limit of the machine caused the error; ``WaitTimeoutError`` if
  ///   the writer does not end within 20 seconds.
  func awaitEnd() throws {
    let hasEnded = state.wait(within: .seconds(20), until: \.hasEnded)
    // A lack of space on the machine is not an error of the writer.
    if let withheld = state.withheld { throw withheld }
    guard hasEnded else { throw WaitTimeoutError("writing did not end", within: .seconds(20)) }
    queue.sync {}
  }
}

/// A reader that reads the bytes in pieces and pauses after each piece.
private final class SlowReader: Sendable {
  private let expected: [UInt8]
  private let piece: Int
  private let pause: Duration
  private let state = Mutex((count: 0, corrupted: 0))

  init(of expected: [UInt8], piece: Int, pause: Duration) {
    self.expected = expected
    self.piece = piece
    self.pause = pause
  }

  /// Reads until the end of the file, and closes the descriptor.
  func readAll(_ descriptor: Int32) {
    withUnsafeTemporaryAllocation(byteCount: piece, alignment: 1) { buffer in
      while true {
        let actual = read(descriptor, buffer.baseAddress, buffer.count)
        if actual < 0, errno == EINTR { continue }
        guard actual > 0 else { break }
        state.withLock { state in
          let begin = min(state.count, expected.count)
          state.corrupted += differing(
            UnsafeRawBufferPointer(rebasing: buffer[..<actual]),
            from: expected[begin..<min(begin + actual, expected.count)])
          state.count += actual
        }
        blockThread(for: pause)
      }
    }
    close(descriptor)
  }

  /// The number of bytes read so far.
  var count: Int { state.withLock { $0.count } }
  /// The number of read bytes that differ from the byte to write at the same position.
  var corrupted: Int { state.withLock { $0.corrupted } }
}

import Dispatch
import Instruments

/// A watch of a file. The variant reports each change of the file to the watch, and the trial reads the results.
final class FileWatch: Sendable {
  private struct State {
    var expected: FileChange?
    var noticed: UInt64?
    /// The number of polls that must still end. The last of these polls begins after the change.
    var pollsLeft = 0
    var hasEnded = false
    var reported: [FileChange: Int] = [:]
    var names: [String?] = []
    var wrongDescriptors = 0
    var lastPoll: UInt64?
    var pollIntervals: LatencyHistogram?
    var isStopped = false
  }
  private let identity: FileIdentity
  private let state = WaitableValue(State())
  private let handler = Hold()

  /// Creates a watch of `file`.
  init(of file: WatchedFile) { identity = file.identity }

  // MARK: For the code that watches

  /// Records a reported change.
  ///
  /// - Parameters:
  ///   - time: the time at which the handler began, in nanoseconds of the monotonic clock.
  ///   - descriptor: the descriptor through which the file is watched.
  ///   - name: the name of the file according to the descriptor; evaluated only for a rename.
  func received(
    _ change: FileChange, at time: UInt64, from descriptor: Int32, called name: @autoclosure () -> String?
  ) {
    let name = change == .rename ? name() : nil
    let isHeld = state.note { state in
      state.reported[change, default: 0] += 1
      if change == .rename { state.names.append(name) }
      guard state.expected == change else { return false }
      state.expected = nil
      state.noticed = time
      return handler.catches()
    }
    if isHeld { handler.stay() }
    // The descriptor is checked at the end of the handler, since the trial may have cancelled the source in the
    // meantime.
    if FileIdentity(of: descriptor) != identity { state.note { $0.wrongDescriptors += 1 } }
  }

  /// Whether the polling should continue.
  var continuesPolling: Bool { !state.isStopped }

  /// Ends the polling.
  func stop() { state.note { $0.isStopped = true } }

  /// Records the end of a poll, after its changes were reported.
  func pollEnded() {
    state.note { state in
      let now = MonotonicClock.now()
      if let last = state.lastPoll {
        if state.pollIntervals == nil { state.pollIntervals = LatencyHistogram() }
        state.pollIntervals?.record(now - last)
      }
      state.lastPoll = now
      guard state.expected != nil, state.pollsLeft > 0 else { return }
      state.pollsLeft -= 1
      if state.pollsLeft == 0 { state.expected = nil }
    }
  }

  /// Records that the watch has ended and closed its descriptor.
  func ended() { state.note { $0.hasEnded = true } }

  // MARK: For the trial

  /// Executes `change`, and returns the nanoseconds until the change is reported; nil if no report arrives within
  /// `deadline`, or if the first poll that begins after the change does not detect it.
  func latency(of kind: FileChange, within deadline: Duration, _ change: () throws -> Void) rethrows -> UInt64? {
    state.note { ($0.expected, $0.noticed, $0.pollsLeft) = (kind, nil, 0) }
    let start = MonotonicClock.now()
    try change()
    // The poll in progress may have begun before the change.
    state.note { $0.pollsLeft = 2 }
    state.wait(within: deadline) { $0.expected == nil }
    return state.note { state in
      state.expected = nil
      return state.noticed.map { $0 > start ? $0 - start : 0 }
    }
  }

  /// Sets the hold, which blocks the handler in its next expected report until ``release()`` is called.
  func hold() { handler.holdNext() }

  /// Releases the handler, or cancels the hold if no expected change was reported.
  func release() { handler.release() }

  /// Returns the number of reports of a kind since the previous call of this method, and resets the numbers of all
  /// kinds.
  func takeReported(_ kind: FileChange) -> Int {
    state.note { state in
      defer { state.reported = [:] }
      return state.reported[kind, default: 0]
    }
  }

  /// Returns the names that were reported with renames since the previous call of this method. A name is nil if the
  /// descriptor had no name.
  func takeNames() -> [String?] {
    state.note { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// The number of handler calls in which the descriptor did not refer to the watched file.
  var wrongDescriptors: Int { state.wrongDescriptors }

  /// The times from the end of one poll to the end of the next poll, in nanoseconds; nil for a variant that does not
  /// poll.
  var pollIntervals: LatencyHistogram? { state.pollIntervals }

  /// Waits until the cancelled watch has ended, but no longer than `limit`.
  func waitForEnd(within limit: Duration) { state.wait(within: limit, until: \.hasEnded) }
}

import Dispatch
import Instruments

/// A watch of a file. The variant reports its observations to the watch, and the trial reads the results of the checks.
final class FileWatch: Sendable {
  private struct State {
    var expected: FileChange?
    var noticed: UInt64?
    /// For a variant that polls: the number of polls until one has certainly begun after the change.
    var looksLeft = 0
    var hasEnded = false
    var reported: [FileChange: Int] = [:]
    var names: [String?] = []
    var strays = 0
    var lastLook: UInt64?
    var looks: LatencyHistogram?
    var isStopped = false
  }
  private let identity: FileIdentity
  private let state = WaitableValue(State())
  private let handler = Hold()

  /// Creates a watch of this file.
  init(of file: WatchedFile) { identity = file.identity }

  // MARK: For the code that watches

  /// Notes a change that was reported.
  ///
  /// - Parameters:
  ///   - time: when the handler began.
  ///   - descriptor: the descriptor through which the file is watched.
  ///   - name: returns the name of the file according to the descriptor. It is called only for a rename.
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
    // This is checked at the end of the handler, whose source the trial may have cancelled meanwhile.
    if FileIdentity(of: descriptor) != identity { state.note { $0.strays += 1 } }
  }

  /// Whether the polling must continue.
  var goesOn: Bool { !state.isStopped }

  /// Ends the polling.
  func stop() { state.note { $0.isStopped = true } }

  /// Notes that one poll has ended, and that its changes are reported.
  func looked() {
    state.note { state in
      let now = MonotonicClock.now()
      if let last = state.lastLook {
        if state.looks == nil { state.looks = LatencyHistogram() }
        state.looks?.record(now - last)
      }
      state.lastLook = now
      guard state.expected != nil, state.looksLeft > 0 else { return }
      state.looksLeft -= 1
      if state.looksLeft == 0 { state.expected = nil }
    }
  }

  /// Notes that the watch is over and its descriptor closed.
  func ended() { state.note { $0.hasEnded = true } }

  // MARK: For the trial

  /// Makes a change, waits until it is reported, and returns the latency. Returns nil if the change was not reported
  /// within `deadline`, or if a later poll has not seen the change.
  func latency(of kind: FileChange, within deadline: Duration, _ change: () throws -> Void) rethrows -> UInt64? {
    state.note { ($0.expected, $0.noticed, $0.looksLeft) = (kind, nil, 0) }
    let start = MonotonicClock.now()
    try change()
    // The poll in progress may have begun before the change.
    state.note { $0.looksLeft = 2 }
    state.wait(within: deadline) { $0.expected == nil }
    return state.note { state in
      state.expected = nil
      return state.noticed.map { $0 > start ? $0 - start : 0 }
    }
  }

  /// Makes the handler busy: the next change that the trial waits for holds it until ``release()``.
  func hold() { handler.holdNext() }

  /// Ends the hold, whether or not a change was reported.
  func release() { handler.release() }

  /// Returns how often changes of a kind were reported since the last call for any kind.
  func takeReported(_ kind: FileChange) -> Int {
    state.note { state in
      defer { state.reported = [:] }
      return state.reported[kind, default: 0]
    }
  }

  /// Returns the names that were reported with renames since the last call.
  func takeNames() -> [String?] {
    state.note { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// The number of handler calls in which the descriptor referred to another file.
  var strays: Int { state.strays }

  /// The times from one poll to the next; nil for a variant that does not poll.
  var looks: LatencyHistogram? { state.looks }

  /// Waits until the watch is over, which should follow its cancellation.
  func waitForEnd(within deadline: Duration) { state.wait(within: deadline, until: \.hasEnded) }
}

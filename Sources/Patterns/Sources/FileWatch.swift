import Dispatch
import Instruments
import Synchronization

/// One watch of a file, as the code that watches sees it: here it says what it hears. What is checked is told to the
/// trial at the other end.
final class FileWatch: Sendable {
  private struct State {
    var expected: FileChange?
    var noticed: UInt64?
    /// Of one who looks: looks to come until one has surely begun after the change.
    var looksLeft = 0
    var hasEnded = false
    var told: [FileChange: Int] = [:]
    var names: [String?] = []
    var strays = 0
    var lastLook: UInt64?
    var looks: LatencyHistogram?
  }
  private let identity: FileIdentity
  private let state = Noted(State())
  private let handler = Hold()
  private let isStopped = Atomic(false)

  /// A watch of this file.
  init(of file: WatchedFile) { identity = file.identity }

  // MARK: For the code that watches

  /// Notes a change that was reported.
  ///
  /// - Parameters:
  ///   - time: when the handler began.
  ///   - descriptor: the descriptor through which the file is watched.
  ///   - name: what the descriptor says that the file is called; asked after a rename alone.
  func received(
    _ change: FileChange, at time: UInt64, from descriptor: Int32, called name: @autoclosure () -> String?
  ) {
    let name = change == .rename ? name() : nil
    let isHeld = state.note { state in
      state.told[change, default: 0] += 1
      if change == .rename { state.names.append(name) }
      guard state.expected == change else { return false }
      state.expected = nil
      state.noticed = time
      return handler.catches()
    }
    if isHeld { handler.stay() }
    // Asked at the end of the handler, which the trial may have cancelled meanwhile.
    if FileIdentity(of: descriptor) != identity { state.note { $0.strays += 1 } }
  }

  /// Whether the polling is to go on.
  var goesOn: Bool { !isStopped.load(ordering: .acquiring) }

  /// Ends the polling.
  func stop() { isStopped.store(true, ordering: .releasing) }

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

  /// Makes a change, waits until it is told, and returns how late that was. Nil when it was not told: not within
  /// `deadline`, or one who looks has looked since and seen nothing.
  func latency(of kind: FileChange, within deadline: Duration, _ change: () throws -> Void) rethrows -> UInt64? {
    state.note { ($0.expected, $0.noticed, $0.looksLeft) = (kind, nil, 0) }
    let start = MonotonicClock.now()
    try change()
    // The look that is under way may have begun before.
    state.note { $0.looksLeft = 2 }
    state.wait(within: deadline) { $0.expected == nil }
    return state.note { state in
      state.expected = nil
      return state.noticed.map { $0 > start ? $0 - start : 0 }
    }
  }

  /// Makes the handler busy: the next change that is waited for keeps it until ``release()``.
  func hold() { handler.holdNext() }

  /// Ends what ``hold()`` began, whether a change was told or not.
  func release() { handler.release() }

  /// How often changes of a kind were told since this was asked last, of whatever kind.
  func takeTold(_ kind: FileChange) -> Int {
    state.note { state in
      defer { state.told = [:] }
      return state.told[kind, default: 0]
    }
  }

  /// The names that were told with renames since this was asked last.
  func takeNames() -> [String?] {
    state.note { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// In how many handlers the descriptor was not the file's.
  var strays: Int { state.strays }

  /// The time from one look to the next; nil of one who does not look.
  var looks: LatencyHistogram? { state.looks }

  /// Waits until the watch is over, as it should be once it was cancelled.
  func waitForEnd(within deadline: Duration) { state.wait(within: deadline, until: \.hasEnded) }
}

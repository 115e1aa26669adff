import Dispatch
import Instruments
import Synchronization

/// One watch of a file, as the code that watches sees it: here it says what it hears. What is checked is told to the trial
/// at the other end.
final class FileWatch: Sendable {
  private struct State {
    var expected: FileChange?
    var noticed: UInt64?
    /// Of one who looks: looks to come until one has surely begun after the change.
    var looksLeft = 0
    var holds = false
    var told: [FileChange: Int] = [:]
    var names: [String?] = []
    var strays = 0
    var lastLook: UInt64?
    var looks: LatencyHistogram?
  }
  private let identity: FileIdentity
  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  private let arrived = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// A watch of this file.
  init(of file: WatchedFile) { identity = file.identity }

  // MARK: For the code that watches

  /// Takes note of a change.
  ///
  /// - Parameters:
  ///   - time: when the handler began.
  ///   - descriptor: the descriptor through which the file is watched.
  ///   - name: what the descriptor says that the file is called; asked after a rename alone.
  func received(
    _ change: FileChange, at time: UInt64, from descriptor: Int32, called name: @autoclosure () -> String?
  ) {
    let name = change == .rename ? name() : nil
    let (isExpected, isHeld) = state.withLock { state in
      state.told[change, default: 0] += 1
      if change == .rename { state.names.append(name) }
      guard state.expected == change else { return (false, false) }
      state.expected = nil
      state.noticed = time
      defer { state.holds = false }
      return (true, state.holds)
    }
    if isExpected { arrived.signal() }
    if isHeld { released.wait() }
    // Asked at the end of the handler, which the trial may have cancelled meanwhile.
    if FileIdentity(of: descriptor) != identity { state.withLock { $0.strays += 1 } }
  }

  /// Whether to look on.
  var goesOn: Bool { !isStopped.load(ordering: .acquiring) }

  /// Ends the looking.
  func stop() { isStopped.store(true, ordering: .releasing) }

  /// Takes note that a look has ended, and that what it showed was told.
  func looked() {
    let isMissed = state.withLock { state in
      let now = MonotonicClock.now()
      if let last = state.lastLook {
        if state.looks == nil { state.looks = LatencyHistogram() }
        state.looks?.record(now - last)
      }
      state.lastLook = now
      guard state.expected != nil, state.looksLeft > 0 else { return false }
      state.looksLeft -= 1
      guard state.looksLeft == 0 else { return false }
      state.expected = nil
      return true
    }
    if isMissed { arrived.signal() }
  }

  /// Takes note that the watch is over, and its descriptor closed.
  func ended() { hasEnded.signal() }

  // MARK: For the trial

  /// Makes a change, waits until it is told, and returns how late that was. Nil when it was not told: not within `deadline`, or
  /// one who looks has looked since and seen nothing.
  func latency(of kind: FileChange, within deadline: Duration, _ change: () throws -> Void) rethrows -> UInt64? {
    state.withLock {
      $0.expected = kind
      $0.noticed = nil
      $0.looksLeft = 0
    }
    let start = MonotonicClock.now()
    try change()
    // The look that is under way may have begun before.
    state.withLock { $0.looksLeft = 2 }
    if arrived.wait(timeout: .now() + .nanoseconds(Int(deadline.nanoseconds))) == .timedOut {
      let isUntold = state.withLock { state in
        defer { state.expected = nil }
        return state.expected != nil
      }
      if isUntold { return nil }
      // Its signal is under way; take it, or it would count for the next change.
      arrived.wait()
    }
    return state.withLock { $0.noticed.map { $0 > start ? $0 - start : 0 } }
  }

  /// Makes the handler busy: the next change that is waited for keeps it until ``release()``.
  func hold() { state.withLock { $0.holds = true } }

  /// Ends what ``hold()`` began, whether a change was told or not.
  func release() {
    let isHeld = state.withLock { state in
      defer { state.holds = false }
      return !state.holds
    }
    if isHeld { released.signal() }
  }

  /// How often changes of a kind were told since this was asked last, of whatever kind.
  func takeTold(_ kind: FileChange) -> Int {
    state.withLock { state in
      defer { state.told = [:] }
      return state.told[kind, default: 0]
    }
  }

  /// The names that were told with renames since this was asked last.
  func takeNames() -> [String?] {
    state.withLock { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// In how many handlers the descriptor was not the file's.
  var strays: Int { state.withLock { $0.strays } }

  /// The time from one look to the next; nil of one who does not look.
  var looks: LatencyHistogram? { state.withLock { $0.looks } }

  /// Waits until the watch is over, as it should be once it was cancelled.
  func waitForEnd(within deadline: Duration) {
    _ = hasEnded.wait(timeout: .now() + .nanoseconds(Int(deadline.nanoseconds)))
  }
}

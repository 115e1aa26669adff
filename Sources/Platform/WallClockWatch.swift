import CDispatchSupport
import Dispatch
import Synchronization

/// A watch that detects whether the wall clock was set. If the clock was set between two wall-clock times, the two
/// times cannot be compared. A gradual correction of the clock does not count. The watch is implemented only on Linux
/// (`timerfd`). On Darwin, or if no descriptor is left, the watch detects nothing.
public final class WallClockWatch: Sendable {
  private struct State {
    var wasSet = false
    var listeners: [@Sendable () -> Void] = []
  }
  private let state = Mutex(State())
  /// The source of the watch; nil if there is no descriptor. Any thread may use the source, although Dispatch does not
  /// declare the source as Sendable.
  private nonisolated(unsafe) let source: (any DispatchSourceRead)?

  /// Creates a watch that begins now.
  public convenience init() { self.init(of: gcdlab_wall_clock_watch()) }

  /// Creates a watch of a descriptor that becomes readable when the clock is set. The watch closes the descriptor. Pass
  /// -1 for no descriptor.
  public init(of descriptor: Int32) {
    source = descriptor < 0 ? nil : DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source?.setEventHandler { [weak self] in self?.report() }
    source?.setCancelHandler { close(descriptor) }
    source?.activate()
  }

  deinit { source?.cancel() }

  /// Whether the clock was set since the watch began.
  public var wasSet: Bool { state.withLock { $0.wasSet } }

  /// Calls `listener` once the clock is set, or at once if the clock has already been set.
  public func whenSet(_ listener: @escaping @Sendable () -> Void) {
    let wasSet = state.withLock { state in
      if !state.wasSet { state.listeners.append(listener) }
      return state.wasSet
    }
    if wasSet { listener() }
  }

  private func report() {
    // The descriptor stays readable, so the source would call its handler again.
    source?.cancel()
    let listeners = state.withLock { state in
      state.wasSet = true
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener() }
  }
}

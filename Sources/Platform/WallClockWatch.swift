import CDispatchSupport
import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells whether somebody has set the wall clock, so that times by it cannot be compared any more. A clock that is
/// corrected little by little is not set. Nothing is reported on Darwin, which does not report it.
public final class WallClockWatch: Sendable {
  private struct State {
    var wasSet = false
    var listeners: [@Sendable () -> Void] = []
  }
  private let state = Mutex(State())
  /// Any thread may use it; Dispatch does not say so to the compiler.
  private nonisolated(unsafe) let source: (any DispatchSourceRead)?

  /// Watches from now on.
  public convenience init() { self.init(of: gcdlab_wall_clock_watch()) }

  /// Watches a descriptor that can be read from once the clock was set, and closes it; -1 for none.
  public init(of descriptor: Int32) {
    source = descriptor < 0 ? nil : DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source?.setEventHandler { [weak self] in self?.tell() }
    source?.setCancelHandler { close(descriptor) }
    source?.activate()
  }

  deinit { source?.cancel() }

  /// Whether the clock was set.
  public var wasSet: Bool { state.withLock { $0.wasSet } }

  /// Calls `listener` when the clock is set, or at once where it was.
  public func whenSet(_ listener: @escaping @Sendable () -> Void) {
    let wasSet = state.withLock { state in
      if !state.wasSet { state.listeners.append(listener) }
      return state.wasSet
    }
    if wasSet { listener() }
  }

  private func tell() {
    // The descriptor stays readable.
    source?.cancel()
    let listeners = state.withLock { state in
      state.wasSet = true
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener() }
  }
}

import Dispatch
import Synchronization

/// A hold on a handler or a queue: it stops the next run until the hold is released. Runs pass freely while the hold is
/// not set.
public final class Hold: Sendable {
  private let isShut = Atomic(false)
  private let isHeld = DispatchSemaphore(value: 0)
  private let isReleased = DispatchSemaphore(value: 0)

  /// Creates a hold that lets every run pass.
  public init() {}

  /// Sets the hold for the next run.
  public func holdNext() { isShut.store(true, ordering: .releasing) }

  /// Passes the hold, or is held by it.
  public func pass() { if catches() { stay() } }

  /// Returns whether the caller is the run to be held and must call ``stay()``. A handler that reports its run under a
  /// lock must call this under the same lock. Otherwise the handler could catch a hold that was set after its report
  /// and is meant for the next run.
  public func catches() -> Bool {
    isShut.load(ordering: .acquiring) && isShut.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Blocks the caller, which ``catches()`` has chosen, until the hold is released.
  public func stay() {
    isHeld.signal()
    isReleased.wait()
  }

  /// Waits until a run is held.
  ///
  /// - Parameter what: what failed to happen if no run comes: `the handler did not run`.
  /// - Throws: ``WaitTimeoutError`` if no run is held within `patience`.
  public func awaitHeld(within patience: Duration, else what: String) throws(WaitTimeoutError) {
    try isHeld.wait(within: patience, else: what)
  }

  /// Releases the held run. If no run has come since ``holdNext()``, none will be held.
  public func release() {
    if !isShut.exchange(false, ordering: .acquiringAndReleasing) { isReleased.signal() }
  }

  /// Holds a serial queue by a block that runs on it. Returns when the block runs.
  ///
  /// - Parameter submit: submits a block to the queue.
  public init(queueOf submit: (@escaping @Sendable () -> Void) -> Void) {
    holdNext()
    submit { self.pass() }
    isHeld.wait()
  }
}

extension DispatchQueue {
  /// Holds this queue, which must be serial, by a block that runs on it until the hold is released. Returns when the
  /// block runs.
  public func hold() -> Hold { Hold(queueOf: { async(execute: $0) }) }

  /// Waits until the handler of a source on this queue has received every event. The queue must be serial. A source
  /// with a pending event is in its queue. If its handler runs, the source enters the queue again when the handler has
  /// ended. So nothing is left once a second block has run.
  @available(*, noasync) public func drainSources() { for _ in 0..<2 { sync {} } }
}

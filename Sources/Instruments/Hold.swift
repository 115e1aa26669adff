import Dispatch
import Synchronization

/// An object that blocks the next run of a handler, or the next block of a queue, until ``release()`` is called. A hold
/// that is not set blocks nothing.
public final class Hold: Sendable {
  private let isSet = Atomic(false)
  private let isHeld = DispatchSemaphore(value: 0)
  private let isReleased = DispatchSemaphore(value: 0)

  /// Creates a hold that is not set.
  public init() {}

  /// Sets the hold. A hold that is set blocks the next run.
  public func holdNext() { isSet.store(true, ordering: .releasing) }

  /// Blocks the caller until the hold is released, if the hold is set. Otherwise, returns immediately.
  public func waitIfSet() { if catches() { stay() } }

  /// Returns whether the calling run must be held, and resets the hold. If the result is true, the caller must call
  /// ``stay()``.
  ///
  /// A handler that reports its run under a lock must call this method under that lock. Otherwise, the handler could
  /// catch a hold that was set after the report and is meant for the next run.
  public func catches() -> Bool {
    isSet.load(ordering: .acquiring) && isSet.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Blocks the calling run until the hold is released. Call this method only if ``catches()`` returned true.
  public func stay() {
    isHeld.signal()
    isReleased.wait()
  }

  /// Waits until a run is held.
  ///
  /// - Parameter what: the text of the error if no run is held, such as `the handler did not run`.
  /// - Throws: ``WaitTimeoutError`` if no run is held within the duration `patience`.
  public func awaitHeld(within patience: Duration, else what: String) throws(WaitTimeoutError) {
    try isHeld.wait(within: patience, else: what)
  }

  /// Releases the held run. If no run was held since ``holdNext()``, resets the hold.
  public func release() {
    if !isSet.exchange(false, ordering: .acquiringAndReleasing) { isReleased.signal() }
  }

  /// Creates a hold that blocks a serial queue with a block. Returns once the block has begun.
  ///
  /// - Parameter submit: a closure that submits a block to the queue.
  public init(queueOf submit: (@escaping @Sendable () -> Void) -> Void) {
    holdNext()
    submit { self.waitIfSet() }
    isHeld.wait()
  }
}

extension DispatchQueue {
  /// Blocks this queue, which must be serial, with a block until the returned hold is released. Returns once the block
  /// has begun.
  public func hold() -> Hold { Hold(queueOf: { async(execute: $0) }) }

  /// Waits until the handlers of all sources on this queue, which must be serial, have received all pending events.
  ///
  /// A source with a pending event is enqueued on its queue. If the handler of the source is running, the source is
  /// enqueued again when the handler has returned. All events have therefore been handled once a second block has run.
  @available(*, noasync) public func drainSources() { for _ in 0..<2 { sync {} } }
}

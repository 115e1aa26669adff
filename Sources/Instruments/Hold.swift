import Dispatch
import Synchronization

/// A hold on a handler or a queue, which stops in its next run until it is released. Who comes by while nobody is to be
/// held goes on.
public final class Hold: Sendable {
  private let isShut = Atomic(false)
  private let isHeld = DispatchSemaphore(value: 0)
  private let isReleased = DispatchSemaphore(value: 0)

  /// A hold that lets everybody go by.
  public init() {}

  /// The next who comes by is held.
  public func holdNext() { isShut.store(true, ordering: .releasing) }

  /// Comes by.
  public func pass() { if catches() { stay() } }

  /// Whether the caller is the one to be held, and is to ``stay()``. A handler that tells of itself under a lock asks
  /// under the same lock: asked later, a hold that is set once it has told would be taken for its own.
  public func catches() -> Bool {
    isShut.load(ordering: .acquiring) && isShut.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Holds the caller, whom ``catches()`` has caught, until it is released.
  public func stay() {
    isHeld.signal()
    isReleased.wait()
  }

  /// Waits until somebody is held, who must come.
  ///
  /// - Parameter what: what did not happen without him: `the handler did not run`.
  /// - Throws: ``WaitedInVain`` when nobody is within `patience`.
  public func awaitHeld(within patience: Duration, else what: String) throws(WaitedInVain) {
    try isHeld.wait(within: patience, else: what)
  }

  /// Lets go who is held; where nobody has come by since ``holdNext()``, nobody will be held.
  public func release() {
    if !isShut.exchange(false, ordering: .acquiringAndReleasing) { isReleased.signal() }
  }

  /// Holds a serial queue by a block that runs in it; returns when the block does.
  ///
  /// - Parameter submit: submits a block to the queue.
  public init(queueOf submit: (@escaping @Sendable () -> Void) -> Void) {
    holdNext()
    submit { self.pass() }
    isHeld.wait()
  }
}

extension DispatchQueue {
  /// Holds the queue, which is serial, by a block that runs in it, until that is released; returns when the block runs.
  public func hold() -> Hold { Hold(queueOf: { async(execute: $0) }) }

  /// Waits until the handler of a source of this queue, which is serial, has received every event. A source with a
  /// pending event is in its queue, or its handler runs, and is in the queue when that has ended: behind a second block
  /// there is nothing left.
  @available(*, noasync) public func drainSources() { for _ in 0..<2 { sync {} } }
}

import CDispatchSupport
import Dispatch

/// A queue to which the trial holds one reference, which it releases.
public struct RetainedQueue {
  /// Submits a block to the queue.
  public let async: (@escaping @Sendable () -> Void) -> Void
  /// Retains the queue once more, and releases that reference.
  public let retainAndRelease: () -> Void
  /// Releases the reference.
  public let release: () -> Void

  /// Wraps a queue that was created in C.
  public init(created queue: UnsafeMutableRawPointer?) {
    async = { dispatchAsync(queue, $0) }
    retainAndRelease = {
      gcdlab_dispatch_retain(queue)
      gcdlab_dispatch_release(queue)
    }
    release = { gcdlab_dispatch_release(queue) }
  }

  /// Wraps a `DispatchQueue`.
  public init(_ queue: DispatchQueue) {
    let reference = Reference(queue)
    async = { body in reference.queue?.async(execute: body) }
    retainAndRelease = { withExtendedLifetime(reference.queue) {} }
    release = { reference.queue = nil }
  }

  /// Runs a block on the queue and waits for it, but no longer than `patience`. Returns whether the block ran.
  @discardableResult
  public func runOne(within patience: Duration? = nil, _ body: @escaping @Sendable () -> Void = {}) -> Bool {
    let hasRun = DispatchSemaphore(value: 0)
    async {
      body()
      hasRun.signal()
    }
    if let patience { return hasRun.wait(within: patience) }
    hasRun.wait()
    return true
  }

  private final class Reference {
    var queue: DispatchQueue?
    init(_ queue: DispatchQueue) { self.queue = queue }
  }
}

/// An object that runs a closure when it is deallocated.
public final class DeallocationObserver: Sendable {
  private let end: @Sendable () -> Void

  /// Creates an object whose deallocation runs `end`.
  public init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

import CDispatchSupport
import Dispatch

/// A queue to which the trial holds one reference.
public struct RetainedQueue {
  /// Submits a block to the queue.
  public let async: (@escaping @Sendable () -> Void) -> Void
  /// Retains the queue, and releases the additional reference.
  public let retainAndRelease: () -> Void
  /// Releases the trial's reference.
  public let release: () -> Void

  /// Wraps a queue that the C functions created.
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

  /// Submits a block to the queue, and waits until the block has finished, but no longer than `patience`. Returns
  /// whether the block has finished. If `patience` is nil, the wait has no limit.
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

/// An object that calls a closure when it is deallocated.
public final class DeallocationObserver: Sendable {
  private let end: @Sendable () -> Void

  /// Creates an object whose deallocation calls `end`.
  public init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

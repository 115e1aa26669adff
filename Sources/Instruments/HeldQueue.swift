import CDispatchSupport
import Dispatch

/// A queue to which there is one reference, which is let go.
public struct HeldQueue {
  /// Adds a block.
  public let async: (@escaping @Sendable () -> Void) -> Void
  /// Takes another reference and lets that go.
  public let retainAndRelease: () -> Void
  /// Lets it go.
  public let release: () -> Void

  /// One that was created in C.
  public init(created queue: UnsafeMutableRawPointer?) {
    async = { dispatchAsync(queue, $0) }
    retainAndRelease = {
      gcdlab_dispatch_retain(queue)
      gcdlab_dispatch_release(queue)
    }
    release = { gcdlab_dispatch_release(queue) }
  }

  /// One of Swift's.
  public init(_ queue: DispatchQueue) {
    let reference = Reference(queue)
    async = { body in reference.queue?.async(execute: body) }
    retainAndRelease = { withExtendedLifetime(reference.queue) {} }
    release = { reference.queue = nil }
  }

  /// Runs a block in it, and waits for that, but not longer than a `patience`; returns whether it ran.
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
public final class Owned: Sendable {
  private let end: @Sendable () -> Void

  /// An object whose deallocation runs `end`.
  public init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

import CDispatchSupport

/// A pool of reusable fibers. The creation of a fiber takes longer than the execution of a schedule.
final class FiberPool {
  /// The number of further fibers that may be created. A test limits this number.
  private var left: Int
  private var free: [OpaquePointer] = []
  /// The unused fibers that have their own thread.
  private var freeThreads: [OpaquePointer] = []

  init(most: Int = .max) { left = most }

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Returns a fiber that will execute `body`; nil if there is no memory for a stack, or if no thread can be started.
  ///
  /// - Parameter onThread: whether the fiber has its own thread, on which a job of Swift concurrency can pause.
  func take(onThread: Bool, _ body: @escaping () -> Void) -> OpaquePointer? {
    let used = onThread ? freeThreads.popLast() : free.popLast()
    guard let fiber = used ?? create(onThread: onThread) else { return nil }
    gcdlab_fiber_begin(
      fiber,
      { context in
        // The context is released before the fiber pauses for the last time, so that no reference remains on the
        // fiber's stack.
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    return fiber
  }

  private func create(onThread: Bool) -> OpaquePointer? {
    guard left > 0 else { return nil }
    left -= 1
    return onThread ? gcdlab_fiber_create_thread() : gcdlab_fiber_create()
  }

  /// Returns a fiber to the pool after the fiber's closure has returned.
  func giveBack(_ fiber: OpaquePointer) {
    if gcdlab_fiber_has_thread(fiber) { freeThreads.append(fiber) } else { free.append(fiber) }
  }

  deinit { for fiber in free + freeThreads { gcdlab_fiber_free(fiber) } }
}

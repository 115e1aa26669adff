import CDispatchSupport

/// Fibers that are used again, since creating one takes longer than a schedule.
final class FiberPool {
  private var free: [OpaquePointer] = []
  /// Fibers with a thread of their own.
  private var freeThreads: [OpaquePointer] = []

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Returns a fiber that will run `body`.
  ///
  /// - Parameter onThread: whether the fiber has a thread of its own, on which a job of Swift concurrency can pause.
  func take(onThread: Bool, _ body: @escaping () -> Void) -> OpaquePointer {
    let found =
      onThread ? freeThreads.popLast() ?? gcdlab_fiber_create_thread() : free.popLast() ?? gcdlab_fiber_create()
    guard let fiber = found else { fatalError("no memory for the stack of a thread, or no thread") }
    gcdlab_fiber_begin(
      fiber,
      { context in
        // The context is released before the fiber pauses for the last time, and nothing stays on its stack.
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    return fiber
  }

  /// Takes back a fiber whose body has ended.
  func giveBack(_ fiber: OpaquePointer) {
    if gcdlab_fiber_has_thread(fiber) { freeThreads.append(fiber) } else { free.append(fiber) }
  }

  deinit { for fiber in free + freeThreads { gcdlab_fiber_free(fiber) } }
}

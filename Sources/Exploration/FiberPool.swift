import CDispatchSupport

/// Fibers that are used again, since creating one takes longer than a schedule.
final class FiberPool {
  private var free: [OpaquePointer] = []

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Returns a fiber that will run `body`.
  func take(_ body: @escaping () -> Void) -> OpaquePointer {
    guard let fiber = free.popLast() ?? gcdlab_fiber_create() else { fatalError("no memory for the stack of a thread") }
    gcdlab_fiber_begin(
      fiber,
      { context in
        // The context is released before the fiber pauses for the last time, and nothing stays on its stack.
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    return fiber
  }

  /// Takes back a fiber whose body has ended.
  func giveBack(_ fiber: OpaquePointer) { free.append(fiber) }

  deinit { for fiber in free { gcdlab_fiber_free(fiber) } }
}

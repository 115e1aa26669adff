import CDispatchSupport

/// Runs `function` once for `predicate`, which must start at 0 and stay where it is, on a copy of `context`:
/// `dispatch_once_f`.
///
/// What the header gives every caller in C is inlined: once it has run, a load and a compare.
@inlinable @inline(__always)
public func dispatchOnce<Context>(
  _ predicate: UnsafeMutablePointer<Int>, _ context: Context,
  _ function: @convention(c) (UnsafeMutableRawPointer?) -> Void
) {
  if gcdlab_once_is_done(predicate) { return }
  withUnsafePointer(to: context) { context in
    gcdlab_dispatch_once_f(predicate, UnsafeMutableRawPointer(mutating: context), function)
  }
}

/// A `static dispatch_once_t`: what is given to it first runs, once, and whoever comes meanwhile waits for its end.
///
/// Unchecked: the predicate is for `dispatch_once_f` alone.
public final class OnceToken: @unchecked Sendable {
  private let predicate = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  private struct Once {
    let run: () -> Void
  }

  /// A token for which nothing has run.
  public init() { predicate.initialize(to: 0) }
  deinit { predicate.deallocate() }

  /// Runs `body` if nothing has run yet: `dispatch_once`.
  public func once(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      dispatchOnce(predicate, Once(run: body)) { body in body?.load(as: Once.self).run() }
    }
  }
}

/// Submits `body` to a queue of the C functions: `dispatch_async_f`.
func dispatchAsync(_ queue: UnsafeMutableRawPointer?, _ body: @escaping @Sendable () -> Void) {
  gcdlab_dispatch_async_f(queue, Unmanaged.passRetained(Body(body)).toOpaque()) { body in
    if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
  }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A serial queue for the C functions, which Swift's `DispatchQueue` wraps and hides.
///
/// Unchecked: a queue may be used from any thread.
public final class FunctionQueue: @unchecked Sendable {
  /// The queue, for the C functions.
  public let object: UnsafeMutableRawPointer

  /// A queue that runs one function at a time.
  public init(label: String) { object = gcdlab_dispatch_queue_create(label, nil) }

  /// Waits until it has run what was submitted before.
  public func sync() { gcdlab_dispatch_sync_f(object, nil) { _ in } }

  /// Waits until the handler of a source of this queue has received every event, as that of a Swift queue does.
  public func drainSources() { for _ in 0..<2 { sync() } }

  /// Submits `body`.
  public func async(_ body: @escaping @Sendable () -> Void) { dispatchAsync(object, body) }

  /// Holds the queue by a function that runs in it, until that is released; returns when the function runs.
  public func hold() -> Hold { Hold(queueOf: async) }

  deinit { gcdlab_dispatch_release(object) }
}

/// A source of the C functions that adds up what is merged.
///
/// Unchecked: a source may be used from any thread.
public final class FunctionSource: @unchecked Sendable {
  /// What the C functions take.
  public let object: UnsafeMutableRawPointer

  private final class Handler: Sendable {
    let run: @Sendable (UInt) -> Void
    init(_ run: @escaping @Sendable (UInt) -> Void) { self.run = run }
  }

  /// What its handler gets: the source, and what is to be run with its data.
  private struct Context {
    let source: UnsafeMutableRawPointer
    let handler: Handler
  }

  /// A source that runs `handler` on `queue` with the sum; it is active.
  public init(adding handler: @escaping @Sendable (UInt) -> Void, on queue: FunctionQueue) {
    object = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue.object)
    let context = UnsafeMutablePointer<Context>.allocate(capacity: 1)
    context.initialize(to: Context(source: object, handler: Handler(handler)))
    gcdlab_dispatch_set_context(object, context)
    gcdlab_dispatch_source_set_event_handler_f(object) { context in
      guard let context = context?.assumingMemoryBound(to: Context.self) else { return }
      context.pointee.handler.run(UInt(gcdlab_dispatch_source_get_data(context.pointee.source)))
    }
    gcdlab_dispatch_set_finalizer_f(object) { context in
      guard let context = context?.assumingMemoryBound(to: Context.self) else { return }
      context.deinitialize(count: 1)
      context.deallocate()
    }
    gcdlab_dispatch_activate(object)
  }

  deinit {
    gcdlab_dispatch_source_cancel(object)
    gcdlab_dispatch_release(object)
  }

  /// Adds `data` to what is pending.
  @inlinable @inline(__always) public func add(data: UInt) { gcdlab_dispatch_source_merge_data(object, data) }
}

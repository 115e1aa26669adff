import CDispatchSupport

/// Calls `dispatch_once_f`, which calls `function` once for `predicate`, with a copy of `context`. The predicate must
/// be initialized to 0 and must not move.
///
/// The fast path of Dispatch's C header is inlined: after the first execution, the call is a load and a comparison.
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

/// The counterpart of a `static dispatch_once_t`. A token executes only the first closure that is passed to
/// ``once(_:)``. Every caller waits until this closure has returned.
///
/// Conformance to `Sendable` is unchecked: only `dispatch_once_f` uses the predicate.
public final class OnceToken: @unchecked Sendable {
  private let predicate = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  private struct Once {
    let run: () -> Void
  }

  /// Creates a token for which no closure has been executed.
  public init() { predicate.initialize(to: 0) }
  deinit { predicate.deallocate() }

  /// Executes `body` if no closure has been executed yet, as `dispatch_once` does.
  public func once(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      dispatchOnce(predicate, Once(run: body)) { body in body?.load(as: Once.self).run() }
    }
  }
}

/// Submits `body` with `dispatch_async_f` to a queue that is used with Dispatch's C functions.
func dispatchAsync(_ queue: UnsafeMutableRawPointer?, _ body: @escaping @Sendable () -> Void) {
  gcdlab_dispatch_async_f(queue, Unmanaged.passRetained(Body(body)).toOpaque()) { body in
    if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
  }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A serial queue that is used with Dispatch's C functions. Swift's `DispatchQueue` hides these functions.
///
/// Conformance to `Sendable` is unchecked: a queue may be used from any thread.
public final class FunctionQueue: @unchecked Sendable {
  /// The queue as a pointer for the C functions.
  public let object: UnsafeMutableRawPointer

  /// Creates a serial queue.
  public init(label: String) { object = gcdlab_dispatch_queue_create(label, nil) }

  /// Waits until all work items submitted earlier have finished.
  public func sync() { gcdlab_dispatch_sync_f(object, nil) { _ in } }

  /// Waits until the handlers of all sources on this queue have received all pending events, as `drainSources()` of
  /// `DispatchQueue` does.
  public func drainSources() { for _ in 0..<2 { sync() } }

  /// Submits `body` to the queue, and returns immediately.
  public func async(_ body: @escaping @Sendable () -> Void) { dispatchAsync(object, body) }

  /// Blocks the queue with a work item until the returned hold is released. Returns once the work item has begun.
  public func hold() -> Hold { Hold(queueOf: async) }

  deinit { gcdlab_dispatch_release(object) }
}

/// A data-add source that is used with Dispatch's C functions.
///
/// Conformance to `Sendable` is unchecked: a source may be used from any thread.
public final class FunctionSource: @unchecked Sendable {
  /// The source as a pointer for the C functions.
  public let object: UnsafeMutableRawPointer

  private final class Handler: Sendable {
    let run: @Sendable (UInt) -> Void
    init(_ run: @escaping @Sendable (UInt) -> Void) { self.run = run }
  }

  /// The context of the handler: the source, and the closure that receives the source's data.
  private struct Context {
    let source: UnsafeMutableRawPointer
    let handler: Handler
  }

  /// Creates an active source that calls `handler` on `queue` with the sum of the pending data.
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

  /// Adds `data` to the pending data.
  @inlinable @inline(__always) public func add(data: UInt) { gcdlab_dispatch_source_merge_data(object, data) }
}

import CDispatchSupport

/// Runs `function` once for `predicate`, which must start at 0 and stay where it is, on a copy of `context`: `dispatch_once_f`.
///
/// What the header gives every caller in C is inlined: once it has run, a load and a compare.
@inline(__always)
func dispatchOnce<Context>(
  _ predicate: UnsafeMutablePointer<Int>, _ context: Context,
  _ function: @convention(c) (UnsafeMutableRawPointer?) -> Void
) {
  if gcdlab_once_is_done(predicate) { return }
  withUnsafePointer(to: context) { context in
    gcdlab_dispatch_once_f(predicate, UnsafeMutableRawPointer(mutating: context), function)
  }
}

/// A serial queue for the C functions, which Swift's `DispatchQueue` wraps and hides.
///
/// Unchecked: a queue may be used from any thread.
final class FunctionQueue: @unchecked Sendable {
  /// What the C functions take.
  let object: UnsafeMutableRawPointer

  /// A queue that runs one function at a time.
  init(label: String) { object = gcdlab_dispatch_queue_create(label, nil) }

  deinit { gcdlab_dispatch_release(object) }
}

// The functions of this file are compiled in two modules: in NonisolatedToday with the upcoming feature
// NonisolatedNonsendingByDefault, and in NonisolatedBefore without this feature.

/// Calls `look` before and after a suspension. No attribute determines the executor of this nonisolated function.
public func plain(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` before and after a suspension. This function runs on the actor of its caller.
nonisolated(nonsending) public func nonsending(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` before and after a suspension. This function never runs on the actor of its caller.
@concurrent public func concurrent(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` before and after a suspension. This function is isolated to `actor`, by default the actor of the
/// caller.
public func inheriting(_ actor: isolated (any Actor)? = #isolation, _ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` once, on the thread of the caller.
public func synchronous(_ look: @Sendable () -> Void) { look() }

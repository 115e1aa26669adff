/// The same functions, compiled in two modules: in NonisolatedToday with the upcoming feature
/// NonisolatedNonsendingByDefault, and in NonisolatedBefore without it. Each calls `look` where it begins, and again
/// after it was suspended.

/// A nonisolated function of which nothing says where it runs.
public func plain(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// A function that runs on the actor of its caller.
nonisolated(nonsending) public func nonsending(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// A function that never runs on the actor of its caller.
@concurrent public func concurrent(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// A function whose parameter is the actor of its caller.
public func inheriting(_ actor: isolated (any Actor)? = #isolation, _ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// A synchronous function.
public func synchronous(_ look: @Sendable () -> Void) { look() }

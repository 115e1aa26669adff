/// Functions that are compiled in two modules: in NonisolatedToday with the upcoming feature
/// NonisolatedNonsendingByDefault, and in NonisolatedBefore without it. Each asynchronous function calls `look` at its
/// beginning, and again after a suspension.

/// Calls `look` twice from a nonisolated function without an attribute that determines its executor.
public func plain(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` twice from a function that runs on the actor of its caller.
nonisolated(nonsending) public func nonsending(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` twice from a function that never runs on the actor of its caller.
@concurrent public func concurrent(_ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` twice from a function that is isolated to the actor in its parameter, by default that of its caller.
public func inheriting(_ actor: isolated (any Actor)? = #isolation, _ look: @Sendable () -> Void) async {
  look()
  await Task.yield()
  look()
}

/// Calls `look` once from a synchronous function.
public func synchronous(_ look: @Sendable () -> Void) { look() }

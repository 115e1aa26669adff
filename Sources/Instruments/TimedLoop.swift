import CDispatchSupport

/// Runs an operation so many times, one behind the other, with nothing in between: what every loop is made of that
/// times what is short.
///
/// It is inlined into the closure that writes the operation, and the operation into it. So the closure *is* the loop,
/// and whoever times it calls it once for all operations. Hand on such a closure, not the operation: a closure that is
/// called from another one's context is called through a pointer, each time. `Tools/timed-loops` looks into the
/// released binary that no loop between these marks calls anything but its operation; it would find a copy in this
/// module, which nobody calls, so none is emitted here.
@_alwaysEmitIntoClient @inline(__always)
public func timedLoop(_ count: Int, _ operation: (_ index: Int) -> Void) {
  var index = 0
  gcdlab_loop_begins()
  while index < count {
    gcdlab_loop_repeats()
    operation(index)
    index &+= 1
  }
  gcdlab_loop_ends()
}

/// The same for an operation that is awaited, such as a call of an actor.
@_alwaysEmitIntoClient @inline(__always)
public func timedLoop(
  _ count: Int, isolation: isolated (any Actor)? = #isolation, _ operation: (_ index: Int) async -> Void
) async {
  var index = 0
  gcdlab_loop_begins()
  while index < count {
    gcdlab_loop_repeats()
    await operation(index)
    index &+= 1
  }
  gcdlab_loop_ends()
}

/// Operations that are timed together, all on the same thing.
public struct Loop<Subject> {
  /// How many.
  public let count: Int
  /// On what.
  public let subject: Subject

  /// A number of operations on `subject`.
  @inlinable
  public init(_ count: Int, on subject: Subject) { (self.count, self.subject) = (count, subject) }

  /// Runs the body for each element, in a timed loop.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(_ operation: (Subject) -> Void) { timedLoop(count) { _ in operation(subject) } }

  /// Runs them, and awaits each.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(isolation: isolated (any Actor)? = #isolation, _ operation: (Subject) async -> Void) async {
    await timedLoop(count) { _ in await operation(subject) }
  }
}

/// Things to pass on, one behind the other, timed together.
public struct Pieces<Piece> {
  @usableFromInline let pieces: [Piece]

  /// These.
  public init(_ pieces: some Sequence<Piece>) { self.pieces = Array(pieces) }

  /// Passes them on.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(_ pass: (Piece) -> Void) {
    pieces.withUnsafeBufferPointer { pieces in
      timedLoop(pieces.count) { pass(pieces[$0]) }
    }
  }
}

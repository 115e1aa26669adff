import CDispatchSupport

/// Executes an operation `count` times in a row, with nothing in between. Every loop that times short synchronous
/// operations uses this function.
///
/// The loop is inlined into the closure that contains the operation, and the operation into the loop. The closure
/// therefore *is* the loop, and the caller times one call of the closure for all operations. Pass such a closure to the
/// timing function instead of the operation: a closure that another closure captures is called through a pointer each
/// time. `Tools/timed-loops` verifies in the released binary that no timed loop calls anything but its operation.
/// Without the attribute `@_alwaysEmitIntoClient`, the module `Instruments` would contain an uncalled copy of this
/// function, and the copy would mislead the tool.
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

/// Executes an asynchronous operation, such as a call of an actor, `count` times in a row.
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

/// A loop of operations that have the same subject and are timed together.
public struct Loop<Subject> {
  /// The number of operations.
  public let count: Int
  /// The subject of the operations.
  public let subject: Subject

  /// Creates a loop of `count` operations on `subject`.
  @inlinable
  public init(_ count: Int, on subject: Subject) { (self.count, self.subject) = (count, subject) }

  /// Executes the operation `count` times, in a timed loop.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(_ operation: (Subject) -> Void) { timedLoop(count) { _ in operation(subject) } }

  /// Executes the asynchronous operation `count` times, one after the other.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(isolation: isolated (any Actor)? = #isolation, _ operation: (Subject) async -> Void) async {
    await timedLoop(count) { _ in await operation(subject) }
  }
}

/// A loop that passes values to a function one after the other. The calls are timed together.
public struct Pieces<Piece> {
  @usableFromInline let pieces: [Piece]

  /// Creates a loop over `pieces`.
  public init(_ pieces: some Sequence<Piece>) { self.pieces = Array(pieces) }

  /// Calls `pass` with each piece, in order.
  @_alwaysEmitIntoClient @inline(__always)
  public func each(_ pass: (Piece) -> Void) {
    pieces.withUnsafeBufferPointer { pieces in
      timedLoop(pieces.count) { pass(pieces[$0]) }
    }
  }
}

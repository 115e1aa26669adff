import Synchronization

/// A counter that assigns indices in turn to any number of threads. After `n` turns, each index was assigned `n /
/// count` times, or one time more.
///
/// YYDispatchQueuePool uses the remainder of a counter of 32 bits. When that counter wraps after 4,294,967,296 tasks,
/// the indices start again in the middle of a round, unless the number of indices is a power of two. A counter of 64
/// bits does not wrap in practice.
public final class RoundRobin: Sendable {
  /// The number of indices.
  public let count: Int
  @usableFromInline let turns: Atomic<UInt64>

  /// Creates a counter that assigns the indices `0..<count`.
  ///
  /// - Parameters:
  ///   - count: the number of indices, at least 1.
  ///   - turns: the number of turns already taken.
  public init(count: Int, turns: UInt64 = 0) {
    self.count = count
    self.turns = Atomic(turns)
  }

  /// Returns the next index, and increments the number of turns.
  @inlinable @inline(__always)
  public func next() -> Int {
    let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
    return Int(truncatingIfNeeded: turn % UInt64(truncatingIfNeeded: count))
  }
}

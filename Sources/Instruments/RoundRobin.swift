import Synchronization

/// Hands out indices in turn, to any number of threads: after `n` turns each index was given `n / count` times, or once
/// more.
///
/// YYDispatchQueuePool does so with a counter of 32 bits: `counter++ % queueCount`. When that wraps, after
/// 4,294,967,296 tasks, the indices start over in the middle of a round unless their number is a power of two. One of
/// 64 bits does not come to wrap.
public final class RoundRobin: Sendable {
  /// How many indices there are.
  public let count: Int
  @usableFromInline let turns: Atomic<UInt64>

  /// Indices `0..<count`.
  ///
  /// - Parameters:
  ///   - count: how many, at least 1.
  ///   - turns: how many turns are taken already.
  public init(count: Int, turns: UInt64 = 0) {
    self.count = count
    self.turns = Atomic(turns)
  }

  /// The next index.
  @inlinable @inline(__always)
  public func next() -> Int {
    let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
    return Int(truncatingIfNeeded: turn % UInt64(truncatingIfNeeded: count))
  }
}

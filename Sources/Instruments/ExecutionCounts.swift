import Synchronization

/// The number of times that each of several blocks has run.
public final class ExecutionCounts: Sendable {
  private let runs: Slots<Atomic<Int>>

  /// Creates counts of zero for a number of blocks.
  ///
  /// - Parameter padded: whether each count has its own cache line. Use padding for blocks that run often.
  public init(count: Int, padded: Bool = false) { runs = Slots(count: count, padded: padded) { _ in Atomic(0) } }

  /// The number of blocks.
  public var count: Int { runs.count }

  /// Increments the count of the block at `index`, and returns the new count.
  @discardableResult public func ran(_ index: Int) -> Int {
    runs[index].add(1, ordering: .acquiringAndReleasing).newValue
  }

  /// The number of times that the block at `index` has run.
  public subscript(index: Int) -> Int { runs[index].load(ordering: .acquiring) }

  /// The number of blocks that have not run exactly once.
  public var notOnce: Int { (0..<count).count { self[$0] != 1 } }

  /// The number of blocks that have not run.
  public var notRun: Int { (0..<count).count { self[$0] == 0 } }
}

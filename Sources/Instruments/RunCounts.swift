import Synchronization

/// The number of runs of each of several blocks.
public final class RunCounts: Sendable {
  private let runs: Slots<Atomic<Int>>

  /// Creates counts of zero for a number of blocks.
  ///
  /// - Parameter padded: whether each count has a cache line of its own, for blocks that run often.
  public init(count: Int, padded: Bool = false) { runs = Slots(count: count, padded: padded) { _ in Atomic(0) } }

  /// The number of blocks.
  public var count: Int { runs.count }

  /// Counts a run of a block, and returns how often the block has run.
  @discardableResult public func ran(_ index: Int) -> Int {
    runs[index].add(1, ordering: .acquiringAndReleasing).newValue
  }

  /// The number of times that a block has run so far.
  public subscript(index: Int) -> Int { runs[index].load(ordering: .acquiring) }

  /// The number of blocks that have not run exactly once so far.
  public var notOnce: Int { (0..<count).count { self[$0] != 1 } }

  /// The number of blocks that have not run at all so far.
  public var notRun: Int { (0..<count).count { self[$0] == 0 } }
}

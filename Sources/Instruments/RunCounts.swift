import Synchronization

/// How often each of several blocks ran.
public final class RunCounts: Sendable {
  private let runs: Slots<Atomic<Int>>

  /// A number of blocks, none of which has run.
  ///
  /// - Parameter padded: keeps blocks that count often off each other's cache lines.
  public init(count: Int, padded: Bool = false) { runs = Slots(count: count, padded: padded) { _ in Atomic(0) } }

  /// How many blocks there are.
  public var count: Int { runs.count }

  /// A block runs; returns how often it has by now.
  @discardableResult public func ran(_ index: Int) -> Int {
    runs[index].add(1, ordering: .acquiringAndReleasing).newValue
  }

  /// How often a block has run so far.
  public subscript(index: Int) -> Int { runs[index].load(ordering: .acquiring) }

  /// How many have not run just once so far.
  public var notOnce: Int { (0..<count).count { self[$0] != 1 } }

  /// How many have not run at all so far.
  public var notRun: Int { (0..<count).count { self[$0] == 0 } }
}

import Synchronization

/// A count that rises and falls, with its peak.
public final class Gauge: Sendable {
  @usableFromInline let value = Atomic<Int>(0)
  @usableFromInline let highest = Atomic<Int>(0)

  /// Creates a gauge at 0.
  public init() {}

  /// Increments the count, raises the peak if necessary, and returns the new count.
  @inlinable
  @discardableResult public func up() -> Int {
    let now = value.add(1, ordering: .relaxed).newValue
    highest.max(now, ordering: .relaxed)
    return now
  }

  /// Decrements the count.
  @inlinable
  public func down() { value.subtract(1, ordering: .relaxed) }

  /// The current count.
  public var now: Int { value.load(ordering: .relaxed) }

  /// The highest count so far.
  public var peak: Int { highest.load(ordering: .relaxed) }
}

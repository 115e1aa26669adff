import Synchronization

/// A count that goes up and down and remembers its peak.
public final class Gauge: Sendable {
  @usableFromInline let value = Atomic<Int>(0)
  @usableFromInline let highest = Atomic<Int>(0)

  /// A gauge at 0.
  public init() {}

  /// One more; returns how many there are now.
  @inlinable
  @discardableResult public func up() -> Int {
    let now = value.add(1, ordering: .relaxed).newValue
    highest.max(now, ordering: .relaxed)
    return now
  }

  /// One less.
  @inlinable
  public func down() { value.subtract(1, ordering: .relaxed) }

  /// Counts one more while `body` runs.
  @inlinable
  public func holding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    up()
    defer { down() }
    return try body()
  }

  /// How many there are now.
  public var now: Int { value.load(ordering: .relaxed) }

  /// The most there were at once.
  public var peak: Int { highest.load(ordering: .relaxed) }
}

import Synchronization

/// A count that goes up and down and remembers its peak.
final class Gauge: Sendable {
  private let value = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)

  /// One more; returns how many there are now.
  @discardableResult func up() -> Int {
    let now = value.add(1, ordering: .relaxed).newValue
    highest.max(now, ordering: .relaxed)
    return now
  }

  /// One less.
  func down() { value.subtract(1, ordering: .relaxed) }

  /// Counts one more while `body` runs.
  func holding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    up()
    defer { down() }
    return try body()
  }

  /// How many there are now.
  var now: Int { value.load(ordering: .relaxed) }

  /// The most there were at once.
  var peak: Int { highest.load(ordering: .relaxed) }
}

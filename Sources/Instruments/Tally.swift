import Synchronization

/// A count that several threads increment, stored inline in its owner.
public struct Tally: ~Copyable, Sendable {
  @usableFromInline let number = Atomic(0)

  /// Creates a count of zero.
  public init() {}

  /// Adds `amount` to the count, and returns the new count.
  @inlinable @discardableResult public func add(_ amount: Int = 1) -> Int {
    number.add(amount, ordering: .acquiringAndReleasing).newValue
  }

  /// The current count.
  @inlinable public var count: Int { number.load(ordering: .acquiring) }
}

/// A flag that several threads can set, stored inline in its owner.
public struct AtomicFlag: ~Copyable, Sendable {
  @usableFromInline let value = Atomic(false)

  /// Creates a flag that is not set.
  public init() {}

  /// Sets the flag.
  @inlinable public func set() { value.store(true, ordering: .releasing) }

  /// Whether the flag is set.
  @inlinable public var isSet: Bool { value.load(ordering: .acquiring) }
}

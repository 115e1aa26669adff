import Measurement
import Synchronization

/// When something happened: stored in the object it belongs to, so that noting it touches no other memory.
public struct Moment: ~Copyable, Sendable {
  @usableFromInline let nanoseconds = Atomic<UInt64>(0)

  /// Something that has not happened.
  public init() {}

  /// The moment is now.
  @inlinable @inline(__always) public func set() { nanoseconds.store(MonotonicClock.now(), ordering: .releasing) }

  /// The moment is that of `other`.
  public func copy(_ other: borrowing Moment) {
    nanoseconds.store(other.nanoseconds.load(ordering: .acquiring), ordering: .releasing)
  }

  /// When it happened, by ``MonotonicClock``; nil when it did not.
  public var time: UInt64? {
    let time = nanoseconds.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Whether it happened.
  public var isSet: Bool { time != nil }

  /// Nanoseconds from `earlier` to it, 0 when it was not later; nil when one of the two did not happen.
  public func since(_ earlier: borrowing Moment) -> UInt64? {
    guard let from = earlier.time, let to = time else { return nil }
    return to > from ? to - from : 0
  }
}

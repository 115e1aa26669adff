import Measurement
import Synchronization

/// The time of an event. The time is stored inline in the owner of the moment. Setting the time therefore accesses no
/// other memory.
public struct Moment: ~Copyable, Sendable {
  @usableFromInline let nanoseconds = Atomic<UInt64>(0)

  /// Creates a moment of an event that has not happened.
  public init() {}

  /// Sets the moment to the current time.
  @inlinable @inline(__always) public func set() { nanoseconds.store(MonotonicClock.now(), ordering: .releasing) }

  /// Sets the moment to the time of `other`.
  public func copy(_ other: borrowing Moment) {
    nanoseconds.store(other.nanoseconds.load(ordering: .acquiring), ordering: .releasing)
  }

  /// The time of the event on ``MonotonicClock`` in nanoseconds; nil if the event has not happened.
  public var time: UInt64? {
    let time = nanoseconds.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Whether the event has happened.
  public var isSet: Bool { time != nil }

  /// Returns the nanoseconds from `earlier` to this moment, or 0 if this moment is not later; nil if the event of
  /// either moment has not happened.
  public func since(_ earlier: borrowing Moment) -> UInt64? {
    guard let from = earlier.time, let to = time else { return nil }
    return to > from ? to - from : 0
  }
}

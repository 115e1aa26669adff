import Measurement
import Synchronization

/// When something happened: stored in the object it belongs to, so that noting it touches no other memory.
struct Moment: ~Copyable, Sendable {
  private let nanoseconds = Atomic<UInt64>(0)

  /// It happens now.
  @inline(__always) func set() { nanoseconds.store(MonotonicClock.now(), ordering: .releasing) }

  /// It happened when `other` did.
  func copy(_ other: borrowing Moment) {
    nanoseconds.store(other.nanoseconds.load(ordering: .acquiring), ordering: .releasing)
  }

  /// When it happened, by ``MonotonicClock``; nil when it did not.
  var time: UInt64? {
    let time = nanoseconds.load(ordering: .acquiring)
    return time == 0 ? nil : time
  }

  /// Whether it happened.
  var isSet: Bool { time != nil }

  /// Nanoseconds from `earlier` to it, 0 when it was not later; nil when one of the two did not happen.
  func since(_ earlier: borrowing Moment) -> UInt64? {
    guard let from = earlier.time, let to = time else { return nil }
    return to > from ? to - from : 0
  }
}

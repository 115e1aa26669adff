import Measurement

/// Times operations that are too short to be timed one by one, many together.
///
/// The operation is inlined into the loop, so nothing is called for the harness's sake. What it returns is folded
/// together and consumed, so that the compiler cannot leave it out; what does not depend on anything that changes may
/// still be moved out of the loop: keep such an accessor from being inlined.
enum Batches {
  /// How many batches are timed when nothing else is said.
  static let count = 30

  /// Nanoseconds of each of `count` batches of `size` operations, after one that warms up and is not reported.
  @inline(__always)
  static func time<Value: FixedWidthInteger>(
    of size: Int, count: Int = Batches.count, _ operation: () -> Value
  ) -> [UInt64] {
    var batches: [UInt64] = []
    batches.reserveCapacity(count)
    for batch in -1..<count {
      var folded: Value = 0
      let elapsed = MonotonicClock.time { for _ in 0..<size { folded ^= operation() } }
      CalibratedWork.consume(UInt64(truncatingIfNeeded: folded))
      if batch >= 0 { batches.append(elapsed) }
    }
    return batches
  }

  /// The same for an operation that is done for its effect, such as a lock taken and given back.
  @inline(__always)
  static func time(of size: Int, count: Int = Batches.count, _ operation: () -> Void) -> [UInt64] {
    var batches: [UInt64] = []
    batches.reserveCapacity(count)
    for batch in -1..<count {
      let elapsed = MonotonicClock.time { for _ in 0..<size { operation() } }
      if batch >= 0 { batches.append(elapsed) }
    }
    return batches
  }

  /// The same for an operation that is awaited, such as a call of an actor.
  @inline(__always)
  static func time<Value: FixedWidthInteger>(
    of size: Int, count: Int = Batches.count, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async -> Value
  ) async -> [UInt64] {
    var batches: [UInt64] = []
    batches.reserveCapacity(count)
    for batch in -1..<count {
      var folded: Value = 0
      let start = MonotonicClock.now()
      for _ in 0..<size { folded ^= await operation() }
      let elapsed = MonotonicClock.now() &- start
      CalibratedWork.consume(UInt64(truncatingIfNeeded: folded))
      if batch >= 0 { batches.append(elapsed) }
    }
    return batches
  }
}

import CDispatchSupport

/// Work of a known length: a chain of dependent steps that the compiler cannot shorten.
///
/// The lab measures the speed once, and passes the speed to every worker. A given length is therefore the same number
/// of steps in all variants of a run.
public struct CalibratedWork: Sendable, Codable, Hashable {
  /// The number of steps that one undisturbed core runs in a microsecond.
  public let stepsPerMicrosecond: Double

  /// Creates work from a known speed, in steps per microsecond.
  public init(stepsPerMicrosecond: Double) { self.stepsPerMicrosecond = stepsPerMicrosecond }

  /// Measures the speed of this core, and returns work at that speed. The fastest of several measurements counts, since
  /// a disturbance can only slow a measurement down.
  public static func calibrated() -> CalibratedWork {
    let steps = 200_000
    var fastest = UInt64.max
    var value: UInt64 = 1
    for _ in 0..<15 {
      fastest = min(fastest, MonotonicClock.time { value = spin(steps: steps, from: value) })
    }
    consume(value)
    return CalibratedWork(stepsPerMicrosecond: Double(steps) * 1000 / Double(max(fastest, 1)))
  }

  /// Returns the number of steps that take `nanoseconds`, rounded to the nearest whole number.
  public func steps(nanoseconds: Int) -> Int {
    Int((Double(nanoseconds) * stepsPerMicrosecond / 1000).rounded())
  }

  /// Runs a chain of `steps` dependent steps that starts with `seed`. Returns the last value, which the caller must
  /// use.
  ///
  /// Each step needs the result of the step before, so the time grows with `steps` at any compiler setting. The shift
  /// is essential: without it a step is linear, and the compiler folds eight steps into one multiplication. `steps`
  /// must be a run-time value, since the compiler could fold a loop of constant length.
  @inlinable @inline(__always)
  public static func spin(steps: Int, from seed: UInt64) -> UInt64 {
    var value = seed
    var left = steps
    while left > 0 {
      value = (value ^ value >> 32) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      left &-= 1
    }
    return value
  }

  /// Runs a chain of `steps` dependent steps, which takes at least as long as at the calibration. Has no effect for 0
  /// steps.
  ///
  /// A processor that executes out of order would begin the chain before the instructions before it have ended, and the
  /// instructions after it before the chain has ended. About 20 ns of each chain would then cost nothing. The barriers
  /// prevent that.
  @inlinable @inline(__always)
  public static func run(steps: Int, from seed: UInt64 = 1) {
    guard steps > 0 else { return }
    gcdlab_await_instructions()
    consume(spin(steps: steps, from: seed))
    gcdlab_await_instructions()
  }

  /// Keeps this core busy for about `nanoseconds`.
  public func spin(nanoseconds: Int) { Self.run(steps: steps(nanoseconds: nanoseconds)) }

  /// Uses a value in a way that the optimizer cannot remove.
  @inlinable @inline(__always)
  public static func consume(_ value: UInt64) { gcdlab_consume(value) }
}

import CDispatchSupport

/// Work of a known length: a chain of dependent steps that no compiler can shorten, the same number for every variant
/// that is compared.
///
/// The speed is measured once, by the lab, and handed to every worker, so that all variants of a run spin the same
/// number of steps whatever the machine did meanwhile.
public struct CalibratedWork: Sendable, Codable, Hashable {
  /// Steps that fit in a microsecond on one undisturbed core.
  public let stepsPerMicrosecond: Double

  /// Work at a known speed.
  public init(stepsPerMicrosecond: Double) { self.stepsPerMicrosecond = stepsPerMicrosecond }

  /// Measures this core: the fastest of several runs, since disturbance only ever slows one down.
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

  /// How many steps take `nanoseconds`; 0 for none.
  public func steps(nanoseconds: Int) -> Int {
    Int((Double(nanoseconds) * stepsPerMicrosecond / 1000).rounded())
  }

  /// Runs `steps` dependent steps from `seed` and returns the end of the chain, which the caller must use.
  ///
  /// Each step needs the one before it, so the time grows with `steps` on any compiler setting. The shift is what makes
  /// it so: without it a step is linear, and the compiler folds eight of them into one multiplication. `steps` must be
  /// a run-time value, since a constant count would let the compiler fold the loop.
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

  /// Spins for about `nanoseconds`.
  public func spin(nanoseconds: Int) {
    Self.consume(Self.spin(steps: steps(nanoseconds: nanoseconds), from: 1))
  }

  /// Uses a value in a way the optimiser cannot see through.
  @inlinable @inline(__always)
  public static func consume(_ value: UInt64) { gcdlab_consume(value) }
}

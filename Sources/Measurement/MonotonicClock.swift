#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lab's only clock: `CLOCK_MONOTONIC`, in nanoseconds.
///
/// A read costs about 20 ns on Linux (a vDSO call, no kernel entry), which is why operations shorter than the
/// noise floor are timed in batches. It is inlined where it is read: across modules only `@inlinable` does that.
public enum MonotonicClock {
  /// Nanoseconds since an arbitrary start; never goes back.
  @inlinable @inline(__always)
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

  /// How long `body` took, in nanoseconds.
  @inlinable @inline(__always)
  public static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> UInt64 {
    let start = now()
    try body()
    return now() &- start
  }
}

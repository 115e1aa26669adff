#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The only clock of the lab: `CLOCK_MONOTONIC`, in nanoseconds.
///
/// A read costs about 20 ns on Linux (a vDSO call, which does not enter the kernel). Operations shorter than the noise
/// floor are therefore timed in batches. `@inlinable` lets other modules inline a read.
public enum MonotonicClock {
  /// Returns the time since an arbitrary start, in nanoseconds. The time never decreases.
  @inlinable @inline(__always)
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

  /// Executes `body` and returns its duration in nanoseconds. Rethrows the error that `body` throws.
  @inlinable @inline(__always)
  public static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> UInt64 {
    let start = now()
    try body()
    return now() &- start
  }
}

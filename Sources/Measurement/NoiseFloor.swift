/// The cost of the lab's own measuring code. A figure near this cost is not reliable.
public enum NoiseFloor {
  private static let batch = 2000
  private static let batches = 25

  /// Returns whether a latency is above 0 and at most twice `floor`, the duration of an empty measurement. Such a
  /// latency is not reliable. Both values are in nanoseconds.
  public static func isNear(_ latency: Double, floor: Double) -> Bool { latency > 0 && latency <= 2 * floor }

  /// Measures and returns the cost of one clock read, in nanoseconds. The result is that of the fastest of several
  /// batches.
  public static func clockRead() -> Double {
    fastest {
      var last: UInt64 = 0
      for _ in 0..<batch { last = last &+ MonotonicClock.now() }
      CalibratedWork.consume(last)
    }
  }

  /// Measures and returns the cost of one recorded sample, in nanoseconds. A sample consists of two clock reads and one
  /// histogram record. The result is that of the fastest of several batches.
  public static func sample() -> Double {
    var histogram = LatencyHistogram()
    let cost = fastest {
      for _ in 0..<batch {
        let start = MonotonicClock.now()
        histogram.record(MonotonicClock.now() &- start)
      }
    }
    CalibratedWork.consume(histogram.count)
    return cost
  }

  private static func fastest(_ body: () -> Void) -> Double {
    var fastest = UInt64.max
    for _ in 0..<batches { fastest = min(fastest, MonotonicClock.time(body)) }
    return Double(fastest) / Double(batch)
  }
}

/// The cost of the lab's own instruments. A figure near that cost says nothing about the thing that is measured.
public enum NoiseFloor {
  private static let batch = 2000
  private static let batches = 25

  /// Returns whether a latency is so near to `floor`, the time of an empty measurement, that it says little; both are
  /// in nanoseconds.
  public static func isNear(_ latency: Double, floor: Double) -> Bool { latency > 0 && latency <= 2 * floor }

  /// Returns the cost of one clock read, in nanoseconds: the cost in the fastest of several batches.
  public static func clockRead() -> Double {
    fastest {
      var last: UInt64 = 0
      for _ in 0..<batch { last = last &+ MonotonicClock.now() }
      CalibratedWork.consume(last)
    }
  }

  /// Returns the cost of one recorded sample, in nanoseconds: two clock reads and one histogram record.
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

import Laboratory
import Measurement

/// Functions that measure operations that are too short to be timed individually. The functions time batches of the
/// operations. Each batch is a loop (``timedLoop(_:_:)``).
public enum Batches {
  /// The default number of batches.
  public static let count = 30

  /// Returns the durations of `count` batches in nanoseconds. An additional batch runs first as a warm-up and is not
  /// included.
  public static func times(of batch: () -> Void, count: Int = Batches.count) -> [UInt64] {
    batch()
    return (0..<count).map { _ in MonotonicClock.time(batch) }
  }

  /// Returns the durations of `count` batches of asynchronous operations in nanoseconds. An additional batch runs first
  /// as a warm-up and is not included.
  public static func times(
    of batch: () async -> Void, count: Int = Batches.count, isolation: isolated (any Actor)? = #isolation
  ) async -> [UInt64] {
    await batch()
    var times: [UInt64] = []
    for _ in 0..<count {
      let start = MonotonicClock.now()
      await batch()
      times.append(MonotonicClock.now() &- start)
    }
    return times
  }
}

extension Trial {
  /// Records the duration of an operation, which is timed in batches. Also records the duration of the loop around an
  /// empty operation as the noise floor of `metric`.
  ///
  /// - Parameters:
  ///   - size: the number of operations in a batch.
  ///   - nothing: a closure that executes the loop around an empty operation.
  ///   - batch: a closure that executes the loop around the operation.
  public func time(_ metric: MetricKey<Duration>, over size: Int, nothing: () -> Void, _ batch: () -> Void) {
    for time in Batches.times(of: batch) { record(metric, time, over: size) }
    noteFloor(of: metric, over: size, nothing)
  }

  /// Records the duration of an asynchronous operation, which is timed in batches. Also records the duration of the
  /// loop around an empty operation as the noise floor of `metric`.
  ///
  /// The parameters are those of ``time(_:over:nothing:_:)``.
  public func time(
    _ metric: MetricKey<Duration>, over size: Int, isolation: isolated (any Actor)? = #isolation,
    nothing: () async -> Void, _ batch: () async -> Void
  ) async {
    for time in await Batches.times(of: batch) { record(metric, time, over: size) }
    recordFloor(metric, await Batches.times(of: nothing), over: size)
  }

  /// Records the duration of a loop around an empty operation as the noise floor of `metric`. Use this method if
  /// another function times the loop around the operation.
  public func noteFloor(of metric: MetricKey<Duration>, over size: Int, _ nothing: () -> Void) {
    recordFloor(metric, Batches.times(of: nothing), over: size)
  }
}

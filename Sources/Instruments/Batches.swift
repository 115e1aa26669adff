import Laboratory
import Measurement

/// Times operations that are too short to be timed one by one. Many of them are timed together: each batch is a loop of
/// its own (``timedLoop(_:_:)``).
public enum Batches {
  /// The default number of batches.
  public static let count = 30

  /// Returns the nanoseconds of each of `count` batches. One more batch runs first as a warm-up and is not reported.
  public static func times(of batch: () -> Void, count: Int = Batches.count) -> [UInt64] {
    batch()
    return (0..<count).map { _ in MonotonicClock.time(batch) }
  }

  /// Returns the nanoseconds of each of `count` batches of asynchronous operations, such as calls of an actor.
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
  /// Records how long an operation takes, timed in batches. Also records the time of the same loop around an empty
  /// operation, which is the noise floor of `metric`.
  ///
  /// - Parameters:
  ///   - size: the number of operations in a batch.
  ///   - nothing: the loop around an operation that does nothing.
  ///   - batch: the loop around the operation.
  public func time(_ metric: MetricKey<Duration>, over size: Int, nothing: () -> Void, _ batch: () -> Void) {
    for time in Batches.times(of: batch) { record(metric, time, over: size) }
    noteFloor(of: metric, over: size, nothing)
  }

  /// Records how long an asynchronous operation takes, timed in batches, and the noise floor of `metric`.
  public func time(
    _ metric: MetricKey<Duration>, over size: Int, isolation: isolated (any Actor)? = #isolation,
    nothing: () async -> Void, _ batch: () async -> Void
  ) async {
    for time in await Batches.times(of: batch) { record(metric, time, over: size) }
    recordFloor(metric, await Batches.times(of: nothing), over: size)
  }

  /// Records the time of the empty loop of `metric`, for a loop that is timed elsewhere.
  public func noteFloor(of metric: MetricKey<Duration>, over size: Int, _ nothing: () -> Void) {
    recordFloor(metric, Batches.times(of: nothing), over: size)
  }
}

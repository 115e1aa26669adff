import Laboratory
import Measurement

/// Times operations that are too short to be timed one by one, many together: each batch is a loop of its own
/// (``timedLoop(_:_:)``).
public enum Batches {
  /// How many batches are timed when nothing else is said.
  public static let count = 30

  /// Nanoseconds of each of `count` batches, after one that warms up and is not reported.
  public static func times(of batch: () -> Void, count: Int = Batches.count) -> [UInt64] {
    batch()
    return (0..<count).map { _ in MonotonicClock.time(batch) }
  }

  /// The same for operations that are awaited, such as calls of an actor.
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
  /// Records what an operation takes, timed in batches, and what the same loop takes around nothing: the noise floor of
  /// `measure`.
  ///
  /// - Parameters:
  ///   - size: the operations of a batch.
  ///   - nothing: the loop, around an operation that does nothing.
  ///   - batch: the loop.
  public func time(_ measure: Measure<Duration>, over size: Int, nothing: () -> Void, _ batch: () -> Void) {
    for time in Batches.times(of: batch) { record(measure, time, over: size) }
    noteFloor(of: measure, over: size, nothing)
  }

  /// The same for operations that are awaited.
  public func time(
    _ measure: Measure<Duration>, over size: Int, isolation: isolated (any Actor)? = #isolation,
    nothing: () async -> Void, _ batch: () async -> Void
  ) async {
    for time in await Batches.times(of: batch) { record(measure, time, over: size) }
    recordFloor(measure, await Batches.times(of: nothing), over: size)
  }

  /// Records what the loop of `measure` takes around nothing, where the loop itself is timed elsewhere.
  public func noteFloor(of measure: Measure<Duration>, over size: Int, _ nothing: () -> Void) {
    recordFloor(measure, Batches.times(of: nothing), over: size)
  }
}

import Laboratory
import Measurement

extension LatencyHistogram {
  /// Creates a histogram of durations in nanoseconds. Elements that are nil are ignored.
  public init(_ nanoseconds: some Sequence<UInt64?>) {
    self.init()
    for case let duration? in nanoseconds { record(duration) }
  }
}

extension Trial {
  /// Records several durations in nanoseconds. Elements that are nil are ignored.
  public func record(_ metric: MetricKey<Duration>, _ nanoseconds: some Sequence<UInt64?>) {
    record(metric, LatencyHistogram(nanoseconds))
  }

  /// Records the durations of a repeated operation. One additional repetition runs first as a warm-up and is not
  /// recorded.
  ///
  /// - Parameters:
  ///   - count: the number of repetitions to record.
  ///   - duration: a closure that executes the operation, and returns its duration in nanoseconds, or nil if the
  ///     duration was not measured.
  public func record(_ metric: MetricKey<Duration>, count: Int, _ duration: () throws -> UInt64?) rethrows {
    record(metric, try (0...count).map { _ in try duration() }.dropFirst())
  }
}

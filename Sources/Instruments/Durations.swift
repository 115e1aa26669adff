import Laboratory
import Measurement

extension LatencyHistogram {
  /// A histogram of durations in nanoseconds; nil stands for one that was not measured.
  public init(_ nanoseconds: some Sequence<UInt64?>) {
    self.init()
    for case let duration? in nanoseconds { record(duration) }
  }
}

extension Trial {
  /// Records durations in nanoseconds, together; nil stands for one that was not measured.
  public func record(_ measure: Measure<Duration>, _ nanoseconds: some Sequence<UInt64?>) {
    record(measure, LatencyHistogram(nanoseconds))
  }

  /// Records how long something takes that is done again and again; the first time warms up.
  ///
  /// - Parameters:
  ///   - count: how often it counts.
  ///   - duration: does it, and returns how long it took in nanoseconds; nil when that was not measured.
  public func record(_ measure: Measure<Duration>, count: Int, _ duration: () throws -> UInt64?) rethrows {
    record(measure, try (0...count).map { _ in try duration() }.dropFirst())
  }
}

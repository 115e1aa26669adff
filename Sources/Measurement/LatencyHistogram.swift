import Histogram

/// A preallocated high dynamic range histogram of durations or counts: three significant digits, 1 to an hour of
/// nanoseconds.
///
/// A value type: give each recording thread its own and ``merge(_:)`` them afterwards. Recording costs 2 to 3 ns
/// in a release build and allocates nothing.
public struct LatencyHistogram: Sendable {
  /// The largest value recorded as it is (one hour, in nanoseconds); a larger one is counted as this.
  public static let highestValue: UInt64 = 3_600_000_000_000

  @usableFromInline var recorded: Histogram<UInt64>

  /// The underlying histogram, for percentile output.
  public var histogram: Histogram<UInt64> { recorded }

  /// An empty histogram.
  public init() {
    recorded = Histogram(
      lowestDiscernibleValue: 1, highestTrackableValue: Self.highestValue, numberOfSignificantValueDigits: .three)
  }

  /// A histogram of stored `[value, count]` pairs, as ``pairs`` gives them.
  public init(pairs: [[UInt64]]) {
    self.init()
    for pair in pairs where pair.count == 2 { record(pair[0], count: pair[1]) }
  }

  /// Records one value; values above ``highestValue`` are recorded as that.
  @inlinable @inline(__always)
  public mutating func record(_ value: UInt64) {
    if !recorded.record(value) { recorded.record(Self.highestValue) }
  }

  /// Records `value` as seen `count` times.
  public mutating func record(_ value: UInt64, count: UInt64) {
    guard count > 0 else { return }
    if !recorded.record(value, count: count) { recorded.record(Self.highestValue, count: count) }
  }

  /// Adds all values of `other`.
  public mutating func merge(_ other: LatencyHistogram) { recorded.add(other.recorded) }

  /// How many values were recorded.
  public var count: UInt64 { histogram.totalCount }

  /// Whether nothing was recorded; then no statistic means anything.
  public var isEmpty: Bool { count == 0 }

  /// The recorded values and how often each was seen, ascending, at the histogram's resolution.
  public var pairs: [[UInt64]] { histogram.recordedValues().map { [$0.value, $0.count] } }
}

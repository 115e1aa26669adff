import Measurement

extension Metric {
  /// What a figure of a metric says: in which words two are compared, and whether a better one is a speed-up.
  public enum Meaning: Sendable, Hashable {
    /// How long something takes: a shorter time is faster.
    case duration
    /// How much of something is done in a second: a higher rate is faster.
    case throughput
    /// How much time or memory: less of it is no speed, such as of lateness or processor time.
    case amount
    /// How many there were.
    case count
    /// A share or a ratio.
    case level

    /// What figures of a kind and unit say.
    ///
    /// - Parameters:
    ///   - kind: nil where a document does not say.
    ///   - isAmount: whether its durations are no running times.
    public init(_ kind: Kind?, _ unit: Unit, isAmount: Bool) {
      switch unit {
      case .nanoseconds: self = isAmount || kind == .count ? .amount : .duration
      case .bytes: self = .amount
      case .perSecond, .bytesPerSecond: self = .throughput
      case .percent: self = .level
      case .none: self = kind == .rate ? .level : .count
      }
    }

    /// Whether a better figure says that something is faster.
    public var isSpeed: Bool { self == .duration || self == .throughput }
  }
}

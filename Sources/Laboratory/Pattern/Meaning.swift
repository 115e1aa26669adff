import Measurement

extension Metric {
  /// The meaning of a metric's figures: the words in which two figures are compared, and whether a better figure is a
  /// speed-up.
  public enum Meaning: Sendable, Hashable {
    /// The time that something takes: a shorter time is faster.
    case duration
    /// The amount of work that is done in a second: a higher rate is faster.
    case throughput
    /// An amount of time or memory. A smaller amount is not a higher speed: less lateness, less processor time.
    case amount
    /// A number of things.
    case count
    /// A share or a ratio.
    case level

    /// Determines the meaning of figures with a kind and a unit.
    ///
    /// - Parameters:
    ///   - kind: the kind of the metric; nil if a document does not say.
    ///   - isAmount: whether its durations are amounts and not running times.
    public init(_ kind: Kind?, _ unit: Unit, isAmount: Bool) {
      switch unit {
      case .nanoseconds: self = isAmount || kind == .count ? .amount : .duration
      case .bytes: self = .amount
      case .perSecond, .bytesPerSecond: self = .throughput
      case .percent: self = .level
      case .none: self = kind == .rate ? .level : .count
      }
    }

    /// Whether a better figure means that something is faster.
    public var isSpeed: Bool { self == .duration || self == .throughput }
  }
}

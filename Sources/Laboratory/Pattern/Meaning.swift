import Measurement

extension Metric {
  /// The meaning of a metric's figures. The meaning determines the words for the comparison of two figures, and whether
  /// a better figure is a speed-up.
  public enum Meaning: Sendable, Hashable {
    /// The duration of an operation. A shorter duration is a higher speed.
    case duration
    /// The amount of work that is done in a second. A higher rate is a higher speed.
    case throughput
    /// An amount of time or memory, such as lateness or processor time. A smaller amount is not a higher speed.
    case amount
    /// A number of objects or events.
    case count
    /// A share or a ratio.
    case level

    /// Creates the meaning of figures from their kind and unit.
    ///
    /// - Parameters:
    ///   - kind: the kind of the metric; nil if a result document does not contain the kind.
    ///   - isAmount: whether durations of the metric are amounts of time, and not the running times of operations.
    public init(_ kind: Kind?, _ unit: Unit, isAmount: Bool) {
      switch unit {
      case .nanoseconds: self = isAmount || kind == .count ? .amount : .duration
      case .bytes: self = .amount
      case .perSecond, .bytesPerSecond: self = .throughput
      case .percent: self = .level
      case .none: self = kind == .rate ? .level : .count
      }
    }

    /// Whether a better figure means that the work is done faster.
    public var isSpeed: Bool { self == .duration || self == .throughput }
  }
}

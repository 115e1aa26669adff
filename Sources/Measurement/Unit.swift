/// The unit of a number.
public enum Unit: String, Sendable, Codable, Hashable, CaseIterable {
  /// The unit of a duration.
  case nanoseconds = "ns"
  /// The unit of a size.
  case bytes = "B"
  /// The unit of a rate of events.
  case perSecond = "1/s"
  /// The unit of a rate of data.
  case bytesPerSecond = "B/s"
  /// The unit of a share of a whole, in hundredths.
  case percent = "%"
  /// The absence of a unit, for plain numbers such as counts.
  case none = ""

  /// The suffixes that an error message suggests for a value with this unit; empty for a plain number.
  public var suffixes: [String] {
    switch self {
    case .nanoseconds: ["ns", "us", "ms", "s", "min"]
    case .bytes: ["B", "KiB", "MiB", "GiB"]
    case .perSecond, .bytesPerSecond: ["/s", "B/s", "KiB/s", "MiB/s"]
    case .percent: ["%"]
    case .none: []
    }
  }
}

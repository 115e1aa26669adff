import Measurement

/// How a trial ended.
public enum Outcome: Sendable, Codable, Hashable {
  /// The trial ran to its end and reported.
  case completed
  /// A signal ended the worker; its number.
  case trapped(signal: Int)
  /// The watchdog ended it.
  case hung
  /// The trial was at work for longer than its share of the time, so it was ended, and its variant not tried again.
  case stopped(after: Duration)
  /// The worker ended with this status and without a report, or with one that could not be read.
  case broken(reason: String)
  /// The machine does not allow it.
  case unavailable(reason: String)

  /// In which way a trial ended, without the particulars; by the names that checks and result documents write.
  public enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    /// The trial ran to its end and reported.
    case completed
    /// A signal ended the worker.
    case trapped
    /// All threads of the worker slept, or it outlived its time, and the watchdog ended it.
    case hung
    /// A trial at work took longer than its share of the time.
    case stopped
    /// The worker failed the lab: no report, an unreadable one, or one without a promised figure.
    case broken
    /// The machine does not allow the trial.
    case unavailable

    /// Whether the variant had no part in it, so that it neither kept nor broke a promise: the machine does not allow
    /// it, or it would have taken too long.
    public var wasNotTried: Bool {
      switch self {
      case .unavailable, .stopped: true
      case .completed, .trapped, .hung, .broken: false
      }
    }

    /// Whether the variant crashed or stood still, which is a fault in one that is meant to complete.
    public var isAbnormal: Bool {
      switch self {
      case .trapped, .hung: true
      case .completed, .stopped, .broken, .unavailable: false
      }
    }
  }

  /// In which way the trial ended.
  public var kind: Kind {
    switch self {
    case .completed: .completed
    case .trapped: .trapped
    case .hung: .hung
    case .stopped: .stopped
    case .broken: .broken
    case .unavailable: .unavailable
    }
  }

  /// Why there is no observation, when there is more to say than the kind; with the kind in front.
  public var reason: String? { detail.map { "\(kind.rawValue): \($0)" } }

  /// Why there is no observation, when there is more to say than the kind.
  var detail: String? {
    switch self {
    case .broken(let reason), .unavailable(let reason): reason
    case .stopped(let limit): "a trial took longer than \(Quantity(limit))"
    case .completed, .trapped, .hung: nil
    }
  }
}

import Measurement

/// The way in which a trial ended.
public enum Outcome: Sendable, Codable, Hashable {
  /// The trial ran to its end, and its worker sent a report.
  case completed
  /// A signal with this number ended the worker.
  case trapped(signal: Int)
  /// The watchdog ended the worker, because all threads of the worker slept or the time limit for a hang had passed.
  case hung
  /// The lab ended the trial after this time, which is shorter than the time limit for a hang. A thread of the trial
  /// did not sleep, or the trial had not been overdue for long enough to count as hung.
  case stopped(after: Duration)
  /// The trial failed in another way: for instance, the body threw an error, or a promised figure is missing.
  case broken(reason: String)
  /// The machine does not allow the trial.
  case unavailable(reason: String)

  /// The kind of an outcome, without details. The raw value of a kind is its name in checks and result documents.
  public enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    /// The trial ran to its end, and its worker sent a report.
    case completed
    /// A signal ended the worker.
    case trapped
    /// The watchdog ended the worker, because all threads of the worker slept or the time limit for a hang had passed.
    case hung
    /// The lab ended the trial at a time limit that is shorter than the time limit for a hang. A thread of the trial
    /// did not sleep, or the trial had not been overdue for long enough to count as hung.
    case stopped
    /// The trial failed in another way: for instance, the body threw an error, or a promised figure is missing.
    case broken
    /// The machine does not allow the trial.
    case unavailable

    /// Whether the trial was not run to its end, because the machine does not allow the trial or because the trial
    /// would have taken too long. Such a trial neither keeps nor breaks a promise.
    public var hasNoResult: Bool {
      switch self {
      case .unavailable, .stopped: true
      case .completed, .trapped, .hung, .broken: false
      }
    }

    /// Whether the trial trapped or hung. Such an outcome is a fault of a variant that should complete.
    public var isAbnormal: Bool {
      switch self {
      case .trapped, .hung: true
      case .completed, .stopped, .broken, .unavailable: false
      }
    }
  }

  /// The kind of the outcome.
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

  /// The name of the kind and the reason for a missing observation, joined by a colon; nil if the trial completed, or
  /// if the kind is the whole reason.
  public var reason: String? { detail.map { "\(kind.rawValue): \($0)" } }

  /// The reason for a missing observation, without the name of the kind; nil if the trial completed, or if the kind is
  /// the whole reason.
  var detail: String? {
    switch self {
    case .broken(let reason), .unavailable(let reason): reason
    case .stopped(let limit): "a trial took longer than \(Quantity(limit))"
    case .completed, .trapped, .hung: nil
    }
  }
}

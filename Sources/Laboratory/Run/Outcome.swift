import Measurement

/// How a trial ended.
public enum Outcome: Sendable, Codable, Hashable {
  /// It ran to its end and reported.
  case completed
  /// A signal ended the worker; its number.
  case trapped(signal: Int)
  /// The watchdog ended it.
  case hung
  /// It was at work for longer than its share of the time, so it was ended, and its variant not tried again.
  case stopped(after: Duration)
  /// The worker ended with this status and without a report, or with one that could not be read.
  case broken(reason: String)
  /// The machine does not allow it.
  case unavailable(reason: String)

  /// The name of its kind, as result documents write it.
  public var name: String {
    switch self {
    case .completed: "completed"
    case .trapped: "trapped"
    case .hung: "hung"
    case .stopped: "stopped"
    case .broken: "broken"
    case .unavailable: "unavailable"
    }
  }

  /// Whether the variant had no part in it, so that it neither kept nor broke a promise: the machine does not allow it,
  /// or it would have taken too long.
  var wasNotTried: Bool {
    switch self {
    case .unavailable, .stopped: true
    case .completed, .trapped, .hung, .broken: false
    }
  }

  /// Whether the variant crashed or stood still, which is a fault in one that is meant to complete.
  var isAbnormal: Bool {
    switch self {
    case .trapped, .hung: true
    case .completed, .stopped, .broken, .unavailable: false
    }
  }

  /// Why there is no observation, when there is more to say than the name; with the name in front.
  public var reason: String? { detail.map { "\(name): \($0)" } }

  /// Why there is no observation, when there is more to say than the name.
  var detail: String? {
    switch self {
    case .broken(let reason), .unavailable(let reason): reason
    case .stopped(let limit): "a trial took longer than \(Quantity(limit))"
    case .completed, .trapped, .hung: nil
    }
  }
}

/// The expected end of a variant's trials. Any other end is an outcome that claims can judge. The lab detects the
/// expected end without waiting for the time limit of the watchdog.
public enum Ending: Sendable, Hashable {
  /// The trials complete.
  case completes
  /// The runtime ends the trials with a signal, usually within this time after the hazard.
  case traps(within: Duration)
  /// The trials hang: all threads are asleep after this time. If threads are still awake, for instance on a slow
  /// machine, the lab continues to check until the time limit of the watchdog.
  case hangs(within: Duration)

  /// The runtime ends the trials immediately with a signal. After half a second, the lab checks whether a trial hangs
  /// instead.
  public static let trapsAtOnce = Ending.traps(within: .milliseconds(500))

  /// The name of the ending in result documents.
  public var name: String {
    switch self {
    case .completes: "completes"
    case .traps: "traps"
    case .hangs: "hangs"
    }
  }

  /// Whether the runtime is expected to end the trials with a signal.
  var isTrap: Bool { if case .traps = self { true } else { false } }

  /// The time after which the lab checks whether the trial hangs; nil for a trial that is expected to complete.
  var within: Duration? {
    switch self {
    case .completes: nil
    case .traps(let within), .hangs(let within): within
    }
  }
}

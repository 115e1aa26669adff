/// The outcome of an execution.
public enum ExecutionOutcome: Hashable, Sendable {
  /// All threads ended, and the program kept its promises.
  case holds
  /// The program broke the described promise.
  case breaks(String)
  /// The library would trap, for the described reason.
  case trap(String)
  /// No thread can continue. Each text describes what one thread waits for.
  case deadlock([String])
  /// The execution did not end within the maximum number of steps.
  case endless
  /// The exploration abandoned the execution, because another execution represents it.
  case abandoned
  /// The program cannot be explored, for the described reason.
  case unable(String)

  /// Whether the execution shows a defect of the program.
  public var isBroken: Bool {
    switch self {
    case .breaks, .trap, .deadlock: true
    case .holds, .endless, .abandoned, .unable: false
    }
  }

  /// A short description of the outcome.
  public var words: String {
    switch self {
    case .holds: "holds"
    case .breaks(let what): what
    case .trap(let what): "trap: \(what)"
    case .deadlock: "deadlock: no thread can continue"
    case .endless: "no end after \(Execution.longest) steps"
    case .abandoned: "abandoned"
    case .unable(let why): why
    }
  }
}

/// The end of an execution.
public enum ExecutionOutcome: Hashable, Sendable {
  /// All threads ended, and no promise was broken.
  case holds
  /// A promise was broken.
  case breaks(String)
  /// The library would end the process.
  case trap(String)
  /// No thread can continue. The texts say what each thread waits for.
  case deadlock([String])
  /// The execution took more steps than an execution may.
  case endless
  /// The exploration abandoned the execution, since another one stands for it.
  case abandoned
  /// The program did something that cannot be explored.
  case unable(String)

  /// Whether the execution shows a defect of the program.
  public var isBroken: Bool {
    switch self {
    case .breaks, .trap, .deadlock: true
    case .holds, .endless, .abandoned, .unable: false
    }
  }

  /// The outcome in a few words.
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

/// The steps and the outcome of one execution.
public struct Record: Sendable, Equatable {
  /// A step.
  public struct Step: Sendable, Equatable {
    /// The number of the thread, block or task.
    public let strand: Int
    /// The effects of the step, in words.
    public internal(set) var words: [String] = []
    /// The promise that the step broke; nil if it broke none.
    public internal(set) var breaks: String?
    /// Whether the step is only part of the bookkeeping.
    public internal(set) var isSilent = false

    init(strand: Int) { self.strand = strand }
  }

  /// The way in which the execution ended.
  public let outcome: ExecutionOutcome
  /// The numbers of the threads that made the steps, in order.
  public let schedule: [Int]
  /// The number of steps up to the one that broke the promise; the number of all steps if none did.
  let decided: Int
  /// The steps; empty if they were not recorded.
  public let steps: [Step]
  /// The names of the threads, blocks and tasks, by number.
  public let strands: [String]

  /// The schedule up to the step that decides how the execution ends.
  public var decisive: ArraySlice<Int> { schedule.prefix(decided) }

  /// The number of decisive steps that do not continue the thread of the step before.
  var switches: Int { zip(decisive, decisive.dropFirst()).count { $0 != $1 } }

  /// The decisive schedule as the command line takes it: `1.2.2.1`.
  public var scheduleText: String { decisive.map(String.init).joined(separator: ".") }

  /// The steps that a reader sees, up to the one that breaks a promise.
  public var shown: [Step] { steps.prefix(decided).filter { !$0.isSilent && !$0.words.isEmpty } }

  /// The names of the threads, blocks and tasks that make steps that a reader sees.
  var participants: [String] {
    Set(steps.filter { !$0.isSilent && !$0.words.isEmpty }.map(\.strand)).sorted().map { strands[$0] }
  }
}

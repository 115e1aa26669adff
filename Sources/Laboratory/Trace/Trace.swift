/// A recorded trial or program: the times and cores at which each thread ran, the blocks with their submissions, and
/// the waits of each thread.
///
/// All times are in nanoseconds since the start of the trace, which is the start of the trial's body or of the traced
/// part of a program's record. All references to lanes, queues and blocks are indices into ``lanes``, ``queues`` and
/// ``blocks``. ``gaps`` and ``missing`` describe the periods and the kinds of events that were not recorded. A picture
/// never shows an unrecorded period as an idle thread.
public struct Trace: Sendable, Codable, Equatable {
  /// The name of the scenario, or of the recorded program.
  public var scenario: String
  /// The name of the variant, or the process of the recorded program, for example `process 1234`.
  public var variant: String
  /// The swept settings in the form of labels, for example `stride=64`; empty if nothing is swept.
  public var point: String
  /// The system's numbers of the cores that the trial or the program could use.
  public var cores: [Int]
  /// The duration of the trace, in nanoseconds. The trace ends with the trial's body or with the program. If neither
  /// ended, the trace ends with the record.
  public var length: UInt64
  /// The way in which the trial or the program ended.
  public var end: End
  /// Whether the trial ended with the trap or the hang with which its variant is expected to end.
  public var isForeseen = false
  /// The queues and executors that blocks were submitted to, in the order of their first use.
  public var queues: [Queue]
  /// The threads: the caller, the main thread, the threads of the pool, the thread that waits for events, and the
  /// trial's own threads. Each group is in the order in which its threads began.
  public var lanes: [Lane]
  /// The blocks, in order of submission.
  public var blocks: [Block]
  /// The periods in which a record is incomplete.
  public var gaps: [Gap]
  /// The records that could not be made, with the reasons.
  public var missing: [Missing]
  /// The running times of threads from two sources.
  public var accounts: [Account]
  /// The most time that the hypervisor can have taken from the machine's cores, in nanoseconds. The scheduler's record
  /// counts this time as running time, and the system's accounts do not.
  public var stolenAtMost: UInt64 = 0
  /// The properties of a user's program; nil for a trial.
  public var program: Program?

  /// The properties that only the trace of a user's program has. In such a trace, `scenario` is the name of the
  /// program.
  public struct Program: Sendable, Codable, Equatable {
    /// The shortest delay of other blocks, in nanoseconds, for which a block on the main queue is reported.
    public var hang: UInt64
    /// The stacks of calls. Each stack contains the names of its functions, beginning with the innermost function.
    /// Functions of system libraries are omitted.
    public var stacks: [[String]]
    /// The indices of the queues whose blocks may have waited for something other than a thread: queues that were
    /// suspended, or that have a target queue other than a global queue.
    public var delayedQueues: Set<Int>
    /// The number of events that were overwritten by later events, before the beginning of the trace; nil if the trace
    /// covers all of the requested time.
    public var overwritten: Int?

    /// Creates the properties of a program, by default with no stacks, no delayed queues and no overwritten events.
    public init(hang: UInt64, stacks: [[String]] = [], delayedQueues: Set<Int> = [], overwritten: Int? = nil) {
      self.hang = hang
      self.stacks = stacks
      self.delayedQueues = delayedQueues
      self.overwritten = overwritten
    }
  }

  /// The way in which a recorded trial or program ended.
  public enum End: Sendable, Codable, Equatable {
    /// The trial or the program ran to its end.
    case completed
    /// All threads of the trial slept or the trial exceeded its time limit, and the lab ended the trial.
    case hung
    /// A signal with this number ended the trial or the program.
    case trapped(signal: Int)
    /// The trial or the program ended in the described way.
    case other(String)

    /// Returns whether this end is the trap or the hang with which a variant is expected to end. The argument is the
    /// name of the variant's ``Ending``; nil if the name is unknown.
    public func isForeseen(by ending: String?) -> Bool {
      switch self {
      case .hung: ending == Ending.hangs(within: .zero).name
      case .trapped: ending == Ending.traps(within: .zero).name
      case .completed, .other: false
      }
    }
  }

  /// Creates a trace.
  public init(
    scenario: String, variant: String, point: String = "", cores: [Int], length: UInt64, end: End = .completed,
    queues: [Queue] = [], lanes: [Lane] = [], blocks: [Block] = [], gaps: [Gap] = [], missing: [Missing] = [],
    accounts: [Account] = []
  ) {
    self.scenario = scenario
    self.variant = variant
    self.point = point
    self.cores = cores
    self.length = length
    self.end = end
    self.queues = queues
    self.lanes = lanes
    self.blocks = blocks
    self.gaps = gaps
    self.missing = missing
    self.accounts = accounts
  }
}

extension Trace {
  /// The variant and the point as checks write them, for example `apply[stride=64]`.
  public var label: String { point.isEmpty ? variant : "\(variant)[\(point)]" }

  /// Whether the trace contains a record of the scheduler.
  public var knowsRunning: Bool { !missing.contains { $0.record == .scheduler } }

  /// Whether the trace contains a record of the calls of Dispatch.
  public var knowsCalls: Bool { !missing.contains { $0.record == .calls } }
}

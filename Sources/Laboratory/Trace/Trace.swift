/// A recorded trial or program: when and on which core each thread ran, the blocks with their submissions, and the
/// waits of each thread.
///
/// All times are in nanoseconds since the start of the trial's body or of the record of a program. All numbers of
/// lanes, queues and blocks are indices into ``lanes``, ``queues`` and ``blocks``. ``missing`` and ``gaps`` describe
/// the periods and the kinds of events that were not recorded. A picture never shows an unrecorded period as an idle
/// thread.
public struct Trace: Sendable, Codable, Equatable {
  /// The name of the scenario.
  public var scenario: String
  /// The name of the variant.
  public var variant: String
  /// The swept settings in the form of labels: `stride=64`; empty if nothing is swept.
  public var point: String
  /// The system's numbers of the cores that the trial could use.
  public var cores: [Int]
  /// The time from the beginning of the body to the end of the record, in nanoseconds.
  public var length: UInt64
  /// The way in which the trial ended.
  public var end: End
  /// Whether the variant is expected to end in this way: by a trap or a hang.
  public var isForeseen = false
  /// The queues and executors that blocks were submitted to, in the order of their first use.
  public var queues: [Queue]
  /// The threads: the caller and the main thread, followed by the threads of the pool and the trial's own threads. Each
  /// group is in the order in which its threads began.
  public var lanes: [Lane]
  /// The blocks, in order of submission.
  public var blocks: [Block]
  /// The periods in which a record is incomplete.
  public var gaps: [Gap]
  /// The records that could not be made, with the reasons.
  public var missing: [Missing]
  /// The running times of threads from two sources.
  public var accounts: [Account]
  /// The properties of a user's program; nil for a trial.
  public var program: Program?

  /// The properties that only the trace of a user's program has. In such a trace, `scenario` is the name of the
  /// program.
  public struct Program: Sendable, Codable, Equatable {
    /// The shortest delay of other blocks, in nanoseconds, for which a block on the main queue is reported.
    public var hang: UInt64
    /// The stacks of calls. Each stack contains the names of its functions, beginning with the innermost function and
    /// without functions of system libraries.
    public var stacks: [[String]]
    /// The indices of the queues whose blocks may have waited for something other than a thread: queues that were
    /// suspended, or that have a target queue other than a global queue.
    public var delayedQueues: Set<Int>
    /// The number of events that were overwritten by later events, before the beginning of the trace; nil if the trace
    /// covers all of the requested time.
    public var overwritten: Int?

    /// Creates the properties of a program.
    public init(hang: UInt64, stacks: [[String]] = [], delayedQueues: Set<Int> = [], overwritten: Int? = nil) {
      self.hang = hang
      self.stacks = stacks
      self.delayedQueues = delayedQueues
      self.overwritten = overwritten
    }
  }

  /// The way in which a recorded trial ended.
  public enum End: Sendable, Codable, Equatable {
    /// The trial ran to its end.
    case completed
    /// All threads of the trial were asleep, and the lab ended the trial.
    case hung
    /// A signal with this number ended the trial.
    case trapped(signal: Int)
    /// The trial ended in another way, which the text describes.
    case other(String)

    /// Returns whether a variant is expected to end in this way, by a trap or a hang. The argument is the name of the
    /// variant's ``Ending``.
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
  /// The variant and the point as checks write them: `apply[stride=64]`.
  public var label: String { point.isEmpty ? variant : "\(variant)[\(point)]" }

  /// Whether the trace contains a record of the scheduler.
  public var knowsRunning: Bool { !missing.contains { $0.record == .scheduler } }

  /// Whether the trace contains a record of the calls of Dispatch.
  public var knowsCalls: Bool { !missing.contains { $0.record == .calls } }
}

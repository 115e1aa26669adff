/// A recorded trial: where and when each thread ran, in which block, where the block came from, and what the thread
/// waited for.
///
/// All times are nanoseconds since the trial's body began. All numbers of lanes, queues and blocks are indices into
/// ``lanes``, ``queues`` and ``blocks``. ``missing`` and ``gaps`` say what was not recorded. A picture never shows such
/// a gap as a thread at rest.
public struct Trace: Sendable, Codable, Equatable {
  /// The name of the scenario.
  public var scenario: String
  /// The name of the variant.
  public var variant: String
  /// The swept settings in the form of labels: `stride=64`; empty if nothing is swept.
  public var point: String
  /// The system's numbers of the cores that the trial could run on.
  public var cores: [Int]
  /// The time from the beginning of the body to the end of the record.
  public var length: UInt64
  /// The way in which the trial ended.
  public var end: End
  /// Whether the variant is expected to end in this way: to trap, or to hang.
  public var isForeseen = false
  /// The queues and executors that blocks were submitted to, in the order in which they were first seen.
  public var queues: [Queue]
  /// The threads: caller and main first, then those of the pool and the trial's own, each group in order of
  /// beginning.
  public var lanes: [Lane]
  /// The blocks, in order of submission.
  public var blocks: [Block]
  /// The times for which the record is incomplete.
  public var gaps: [Gap]
  /// The records that could not be made at all, with the reasons.
  public var missing: [Missing]
  /// The running times of threads from two sources.
  public var accounts: [Account]
  /// The part of a trace that only a user's program has; nil for a trial.
  public var program: Program?

  /// The part of a trace that only a user's program has. The trace's scenario is the name of the program.
  public struct Program: Sendable, Codable, Equatable {
    /// The time in nanoseconds from which a block on the main queue keeps others waiting for too long.
    public var hang: UInt64
    /// The stacks of calls: the names of functions, the innermost first, without those of system libraries.
    public var stacks: [[String]]
    /// The queues whose blocks may have waited for something other than a thread: those that were suspended, or that
    /// have a target of their own.
    public var heldQueues: Set<Int>
    /// The number of events before the beginning of the trace that later ones have overwritten; nil if the trace covers
    /// all of the requested time.
    public var overwritten: Int?

    /// Creates the facts of a program.
    public init(hang: UInt64, stacks: [[String]] = [], heldQueues: Set<Int> = [], overwritten: Int? = nil) {
      self.hang = hang
      self.stacks = stacks
      self.heldQueues = heldQueues
      self.overwritten = overwritten
    }
  }

  /// The end of a recorded trial.
  public enum End: Sendable, Codable, Equatable {
    /// The trial ran to its end.
    case completed
    /// All threads of the trial stood still, and the lab ended it.
    case hung
    /// A signal with this number ended the trial.
    case trapped(signal: Int)
    /// The trial ended in another way, which its outcome names.
    case other(String)
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

  /// Whether there is a record of the scheduler.
  public var knowsRunning: Bool { !missing.contains { $0.record == .scheduler } }

  /// Whether there is a record of Dispatch's calls.
  public var knowsCalls: Bool { !missing.contains { $0.record == .calls } }
}

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
  /// The part of a trace that only a user\'s program has; nil for a trial.
  public var program: Program?

  /// The part of a trace that only a user\'s program has. The trace's scenario is the name of the program.
  public struct Program: Sendable, Codable, Equatable {
    /// The time in nanoseconds from which a block on the main queue keeps others waiting for too long.
    public var hang: UInt64
    /// The stacks of calls: the names of functions, the innermost first, without those of system libraries.
    public var stacks: [[String]]
    /// The queues whose blocks may have waited for something other than a thread: those that were suspended, or that
    /// have a target of their own.
    public var heldQueues: Set<Int>
    /// The number of events before the beginning of the trace that later ones have overwritten; nil if the trace has
    /// all of the time that was asked for.
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

  /// A queue or executor that blocks are submitted to.
  public struct Queue: Sendable, Codable, Equatable {
    /// The kind of a queue.
    public enum Kind: String, Sendable, Codable {
      /// A queue that runs one block after the other.
      case serial
      /// A queue that runs several blocks at once.
      case concurrent
      /// A queue of the system.
      case global
      /// The main queue.
      case main
      /// Swift's pool of threads.
      case swiftPool
      /// An actor, which runs one job after the other.
      case actor
      /// The kind is unknown.
      case unknown
    }
    /// The label of the queue, or a number if it has none.
    public var label: String
    /// The kind of the queue.
    public var kind: Kind

    /// Creates a queue.
    public init(label: String, kind: Kind) {
      self.label = label
      self.kind = kind
    }

    /// Whether two blocks of the queue must never run at once.
    public var isSerial: Bool {
      switch kind {
      case .serial, .main, .actor: true
      case .concurrent, .global, .swiftPool, .unknown: false
      }
    }
  }

  /// A thread.
  public struct Lane: Sendable, Codable, Equatable {
    /// The kind of a thread.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// The trial's own thread, which runs the variant's body.
      case caller
      /// The first thread of the process, which serves the main queue.
      case main
      /// A thread of Dispatch's pool, which runs the jobs of Swift concurrency, too.
      case pool
      /// Dispatch's thread that waits for events of descriptors and timers.
      case manager
      /// Any other thread, which the trial started.
      case own

      /// Reads a kind. Documents of older versions have a kind of its own for threads of the pool that ran jobs of
      /// Swift concurrency.
      public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let kind = Kind(rawValue: name == "swiftPool" ? "pool" : name) else {
          throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is not a kind of thread")
        }
        self = kind
      }
    }
    /// The system's number of the thread.
    public var thread: Int
    /// The name of the thread in pictures: `caller`, `main`, `pool 3`.
    public var name: String
    /// The kind of the thread.
    public var kind: Kind
    /// The time at which the thread was first seen.
    public var begin: UInt64
    /// The time at which the thread ended; nil if it existed at the end of the record.
    public var end: UInt64?
    /// The times for which the thread ran, in order; empty if the scheduler's record is missing.
    public var runs: [RunInterval]
    /// The waits of the thread, in order. A wait may be inside a block, but never inside another wait.
    public var waits: [Wait]

    /// Creates a thread.
    public init(
      thread: Int, name: String, kind: Kind, begin: UInt64, end: UInt64? = nil, runs: [RunInterval] = [],
      waits: [Wait] = []
    ) {
      self.thread = thread
      self.name = name
      self.kind = kind
      self.begin = begin
      self.end = end
      self.runs = runs
      self.waits = waits
    }
  }

  /// A time for which a thread ran without a break.
  public struct RunInterval: Sendable, Codable, Equatable {
    /// The time at which the thread got the core.
    public var begin: UInt64
    /// The time at which the thread left the core; the end of the record if it ran until then.
    public var end: UInt64
    /// The number of the core.
    public var core: Int
    /// Whether the thread could have continued: the core was given to another thread.
    public var isPreempted: Bool

    /// Creates a stretch.
    public init(begin: UInt64, end: UInt64, core: Int, isPreempted: Bool = false) {
      self.begin = begin
      self.end = end
      self.core = core
      self.isPreempted = isPreempted
    }
  }

  /// A wait of a thread.
  public struct Wait: Sendable, Codable, Equatable {
    /// The kind of event for which a thread waits.
    public enum Reason: String, Sendable, Codable, CaseIterable {
      /// `DispatchGroup.wait`.
      case group
      /// `DispatchSemaphore.wait`.
      case semaphore
      /// The turn or the end of a block that was submitted with `sync`.
      case sync
      /// The share of other threads in a parallel loop.
      case apply
      /// `dispatch_once`, while another thread runs the block.
      case once
      /// A mutex.
      case lock
      /// A condition variable.
      case condition
      /// The end of a thread.
      case join
      /// The passing of a time.
      case sleep
      /// Data, room for data, or an event of a descriptor.
      case descriptor
      /// Work, for a thread of a pool that has none.
      case work
    }
    /// The time at which the wait began.
    public var begin: UInt64
    /// The time at which the wait ended; nil if it had not ended by the end of the record.
    public var end: UInt64?
    /// The event for which the thread waited.
    public var reason: Reason
    /// The queue that a `sync` or a parallel loop waited for.
    public var queue: Int?
    /// The system's number of the thread that held the lock when the wait began; nil if it is not known.
    public var owner: Int?
    /// The stack of the call; nil if it is not known.
    public var stack: Int?

    /// Creates a wait.
    public init(begin: UInt64, end: UInt64?, for reason: Reason, queue: Int? = nil) {
      self.begin = begin
      self.end = end
      self.reason = reason
      self.queue = queue
    }
  }

  /// A block, from its submission to its end.
  public struct Block: Sendable, Codable, Equatable {
    /// The way in which a block was submitted.
    public enum Kind: String, Sendable, Codable {
      /// `async`.
      case async
      /// `sync`: the submitter waits for the end of the block, and usually runs it.
      case sync
      /// An iteration of `concurrentPerform` or `dispatch_apply`.
      case apply
      /// `asyncAfter`: the block was submitted for a later time.
      case after
      /// `notify` of a group: the block waits for the group.
      case notify
      /// The handler of a dispatch source.
      case handler
      /// A job of Swift concurrency, from one suspension to the next.
      case job
    }
    /// The way in which the block was submitted.
    public var kind: Kind
    /// Whether the block was submitted as a barrier.
    public var isBarrier: Bool
    /// The queue that the block was submitted to.
    public var queue: Int
    /// The number of the block among those of its queue, from 1.
    public var number: Int
    /// The time of the submission; nil for a handler, which the source submits.
    public var submitted: UInt64?
    /// The lane of the thread that submitted the block.
    public var submitter: Int?
    /// The lane that the block ran on; nil if it had not begun by the end of the record.
    public var lane: Int?
    /// The time at which the block began.
    public var begin: UInt64?
    /// The time at which the block ended; nil if it had not ended by the end of the record.
    public var end: UInt64?
    /// The duration of the call that submitted the block, in nanoseconds; nil if it was not measured.
    public var submissionTime: UInt64?
    /// The stack of the submission; nil if it is not known.
    public var stack: Int?

    /// Creates a block.
    public init(
      _ kind: Kind, isBarrier: Bool = false, queue: Int, number: Int, submitted: UInt64?, submitter: Int?,
      lane: Int? = nil, begin: UInt64? = nil, end: UInt64? = nil
    ) {
      self.kind = kind
      self.isBarrier = isBarrier
      self.queue = queue
      self.number = number
      self.submitted = submitted
      self.submitter = submitter
      self.lane = lane
      self.begin = begin
      self.end = end
    }
  }

  /// A time for which a record is missing, for all lanes.
  public struct Gap: Sendable, Codable, Equatable {
    /// The record that is incomplete.
    public enum Record: String, Sendable, Codable {
      /// Blocks and waits.
      case calls
      /// The record of the scheduler: the thread that ran on each core.
      case scheduler
    }
    /// The record that is incomplete.
    public var record: Record
    /// The beginning of the gap.
    public var begin: UInt64
    /// The end of the gap.
    public var end: UInt64
    /// The number of lost events.
    public var lost: Int

    /// Creates a gap.
    public init(_ record: Record, begin: UInt64, end: UInt64, lost: Int) {
      self.record = record
      self.begin = begin
      self.end = end
      self.lost = lost
    }
  }

  /// A record that could not be made.
  public struct Missing: Sendable, Codable, Equatable {
    /// The record.
    public var record: Gap.Record
    /// The reason why the record could not be made, and another way to see the same: a sentence without a full stop.
    public var why: String

    /// Creates the note of a missing record.
    public init(_ record: Gap.Record, why: String) {
      self.record = record
      self.why = why
    }
  }

  /// The running time of a thread according to the system (Linux: `/proc/self/task/…/schedstat`) and according to the
  /// scheduler's record. Both start at the same time and end at the same time, shortly after the body ended.
  public struct Account: Sendable, Codable, Equatable {
    /// The lane of the thread.
    public var lane: Int
    /// The time according to the system.
    public var told: UInt64
    /// The time according to the record.
    public var recorded: UInt64

    /// Creates an account.
    public init(lane: Int, told: UInt64, recorded: UInt64) {
      self.lane = lane
      self.told = told
      self.recorded = recorded
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

  /// Whether there is a record of the scheduler.
  public var knowsRunning: Bool { !missing.contains { $0.record == .scheduler } }

  /// Whether there is a record of Dispatch's calls.
  public var knowsCalls: Bool { !missing.contains { $0.record == .calls } }
}

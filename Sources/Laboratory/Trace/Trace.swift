/// One trial as it was recorded: which thread ran where and when, in which block, from where that came, and what it
/// waited for.
///
/// All times are nanoseconds since the trial's body began, all numbers of lanes, queues and blocks indices into
/// ``lanes``, ``queues`` and ``blocks``. What was not recorded is said in ``missing`` and ``gaps``, and is never drawn
/// as rest.
public struct Trace: Sendable, Codable, Equatable {
  /// The scenario.
  public var scenario: String
  /// The variant.
  public var variant: String
  /// The swept settings, as labels write them: `stride=64`; empty when nothing is swept.
  public var point: String
  /// The numbers of the cores it could run on, as the system counts them.
  public var cores: [Int]
  /// From the beginning of the body to the end of the record.
  public var length: UInt64
  /// How the trial ended.
  public var end: End
  /// Whether the variant is there to end so: to trap, or to hang.
  public var isForeseen = false
  /// The queues and executors that blocks were submitted to, in the order in which they were first seen.
  public var queues: [Queue]
  /// The threads: caller and main first, then the pool's, Swift's, and those of the trial's own, each in order of
  /// beginning.
  public var lanes: [Lane]
  /// The blocks, in order of submission.
  public var blocks: [Block]
  /// Where the record has holes.
  public var gaps: [Gap]
  /// What could not be recorded at all, and why.
  public var missing: [Missing]
  /// How long threads ran, told in two ways.
  public var accounts: [Account]

  /// How a traced trial ended.
  public enum End: Sendable, Codable, Equatable {
    /// The trial ran to its end.
    case completed
    /// All its threads stood still, and the lab ended it.
    case hung
    /// A signal ended it; its number.
    case trapped(signal: Int)
    /// The trial ended in another way, as the outcome of a trial says.
    case other(String)
  }

  /// Where blocks are submitted to.
  public struct Queue: Sendable, Codable, Equatable {
    /// What it is.
    public enum Kind: String, Sendable, Codable {
      /// Runs one block after the other.
      case serial
      /// Runs several at once.
      case concurrent
      /// One of the system's.
      case global
      /// The main queue.
      case main
      /// Swift's own pool of threads.
      case swiftPool
      /// An actor, which runs one job after the other.
      case actor
      /// Not known.
      case unknown
    }
    /// Its label; a number where it has none.
    public var label: String
    /// What it is.
    public var kind: Kind

    /// A queue.
    public init(label: String, kind: Kind) {
      self.label = label
      self.kind = kind
    }

    /// Whether two of its blocks may never run at once.
    public var isSerial: Bool {
      switch kind {
      case .serial, .main, .actor: true
      case .concurrent, .global, .swiftPool, .unknown: false
      }
    }
  }

  /// A thread.
  public struct Lane: Sendable, Codable, Equatable {
    /// What it is.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// The trial's own thread, which runs the variant's body.
      case caller
      /// The process's first, which serves the main queue.
      case main
      /// Of Dispatch's pool.
      case pool
      /// Of Swift's pool.
      case swiftPool
      /// Dispatch's own that waits for events of descriptors and timers.
      case manager
      /// Any other, which the trial made.
      case own
    }
    /// The thread's number in the system.
    public var thread: Int
    /// What it is called in pictures: `caller`, `main`, `pool 3`.
    public var name: String
    /// What it is.
    public var kind: Kind
    /// When it was first seen.
    public var begin: UInt64
    /// When it ended; nil when it was there at the end of the record.
    public var end: UInt64?
    /// Where it ran, in order; empty where the scheduler's record is missing.
    public var runs: [Stretch]
    /// What it waited for, in order; inside a block or not, never one in another.
    public var waits: [Wait]

    /// A thread.
    public init(
      thread: Int, name: String, kind: Kind, begin: UInt64, end: UInt64? = nil, runs: [Stretch] = [], waits: [Wait] = []
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

  /// A time that a thread ran without a break.
  public struct Stretch: Sendable, Codable, Equatable {
    /// When it came to the core.
    public var begin: UInt64
    /// When it left; the record's end where it ran until then.
    public var end: UInt64
    /// The core's number.
    public var core: Int
    /// Whether it could have gone on when it left: the core was given to another.
    public var isPreempted: Bool

    /// A stretch.
    public init(begin: UInt64, end: UInt64, core: Int, isPreempted: Bool = false) {
      self.begin = begin
      self.end = end
      self.core = core
      self.isPreempted = isPreempted
    }
  }

  /// A wait of a thread.
  public struct Wait: Sendable, Codable, Equatable {
    /// What is waited for.
    public enum Reason: String, Sendable, Codable, CaseIterable {
      /// `DispatchGroup.wait`.
      case group
      /// `DispatchSemaphore.wait`.
      case semaphore
      /// The turn, or the end, of a block submitted with `sync`.
      case sync
      /// Other threads' part of a parallel loop.
      case apply
      /// `dispatch_once`: another thread is at it.
      case once
      /// A mutex.
      case lock
      /// A condition variable.
      case condition
      /// The end of a thread.
      case join
      /// A time to pass.
      case sleep
      /// Data, room for data, or an event of a descriptor.
      case descriptor
      /// A thread of a pool that has nothing to do.
      case work
    }
    /// When it began.
    public var begin: UInt64
    /// When it ended; nil when it had not by the end of the record.
    public var end: UInt64?
    /// What was waited for.
    public var reason: Reason
    /// The queue that a `sync` or a parallel loop waited for.
    public var queue: Int?

    /// A wait.
    public init(begin: UInt64, end: UInt64?, for reason: Reason, queue: Int? = nil) {
      self.begin = begin
      self.end = end
      self.reason = reason
      self.queue = queue
    }
  }

  /// A block, from its submission to its end.
  public struct Block: Sendable, Codable, Equatable {
    /// How it was submitted.
    public enum Kind: String, Sendable, Codable {
      /// `async`.
      case async
      /// `sync`: who submits it waits for its end, and mostly runs it.
      case sync
      /// An iteration of `concurrentPerform` or `dispatch_apply`.
      case apply
      /// `asyncAfter`: submitted for later.
      case after
      /// `notify` of a group: waits for the group.
      case notify
      /// A handler of a dispatch source.
      case handler
      /// A job of Swift concurrency: from one suspension to the next.
      case job
    }
    /// How it was submitted.
    public var kind: Kind
    /// Whether it was submitted as a barrier.
    public var isBarrier: Bool
    /// What it was submitted to.
    public var queue: Int
    /// Its number among the blocks of its queue, from 1.
    public var number: Int
    /// When it was submitted; nil for a handler, which the source submits.
    public var submitted: UInt64?
    /// The lane of the thread that submitted it.
    public var submitter: Int?
    /// The lane it ran on; nil for one that had not begun by the end of the record.
    public var lane: Int?
    /// When it began.
    public var begin: UInt64?
    /// When it ended; nil when it had not by the end of the record.
    public var end: UInt64?

    /// A block.
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

  /// A time of which a record knows nothing, for all lanes.
  public struct Gap: Sendable, Codable, Equatable {
    /// Which record has a hole.
    public enum Record: String, Sendable, Codable {
      /// Blocks and waits.
      case calls
      /// Who ran where.
      case scheduler
    }
    /// Which record.
    public var record: Record
    /// From when on nothing is known.
    public var begin: UInt64
    /// Until when.
    public var end: UInt64
    /// How many events were lost.
    public var lost: Int

    /// A hole.
    public init(_ record: Record, begin: UInt64, end: UInt64, lost: Int) {
      self.record = record
      self.begin = begin
      self.end = end
      self.lost = lost
    }
  }

  /// A record that could not be made.
  public struct Missing: Sendable, Codable, Equatable {
    /// Which.
    public var record: Gap.Record
    /// Why not and what would show it: a sentence without a full stop.
    public var why: String

    /// A record that could not be made.
    public init(_ record: Gap.Record, why: String) {
      self.record = record
      self.why = why
    }
  }

  /// How long a thread ran, by what the system says (Linux: `/proc/self/task/…/schedstat`) and by the scheduler's
  /// record: from the same beginning to the same moment, shortly after the body ended.
  public struct Account: Sendable, Codable, Equatable {
    /// The thread's lane.
    public var lane: Int
    /// As the system says.
    public var told: UInt64
    /// As was recorded.
    public var recorded: UInt64

    /// An account.
    public init(lane: Int, told: UInt64, recorded: UInt64) {
      self.lane = lane
      self.told = told
      self.recorded = recorded
    }
  }

  /// A trace.
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
  /// Its variant and point, as checks write them: `apply[stride=64]`.
  public var label: String { point.isEmpty ? variant : "\(variant)[\(point)]" }

  /// Whether the scheduler's record was to be had.
  public var knowsRunning: Bool { !missing.contains { $0.record == .scheduler } }

  /// Whether calls of Dispatch could be seen.
  public var knowsCalls: Bool { !missing.contains { $0.record == .calls } }
}

extension Trace {
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

    /// Creates an interval.
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
      /// The end of a given time.
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
}

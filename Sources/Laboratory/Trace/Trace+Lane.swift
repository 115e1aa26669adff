extension Trace {
  /// A thread of the recorded process.
  public struct Lane: Sendable, Codable, Equatable {
    /// The kind of a thread.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// The thread of the trial, which runs the body of the variant.
      case caller
      /// The first thread of the process, which executes the `main` function.
      case main
      /// A thread of Dispatch's pool, which also runs the jobs of Swift concurrency.
      case pool
      /// The thread of Dispatch that waits for events of descriptors and timers.
      case manager
      /// Any other thread, such as a thread that the trial started.
      case own

      /// Decodes a kind. Documents of older versions have a separate kind for threads of the pool that ran jobs of
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
    /// The system's identifier of the thread.
    public var thread: Int
    /// The name of the thread in pictures, for example `caller`, `main` or `pool 3`.
    public var name: String
    /// The kind of the thread.
    public var kind: Kind
    /// The time at which the thread was created. If the creation is not recorded, this is the time of the first event
    /// of the thread, or 0 if the thread has no events.
    public var begin: UInt64
    /// The time at which the thread ended; nil if the thread still existed at the end of the record.
    public var end: UInt64?
    /// The intervals in which the thread ran, in the order of time; empty if the scheduler's record is missing.
    public var runs: [RunInterval]
    /// The waits of the thread, in the order of time. A wait may be inside a block, but never inside another wait.
    public var waits: [Wait]

    /// Creates a lane.
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

  /// An interval in which a thread ran on one core without interruption.
  public struct RunInterval: Sendable, Codable, Equatable {
    /// The time at which the thread started to run on the core.
    public var begin: UInt64
    /// The time at which the thread left the core; the end of the record if the thread was still running.
    public var end: UInt64
    /// The number of the core.
    public var core: Int
    /// Whether the thread was preempted, and was thus ready to continue when it left the core.
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
    /// The kind of event that a thread waits for.
    public enum Reason: String, Sendable, Codable, CaseIterable {
      /// The end of a dispatch group (`DispatchGroup.wait`).
      case group
      /// A signal of a dispatch semaphore (`DispatchSemaphore.wait`).
      case semaphore
      /// The start or the end of a block that was submitted with `sync`.
      case sync
      /// The iterations of a parallel loop on other threads.
      case apply
      /// The end of a `dispatch_once` block that runs on another thread.
      case once
      /// The release of a mutex.
      case lock
      /// A signal of a condition variable.
      case condition
      /// The end of a thread.
      case join
      /// The end of a given period.
      case sleep
      /// Data, room for data, or an event of a descriptor.
      case descriptor
      /// The next block, for a pool thread without work.
      case work
    }
    /// The time at which the wait began.
    public var begin: UInt64
    /// The time at which the wait ended; nil if the wait had not ended by the end of the record.
    public var end: UInt64?
    /// Whether the wait ended because its time limit passed; nil for every other wait.
    public var hasTimedOut: Bool?
    /// The kind of event that the thread waited for.
    public var reason: Reason
    /// The index of the queue that a `sync` or a parallel loop waited for; nil for other waits.
    public var queue: Int?
    /// The system's identifier of the thread that held the lock when the wait began; nil if this thread is unknown, and
    /// for waits that are not for a lock.
    public var owner: Int?
    /// The index of the stack of the call; nil if the stack is unknown.
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

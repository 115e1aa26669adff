extension Trace {
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
}

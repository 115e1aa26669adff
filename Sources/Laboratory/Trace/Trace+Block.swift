extension Trace {
  /// A queue or an executor that blocks are submitted to.
  public struct Queue: Sendable, Codable, Equatable {
    /// The kind of a queue.
    public enum Kind: String, Sendable, Codable {
      /// A queue that runs its blocks one at a time.
      case serial
      /// A queue that may run several blocks at once.
      case concurrent
      /// A global queue, which the system provides.
      case global
      /// The main queue.
      case main
      /// The thread pool of Swift concurrency.
      case swiftPool
      /// An actor, which runs its jobs one at a time.
      case actor
      /// A queue of unknown kind.
      case unknown
    }
    /// The label of the queue in a short form; `queue 3`, with a number, if the queue has no label.
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
      /// `async`: the submitter does not wait for the block.
      case async
      /// `sync`: the submitter waits for the end of the block, and usually runs the block itself.
      case sync
      /// An iteration of `concurrentPerform` or `dispatch_apply`.
      case apply
      /// `asyncAfter`: the block was submitted for a later time.
      case after
      /// `notify` of a group: the block is submitted once the group is empty.
      case notify
      /// The handler of a dispatch source.
      case handler
      /// A job of Swift concurrency: the code of a task from one suspension to the next.
      case job
    }
    /// The way in which the block was submitted.
    public var kind: Kind
    /// Whether the block was submitted as a barrier.
    public var isBarrier: Bool
    /// The index in ``Trace/queues`` of the queue that the block was submitted to; for a job that has begun, of the
    /// queue on which the job began.
    public var queue: Int
    /// The number of the block in its queue, from 1.
    public var number: Int
    /// The time of the submission; nil if the record does not contain the submission, for instance of an event handler,
    /// which the dispatch source submits.
    public var submitted: UInt64?
    /// The index of the lane that submitted the block; nil if the lane is unknown.
    public var submitter: Int?
    /// The time at which a block of the kind ``Kind/after`` was due; nil for other blocks, if the time is not known, or
    /// if the block was not due by the end of the record. Dispatch may begin the block later, by up to a tenth of its
    /// delay.
    public var due: UInt64?
    /// The index of the lane that the block ran on; nil if the block had not begun by the end of the record.
    public var lane: Int?
    /// The time at which the block began; nil if the block had not begun by the end of the record.
    public var begin: UInt64?
    /// The time at which the block ended; nil if the block had not ended by the end of the record.
    public var end: UInt64?
    /// The duration of the call that submitted the block, in nanoseconds; nil if the duration was not measured.
    public var submissionTime: UInt64?
    /// The index of the stack of the submission; nil if the stack is unknown.
    public var stack: Int?

    /// The time from which the block could begin as soon as a thread and its queue were free; nil if the block waits
    /// for a group or an event, or if the time is not known.
    public var ready: UInt64? {
      switch kind {
      case .async, .sync, .apply, .job: submitted
      case .after: due
      case .notify, .handler: nil
      }
    }

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

/// An event of a recorded trial, as its worker wrote it.
public struct RecordedEvent: Sendable, Equatable {
  /// What it tells; see `CDispatchSupport/include/Trace.h` for what its numbers are.
  public enum Kind: UInt8, Sendable {
    case none, bodyBegins, bodyEnds, submit, begin, end, wait, waited, queue, text, item, account, thread
  }
  /// When, in monotonic nanoseconds.
  public var time: UInt64
  /// The number of the thread that wrote it.
  public var thread: Int
  /// What it tells.
  public var kind: Kind
  /// Of which kind the block, the wait or the queue is.
  public var how: Int
  /// How many blocks, or parts of a text.
  public var count: Int
  /// The first of its numbers.
  public var a: UInt64
  /// The second.
  public var b: UInt64

  /// An event.
  public init(
    _ kind: Kind, at time: UInt64, thread: Int, how: Int = 0, count: Int = 0, a: UInt64 = 0, b: UInt64 = 0
  ) {
    self.time = time
    self.thread = thread
    self.kind = kind
    self.how = how
    self.count = count
    self.a = a
    self.b = b
  }
}

/// What the scheduler told of a thread.
public struct RecordedSwitch: Sendable, Equatable {
  /// What it told.
  public enum Kind: UInt8, Sendable {
    /// The thread came to the core.
    case on
    /// The thread left the core to wait.
    case off
    /// The thread left the core and could have gone on.
    case preempted
    /// The thread was made.
    case born
    /// The thread ended.
    case gone
    /// How many records of this core were lost before.
    case lost
  }
  /// When, in monotonic nanoseconds.
  public var time: UInt64
  /// The thread's number.
  public var thread: Int
  /// The core's number.
  public var core: Int
  /// What it told.
  public var kind: Kind
  /// How many records were lost.
  public var count: Int

  /// A record.
  public init(_ kind: Kind, at time: UInt64, thread: Int, core: Int, count: Int = 0) {
    self.time = time
    self.thread = thread
    self.core = core
    self.kind = kind
    self.count = count
  }
}

/// All that was recorded of a trial.
public struct TraceRecord: Sendable {
  /// The worker.
  public var process: Int
  /// What the worker wrote, in order of time.
  public var events: [RecordedEvent]
  /// How many events found no room, and when the first of them was.
  public var lost: (events: Int, first: UInt64)
  /// What the scheduler told, in order of time.
  public var switches: [RecordedSwitch]
  /// Why there is no record of the scheduler; nil when there is.
  public var obstacle: SystemError?
  /// Whether calls of Dispatch can be seen in this binary.
  public var seesCalls: Bool

  /// A record.
  public init(
    process: Int, events: [RecordedEvent], lost: (events: Int, first: UInt64) = (0, 0), switches: [RecordedSwitch] = [],
    obstacle: SystemError? = nil, seesCalls: Bool = true
  ) {
    self.process = process
    self.events = events
    self.lost = lost
    self.switches = switches
    self.obstacle = obstacle
    self.seesCalls = seesCalls
  }
}

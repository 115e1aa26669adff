/// A scheduling event of a thread, as the kernel reports it.
public struct RecordedSwitch: Sendable, Equatable {
  /// The kinds of scheduling events.
  public enum Kind: UInt8, Sendable {
    /// The thread began to run on the core.
    case on
    /// The thread left the core to wait.
    case off
    /// The thread left the core and could have continued.
    case preempted
    /// The thread was created.
    case created
    /// The thread ended.
    case ended
    /// Earlier reports of this core were lost.
    case lost
  }
  /// The time of the scheduling event, in monotonic nanoseconds.
  public var time: UInt64
  /// The thread's number.
  public var thread: Int
  /// The identifier of the thread's process; 0 if the process is unknown.
  public var process: Int
  /// The core's number.
  public var core: Int
  /// The kind of the scheduling event.
  public var kind: Kind
  /// The number of records that were lost; 0 if the kind is not ``Kind/lost``.
  public var count: Int

  /// Creates a scheduling event from its properties.
  public init(_ kind: Kind, at time: UInt64, thread: Int, process: Int = 0, core: Int, count: Int = 0) {
    self.time = time
    self.thread = thread
    self.process = process
    self.core = core
    self.kind = kind
    self.count = count
  }
}

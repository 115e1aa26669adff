extension Trace {
  /// A period in which a record is incomplete, for all lanes.
  public struct Gap: Sendable, Codable, Equatable {
    /// A kind of record.
    public enum Recording: String, Sendable, Codable {
      /// The record of calls: blocks and waits.
      case calls
      /// The record of the scheduler: the thread that ran on each core.
      case scheduler
    }
    /// The record that is incomplete.
    public var record: Recording
    /// The beginning of the gap.
    public var begin: UInt64
    /// The end of the gap.
    public var end: UInt64
    /// The number of lost events.
    public var lost: Int

    /// Creates a gap.
    public init(_ record: Recording, begin: UInt64, end: UInt64, lost: Int) {
      self.record = record
      self.begin = begin
      self.end = end
      self.lost = lost
    }
  }

  /// A record that could not be made, and the reason.
  public struct Missing: Sendable, Codable, Equatable {
    /// The kind of the record.
    public var record: Gap.Recording
    /// The reason why the record could not be made, and another way to obtain the same information if there is one: a
    /// text without a full stop.
    public var why: String

    /// Creates a description of a missing record.
    public init(_ record: Gap.Recording, why: String) {
      self.record = record
      self.why = why
    }
  }

  /// The running time of a thread from two sources: the system (Linux: `/proc/self/task/…/schedstat`) and the
  /// scheduler's record. Both times cover one period, which ends shortly after the body.
  public struct Account: Sendable, Codable, Equatable {
    /// The index of the lane of the thread.
    public var lane: Int
    /// The running time that the system reported, in nanoseconds.
    public var reported: UInt64
    /// The running time in the scheduler's record, in nanoseconds.
    public var recorded: UInt64

    /// Creates an account of a thread.
    public init(lane: Int, reported: UInt64, recorded: UInt64) {
      self.lane = lane
      self.reported = reported
      self.recorded = recorded
    }
  }
}

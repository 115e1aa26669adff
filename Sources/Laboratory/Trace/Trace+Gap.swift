extension Trace {
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
    public var reported: UInt64
    /// The time according to the record.
    public var recorded: UInt64

    /// Creates an account.
    public init(lane: Int, reported: UInt64, recorded: UInt64) {
      self.lane = lane
      self.reported = reported
      self.recorded = recorded
    }
  }
}

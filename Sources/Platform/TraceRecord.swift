/// All records of a trial, or of another program.
public struct TraceRecord: Sendable {
  /// The identifier of the recorded process.
  public var process: Int
  /// The events that the process wrote, in order of time.
  public var events: [RecordedEvent]
  /// The number of events that were dropped because the memory was full, and the time of the first dropped event in
  /// monotonic nanoseconds; both are 0 if no event was dropped.
  public var lost: (events: Int, first: UInt64)
  /// The time up to which events were overwritten by later events, in monotonic nanoseconds; 0 if no event was
  /// overwritten.
  public var overwrittenUntil: UInt64 = 0
  /// The most time that the hypervisor can have taken from this machine's cores since the recording began, in
  /// nanoseconds; 0 if the system does not report this time.
  public var stolenAtMost: UInt64 = 0
  /// The scheduling events, in order of time.
  public var switches: [RecordedSwitch]
  /// The reason why scheduling events could not be recorded; nil if there was no such failure.
  public var obstacle: SystemError?
  /// Whether the calls of Dispatch could be recorded. For a trial, the value depends on how this binary is linked. For
  /// a user's program, the value is false if the program wrote no records.
  public var seesCalls: Bool

  /// Creates a record from its properties.
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

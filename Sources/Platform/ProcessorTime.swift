/// Processor time in nanoseconds. The system counts the time in microseconds. Linux divides the time into user and
/// system time by several hundred samples per second, so only the total is meaningful below a few milliseconds.
public struct ProcessorTime: Sendable, Equatable {
  /// The time in user mode.
  public var user: UInt64
  /// The time in kernel mode on behalf of the process.
  public var system: UInt64

  /// Creates a processor time from its user and its system time.
  public init(user: UInt64 = 0, system: UInt64 = 0) {
    self.user = user
    self.system = system
  }

  /// The sum of the user and the system time.
  public var total: UInt64 { user + system }

  /// Returns the time that was used since `earlier`. A component that the system has corrected downwards counts as
  /// zero.
  public static func - (later: ProcessorTime, earlier: ProcessorTime) -> ProcessorTime {
    ProcessorTime(
      user: later.user > earlier.user ? later.user - earlier.user : 0,
      system: later.system > earlier.system ? later.system - earlier.system : 0)
  }

  /// Adds `other` to `sum`, component by component.
  public static func += (sum: inout ProcessorTime, other: ProcessorTime) {
    sum.user += other.user
    sum.system += other.system
  }
}

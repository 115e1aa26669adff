/// The state of a process: whether its threads sleep, are stopped or have ended.
public struct ProcessState: Sendable, Equatable {
  /// Whether all threads of the process sleep. A thread that waits for a disk or for a core does not sleep. The value
  /// is false if a thread ran while the threads were examined. A main thread that has ended does not count.
  public let isAsleep: Bool
  /// Whether a thread of the process is stopped by another process or by a terminal.
  public let isStopped: Bool
  /// Whether the process has ended and its status has not been collected yet.
  public let hasEnded: Bool
  /// The processor time that the process has used, in nanoseconds.
  public let processorTime: UInt64

  /// Creates a state from its properties.
  public init(isAsleep: Bool, isStopped: Bool, hasEnded: Bool, processorTime: UInt64) {
    self.isAsleep = isAsleep
    self.isStopped = isStopped
    self.hasEnded = hasEnded
    self.processorTime = processorTime
  }
}

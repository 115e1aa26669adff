/// The state of a process, which shows why the process has not ended.
public struct ProcessState: Sendable, Equatable {
  /// Whether all threads of the process sleep, so that nothing in it makes progress. A thread that waits for a disk or
  /// a processor does not sleep.
  public let isAsleep: Bool
  /// Whether another program or a terminal has stopped a thread of the process.
  public let isStopped: Bool
  /// Whether the process has ended and its status has not been collected yet.
  public let hasEnded: Bool
  /// The processor time that the process has used, in nanoseconds.
  public let processorTime: UInt64

  /// Creates a state from its facts.
  public init(isAsleep: Bool, isStopped: Bool, hasEnded: Bool, processorTime: UInt64) {
    self.isAsleep = isAsleep
    self.isStopped = isStopped
    self.hasEnded = hasEnded
    self.processorTime = processorTime
  }
}

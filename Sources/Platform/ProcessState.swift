/// What another process is doing: why it has not come to its end.
public struct ProcessState: Sendable, Equatable {
  /// Whether all its threads sleep, so that nothing in it goes on. A thread that waits for a disk or a processor does
  /// not.
  public let isAsleep: Bool
  /// Whether a thread of it was stopped, by another program or a terminal.
  public let isStopped: Bool
  /// Whether it has ended, and its end was not heard of yet.
  public let hasEnded: Bool
  /// Processor time that it has used, in nanoseconds.
  public let processorTime: UInt64

  /// A state with its facts.
  public init(isAsleep: Bool, isStopped: Bool, hasEnded: Bool, processorTime: UInt64) {
    self.isAsleep = isAsleep
    self.isStopped = isStopped
    self.hasEnded = hasEnded
    self.processorTime = processorTime
  }
}

/// The costs of this process so far, as the kernel reports them. The costs include the costs of threads that have
/// ended, but not the costs of child processes.
public struct ProcessCosts: Sendable {
  /// The processor time in nanoseconds. The kernel counts the time in microseconds. For each running thread except the
  /// calling thread, the time since the last tick of the thread's core is missing.
  public let processorTime: UInt64
  /// The number of context switches.
  public let switches: ContextSwitches

  /// Returns the costs so far; nil if the system does not report them. The call takes less than a microsecond.
  public static func soFar() -> ProcessCosts? {
    var usage = rusage()
    guard getrusage(wholeProcess, &usage) == 0 else { return nil }
    return ProcessCosts(
      processorTime: usage.processorTime.total,
      switches: ContextSwitches(voluntary: usage.ru_nvcsw, involuntary: usage.ru_nivcsw))
  }

  /// Returns the difference between these costs and the `earlier` costs. A component that the system has corrected
  /// downwards is zero.
  public func since(_ earlier: ProcessCosts) -> ProcessCosts {
    ProcessCosts(
      processorTime: processorTime - min(earlier.processorTime, processorTime),
      switches: ContextSwitches(
        voluntary: max(0, switches.voluntary - earlier.switches.voluntary),
        involuntary: max(0, switches.involuntary - earlier.switches.involuntary)))
  }
}

#if canImport(Darwin)
  private let wholeProcess: Int32 = RUSAGE_SELF
#else
  private let wholeProcess: Int32 = RUSAGE_SELF.rawValue
#endif

/// The costs of this process so far, as the kernel reports them. The costs include those of threads that have ended,
/// but not those of child processes.
public struct ProcessCosts: Sendable {
  /// The processor time in nanoseconds; the kernel's unit is microseconds. For running threads except the calling one,
  /// the time since the last tick of their cores is missing.
  public var processorTime: UInt64
  /// The number of times that threads lost their cores, by cause.
  public var switches: ContextSwitches

  /// Returns the costs so far; nil if the system does not report them. The call takes less than a microsecond.
  public static func soFar() -> ProcessCosts? {
    var usage = rusage()
    guard getrusage(wholeProcess, &usage) == 0 else { return nil }
    return ProcessCosts(
      processorTime: usage.processorTime.total,
      switches: ContextSwitches(voluntary: usage.ru_nvcsw, involuntary: usage.ru_nivcsw))
  }

  /// Creates costs of zero.
  public init() { self.init(processorTime: 0, switches: ContextSwitches(voluntary: 0, involuntary: 0)) }

  private init(processorTime: UInt64, switches: ContextSwitches) {
    self.processorTime = processorTime
    self.switches = switches
  }

  /// Adds the difference between `earlier` and `later`. A component that the system has corrected downwards counts as
  /// zero.
  public mutating func add(from earlier: ProcessCosts, to later: ProcessCosts) {
    processorTime += later.processorTime - min(earlier.processorTime, later.processorTime)
    switches.voluntary += max(0, later.switches.voluntary - earlier.switches.voluntary)
    switches.involuntary += max(0, later.switches.involuntary - earlier.switches.involuntary)
  }
}

#if canImport(Darwin)
  private let wholeProcess: Int32 = RUSAGE_SELF
#else
  private let wholeProcess: Int32 = RUSAGE_SELF.rawValue
#endif

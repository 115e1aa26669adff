#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What this process has cost the machine so far, by the kernel's own accounts: of all its threads, those included that
/// have ended, and not of its children.
public struct ProcessCosts: Sendable {
  /// Processor time in nanoseconds, which the kernel tells in microseconds. What a thread that runs just now has used
  /// since the last tick of its core is not in it, but for the calling thread.
  public var processorTime: UInt64
  /// How often a thread lost its core, and why.
  public var switches: ContextSwitches

  /// What there was until now; nil where the system does not tell. Takes less than a microsecond.
  public static func soFar() -> ProcessCosts? {
    var usage = rusage()
    guard getrusage(wholeProcess, &usage) == 0 else { return nil }
    return ProcessCosts(
      processorTime: usage.processorTime.total,
      switches: ContextSwitches(voluntary: usage.ru_nvcsw, involuntary: usage.ru_nivcsw))
  }

  /// No costs yet.
  public init() { self.init(processorTime: 0, switches: ContextSwitches(voluntary: 0, involuntary: 0)) }

  private init(processorTime: UInt64, switches: ContextSwitches) {
    self.processorTime = processorTime
    self.switches = switches
  }

  /// Adds what came from `earlier` to `later`. A system that corrects its samples may take some of one back: none came
  /// then.
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

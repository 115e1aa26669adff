import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the operating system tells about this machine. The parts that differ are in `Host+Linux.swift` and
/// `Host+Darwin.swift`.
public enum Host {
  /// The system's name and kernel release, as `uname` gives them.
  public static var kernel: (name: String, release: String) {
    var names = utsname()
    guard uname(&names) == 0 else { return ("unknown", "unknown") }
    return (text(&names.sysname), text(&names.release))
  }

  /// Which Dispatch was linked in place of the toolchain's (`make build LIBDISPATCH=…`); nil for the toolchain's.
  public static var dispatchBuild: String? { gcdlab_dispatch_build().map { String(cString: $0) } }

  /// The file that this process has Dispatch from; nil where that is the binary itself.
  public static var dispatchLibrary: String? { gcdlab_dispatch_library().map { String(cString: $0) } }

  private static func text<T>(_ field: inout T) -> String {
    withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The soft limit of open descriptors; `Int.max` when there is none.
  public static var descriptorLimit: Int { limit(GCDLAB_LIMIT_DESCRIPTORS) ?? Int.max }

  /// The soft limit of this user's threads; nil when there is none.
  public static var threadLimit: Int? { limit(GCDLAB_LIMIT_THREADS) }

  /// The soft limits of memory, in bytes, as `ulimit` sets them (`-v`, `-d`); those that there are.
  public static var memoryLimits: [(option: String, bytes: Int)] {
    [("-v", limit(GCDLAB_LIMIT_ADDRESSES)), ("-d", limit(GCDLAB_LIMIT_DATA))].compactMap { option, bytes in
      bytes.map { (option, $0) }
    }
  }

  /// The soft limit of a thread's stack, in bytes; nil when there is none.
  public static var stackLimit: Int? { limit(GCDLAB_LIMIT_STACK) }

  private static func limit(_ which: gcdlab_limit) -> Int? {
    let value = gcdlab_soft_limit(which)
    return value < 0 ? nil : Int(value)
  }

  /// Cores this process may run on: its affinity mask on Linux, so that `taskset` counts.
  public static var cores: Int { max(1, Int(gcdlab_core_count())) }

  /// The numbers of the cores that this process may use, as the system counts them; where it does not tell, from 0.
  public static var coreNumbers: [Int] {
    (0..<cores).map { index in
      let number = Int(gcdlab_core_number(Int32(index)))
      return number < 0 ? index : number
    }
  }

  /// Cores that the machine, or what this process sees of it, has in use, whether this process may run on them or not.
  public static var onlineCores: Int { max(1, Int(gcdlab_online_count())) }

  /// Processor time this process and its finished children used so far, in nanoseconds.
  public static var ownProcessorTime: UInt64 { processorTime.total + usage(children).processorTime.total }

  /// Processor time that all threads of this process used so far, those that have ended included.
  public static var processorTime: ProcessorTime { usage(thisProcess).processorTime }
}

/// Processor time in nanoseconds, as the system counts it: in microseconds. Which of the two it was, Linux tells by
/// samples, some hundreds a second: of less than a few milliseconds only the total says something.
public struct ProcessorTime: Sendable, Equatable {
  /// In the program.
  public var user: UInt64
  /// In the kernel, for the program.
  public var system: UInt64

  /// Processor time in user and in kernel mode.
  public init(user: UInt64 = 0, system: UInt64 = 0) {
    self.user = user
    self.system = system
  }

  /// The time in user and in kernel mode together.
  public var total: UInt64 { user + system }

  /// What came to it since `earlier`. A system that corrects its samples may take some of one back: none came to it
  /// then.
  public static func - (later: ProcessorTime, earlier: ProcessorTime) -> ProcessorTime {
    ProcessorTime(
      user: later.user > earlier.user ? later.user - earlier.user : 0,
      system: later.system > earlier.system ? later.system - earlier.system : 0)
  }

  /// Adds what another time comes to.
  public static func += (sum: inout ProcessorTime, other: ProcessorTime) {
    sum.user += other.user
    sum.system += other.system
  }
}

extension rusage {
  var processorTime: ProcessorTime {
    func nanoseconds(_ time: timeval) -> UInt64 { UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000 }
    return ProcessorTime(user: nanoseconds(ru_utime), system: nanoseconds(ru_stime))
  }
}

#if canImport(Darwin)
  private let thisProcess = RUSAGE_SELF
  private let children = RUSAGE_CHILDREN
#else
  private let thisProcess = RUSAGE_SELF.rawValue
  private let children = RUSAGE_CHILDREN.rawValue
#endif

private func usage(_ who: Int32) -> rusage {
  var usage = rusage()
  getrusage(who, &usage)
  return usage
}

/// How the processors of the whole machine spent their time since it started, in clock ticks.
public struct ProcessorTimes: Sendable {
  /// Working, for anyone.
  public let busy: UInt64
  /// Taken by the hypervisor for other machines.
  public let stolen: UInt64
  /// All time, idle included.
  public let total: UInt64

  /// Times in clock ticks.
  public init(busy: UInt64, stolen: UInt64, total: UInt64) {
    self.busy = busy
    self.stolen = stolen
    self.total = total
  }
}

import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The facts that the operating system reports about this machine. The parts that differ by platform are in
/// `Host+Linux.swift` and `Host+Darwin.swift`.
public enum Host {
  /// The system's name and kernel release, as `uname` gives them.
  public static var kernel: (name: String, release: String) {
    var names = utsname()
    guard uname(&names) == 0 else { return ("unknown", "unknown") }
    return (text(&names.sysname), text(&names.release))
  }

  /// The name of the Dispatch build that was linked in place of the toolchain's (`make build LIBDISPATCH=…`); nil for
  /// the toolchain's.
  public static var dispatchBuild: String? { gcdlab_dispatch_build().map { String(cString: $0) } }

  /// The file that this process loaded Dispatch from; nil if the binary itself contains it.
  public static var dispatchLibrary: String? { gcdlab_dispatch_library().map { String(cString: $0) } }

  private static func text<T>(_ field: inout T) -> String {
    withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The soft limit of open descriptors; `Int.max` if there is none.
  public static var descriptorLimit: Int { limit(GCDLAB_LIMIT_DESCRIPTORS) ?? Int.max }

  /// The soft limit of this user's threads; nil if there is none.
  public static var threadLimit: Int? { limit(GCDLAB_LIMIT_THREADS) }

  /// The soft limits of memory that are set, in bytes, with the options by which `ulimit` sets them (`-v`, `-d`).
  public static var memoryLimits: [(option: String, bytes: Int)] {
    [("-v", limit(GCDLAB_LIMIT_ADDRESSES)), ("-d", limit(GCDLAB_LIMIT_DATA))].compactMap { option, bytes in
      bytes.map { (option, $0) }
    }
  }

  /// The soft limit of a thread's stack, in bytes; nil if there is none.
  public static var stackLimit: Int? { limit(GCDLAB_LIMIT_STACK) }

  private static func limit(_ which: gcdlab_limit) -> Int? {
    let value = gcdlab_soft_limit(which)
    return value < 0 ? nil : Int(value)
  }

  /// The number of cores that this process may run on. On Linux it is the size of the affinity mask, which `taskset`
  /// can restrict.
  public static var cores: Int { max(1, Int(gcdlab_core_count())) }

  /// The system's numbers of the cores that this process may use. If the system does not report them, they are counted
  /// from 0.
  public static var coreNumbers: [Int] {
    (0..<cores).map { index in
      let number = Int(gcdlab_core_number(Int32(index)))
      return number < 0 ? index : number
    }
  }

  /// The number of cores that the machine has in use, as far as this process can see them, whether or not it may run on
  /// them.
  public static var onlineCores: Int { max(1, Int(gcdlab_online_count())) }

  /// The processor time that this process and its finished children have used so far, in nanoseconds.
  public static var ownProcessorTime: UInt64 { processorTime.total + usage(children).processorTime.total }

  /// The processor time that all threads of this process have used so far, including threads that have ended.
  public static var processorTime: ProcessorTime { usage(thisProcess).processorTime }
}

/// Processor time in nanoseconds; the system counts it in microseconds. Linux divides it into user and system time by
/// samples, some hundreds per second, so below a few milliseconds only the total is meaningful.
public struct ProcessorTime: Sendable, Equatable {
  /// Time in user mode.
  public var user: UInt64
  /// Time in kernel mode, on behalf of the program.
  public var system: UInt64

  /// Creates a time from its parts in user and in kernel mode.
  public init(user: UInt64 = 0, system: UInt64 = 0) {
    self.user = user
    self.system = system
  }

  /// The time in user and in kernel mode together.
  public var total: UInt64 { user + system }

  /// Returns the time that was used since `earlier`. If the system has corrected a sample downwards, that part of the
  /// difference is zero.
  public static func - (later: ProcessorTime, earlier: ProcessorTime) -> ProcessorTime {
    ProcessorTime(
      user: later.user > earlier.user ? later.user - earlier.user : 0,
      system: later.system > earlier.system ? later.system - earlier.system : 0)
  }

  /// Adds another time.
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

/// The times that some cores have spent in each state since the machine started, in clock ticks.
public struct ProcessorTimes: Sendable {
  /// Time in which the processors worked for any process.
  public let busy: UInt64
  /// Time that the hypervisor gave to other machines.
  public let stolen: UInt64
  /// All time, including idle time.
  public let total: UInt64

  /// Creates the times, in clock ticks.
  public init(busy: UInt64, stolen: UInt64, total: UInt64) {
    self.busy = busy
    self.stolen = stolen
    self.total = total
  }
}

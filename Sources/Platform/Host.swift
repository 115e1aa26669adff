import CDispatchSupport

/// Information that the operating system reports about this machine and about this process. `Host+Linux.swift` and
/// `Host+Darwin.swift` contain the members that differ by platform.
public enum Host {
  /// The system's name and kernel release, as `uname` reports them; both are `unknown` if `uname` fails.
  public static var kernel: (name: String, release: String) {
    var names = utsname()
    guard uname(&names) == 0 else { return ("unknown", "unknown") }
    return (text(&names.sysname), text(&names.release))
  }

  /// The name of the Dispatch build that was linked instead of the toolchain's (`make build LIBDISPATCH=…`); nil for
  /// the toolchain's Dispatch.
  public static var dispatchBuild: String? { gcdlab_dispatch_build().map { String(cString: $0) } }

  /// The path of the library from which this process loaded Dispatch; nil if the binary itself contains Dispatch.
  public static var dispatchLibrary: String? { gcdlab_dispatch_library().map { String(cString: $0) } }

  private static func text<T>(_ field: inout T) -> String {
    withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The soft limit on open descriptors; `Int.max` if there is no limit, or if the system does not report the limit.
  public static var descriptorLimit: Int { limit(GCDLAB_LIMIT_DESCRIPTORS) ?? Int.max }

  /// The soft limit on the number of this user's threads; nil if there is no limit, or if the system does not report
  /// the limit.
  public static var threadLimit: Int? { limit(GCDLAB_LIMIT_THREADS) }

  /// The soft limits on memory in bytes, each with the option of `ulimit` that sets it (`-v`, `-d`). Unset limits are
  /// omitted.
  public static var memoryLimits: [(option: String, bytes: Int)] {
    [("-v", limit(GCDLAB_LIMIT_ADDRESSES)), ("-d", limit(GCDLAB_LIMIT_DATA))].compactMap { option, bytes in
      bytes.map { (option, $0) }
    }
  }

  /// The soft limit on the size of a thread's stack, in bytes; nil if there is no limit, or if the system does not
  /// report the limit.
  public static var stackLimit: Int? { limit(GCDLAB_LIMIT_STACK) }

  private static func limit(_ which: gcdlab_limit) -> Int? {
    let value = gcdlab_soft_limit(which)
    return value < 0 ? nil : Int(value)
  }

  /// The number of cores that this process may run on. On Linux, this number is the size of the affinity mask, which
  /// `taskset` can restrict.
  public static var cores: Int { max(1, Int(gcdlab_core_count())) }

  /// The system's numbers of the cores that this process may use. If the system does not report the numbers, the cores
  /// are numbered from 0.
  public static var coreNumbers: [Int] {
    (0..<cores).map { index in
      let number = Int(gcdlab_core_number(Int32(index)))
      return number < 0 ? index : number
    }
  }

  /// The number of cores that are online and visible to this process, whether or not the process may run on them.
  public static var onlineCores: Int { max(1, Int(gcdlab_online_count())) }

  /// The processor time that this process and its finished children have used so far, in nanoseconds. A child counts
  /// once its status has been collected.
  public static var ownProcessorTime: UInt64 { processorTime.total + usage(children).processorTime.total }

  /// The processor time that all threads of this process have used so far, including threads that have ended.
  public static var processorTime: ProcessorTime { usage(thisProcess).processorTime }
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

#if canImport(Darwin)
  import Darwin

  private let descriptors = RLIMIT_NOFILE
#else
  import Glibc

  private let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif

/// The limit on the number of open descriptors of this process: `RLIMIT_NOFILE`.
public struct DescriptorLimit: Sendable, Equatable {
  /// The limit that applies now. A process may lower this limit, or raise it up to ``hard``.
  public let soft: Int
  /// The highest value to which ``soft`` can be raised; `Int.max` if there is no limit.
  public let hard: Int

  /// Creates a limit from its soft and its hard value.
  public init(soft: Int, hard: Int) {
    self.soft = soft
    self.hard = hard
  }

  /// Returns the soft and the hard limit of this process.
  ///
  /// - Throws: ``SystemError`` if the system does not report the limits.
  public static func current() throws(SystemError) -> DescriptorLimit {
    let limit = try read()
    return DescriptorLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
  }

  /// Sets the soft limit of the whole process and leaves the hard limit unchanged. Descriptors above the new limit stay
  /// open.
  ///
  /// - Throws: ``SystemError`` if `soft` is above the hard limit, or if the system does not report the limits.
  public static func setSoft(_ soft: Int) throws(SystemError) {
    var limit = try read()
    limit.rlim_cur = rlim_t(soft)
    guard setrlimit(descriptors, &limit) == 0 else { throw SystemError(errno, "limit open descriptors to \(soft)") }
  }

  /// The size of the descriptor table, as `getdtablesize()` reports it. On Linux, this size is the soft limit. The
  /// Concurrency Programming Guide computes the size of its descriptor pool from this number.
  public static var tableSize: Int { Int(getdtablesize()) }

  /// Returns the number of descriptors that can still be opened under a soft limit of `limit`: the number of unused
  /// descriptor numbers below the limit.
  public static func free(below limit: Int) -> Int {
    (0..<Int32(clamping: limit)).count { fcntl($0, F_GETFD) == -1 && errno == EBADF }
  }

  /// Makes the descriptor table of this process large enough for the descriptor numbers below `limit`, by opening the
  /// highest of these numbers for a moment. Has no effect if the system refuses this number.
  ///
  /// Linux starts with a table of 64 numbers, or with that of the parent's highest open descriptor, and doubles the
  /// table when an `open` needs a higher number. If the process has several threads, that `open` waits for a grace
  /// period of RCU (`expand_fdtable` in the kernel's fs/file.c), which can take milliseconds.
  public static func growTable(to limit: Int) {
    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    let highest = fcntl(file, F_DUPFD_CLOEXEC, Int32(clamping: limit - 1))
    if highest >= 0 { close(highest) }
    close(file)
  }

  private static func read() throws(SystemError) -> rlimit {
    var limit = rlimit()
    guard getrlimit(descriptors, &limit) == 0 else { throw SystemError(errno, "read the limit of open descriptors") }
    return limit
  }
}

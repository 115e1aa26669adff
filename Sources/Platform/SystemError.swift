#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  public let code: Int32
  /// What could not be done and why: `cannot start a thread: Resource temporarily unavailable`.
  public let description: String

  /// Whether the machine or a limit has no more of something, rather than what was asked for being wrong.
  public var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM, ENOSPC, EAGAIN].contains(code) }

  /// The failure of `action` with the error number `code`.
  public init(_ code: Int32, _ action: String) {
    self.code = code
    description = "cannot \(action): \(String(cString: strerror(code)))"
  }
}

import SystemPackage

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

  /// Whether this machine does not allow it: it has no more, a limit or a missing privilege forbids it, or the system
  /// has no such thing. Then nothing is said of a pattern that needs it.
  public var isOfTheMachine: Bool {
    isExhaustion || [EFBIG, EDQUOT, EPERM, EACCES, EROFS, ENOSYS, ENOTSUP].contains(code)
  }

  /// The failure of `action` with the error number `code`.
  public init(_ code: Int32, _ action: String) {
    self.code = code
    description = "cannot \(action): \(Errno(rawValue: code))"
  }
}

/// Does something by SystemPackage, whose errors become those of `action`.
func system<Result>(_ action: String, _ body: () throws -> Result) throws(SystemError) -> Result {
  do { return try body() } catch { throw SystemError((error as? Errno)?.rawValue ?? EIO, action) }
}

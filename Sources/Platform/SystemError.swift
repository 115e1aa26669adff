import SystemPackage

/// The error of a failed system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  public let code: Int32
  /// A message that names the failed action and the reason, such as
  /// `cannot start a thread: Resource temporarily unavailable`.
  public let description: String

  /// Whether the call failed because a resource of the machine, or a limit on a resource, is exhausted.
  public var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM, ENOSPC, EAGAIN].contains(code) }

  /// Whether the machine does not allow the call: a resource is exhausted, a limit or a missing privilege forbids the
  /// call, or the system does not support it. The lab then draws no conclusion about a pattern that needs the call.
  public var isMachineLimitation: Bool {
    isExhaustion || [EFBIG, EDQUOT, EPERM, EACCES, EROFS, ENOSYS, ENOTSUP].contains(code)
  }

  /// Creates the error for a failure of `action` with the error number `code`.
  public init(_ code: Int32, _ action: String) {
    self.code = code
    description = "cannot \(action): \(Errno(rawValue: code))"
  }
}

/// Executes `body`, which uses SystemPackage, and converts an error of `body` to the ``SystemError`` of a failed
/// `action`, such as `open the file`.
func system<Result>(_ action: String, _ body: () throws -> Result) throws(SystemError) -> Result {
  do { return try body() } catch { throw SystemError((error as? Errno)?.rawValue ?? EIO, action) }
}

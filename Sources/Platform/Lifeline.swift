#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pipe that nothing is written to: whoever has its reading end as standard input learns by its end that this process, which
/// keeps the other, is gone, however it ended.
public struct Lifeline: Sendable {
  /// What tells a lab that its standard input is one.
  public static let variable = "GCDLAB_LIFELINE"

  /// The end to hand over.
  public let theirs: Int32
  private let ours: Int32

  /// - Throws: ``SystemError`` when there are no descriptors left.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(errno, "make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (theirs, ours) = (ends[0], ends[1])
  }

  /// Lets go of it: the other is told.
  public func close() { _ = closeDescriptor(ours) }

  /// In a process whose standard input is a lifeline: calls `body` when who keeps it is gone.
  ///
  /// - Throws: ``SystemError`` when there is no thread to be had.
  public static func whenGone(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    try SystemThread {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || count < 0 && errno != EINTR { return body() }
      }
    }.detach()
  }
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

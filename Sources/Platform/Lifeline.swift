/// A pipe by which another process detects that this process has ended. Nothing is written to the pipe. This process
/// owns the writing end. When this process ends for any reason, a process that has the reading end as its standard
/// input reads the end of the file.
public struct Lifeline: Sendable {
  /// The name of the environment variable that is set if a lab's standard input is a lifeline.
  public static let variable = "GCDLAB_LIFELINE"

  /// The reading end of the pipe, for the other process.
  public let readingEnd: Int32
  private let writingEnd: Int32

  /// Creates a lifeline with a new pipe.
  ///
  /// - Throws: ``SystemError`` if no descriptors are left.
  public init() throws(SystemError) {
    (readingEnd, writingEnd) = try makePipe()
  }

  /// Closes the writing end of the pipe. The other process then reads the end of the file.
  public func end() { close(writingEnd) }

  /// Calls `body` on a new thread when the process that owns the lifeline has ended, or has closed the lifeline. Also
  /// calls `body` if standard input cannot be read. Call this method in a process whose standard input is a lifeline.
  ///
  /// - Throws: ``SystemError`` if no thread can be started.
  public static func whenOwnerEnds(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    try SystemThread {
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || count < 0 && errno != EINTR { return body() }
      }
    }.detach()
  }
}

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pipe that nothing is written to: whoever has its reading end as standard input learns by its end that this
/// process, which keeps the other, is gone, however it ended.
public struct Lifeline: Sendable {
  /// What tells a lab that its standard input is one.
  public static let variable = "GCDLAB_LIFELINE"

  /// The end to hand over.
  public let theirs: Int32
  private let ours: Int32

  /// - Throws: ``SystemError`` when there are no descriptors left.
  public init() throws(SystemError) {
    (theirs, ours) = try makePipe()
  }

  /// Tells the other that nobody keeps it any more.
  public func letGo() { close(ours) }

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

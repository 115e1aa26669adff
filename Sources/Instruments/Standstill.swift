import Dispatch
import Laboratory
import Platform

/// Distinguishes an event that is late from an event that cannot come: if it has not happened and all threads of the
/// process sleep, it never will.
///
/// When a thread submits a block, Dispatch wakes or starts a pool thread for the block before the call returns, if the
/// pool can provide one. A thread that was just woken or started does not sleep, however busy the machine is. So the
/// lab does not wait for a fixed time, and does not mistake a slow machine for a standstill. (A timer or another
/// process may still make an event happen. The pool's own monitor, which sometimes adds a thread, is one.)
public struct Standstill: Sendable {
  /// The number of times in a row that all threads must be found asleep, since the threads are examined one after the
  /// other.
  private static let looks = 3

  /// Returns whether all threads except the calling one sleep; nil if the system does not report it.
  public var areOthersAsleep: @Sendable () -> Bool? = { ProcessState.ofOtherThreads()?.isAsleep }

  /// Creates a standstill of this process.
  public init() {}

  /// Waits until `happened` returns true, or until the event cannot come any more.
  ///
  /// - Returns: whether the event happened.
  /// - Throws: ``Unavailable`` if the system does not report what threads do.
  public func wait(for happened: () -> Bool) throws -> Bool {
    var asleep = 0
    while true {
      if happened() { return true }
      guard let areAsleep = areOthersAsleep() else {
        throw Unavailable("this system does not report whether threads sleep")
      }
      asleep = areAsleep ? asleep + 1 : 0
      if asleep == Self.looks { return happened() }
      blockThread(for: .microseconds(500))
    }
  }

  /// Submits a block to `queue`, and returns whether the block has not run when nothing in the process makes progress.
  ///
  /// - Throws: ``Unavailable`` if the system does not report what threads do.
  public func isHeldUp(_ queue: DispatchQueue) throws -> Bool {
    let block = RunCounts(count: 1)
    queue.async { block.ran(0) }
    return try !wait { block[0] > 0 }
  }

  /// Waits until nothing in this process makes progress.
  ///
  /// - Throws: ``Unavailable`` if the system does not report what threads do.
  public func wait() throws { _ = try wait { false } }

  /// Uses the pool for the first time, and waits until nothing in this process makes progress.
  ///
  /// The pool's monitor looks for the first time soon after the first block, and may then add a thread for blocks that
  /// were submitted just before. The first block is therefore an empty one, and the monitor gets the time to go to
  /// sleep.
  ///
  /// - Throws: ``Unavailable`` if the system does not report what threads do.
  public func warmUp() throws {
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
    try wait()
  }
}

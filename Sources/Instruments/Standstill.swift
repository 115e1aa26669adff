import Dispatch
import Laboratory
import Platform

/// Tells what is late from what cannot come: when nothing happens and all threads of the process sleep, nothing will.
///
/// Whoever submits a block to Dispatch wakes or starts the thread for it, where the pool has one to give, before the
/// call returns. A thread that was woken, or was just started, does not sleep, however busy the machine is. So no time
/// is waited for, and a slow machine is not taken for one that stands still. (What a timer or another process would
/// bring is not foreseen: the pool's own, which adds a thread now and then, is one.)
public struct Standstill: Sendable {
  /// How often in a row all must be found asleep: the threads are looked at one after the other.
  private static let looks = 3

  /// Whether all threads but the calling one sleep; nil where the system does not tell.
  public var areOthersAsleep: @Sendable () -> Bool? = { ProcessState.ofOtherThreads()?.isAsleep }

  /// A look at the threads of this process.
  public init() {}

  /// Waits until `happened` says so, or until it cannot come any more.
  ///
  /// - Returns: whether it happened.
  /// - Throws: ``Unavailable`` where the system does not tell what threads do.
  public func wait(for happened: () -> Bool) throws -> Bool {
    var asleep = 0
    while true {
      if happened() { return true }
      guard let areAsleep = areOthersAsleep() else {
        throw Unavailable("whether threads sleep must be told, and this system does not tell")
      }
      asleep = areAsleep ? asleep + 1 : 0
      if asleep == Self.looks { return happened() }
      blockThread(for: .microseconds(500))
    }
  }

  /// Whether a block that is submitted to `queue` now has not run when nothing goes on any more.
  ///
  /// - Throws: ``Unavailable`` where the system does not tell what threads do.
  public func isHeldUp(_ queue: DispatchQueue) throws -> Bool {
    let block = RunCounts(count: 1)
    queue.async { block.ran(0) }
    return try !wait { block[0] > 0 }
  }

  /// Waits until nothing goes on any more in this process.
  ///
  /// - Throws: ``Unavailable`` where the system does not tell what threads do.
  public func wait() throws { _ = try wait { false } }

  /// Uses the pool for the first time, and waits until nothing goes on any more.
  ///
  /// The pool's monitor looks for the first time soon after the first block, and may add a thread then for what has
  /// only just been submitted. So the first block is an empty one, and the monitor is let go to sleep.
  ///
  /// - Throws: ``Unavailable`` where the system does not tell what threads do.
  public func warmUp() throws {
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
    try wait()
  }
}

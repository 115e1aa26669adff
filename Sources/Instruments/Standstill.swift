import Dispatch
import Laboratory
import Platform
import Synchronization

/// A detector that distinguishes a late event from an event that cannot occur. If all threads of the process sleep, no
/// thread can cause the event.
///
/// When a thread submits a block, Dispatch wakes or starts a pool thread before the call returns, if the pool can
/// provide one. A thread that was just woken or started does not sleep, however busy the machine is. The lab therefore
/// does not wait for a fixed time, and does not mistake a slow machine for a standstill. An event can still occur after
/// a standstill if its cause is a timer, another process, or the pool's own monitor, which sometimes adds a thread.
public struct Standstill: Sendable {
  /// The number of consecutive times that all threads must be found asleep. The threads are examined one after the
  /// other, so a single examination is not enough.
  private static let examinations = 3

  /// A closure that returns whether all threads except the calling thread sleep. The closure returns nil if the system
  /// does not report the states of threads.
  public var areOthersAsleep: @Sendable () -> Bool? = { ProcessState.ofOtherThreads()?.isAsleep }

  /// Creates a standstill detector for this process.
  public init() {}

  /// Waits until `happened` returns true, or until all other threads of the process sleep.
  ///
  /// - Returns: true if `happened` returned true; false if all other threads sleep although `happened` returns false.
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public func wait(for happened: () -> Bool) throws -> Bool {
    var asleep = 0
    while true {
      if happened() { return true }
      guard let areAsleep = areOthersAsleep() else {
        throw Unavailable("this system does not report whether threads sleep")
      }
      asleep = areAsleep ? asleep + 1 : 0
      if asleep == Self.examinations { return happened() }
      blockThread(for: .microseconds(500))
    }
  }

  /// Submits a block to `queue`, and returns whether all other threads sleep although the block has not begun.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public func isHeldUp(_ queue: DispatchQueue) throws -> Bool {
    let block = ExecutionCounts(count: 1)
    queue.async { block.ran(0) }
    return try !wait { block[0] > 0 }
  }

  /// Waits until all other threads of this process sleep.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public func wait() throws { _ = try wait { false } }

  /// Uses the pool for the first time, and waits until all other threads of this process sleep.
  ///
  /// The pool's monitor runs for the first time soon after the first block, and may then add a thread for blocks that
  /// were submitted just before. This method therefore submits an empty block, and waits until the monitor sleeps.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public func warmUp() throws {
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
    try wait()
  }
}

/// Waits for an event or a standstill in code that cannot throw, such as a handler or a child task. The trial asks for
/// the error afterwards.
public final class StandstillWait: Sendable {
  private let standstill: Standstill
  private let failure = Mutex<(any Error)?>(nil)

  /// Creates a wait that uses `standstill`.
  public init(_ standstill: Standstill) { self.standstill = standstill }

  /// Waits until `happened` returns true, or until all other threads of the process sleep.
  ///
  /// - Returns: true if `happened` returned true; false at a standstill, or if the system does not report what threads
  ///   do (``requireResult()``).
  @discardableResult public func wait(for happened: () -> Bool) -> Bool {
    do { return try standstill.wait(for: happened) } catch {
      failure.withLock { $0 = error }
      return false
    }
  }

  /// Verifies that every wait so far had a result.
  ///
  /// - Throws: ``Unavailable`` if the system did not report the states of threads.
  public func requireResult() throws { if let failure = failure.withLock(\.self) { throw failure } }
}

import Laboratory
import Measurement
import Platform

/// A group of threads that start at the same time.
public enum Team {
  /// The time and the context switches of a team.
  public struct Effort: Sendable {
    /// The nanoseconds from the common start until the last thread ended.
    public let nanoseconds: UInt64
    /// The context switches of the process while the team ran; nil if the system does not report context switches.
    public let switches: ContextSwitches?
  }

  /// Executes `body` on `count` threads at the same time, and waits until all these threads have ended.
  ///
  /// - Parameters:
  ///   - more: the number of additional threads that Dispatch needs.
  ///   - prepare: a closure that is executed on each thread before the common start.
  ///   - body: a closure that is executed on each thread, with the thread's number from 0.
  /// - Throws: ``SystemError`` if the threads cannot be started.
  @discardableResult public static func run(
    _ count: Int, besides more: Int = 0, prepare: @escaping @Sendable (_ member: Int) -> Void = { _ in },
    _ body: @escaping @Sendable (_ member: Int) -> Void
  ) throws(SystemError) -> Effort {
    try SystemThread.requireCapacity(for: count + more)
    let start = SpinBarrier(parties: count + 1)
    let threads = try SystemThread.start(count) { member in
      prepare(member)
      start.wait()
      body(member)
    }
    var time: UInt64 = 0
    let switches = ContextSwitches.ofProcess {
      time = MonotonicClock.time {
        start.wait()
        for thread in threads { thread.join() }
      }
    }
    return Effort(nanoseconds: time, switches: switches)
  }
}

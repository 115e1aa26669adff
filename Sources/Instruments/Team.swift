import Laboratory
import Measurement
import Platform

/// Threads that begin at the same time.
public enum Team {
  /// What it took all of them together.
  public struct Effort: Sendable {
    /// Nanoseconds from their common start to the end of the last.
    public let nanoseconds: UInt64
    /// How often they lost their core or gave it up; nil where the system does not tell.
    public let switches: ContextSwitches?
  }

  /// Runs `body` on `count` threads at once, and waits for all of them.
  ///
  /// - Parameters:
  ///   - more: threads that Dispatch needs beside them.
  ///   - prepare: what each does before the common start.
  ///   - body: what each does, told its number from 0.
  /// - Throws: ``SystemError`` when there are not so many threads.
  @discardableResult public static func run(
    _ count: Int, besides more: Int = 0, prepare: @escaping @Sendable (_ member: Int) -> Void = { _ in },
    _ body: @escaping @Sendable (_ member: Int) -> Void
  ) throws(SystemError) -> Effort {
    try SystemThread.requireRoom(for: count + more)
    let start = SpinBarrier(parties: count + 1)
    var threads: [SystemThread] = []
    for member in 0..<count {
      threads.append(
        try SystemThread {
          prepare(member)
          start.wait()
          body(member)
        })
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

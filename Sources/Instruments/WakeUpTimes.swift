import Dispatch
import Laboratory
import Platform

extension WakeUps {
  /// Measures them: 50 of each kind by a dispatch semaphore, a third of a millisecond apart.
  ///
  /// - Parameter cores: how many this process may use.
  public static func measured(cores: Int) -> WakeUps {
    guard SystemThread.canPreferCores else { return WakeUps(sameCore: nil, otherCore: nil) }
    return WakeUps(
      sameCore: try? median(ofSleeperOn: 0), otherCore: cores > 1 ? try? median(ofSleeperOn: 1) : nil)
  }

  /// One wake-up.
  private final class WakeUp: Sendable {
    let sent = Moment()
    let arrived = Moment()
    let isAwaited = DispatchSemaphore(value: 0)
    let asked = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  /// The median time of wake-ups that a thread on the first core sends to one on `core`, which sleeps.
  ///
  /// - Throws: ``SystemError`` when there are no threads to be had.
  private static func median(ofSleeperOn core: Int) throws(SystemError) -> Double {
    // The first warms up.
    let all = (0...50).map { _ in WakeUp() }
    // The calling thread is the caller's, and stays where it is.
    let waker = try SystemThread {
      try? SystemThread.prefer(core: 0)
      for wakeUp in all {
        wakeUp.isAwaited.wait()
        // Time for the other to fall asleep, and its core.
        blockThread(for: .microseconds(330))
        wakeUp.sent.set()
        wakeUp.asked.signal()
        wakeUp.ended.wait()
      }
    }
    defer { waker.join() }
    do {
      try SystemThread {
        try? SystemThread.prefer(core: core)
        for wakeUp in all {
          wakeUp.isAwaited.signal()
          wakeUp.asked.wait()
          wakeUp.arrived.set()
          wakeUp.ended.signal()
        }
      }
      .join()
    } catch {
      // Nobody sleeps, and who wakes has to end nevertheless.
      for wakeUp in all {
        wakeUp.isAwaited.signal()
        wakeUp.ended.signal()
      }
      throw error
    }
    let times = all.dropFirst().compactMap { $0.arrived.since($0.sent) }.sorted()
    return Double(times[times.count / 2])
  }
}

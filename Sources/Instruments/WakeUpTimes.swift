import Dispatch
import Laboratory
import Platform

extension WakeUps {
  /// Returns the measured times of wake-ups by a dispatch semaphore. Each time is the median of 50 wake-ups that are a
  /// third of a millisecond apart. A time is nil if the time cannot be measured, for instance on Darwin. The time of a
  /// wake-up on another core is also nil if `cores` is 1.
  ///
  /// - Parameter cores: the number of cores that this process may use.
  public static func measured(cores: Int) -> WakeUps {
    guard SystemThread.canPreferCores else { return WakeUps(sameCore: nil, otherCore: nil) }
    return WakeUps(
      sameCore: try? median(ofSleeperOn: 0), otherCore: cores > 1 ? try? median(ofSleeperOn: 1) : nil)
  }

  private final class WakeUp: Sendable {
    let sent = Moment()
    let arrived = Moment()
    let isAwaited = DispatchSemaphore(value: 0)
    let asked = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
  }

  /// Returns the median time in nanoseconds that a thread on the first core takes to wake a thread that sleeps on
  /// `core`.
  ///
  /// - Throws: ``SystemError`` if the threads cannot be started.
  private static func median(ofSleeperOn core: Int) throws(SystemError) -> Double {
    // The first wake-up is a warm-up.
    let all = (0...50).map { _ in WakeUp() }
    // A new thread sends the wake-ups, since the calling thread must not be bound to a core.
    let waker = try SystemThread {
      try? SystemThread.prefer(core: 0)
      for wakeUp in all {
        wakeUp.isAwaited.wait()
        // The pause lets the other thread and its core fall asleep.
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
      // The sleeping thread was not started, but the waking thread must still end.
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

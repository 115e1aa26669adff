import Dispatch
import Measurement
import Synchronization

/// A rendezvous of the calling thread and a pool thread on different cores. A trial performs the rendezvous before it
/// measures work on all cores.
///
/// A loop that is shorter than the wake-up of a thread may end before the pool thread has begun. On Linux, the pool
/// thread may then wait for the core of the calling thread during all further loops. In about one of twenty processes,
/// no loop of 0.1 ms had a second core, and each loop took twice as long. In the rendezvous, the two threads take turns
/// until the scheduler has placed them on two cores. If both threads run, the turns take almost no time.
public struct PoolMeeting {
  /// The number of turns. All turns together take some microseconds on two cores. On one core, the turns together take
  /// longer than a time slice of any scheduler.
  private static let turns = 64

  /// The queue that provides the pool thread.
  public let queue: DispatchQueue
  /// The maximum time to wait for the pool thread.
  public var patience: Duration
  /// Whether the pool thread did not arrive in time at an earlier meeting. The cores are then busy with other work, and
  /// later meetings return immediately.
  public private(set) var isGivenUp = false

  /// Creates a meeting with a thread of `queue`. The calling thread waits no longer than `patience`.
  public init(queue: DispatchQueue = .global(), patience: Duration = .milliseconds(40)) {
    (self.queue, self.patience) = (queue, patience)
  }

  /// Waits until both threads run at the same time, or until ``patience`` has passed. Returns immediately if
  /// ``isGivenUp`` is true.
  public mutating func take() {
    guard !isGivenUp else { return }
    let turns = Turns(until: MonotonicClock.now() + UInt64(patience.nanoseconds))
    queue.async { _ = turns.take(beginning: 0) }
    isGivenUp = !turns.take(beginning: 1)
  }

  /// The alternating turns of two threads. Each thread spins until its next turn.
  private final class Turns: Sendable {
    private let passed = Atomic<Int>(0)
    private let end: UInt64

    init(until end: UInt64) { self.end = end }

    /// Takes every second turn, beginning with `first`. Returns true if all these turns were taken, and false if the
    /// other thread did not take its turn in time.
    func take(beginning first: Int) -> Bool {
      for turn in stride(from: first, to: PoolMeeting.turns, by: 2) {
        while passed.load(ordering: .acquiring) < turn {
          if MonotonicClock.now() >= end { return false }
        }
        passed.store(turn + 1, ordering: .releasing)
      }
      return true
    }
  }
}

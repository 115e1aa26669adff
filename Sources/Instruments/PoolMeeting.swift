import Dispatch
import Measurement
import Synchronization

/// Waits until a thread of the pool runs beside the calling thread, on a core of its own. A trial calls it before it
/// times work of all cores.
///
/// A loop that is shorter than the wake-up of a thread may be over before the pool's thread has come. On Linux that
/// thread then waits for the core of the same thread that calls the next loop, and the one after it. In one process of
/// twenty or more, no loop of 0.1 ms ever had a second core, and each took twice as long. The scheduler's decision
/// about one loop must not affect the next. So the two threads take turns: the turns take no time if both threads run,
/// and otherwise take until the scheduler balances the cores.
public struct PoolMeeting {
  /// The number of turns. They take some microseconds on two cores, and longer than a time slice of any scheduler on
  /// one core.
  private static let turns = 64

  /// The queue whose thread takes part.
  public let queue: DispatchQueue
  /// The time for which the meeting waits for the other thread.
  public var patience: Duration
  /// Whether the other thread failed to come to an earlier meeting. The cores are then busy with other work, and later
  /// meetings do not wait.
  public private(set) var isGivenUp = false

  /// Creates a meeting with a thread of `queue`, by default of the default global queue, which waits for `patience`.
  public init(queue: DispatchQueue = .global(), patience: Duration = .milliseconds(40)) {
    (self.queue, self.patience) = (queue, patience)
  }

  /// Returns when both threads run, or when the patience is over.
  public mutating func take() {
    guard !isGivenUp else { return }
    let turns = Turns(until: MonotonicClock.now() + UInt64(patience.nanoseconds))
    queue.async { _ = turns.take(beginning: 0) }
    isGivenUp = !turns.take(beginning: 1)
  }

  /// The turns of two threads. Each thread spins until its next turn.
  private final class Turns: Sendable {
    private let passed = Atomic<Int>(0)
    private let end: UInt64

    init(until end: UInt64) { self.end = end }

    /// Takes every other turn, starting with `first`. Returns false if the other thread did not take a turn in time.
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

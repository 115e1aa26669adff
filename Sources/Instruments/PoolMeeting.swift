import Dispatch
import Measurement
import Synchronization

/// Sees a thread of the pool run beside the calling one, on a core of its own, before what all cores do is timed.
///
/// A loop that is shorter than it takes to wake a thread may be over before the pool's thread has come. On Linux that
/// one then waits for the core of the very thread that calls the next loop, and the one after: in one process of twenty
/// or more, no loop of 0.1 ms ever had a second core, and took twice as long. What the scheduler made of one loop must
/// not decide the next. So the two take turns, which comes to an end in no time only where both run, and by the
/// scheduler's next balancing otherwise.
public struct PoolMeeting {
  /// How many turns are taken: they pass within some microseconds between two cores, and in more time than any
  /// scheduler's slice on one.
  private static let turns = 64

  /// Whose thread it is.
  public let queue: DispatchQueue
  /// How long the other is waited for.
  public var patience: Duration
  /// Whether the other once did not come: what keeps the cores busy then is others' work, and is not waited for again.
  public private(set) var isGivenUp = false

  /// A meeting with a thread of `queue`, the default global one, for which it waits so long.
  public init(queue: DispatchQueue = .global(), patience: Duration = .milliseconds(40)) {
    (self.queue, self.patience) = (queue, patience)
  }

  /// Returns when both run, or the patience is over.
  public mutating func take() {
    guard !isGivenUp else { return }
    let turns = Turns(until: MonotonicClock.now() + UInt64(patience.nanoseconds))
    queue.async { _ = turns.take(beginning: 0) }
    isGivenUp = !turns.take(beginning: 1)
  }

  /// Two threads' turns, of which each spins until it has its next.
  private final class Turns: Sendable {
    private let passed = Atomic<Int>(0)
    private let end: UInt64

    init(until end: UInt64) { self.end = end }

    /// Takes every other turn from the `first` on. False when one did not come in time.
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

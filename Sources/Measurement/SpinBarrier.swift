import Synchronization

/// Lets a fixed number of threads go at the same instant, round after round, by spinning: a kernel wake-up would
/// release them microseconds apart, longer than the races that the lab looks for.
///
/// It yields after some 50 us of spinning, so that more threads than cores still make progress. Not sooner: on a busy
/// machine a thread that gave its core away would seldom be running when the other one arrives.
public final class SpinBarrier: Sendable {
  @usableFromInline let parties: Int
  @usableFromInline let arrived = Atomic<Int>(0)
  @usableFromInline let generation = Atomic<Int>(0)

  /// A barrier for `parties` threads, at least 1.
  public init(parties: Int) { self.parties = parties }

  /// Waits until all parties have called it.
  @inlinable
  public func wait() {
    let mine = generation.load(ordering: .acquiring)
    if arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == parties {
      arrived.store(0, ordering: .relaxed)
      generation.store(mine &+ 1, ordering: .releasing)
      return
    }
    var spins = 0
    while generation.load(ordering: .acquiring) == mine {
      spins &+= 1
      if spins & 0xffff == 0 { yieldProcessor() }
    }
  }
}

import Synchronization

/// A reusable barrier that releases a fixed number of threads at the same instant. The threads spin, because a wake-up
/// by the kernel would release them microseconds apart, and the races that the lab looks for are shorter.
///
/// A thread yields after about 50 us of spinning. The barrier therefore also works for more threads than cores. A
/// thread does not yield earlier: on a busy machine, a thread that gave up its core would seldom be running when the
/// next thread arrives.
public final class SpinBarrier: Sendable {
  @usableFromInline let parties: Int
  @usableFromInline let arrived = Atomic<Int>(0)
  @usableFromInline let generation = Atomic<Int>(0)

  /// Creates a barrier for `parties` threads, at least 1.
  public init(parties: Int) { self.parties = parties }

  /// Waits until all parties have called this method.
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

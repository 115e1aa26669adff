import Dispatch
import Instruments

/// The measuring code, which checks whether blocks overlap with a barrier.
extension BarrierScope {
  /// Returns the longest time of a trial: each barrier has two waits of limited length.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) * trial[barriers] }

  /// Counts blocks that overlap with a barrier.
  ///
  /// - Parameter patience: the longest time of each wait for a block. This time is short for a barrier that should
  ///   exclude all other blocks, since no block should begin.
  func countOverlaps(
    _ trial: Trial, patience: Duration = .milliseconds(2), _ submit: (BarrierBlocks) -> Void
  ) throws {
    try SystemThread.requireCapacity(for: 4)
    let all = (0..<trial[barriers]).map { _ in
      let blocks = BarrierBlocks(patience: patience)
      submit(blocks)
      blocks.awaitAll()
      return blocks
    }
    trial.record(barrierBeganEarly, all.count { $0.barrierDidBeginEarly.isSet })
    trial.record(ranBesideBarrier, all.count { $0.laterRanBesideBarrier.isSet })
  }
}

/// A barrier, a block that was submitted before it, and one that is submitted while it runs.
final class BarrierBlocks: Sendable {
  private let earlierHasBegun = DispatchSemaphore(value: 0)
  private let barrierBegins: BoundedGate
  private let laterBegins: BoundedGate
  private let all = DispatchGroup()

  fileprivate init(patience: Duration) {
    barrierBegins = BoundedGate(bound: patience)
    laterBegins = BoundedGate(bound: patience)
    for _ in 0..<3 { all.enter() }
  }

  /// The work of the block before the barrier, which runs until the barrier has begun or its wait is over.
  func earlier() {
    earlierHasBegun.signal()
    if barrierBegins.pass() { barrierDidBeginEarly.set() }
    all.leave()
  }

  /// Waits until the block before the barrier has begun.
  func awaitEarlier() { earlierHasBegun.wait() }

  /// The work of the barrier after it has submitted the later block, which runs until that block has begun or its wait
  /// is over.
  func barrier() {
    barrierBegins.open()
    laterBegins.restHasFinished()
    if laterBegins.pass() { laterRanBesideBarrier.set() }
    all.leave()
  }

  /// The work of the block after the barrier.
  func later() {
    laterBegins.open()
    all.leave()
  }

  /// Waits until all three blocks have ended. Call it after the barrier was submitted.
  fileprivate func awaitAll() {
    barrierBegins.restHasFinished()
    all.wait()
  }

  /// Whether the barrier began while the earlier block ran.
  fileprivate let barrierDidBeginEarly = AtomicFlag()
  /// Whether the later block began while the barrier ran.
  fileprivate let laterRanBesideBarrier = AtomicFlag()
}

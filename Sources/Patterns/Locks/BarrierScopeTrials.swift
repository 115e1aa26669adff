import Dispatch
import Instruments

/// The code that runs the trials and records which blocks overlap with a barrier.
extension BarrierScope {
  /// Returns an upper bound for the duration of a trial: one second for each barrier.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) * trial[barriers] }

  /// Submits barriers, and records the number of blocks that overlap with a barrier.
  ///
  /// - Parameters:
  ///   - patience: the timeout of each wait for a block. The timeout is short for a barrier that should exclude all
  ///     other blocks, since each wait then times out.
  ///   - submit: a closure that submits the three blocks of one barrier, and returns without waiting for them. The
  ///     waits of the blocks are limited only from then on.
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

/// A barrier, an earlier block that is submitted before the barrier, and a later block that is submitted while the
/// barrier runs.
final class BarrierBlocks: Sendable {
  private let earlierHasBegun = DispatchSemaphore(value: 0)
  private let barrierBegins: TimedGate
  private let laterBegins: TimedGate
  private let all = DispatchGroup()

  fileprivate init(patience: Duration) {
    barrierBegins = TimedGate(limit: patience)
    laterBegins = TimedGate(limit: patience)
    for _ in 0..<3 { all.enter() }
  }

  /// Runs the earlier block, which waits until the barrier begins or the wait times out.
  func earlier() {
    earlierHasBegun.signal()
    if barrierBegins.wait() { barrierDidBeginEarly.set() }
    all.leave()
  }

  /// Waits until the earlier block has begun.
  func awaitEarlier() { earlierHasBegun.wait() }

  /// Runs the barrier, which waits until the later block begins or the wait times out. The barrier must submit the
  /// later block before it calls this method.
  func barrier() {
    barrierBegins.open()
    laterBegins.startTimeLimit()
    if laterBegins.wait() { laterRanBesideBarrier.set() }
    all.leave()
  }

  /// Runs the later block, which ends the wait of the barrier.
  func later() {
    laterBegins.open()
    all.leave()
  }

  /// Starts the time limit of the earlier block, and waits until all three blocks have ended. Call this method after
  /// the barrier has been submitted.
  fileprivate func awaitAll() {
    barrierBegins.startTimeLimit()
    all.wait()
  }

  /// Whether the barrier began while the earlier block ran.
  fileprivate let barrierDidBeginEarly = AtomicFlag()
  /// Whether the later block began while the barrier ran.
  fileprivate let laterRanBesideBarrier = AtomicFlag()
}

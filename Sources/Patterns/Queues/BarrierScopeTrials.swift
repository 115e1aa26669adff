import Dispatch
import Laboratory
import Platform
import Synchronization

/// How it is looked whom a barrier keeps out.
extension BarrierScope {
  /// For each barrier two waits, which last so long at most.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) * trial[barriers] }

  /// Looks whether somebody gets past a barrier that should keep all out: each wait lasts for a moment in which nobody comes.
  func look(_ trial: Trial, _ submit: (BarrierBlocks) -> Void) throws {
    try look(trial, patience: .milliseconds(2), submit)
  }

  /// Looks whether somebody gets past a barrier that keeps nobody out: each wait lasts until he has come.
  func lookForIntruders(_ trial: Trial, patience: Duration = .seconds(10), _ submit: (BarrierBlocks) -> Void) throws {
    try look(trial, patience: patience, submit)
  }

  private func look(_ trial: Trial, patience: Duration, _ submit: (BarrierBlocks) -> Void) throws {
    try SystemThread.requireRoom(for: 4)
    var (wentPast, walkedIn) = (0, 0)
    for _ in 0..<trial[barriers] {
      let blocks = BarrierBlocks(patience: patience)
      submit(blocks)
      blocks.awaitAll()
      if blocks.barrierWentPast { wentPast += 1 }
      if blocks.laterWalkedIn { walkedIn += 1 }
    }
    trial.record(self.wentPast, wentPast)
    trial.record(self.walkedIn, walkedIn)
  }
}

/// A barrier, a block that was there before it, and one that comes while it runs.
final class BarrierBlocks: Sendable {
  private let earlierHasBegun = DispatchSemaphore(value: 0)
  private let barrierBegins: BoundedGate
  private let laterBegins: BoundedGate
  private let all = DispatchGroup()
  private let wentPast = Atomic<Bool>(false)
  private let walkedIn = Atomic<Bool>(false)

  fileprivate init(patience: Duration) {
    barrierBegins = BoundedGate(bound: patience)
    laterBegins = BoundedGate(bound: patience)
    for _ in 0..<3 { all.enter() }
  }

  /// The earlier block: it goes on until the barrier has begun, or until that has had its time.
  func earlier() {
    earlierHasBegun.signal()
    if barrierBegins.pass() { wentPast.store(true, ordering: .releasing) }
    all.leave()
  }

  /// Waits until the earlier block runs.
  func awaitEarlier() { earlierHasBegun.wait() }

  /// The barrier, which has submitted the later block: it goes on until that has begun, or until that has had its time.
  func barrier() {
    barrierBegins.open()
    laterBegins.restHasFinished()
    if laterBegins.pass() { walkedIn.store(true, ordering: .releasing) }
    all.leave()
  }

  /// The later block.
  func later() {
    laterBegins.open()
    all.leave()
  }

  /// Waits until all three have ended: the barrier is submitted.
  fileprivate func awaitAll() {
    barrierBegins.restHasFinished()
    all.wait()
  }

  /// Whether the barrier began while the earlier block ran.
  fileprivate var barrierWentPast: Bool { wentPast.load(ordering: .acquiring) }
  /// Whether the later block began while the barrier ran.
  fileprivate var laterWalkedIn: Bool { walkedIn.load(ordering: .acquiring) }
}

import Exploration
import Instruments

/// A model of three blocks: a barrier, a block that is submitted before the barrier, and a block that the barrier
/// submits.
///
/// Unchecked: an execution uses its objects from one thread at a time.
final class BarrierBlocks: @unchecked Sendable {
  private let earlierHasBegun = DispatchSemaphore(value: 0)
  private var isEarlierRunning = false
  private var isBarrierRunning = false

  /// Executes the work of the block before the barrier.
  func earlier() {
    Execution.step("the earlier block begins")
    isEarlierRunning = true
    earlierHasBegun.signal()
    Execution.step("the earlier block ends")
    isEarlierRunning = false
  }

  /// Waits until the block before the barrier has begun.
  func awaitEarlier() { earlierHasBegun.wait() }

  /// Executes the work of the barrier. The barrier has already submitted the later block.
  func barrier() {
    Execution.step("the barrier begins")
    isBarrierRunning = true
    if isEarlierRunning { Execution.breaks("the barrier begins while the earlier block runs") }
    Execution.step("the barrier ends")
    isBarrierRunning = false
  }

  /// Executes the work of the block after the barrier.
  func later() {
    Execution.step("the later block begins")
    if isBarrierRunning { Execution.breaks("the later block begins while the barrier runs") }
  }
}

extension BarrierScope {
  static let exploration = Self.explored()

  func countOverlaps(_ trial: Trial, patience: Duration = .zero, _ submit: (BarrierBlocks) -> Void) throws {
    submit(BarrierBlocks())
    Execution.settle()
  }
}

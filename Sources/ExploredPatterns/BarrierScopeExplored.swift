import Exploration
import Instruments

/// A model of three blocks: a barrier, a block that is submitted before the barrier, and a block that the barrier
/// submits.
final class BarrierBlocks: @unchecked Sendable {
  private let earlierHasBegun = DispatchSemaphore(value: 0)
  private var isEarlierRunning = false
  private var isBarrierRunning = false

  /// Executes the earlier block, which was submitted before the barrier.
  func earlier() {
    Execution.step("the earlier block begins")
    isEarlierRunning = true
    earlierHasBegun.signal()
    Execution.step("the earlier block ends")
    isEarlierRunning = false
  }

  /// Waits until the earlier block has begun.
  func awaitEarlier() { earlierHasBegun.wait() }

  /// Executes the barrier, which has already submitted the later block. The promise is broken if the barrier begins
  /// while the earlier block runs.
  func barrier() {
    Execution.step("the barrier begins")
    isBarrierRunning = true
    if isEarlierRunning { Execution.breaks("the barrier begins while the earlier block runs") }
    Execution.step("the barrier ends")
    isBarrierRunning = false
  }

  /// Executes the later block, which the barrier submitted. A later block that begins while the barrier runs is a
  /// broken promise.
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

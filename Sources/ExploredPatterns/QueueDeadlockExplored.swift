import Exploration
import Instruments

/// The number of times that each of several blocks has run.
final class ExecutionCounts: @unchecked Sendable {
  private var runs: [Int]
  init(count: Int) { runs = Array(repeating: 0, count: count) }

  var count: Int { runs.count }
  func ran(_ index: Int) {
    runs[index] += 1
    Execution.note("inner block \(index + 1) runs")
  }

  /// The number of blocks that have not run exactly once. If the number is not 0, reading the property records a broken
  /// promise.
  var notOnce: Int {
    let count = runs.count { $0 != 1 }
    if count > 0 { Execution.breaks("\(count) inner blocks did not run exactly once") }
    return count
  }
}

extension QueueDeadlock {
  static let exploration = Self.explored(
    [
      "apply-on-own-queue": "dispatch_apply_f is not modelled",
      "apply-in-async-block": "dispatch_apply_f is not modelled",
      "apply-on-main-queue": "dispatch_apply_f is not modelled",
      "main-sync-on-main": "Swift's compiler checks that a block of DispatchQueue.main is on the real main queue",
    ], settings: ["iterations": .integer(2)],
    leavesOut:
      "Dispatch finds some of these deadlocks and traps, as for a sync onto the current serial queue; here no thread can continue."
  )
}

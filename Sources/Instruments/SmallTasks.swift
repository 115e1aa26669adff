import Measurement
import Synchronization

/// Tasks that do a little each.
public struct SmallTasks: Sendable {
  private let runs: Slots<Atomic<Int>>
  /// The tasks.
  public let all: [SmallTask]

  /// A number of tasks, each of some steps of calibrated work.
  public init(count: Int, steps: Int) {
    let runs = Slots(count: count, padded: true) { _ in Atomic(0) }
    self.runs = runs
    all = (0..<count).map { SmallTask(runs: runs, index: $0, steps: steps) }
  }

  /// How many have not run exactly once since this was last asked.
  public func takeNotOnce() -> Int { all.indices.count { runs[$0].exchange(0, ordering: .relaxed) != 1 } }
}

/// A task that does a little and leaves a trace of it, on a cache line of its own.
public struct SmallTask: Sendable {
  @usableFromInline let runs: Slots<Atomic<Int>>
  /// The index of the task.
  public let index: Int
  @usableFromInline let steps: Int

  /// Does the calibrated work of the task.
  @inlinable
  public func run() {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: UInt64(index)))
    runs[index].add(1, ordering: .relaxed)
  }
}

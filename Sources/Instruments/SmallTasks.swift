import Measurement
import Synchronization

/// Tasks with a small amount of work each.
public struct SmallTasks: Sendable {
  private let runs: Slots<Atomic<Int>>
  /// The tasks.
  public let all: [SmallTask]

  /// Creates `count` tasks, each with `steps` steps of calibrated work.
  public init(count: Int, steps: Int) {
    let runs = Slots(count: count, padded: true) { _ in Atomic(0) }
    self.runs = runs
    all = (0..<count).map { SmallTask(runs: runs, index: $0, steps: steps) }
  }

  /// Returns the number of tasks that have not run exactly once since the last call of this method, and resets the
  /// counts.
  public func takeNotOnce() -> Int { all.indices.count { runs[$0].exchange(0, ordering: .relaxed) != 1 } }
}

/// A task with a small amount of work. The count of its runs is on a separate cache line.
public struct SmallTask: Sendable {
  @usableFromInline let runs: Slots<Atomic<Int>>
  /// The index of the task.
  public let index: Int
  @usableFromInline let steps: Int

  /// Executes the task's calibrated work, and counts the run.
  @inlinable
  public func run() {
    CalibratedWork.run(steps: steps, from: UInt64(index))
    runs[index].add(1, ordering: .relaxed)
  }
}

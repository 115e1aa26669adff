import Measurement
import Synchronization

/// Tasks that do a little each.
struct SmallTasks: Sendable {
  private let runs: Slots<Atomic<Int>>
  /// The tasks.
  let all: [SmallTask]

  /// So many tasks, each of so many steps of calibrated work.
  init(count: Int, steps: Int) {
    let runs = Slots(count: count, padded: true) { _ in Atomic(0) }
    self.runs = runs
    all = (0..<count).map { SmallTask(runs: runs, index: $0, steps: steps) }
  }

  /// How many have not run exactly once since this was last asked.
  func takeNotOnce() -> Int { all.indices.count { runs[$0].exchange(0, ordering: .relaxed) != 1 } }
}

/// A task that does a little and leaves a trace of it, on a cache line of its own.
struct SmallTask: Sendable {
  fileprivate let runs: Slots<Atomic<Int>>
  /// Which it is, from 0.
  let index: Int
  fileprivate let steps: Int

  /// Does it.
  func run() {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: UInt64(index)))
    runs[index].add(1, ordering: .relaxed)
  }
}

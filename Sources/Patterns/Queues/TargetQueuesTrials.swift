import Dispatch
import Instruments

extension TargetQueues {
  /// Runs the tasks twice, and records the metrics of both runs. In the first run the tasks work, and in the second run
  /// they block.
  ///
  /// - Parameters:
  ///   - atOnce: the number of tasks that can block at the same time; nil if a few threads suffice.
  ///   - submit: a closure that submits a task to the queue or actor with the index `place`, as a member of the group.
  /// - Throws: ``Unavailable`` if not enough threads can be started, or if the system does not report the states of
  ///   threads.
  func look(
    _ trial: Trial, atOnce: Int? = nil,
    _ submit: @escaping @Sendable (_ task: PlacedTask, _ all: DispatchGroup) -> Void
  ) throws {
    let queues = trial[queues]
    // If one task runs at a time, the pool needs one thread and creates a few more.
    let most = atOnce.map { min($0, ThreadPool.limit) } ?? 8
    let seen = try census.take(queues * trial[tasksPerQueue], steps: trial.steps(work), threads: most) { tasks, all in
      for (index, task) in tasks.enumerated() { submit(PlacedTask(place: index % queues, task: task), all) }
      all.wait()
    }
    trial.record(blockedTasks, seen.blockedTasks)
    trial.record(inProgress, seen.inProgress)
    trial.record(threads, seen.threads)
    trial.record(elapsed, seen.elapsed)
  }
}

/// A task, and the index of the queue or actor that runs the task.
struct PlacedTask: Sendable {
  /// The index of the queue or actor to which the task is submitted.
  let place: Int
  fileprivate let task: RoundTask

  /// Runs the task, which works in the first run of a trial and blocks in the second run.
  func run() { task.run() }
}

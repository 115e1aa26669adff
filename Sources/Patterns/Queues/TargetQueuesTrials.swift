import Dispatch
import Instruments

/// The code that runs the trials and records their metrics.
extension TargetQueues {
  /// Runs the tasks twice, once working and once blocking, and records how many tasks were in progress at once.
  ///
  /// - Parameters:
  ///   - atOnce: the number of tasks that may block at once; nil if a few threads suffice.
  ///   - submit: a closure that submits a task to the queue or actor at the task's index.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
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
    trial.record(blockedTasks, seen.atOnce)
    trial.record(inProgress, seen.inProgress)
    trial.record(threads, seen.threads)
    trial.record(elapsed, seen.elapsed)
  }
}

/// A task, and the index of the queue to which it is submitted.
struct PlacedTask: Sendable {
  /// The index of the queue or actor to which the task is submitted.
  let place: Int
  fileprivate let task: RoundTask

  /// Runs the task, which works or blocks, depending on the phase of the trial.
  func run() { task.run() }
}

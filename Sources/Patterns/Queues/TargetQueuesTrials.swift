import Dispatch
import Instruments

/// What the variants are put through.
extension TargetQueues {
  /// Runs the tasks twice, once working and once blocking, and records how many were in progress at once.
  ///
  /// - Parameters:
  ///   - atOnce: how many tasks may block at once; nil where they run one at a time.
  ///   - submit: submits a task to the queue, or the actor, of its place.
  /// - Throws: ``Unavailable`` when there are not so many threads, or the system does not tell what they do.
  func look(
    _ trial: Trial, atOnce: Int? = nil,
    _ submit: @escaping @Sendable (_ task: PlacedTask, _ all: DispatchGroup) -> Void
  ) throws {
    let queues = trial[queues]
    // One task at a time keeps one thread; the pool has a few beside it.
    let most = atOnce.map { min($0, ThreadPool.limit) } ?? 8
    let seen = try looks.take(queues * trial[tasksPerQueue], steps: trial.steps(work), threads: most) { tasks, all in
      for (index, task) in tasks.enumerated() { submit(PlacedTask(place: index % queues, task: task), all) }
      all.wait()
    }
    trial.record(blockedTasks, seen.atOnce)
    trial.record(inProgress, seen.inProgress)
    trial.record(threads, seen.threads)
    trial.record(elapsed, seen.elapsed)
  }
}

/// A task with its place among the queues.
struct PlacedTask: Sendable {
  /// The index of the queue that the task belongs to.
  let place: Int
  fileprivate let task: RoundTask

  /// Runs the task: it works, or it blocks.
  func run() { task.run() }
}

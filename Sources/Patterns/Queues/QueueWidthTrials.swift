import Dispatch
import Laboratory

/// What the variants are put through.
extension QueueWidth {
  /// Runs the tasks twice, working and waiting, and records what was seen.
  ///
  /// - Parameter run: submits the tasks and waits for their end.
  /// - Throws: ``Unavailable`` when there are not so many threads, or the system does not tell what they do.
  func look(
    _ trial: Trial, _ run: @escaping @Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws {
    let count = trial[tasks]
    let most = trial.variant == "threads" ? count : min(count, ThreadPool.limit)
    let seen = try looks.take(count, steps: trial.steps(work), threads: most, run)
    trial.record(atOnce, seen.atOnce)
    trial.record(inProgress, seen.inProgress)
    trial.record(threads, seen.threads)
    trial.record(elapsed, seen.elapsed)
    trial.record(start, seen.starts)
  }
}

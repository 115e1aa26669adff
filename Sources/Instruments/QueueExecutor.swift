import Dispatch

/// An executor that runs actors on a queue: each of their jobs is a block of that queue. The queue must be serial, or
/// have a serial target.
public final class QueueExecutor: SerialExecutor {
  /// The queue on which the actors run.
  public let queue: DispatchQueue

  /// Creates an executor that submits jobs to `queue`.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// Submits a job to the queue.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

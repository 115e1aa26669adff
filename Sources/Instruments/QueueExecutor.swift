import Dispatch

/// An executor that executes the jobs of actors as blocks of a queue. The queue must be serial, or have a serial
/// target.
public final class QueueExecutor: SerialExecutor {
  /// The queue that executes the jobs.
  public let queue: DispatchQueue

  /// Creates an executor that submits jobs to `queue`.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// Submits a job to the queue.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

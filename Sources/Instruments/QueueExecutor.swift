import Dispatch

/// Lets actors run on a queue: what they do is then a block of it. The queue must be serial, or target one that is.
public final class QueueExecutor: SerialExecutor {
  /// Where the actors run.
  public let queue: DispatchQueue

  /// An executor that sends to `queue`.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// Sends a job to the queue.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

import Dispatch

/// Lets actors run on a queue: what they do is then a block of it. The queue must be serial, or target one that is.
final class QueueExecutor: SerialExecutor {
  /// Where the actors run.
  let queue: DispatchQueue

  /// An executor that sends to `queue`.
  init(queue: DispatchQueue) { self.queue = queue }

  /// Sends a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

import Dispatch
import Instruments

/// Which other work starves while tasks block the threads of Swift's pool?
///
/// Swift's pool has one thread per core for each priority, and relies on tasks that suspend instead of blocking. A
/// blocking call violates this expectation:
///
/// ```swift
/// Task { semaphore.wait() }
/// ```
///
/// A trial withholds an answer. When every task that can run waits for the answer, the trial submits bystanders, which
/// do not need the answer: a task of the same priority as the waiting tasks, a task of another priority, a block on the
/// global queue and a block on a queue of its own. A bystander starves if it has not begun when all threads of the
/// process sleep (``Standstill``).
///
/// Beyond the documents: this pattern applies "Dispatch Queues and Thread Safety" (Concurrency Programming Guide) to
/// Swift concurrency.
struct PoolStarvation: Pattern {
  static let name = "pool-starvation"

  let tasksPerCore = Parameter.count("tasks-per-core", 1...1000, default: 4, "waiting tasks per core")
  let hold = Parameter.duration(
    // Dispatch's pool checks once per second whether to add a thread.
    "hold", .zero ... .seconds(60), default: .seconds(2),
    "how long the answer is withheld once a bystander starves; ends early when the block on the global queue begins")

  let starved = Metric.count(
    "starved", better: .lower, "bystanders, of four, that had not begun when every thread slept")
  let taskStarved = Metric.count("task-starved", "1 if the bystander task of the waiting tasks' priority starved")
  let otherPriorityStarved = Metric.count(
    "other-priority-starved", "1 if the bystander task of another priority starved")
  let globalStarved = Metric.count(
    "global-starved", "1 if the bystander block on the global queue of the default QoS class starved")
  let ownQueueStarved = Metric.count("own-queue-starved", "1 if the bystander block on its own serial queue starved")
  let stillStarved = Metric.count(
    "still-starved", "1 if the bystander task of the waiting tasks' priority starved, and began only after the answer")
  let begun = Metric.count("begun", "waiting tasks that had begun just before the answer came")
  let notBegun = Metric.count("not-begun", "waiting tasks that had not begun just before the answer came")
  let blockedThreads = Metric.count("blocked-threads", "threads blocked while the answer was withheld")
  let taskStart = Metric.latency(
    "task-start", "from the submission of the bystander task of the waiting tasks' priority to its start")

  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()
  /// The check for enough threads. A test may replace the check.
  var room = ThreadCapacity()

  var variants: [Variant] {
    Variant("blocking", .broken, "tasks block their threads until the answer comes", crowd) { request in
      Task {
        request.begins()
        request.blockUntilAnswered()
      }
    }
    Variant("on-global-queue", .broken, "tasks suspend; blocks on the global queue block in their place", crowd) {
      request in
      Task {
        request.begins()
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            request.blockUntilAnswered()
            continuation.resume()
          }
        }
      }
    }
    Variant("on-own-queue", .modern, "tasks suspend; blocks on one serial queue block in their place") { trial in
      let queue = DispatchQueue(label: "blocking")
      try crowd(trial) { request in
        Task {
          request.begins()
          await withCheckedContinuation { continuation in
            queue.async {
              request.blockUntilAnswered()
              continuation.resume()
            }
          }
        }
      }
    }
    Variant("own-executor", .modern, "blocking tasks run on a task executor of their own, one at a time") {
      trial in
      final class QueueExecutor: TaskExecutor {
        let queue = DispatchQueue(label: "blocking")
        func enqueue(_ job: consuming ExecutorJob) {
          let job = UnownedJob(job)
          queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
      }
      let executor = QueueExecutor()
      try crowd(trial) { request in
        Task(executorPreference: executor) {
          request.begins()
          request.blockUntilAnswered()
        }
      }
    }
    Variant("task-sleep", .modern, "tasks suspend in Task.sleep until the answer cancels them", crowd) { request in
      Task {
        request.begins()
        try? await Task.sleep(for: .seconds(3600))
      }
    }
    Variant("continuation", .modern, "tasks suspend at a continuation that the answer resumes", crowd) { request in
      Task {
        request.begins()
        await withCheckedContinuation { continuation in
          request.whenAnswered { continuation.resume() }
        }
      }
    }
    Variant("bystander", .yardstick, "the bystanders alone, without waiting tasks", runBystandersAlone) { trial in
      try recordBystandersAlone(trial)
    }
  }
}

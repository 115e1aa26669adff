import Dispatch
import Laboratory
import Platform

/// Whom does a task hold up that waits with its thread?
///
/// Swift's pool has as many threads for a priority as there are cores, and counts on tasks that give theirs back when they
/// wait. A call that blocks does not:
///
/// ```swift
/// Task { semaphore.wait() }
/// ```
///
/// Here an answer is held back, surely, until all tasks wait for it that can. Then bystanders come, who do not need the answer:
/// a task of the same priority, one of another, a block on the global queue and one on a queue of its own. Each begins, or
/// all threads of the process sleep and it has not begun (``Standstill``): then it is held up.
///
/// Beyond the documents: what becomes of "Dispatch Queues and Thread Safety" (Concurrency Programming Guide) in Swift concurrency.
struct PoolStarvation: Pattern {
  static let name = "pool-starvation"

  let tasksPerCore = Setting.count("tasks-per-core", 1...1000, default: 4, "tasks that need the answer, for each core")
  let hold = Setting.duration(
    "hold", .zero ... .seconds(60), default: .milliseconds(50),
    "how much longer the answer takes when a bystander is held up; ends when the one on the global queue begins")

  let heldUp = Metric.count("held-up", "bystanders, of four, that had not begun when all threads slept")
  let taskHeldUp = Metric.count("task-held-up", "of these, the task of the same priority")
  let otherPriorityHeldUp = Metric.count("other-priority-held-up", "of these, the task of another priority")
  let globalHeldUp = Metric.count("global-held-up", "of these, the block on the global queue of the same class")
  let ownQueueHeldUp = Metric.count("own-queue-held-up", "of these, the block on a serial queue of its own")
  let stillHeldUp = Metric.count(
    "still-held-up", "1 when the task of the same priority had not begun just before the answer came either")
  let begun = Metric.count("begun", "tasks in need of the answer that had begun just before it came")
  let notBegun = Metric.count("not-begun", "tasks in need of the answer that had not")
  let parked = Metric.count("parked", "pool threads that waited for the answer, as the system lists them")
  let taskStart = Metric.latency(
    "task-start", "from submitting the bystander that is a task of the same priority to its start")

  /// What tells a standstill; a test gives another.
  var standstill = Standstill()
  /// What makes sure of threads; a test gives another.
  var requireRoom: @Sendable (Int) throws -> Void = { try SystemThread.requireRoom(for: $0) }

  var variants: [Variant] {
    Variant("blocking", .broken, "tasks wait for the answer with their thread") { trial in
      try crowd(trial) { request in
        Task {
          request.begins()
          request.blockUntilAnswered()
        }
      }
    }
    Variant("on-global-queue", .broken, "tasks await a block of the global queue, which waits with its thread") {
      trial in
      try crowd(trial) { request in
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
    }
    Variant("on-own-queue", .modern, "tasks await a block of a serial queue for what blocks, which waits") { trial in
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
    Variant("own-executor", .modern, "tasks that block run, one after the other, on an executor of their own") {
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
    Variant("task-sleep", .modern, "tasks sleep with Task.sleep, until the answer calls them off") { trial in
      try crowd(trial) { request in
        Task {
          request.begins()
          try? await Task.sleep(for: .seconds(3600))
        }
      }
    }
    Variant("continuation", .modern, "tasks await a continuation that the answer's handler resumes") { trial in
      try crowd(trial) { request in
        Task {
          request.begins()
          await withCheckedContinuation { continuation in
            request.whenAnswered { continuation.resume() }
          }
        }
      }
    }
    Variant(
      "bystander", .yardstick, "the bystanders alone, with nobody who waits",
      without: [tasksPerCore, hold, begun, notBegun, parked, stillHeldUp]
    ) { trial in
      try recordBystandersAlone(trial)
    }
  }
}

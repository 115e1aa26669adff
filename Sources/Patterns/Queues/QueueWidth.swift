import Dispatch
import Laboratory
import Platform

/// How many tasks are in progress at once?
///
/// The document says that queues run concurrently with each other, that only within a serial queue tasks come one at a time, and
/// that the system decides how many are in progress: a hundred tasks in a hundred queues do not run at once unless there are
/// a hundred cores. In C:
///
/// ```c
/// for (int i = 0; i < 100; i++) {
///   dispatch_queue_t queue = dispatch_queue_create("queue", DISPATCH_QUEUE_SERIAL);
///   dispatch_async(queue, ^{ task(i); });
/// }
/// ```
///
/// Each trial looks twice. First the tasks work, and what was in progress at once is read from the times at which each began and
/// ended. Then they wait, each from its first instruction on, until nothing more begins and all threads sleep
/// (``Standstill``): those that have begun by then are all that the system lets be in progress.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues".
struct QueueWidth: Pattern {
  static let name = "queue-width"

  let tasks = Setting.count("tasks", 2...2000, default: 100, "tasks in all")
  let work = Setting.duration(
    "work", .zero ... .seconds(1), default: .microseconds(200), "how long a task works, in the first look")

  let inProgress = Metric.count("in-progress", "tasks that had begun and not ended, at most at once, while they work")
  let coresUsed = Metric.count(
    "cores-used", unless: "the system does not tell on which core a thread runs",
    "different cores on which tasks began or ended, while they work: no more run at the same instant")
  let atOnce = Metric.count("at-once", "tasks that had begun when no more did, while they wait")
  let threads = Metric.count(
    "threads", "threads of the pool, idle ones too, or of the tasks, as the system lists them, when no more began")
  let elapsed = Metric.latency("elapsed", "from the first submission to the end of the last task, while they work")
  let start = Metric.latency(
    "start", "from the first submission to the first instruction of a task, while they work")

  /// How it is looked; a test looks otherwise.
  var looks = TaskLooks()

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("one-serial", .documented, "all tasks in one serial queue") { trial in
      let queue = DispatchQueue(label: "one")
      try look(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant("many-queues", .documented, "each task in a serial queue of its own") { trial in
      let queues = (0..<trial[tasks]).map { DispatchQueue(label: "queue.\($0)") }
      try look(trial) { tasks, all in
        for (task, queue) in zip(tasks, queues) {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant("one-concurrent", .documented, "all tasks in one concurrent queue") { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try look(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant(
      "one-concurrent-beside", .documented, "the same, while tasks of a global queue wait on all threads but one",
      without: [work, inProgress, coresUsed, threads, elapsed, start], needs: [.cores(2)]
    ) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try lookBesideOthers(trial, DispatchQueue.global()) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("apply", .documented, "each task an iteration of concurrentPerform") { trial in
      try look(trial) { tasks, _ in
        DispatchQueue.concurrentPerform(iterations: tasks.count) { index in tasks[index].run() }
      }
    }
    Variant("threads", .yardstick, "each task in a thread of its own") { trial in
      try look(trial) { tasks, _ in
        let threads = try tasks.map { task in try SystemThread { task.run() } }
        for thread in threads { thread.join() }
      }
    }
    Variant("task-group", .modern, "each task a child of a task group") { trial in
      try look(trial) { tasks, _ in
        try waitFor {
          await withTaskGroup { group in
            for task in tasks {
              group.addTask { task.run() }
            }
          }
        }
      }
    }
  }

  /// The tasks one after the other.
  func longest(_ trial: Trial) -> Duration? { trial[work] * trial[tasks] }
}

import Dispatch
import Laboratory
import Platform

/// From how much work on does it pay to make a task of it?
///
/// The document says that queues run small tasks more efficiently than threads do, and also that a block which does too little
/// costs more to schedule than to run in place. It has no listing; this is what it comes to in C:
///
/// ```c
/// for (i = 0; i < count; i++) {
///   dispatch_group_async(group, queue, ^{ do_a_little(i); });
/// }
/// dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
/// ```
///
/// What is timed is all of it, from the first submission to the end of the last task: where there is enough to do in each,
/// the other cores pay for the scheduling.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks".
struct TaskGranularity: Pattern {
  static let name = "task-granularity"

  let tasks = Setting.count("tasks", 1...2000, default: 100, "tasks, each as small as the others")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(1), "calibrated work of a task")
  let repeats = Setting.count(
    "repeats", 1...1000, default: 3, "how often all of them are run and timed, after once that warms up")

  let perTask = Metric.latency(
    "per-task", "from the first submission to the end of the last task, over the number of tasks")
  let notOnce = Metric.count("not-once", "tasks that had not run exactly once when all were said to have ended")

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("inline", .yardstick, "the caller does each in turn") { trial in
      try measure(trial) { tasks in
        for task in tasks { task.run() }
      }
    }
    Variant("sync", .documented, "each is synced on a serial queue") { trial in
      let queue = DispatchQueue(label: "small")
      try measure(trial) { tasks in
        for task in tasks {
          queue.sync { task.run() }
        }
      }
    }
    Variant("async", .documented, "each is sent to the global queue, in a group") { trial in
      try measure(trial) { tasks in
        let group = DispatchGroup()
        for task in tasks {
          DispatchQueue.global().async(group: group) { task.run() }
        }
        group.wait()
      }
    }
    Variant("work-item", .documented, "the same, each as a DispatchWorkItem") { trial in
      try measure(trial) { tasks in
        let group = DispatchGroup()
        for task in tasks {
          let item = DispatchWorkItem { task.run() }
          DispatchQueue.global().async(group: group, execute: item)
        }
        group.wait()
      }
    }
    Variant("task", .modern, "each is a child task of a task group") { trial in
      try measure(trial) { tasks in
        try waitFor {
          await withTaskGroup { group in
            for task in tasks {
              group.addTask { task.run() }
            }
          }
        }
      }
    }
    Variant("thread", .yardstick, "each has a thread made for it, and all are joined") { trial in
      try SystemThread.requireRoom(for: trial[tasks])
      try measure(trial) { tasks in
        let threads = try tasks.map { task in try SystemThread { task.run() } }
        for thread in threads { thread.join() }
      }
    }
  }

  /// All tasks one after the other, each on a thread that has to be made, once more than is timed.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .milliseconds(1)) * trial[tasks] * (trial[repeats] + 1)
  }
}

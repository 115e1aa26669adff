import Dispatch
import Instruments

/// From which amount of work does a task run faster on a queue than in place?
///
/// The Concurrency Programming Guide says that queues run small tasks more efficiently than threads do. The guide also
/// says that a block with too little work costs more to schedule than to run in place. The guide has no listing for
/// this comparison. In C, the calls look like this:
///
/// ```c
/// for (i = 0; i < count; i++) {
///   dispatch_group_async(group, queue, ^{ do_a_little(i); });
/// }
/// dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
/// ```
///
/// The trial measures the time from the first submission to the end of the last task. If each task is large enough, the
/// time saved by the other cores exceeds the cost of scheduling.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks".
struct TaskGranularity: Pattern {
  static let name = "task-granularity"

  let tasks = Parameter.count("tasks", 1...2000, default: 100, "tasks, all of the same size")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(1), "calibrated CPU work of a task")
  let repeats = Parameter.count(
    "repeats", 1...1000, default: 3, "how often all tasks are run and timed, after one warm-up"
  ).ofMeasurement

  let perTask = Metric.latency(
    "per-task", "from the first submission to the end of the last task, over the number of tasks")
  let notOnce = Metric.count("not-once", "tasks that had not run exactly once when all had been waited for")

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("inline", .yardstick, "the caller runs the tasks in a loop", measure) { tasks in
      for task in tasks { task.run() }
    }
    // The caller of sync does the work itself, so sync shows what a queue costs, and never gains.
    Variant("sync", .yardstick, "each task by sync on a serial queue") { trial in
      let queue = DispatchQueue(label: "small")
      try measure(trial) { tasks in
        for task in tasks {
          queue.sync { task.run() }
        }
      }
    }
    Variant("async", .documented, "each task by async to the global queue, in a group", measure) { tasks in
      let group = DispatchGroup()
      for task in tasks {
        DispatchQueue.global().async(group: group) { task.run() }
      }
      group.wait()
    }
    Variant("work-item", .documented, "each task as a DispatchWorkItem to the global queue, in a group", measure) {
      tasks in
      let group = DispatchGroup()
      for task in tasks {
        let item = DispatchWorkItem { task.run() }
        DispatchQueue.global().async(group: group, execute: item)
      }
      group.wait()
    }
    Variant("task", .modern, "each task a child of a task group", measure) { tasks in
      try waitFor {
        await withTaskGroup { group in
          for task in tasks {
            group.addTask { task.run() }
          }
        }
      }
    }
    Variant("thread", .yardstick, "each task on a thread created for it, all joined") { trial in
      try SystemThread.requireCapacity(for: trial[tasks])
      try measure(trial) { tasks in
        let threads = try tasks.map { task in try SystemThread { task.run() } }
        for thread in threads { thread.join() }
      }
    }
  }

  /// Returns an upper bound for the duration of a trial: the time that all tasks, including the warm-up, need if they
  /// run one after the other, each on a new thread.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .milliseconds(1)) * trial[tasks] * (trial[repeats] + 1)
  }
}

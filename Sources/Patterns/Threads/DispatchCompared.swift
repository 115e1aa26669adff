import Dispatch
import Instruments

/// Which way of dispatching suits which amount of work?
///
/// A sample by Apple compared ways to run many small tasks: a loop, `dispatch_apply`, a block for each task on a serial
/// queue, on a concurrent queue and on many queues, and a thread for each task. For each way the sample listed the time
/// until the caller can continue, and the time until all tasks have finished:
///
/// ```c
/// for (i = 0; i < count; i++) {
///   dispatch_group_async(group, queue, ^{ work(i); });
/// }
/// // initiated
/// dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
/// // completed
/// ```
///
/// Source: the table of that sample. The lab measures the table again, and checks no sentence about this question.
struct DispatchCompared: Pattern {
  static let name = "dispatch-compared"

  let tasks = Parameter.count("tasks", 1...1000, default: 100, "tasks to run, all of the same size")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(1), "calibrated work per task")
  let repeats = Parameter.count(
    "repeats", 1...1000, default: 2, "timed runs of all tasks per trial, after as many without work"
  ).ofMeasurement

  let initiate = Metric.latency(
    "initiate", "from the first submission until the caller can continue; for a loop, until the last task has finished")
  let complete = Metric.latency("complete", "from the first submission until the last task has finished")
  let processor = Metric.latency(
    "processor", isAmount: true, "processor time of all threads while the tasks run, user and kernel mode together")
  let overhead = Metric.latency(
    "overhead", isAmount: true, affectedBy: ["tasks", "repeats", Cores.name],
    "processor time per task that does no work")
  let notOnce = Metric.count("not-once", "tasks that had not run exactly once when all were reported complete")

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("loop", .documented, "the caller runs the tasks one after the other") { trial in
      try compare(trial) { tasks, _ in
        for task in tasks { task.run() }
      }
    }
    Variant("apply", .documented, "each task is an iteration of concurrentPerform") { trial in
      try compare(trial) { tasks, _ in
        DispatchQueue.concurrentPerform(iterations: tasks.count) { index in tasks[index].run() }
      }
    }
    Variant("serial", .documented, "each task is a block on one serial queue") { trial in
      let queue = DispatchQueue(label: "serial")
      try compare(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("concurrent", .documented, "each task is a block on one concurrent queue") { trial in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      try compare(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("many-queues", .documented, "each task is a block on a serial queue of its own") { trial in
      try SystemThread.requireCapacity(for: min(trial[tasks], ThreadPool.limit))
      let queues = (0..<trial[tasks]).map { DispatchQueue(label: "queue.\($0)") }
      try compare(trial) { tasks, all in
        for task in tasks {
          queues[task.index].async(group: all) { task.run() }
        }
      }
    }
    Variant("threads", .documented, "each task runs on a thread created for it") { trial in
      // The threads of one run may still be ending when the next run begins.
      try SystemThread.requireCapacity(for: 2 * trial[tasks])
      try compare(trial) { tasks, all in
        for task in tasks {
          all.enter()
          do {
            try SystemThread {
              task.run()
              all.leave()
            }.detach()
          } catch {
            all.leave()
            throw error
          }
        }
      }
    }
    Variant("task-group", .modern, "each task is a child task of a task group") { trial in
      try compareTasks(trial) { tasks, initiated in
        await withTaskGroup { group in
          for task in tasks {
            group.addTask { task.run() }
          }
          initiated.set()
        }
      }
    }
  }

  /// Returns an upper bound for the duration of a trial: the time that all tasks, with and without work, need if they
  /// run one after the other, each on a new thread.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .milliseconds(2)) * trial[tasks] * (trial[repeats] + 1)
  }
}

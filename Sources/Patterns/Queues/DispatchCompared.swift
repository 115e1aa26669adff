import Dispatch
import Laboratory
import Platform

/// Which way to dispatch is the right one for how much there is to do?
///
/// A sample of Apple's made a table of the ways to have many small pieces of work done: in a loop, by `dispatch_apply`, by a block
/// each on a serial queue, on a concurrent one and on many of them, and in a thread each. For each it told the time to initiate, until
/// the caller can go on, and the time to complete, until all is done:
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
/// Source: the table of that sample, made anew; beyond the sentences of the documents.
struct DispatchCompared: Pattern {
  static let name = "dispatch-compared"

  let tasks = Setting.count("tasks", 1...1000, default: 100, "pieces of work, each as small as the others")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(1), "how long a piece takes one core")
  let repeats = Setting.count(
    "repeats", 1...1000, default: 2, "how often all of them are done and timed, after as many times without work")

  let initiate = Metric.latency("initiate", "from the first submission until the caller can go on")
  let complete = Metric.latency("complete", "from the first submission to the end of the last piece")
  let user = Metric.latency(
    "user", "processor time of all threads in the program meanwhile; the kernel tells it from its own by samples")
  let system = Metric.latency("system", "processor time of all threads in the kernel meanwhile")
  let overhead = Metric.latency(
    "overhead", "processor time that a piece costs which does nothing, in the program and in the kernel")
  let notOnce = Metric.count("not-once", "pieces that had not been done exactly once when all were said to have ended")

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("loop", .yardstick, "the caller does each in turn") { trial in
      try compare(trial) { tasks, _ in
        for task in tasks { task.run() }
      }
    }
    Variant("apply", .documented, "each is an iteration of concurrentPerform") { trial in
      try compare(trial) { tasks, _ in
        DispatchQueue.concurrentPerform(iterations: tasks.count) { index in tasks[index].run() }
      }
    }
    Variant("serial", .documented, "each is sent to one serial queue") { trial in
      let queue = DispatchQueue(label: "serial")
      try compare(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("concurrent", .documented, "each is sent to one concurrent queue") { trial in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      try compare(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("many-queues", .documented, "each is sent to a serial queue of its own") { trial in
      try SystemThread.requireRoom(for: min(trial[tasks], ThreadPool.limit))
      let queues = (0..<trial[tasks]).map { DispatchQueue(label: "queue.\($0)") }
      try compare(trial) { tasks, all in
        for task in tasks {
          queues[task.index].async(group: all) { task.run() }
        }
      }
    }
    Variant("threads", .yardstick, "each has a thread made for it") { trial in
      // Those of one time may still be ending when the next begins.
      try SystemThread.requireRoom(for: 2 * trial[tasks])
      try compare(trial) { tasks, all in
        for task in tasks {
          all.enter()
          try SystemThread {
            task.run()
            all.leave()
          }.detach()
        }
      }
    }
    Variant("task-group", .modern, "each is a child task of a task group") { trial in
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

  /// All pieces one after the other, each on a thread that has to be made, and as often without work.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .milliseconds(2)) * trial[tasks] * (trial[repeats] + 1)
  }
}

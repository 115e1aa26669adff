import Dispatch
import Instruments

/// How many tasks run at once?
///
/// The Concurrency Programming Guide says that queues run concurrently with each other, and that only the tasks within
/// a serial queue run one at a time. The guide also says that the system determines how many tasks run at once: a
/// hundred tasks in a hundred queues may not run at once unless there are a hundred cores. In C, the hundred queues
/// look like this:
///
/// ```c
/// for (int i = 0; i < 100; i++) {
///   dispatch_queue_t queue = dispatch_queue_create("queue", DISPATCH_QUEUE_SERIAL);
///   dispatch_async(queue, ^{ task(i); });
/// }
/// ```
///
/// Most variants run the tasks twice. In the first run the tasks work, and the start and end times show how many tasks
/// were in progress at once. In the second run each task blocks immediately, until no further task begins and all
/// threads sleep (``Standstill``). The number of tasks that have begun by then is the maximum number of tasks in
/// progress. In the variants that occupy threads or cores with other work, the tasks run only once.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues".
struct QueueWidth: Pattern {
  static let name = "queue-width"

  let tasks = Parameter.count("tasks", 2...2000, default: 100, "number of tasks")
  let work = Parameter.duration(
    "work", .zero ... .seconds(1), default: .microseconds(200),
    "calibrated CPU work of a task, in the run in which tasks work")

  let inProgress = Metric.count(
    "in-progress", "most tasks in progress (begun, not ended) at once, when each task works")
  let coresUsed = Metric.count(
    "cores-used", missingIf: "the system does not report on which core a thread runs",
    "distinct cores on which tasks began or ended, when each task works; no more tasks can run at once")
  let blockedTasks = Metric.count(
    "blocked-tasks", "tasks begun and blocked when each task blocks, once no more begin")
  let threads = Metric.count(
    "threads",
    "threads of the pool, idle ones included, or of the tasks, when each task blocks and no further one begins")
  let elapsed = Metric.latency("elapsed", "from the first submission to the end of the last task, when each task works")
  let start = Metric.latency(
    "start", "from the first submission to the first instruction of a task, when each task works")

  /// The runner of the two phases of a trial. Tests replace the runner.
  var census = TaskCensus()

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("one-serial", .documented, "all tasks on one serial queue", runTasks) { trial in
      let queue = DispatchQueue(label: "one")
      try look(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant("many-queues", .documented, "each task on a serial queue of its own", runTasks) { trial in
      let queues = (0..<trial[tasks]).map { DispatchQueue(label: "queue.\($0)") }
      try look(trial) { tasks, all in
        for (task, queue) in zip(tasks, queues) {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant("one-concurrent", .documented, "all tasks on one concurrent queue", runTasks) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try look(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
        all.wait()
      }
    }
    Variant(
      "one-concurrent-beside", .documented,
      "one concurrent queue, while tasks of a global queue block all pool threads but one", lookBeside,
      needs: [.cores(2)]
    ) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try lookBesideOthers(trial, DispatchQueue.global()) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant(
      "one-concurrent-beside-serial", .documented,
      "one concurrent queue, while tasks of other serial queues keep all cores busy", workBeside
    ) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try workBesideQueues(
        trial, (0..<trial.poolWidth).map { DispatchQueue(label: "other.\($0)", qos: .userInitiated) }
      ) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant(
      "one-concurrent-beside-targeting", .documented,
      "one concurrent queue, while tasks of serial queues that target its global queue keep all cores but one busy",
      workBeside, needs: [.cores(2)]
    ) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try workBesideQueues(
        trial, (1..<trial.poolWidth).map { DispatchQueue(label: "other.\($0)", target: .global()) }
      ) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant(
      "one-concurrent-beside-processes", .documented, "one concurrent queue, while other processes keep all cores busy",
      workBeside
    ) { trial in
      let queue = DispatchQueue(label: "one", attributes: .concurrent)
      try workBesideProcesses(trial, trial.poolWidth) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("apply", .documented, "each task an iteration of concurrentPerform", runTasks) { trial in
      try look(trial) { tasks, _ in
        DispatchQueue.concurrentPerform(iterations: tasks.count) { index in tasks[index].run() }
      }
    }
    Variant("threads", .yardstick, "each task on a thread of its own", runTasks) { trial in
      try look(trial, usesPool: false) { tasks, _ in
        let threads = try tasks.map { task in try SystemThread { task.run() } }
        for thread in threads { thread.join() }
      }
    }
    Variant("task-group", .modern, "each task a child of a task group", runTasks) { trial in
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

  private var runTasks: TrialProbe {
    Probe(reads: [tasks, work], records: [inProgress, coresUsed, blockedTasks, threads, elapsed, start])
  }
  private var lookBeside: TrialProbe { Probe(reads: [tasks], records: [blockedTasks]) }
  private var workBeside: TrialProbe { Probe(reads: [tasks, work], records: [inProgress]) }

  /// Returns an upper bound for the duration of a trial: the time that the working tasks need if they run one after the
  /// other and get half of the processor time.
  func longest(_ trial: Trial) -> Duration? { trial[work] * trial[tasks] * 2 }
}

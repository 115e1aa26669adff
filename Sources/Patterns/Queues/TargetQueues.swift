import CDispatchSupport
import Dispatch
import Instruments

/// What is the effect of a common target queue on the queues that target it?
///
/// The blocks of a queue run on the queue's target. A private queue targets a global queue by default. If one serial
/// queue is the target of several queues, the blocks of these queues run one at a time. In C:
///
/// ```c
/// dispatch_queue_t target = dispatch_queue_create("target", DISPATCH_QUEUE_SERIAL);
/// dispatch_queue_t queue = dispatch_queue_create_with_target("queue", DISPATCH_QUEUE_SERIAL, target);
/// ```
///
/// Each trial that is not expected to trap runs the tasks twice, as the pattern `queue-width` does. In the first run
/// the tasks work, and the start and end times show how many tasks overlap. In the second run each task blocks
/// immediately, until no further task begins and all threads sleep (``Standstill``).
///
/// Source: the header <dispatch/queue.h>, `dispatch_set_target_queue`. The question goes beyond the documents that the
/// lab checks.
struct TargetQueues: Pattern {
  static let name = "target-queues"

  let queues = Parameter.count("queues", 2...200, default: 100, "queues, or actors")
  let tasksPerQueue = Parameter.count("tasks-per-queue", 1...20, default: 2, "tasks on each queue")
  let work = Parameter.duration(
    "work", .zero ... .seconds(1), default: .microseconds(50),
    "calibrated CPU work of a task, in the run in which tasks work")

  let inProgress = Metric.count(
    "in-progress", "highest number of tasks in progress (begun, not ended) at the same time, if each task works")
  let blockedTasks = Metric.count(
    "blocked-tasks", "tasks that have begun when no further task begins, if each task blocks")
  let threads = Metric.count(
    "threads", better: .lower,
    "threads of the pools, including idle threads, when no further task begins, if each task blocks")
  let elapsed = Metric.latency("elapsed", "from the first submission to the end of the last task, if each task works")

  /// The census, which runs the tasks of a trial twice. Tests replace the census.
  var census = TaskCensus()

  var problem: [any Declaration] { [work] }

  var variants: [Variant] {
    Variant("independent", .yardstick, "serial queues with the default target", runTasks) { trial in
      let queues = (0..<trial[queues]).map { DispatchQueue(label: "queue.\($0)") }
      try look(trial, atOnce: queues.count) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant("serial-target", .documented, "serial queues that target one serial queue", runTasks) { trial in
      let target = DispatchQueue(label: "target")
      let queues = (0..<trial[queues]).map { DispatchQueue(label: "queue.\($0)", target: target) }
      try look(trial) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant("concurrent-on-serial", .documented, "concurrent queues that target one serial queue", runTasks) {
      trial in
      let target = DispatchQueue(label: "target")
      let queues = (0..<trial[queues]).map {
        DispatchQueue(label: "queue.\($0)", attributes: .concurrent, target: target)
      }
      try look(trial) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant(
      "tree", .documented, "serial queues that target one of two queues, which target one serial queue", runTasks
    ) {
      trial in
      let root = DispatchQueue(label: "root")
      let branches = (0..<2).map { DispatchQueue(label: "branch.\($0)", target: root) }
      let queues = (0..<trial[queues]).map { DispatchQueue(label: "queue.\($0)", target: branches[$0 % 2]) }
      try look(trial) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant(
      "set-target", .documented, "serial queues created inactive, given one serial target, then activated", runTasks
    ) { trial in
      let target = DispatchQueue(label: "target")
      let queues = (0..<trial[queues]).map { DispatchQueue(label: "queue.\($0)", attributes: .initiallyInactive) }
      for queue in queues {
        queue.setTarget(queue: target)
        queue.activate()
      }
      try look(trial) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant(
      "set-target-in-c", .documented, "queues of dispatch_queue_create, given one serial target after their first use",
      runTasks
    ) { trial in
      let target = FunctionQueue(label: "target")
      let queues = (0..<trial[queues]).map { FunctionQueue(label: "queue.\($0)") }
      for queue in queues {
        queue.sync()
        gcdlab_dispatch_set_target_queue(queue.object, target.object)
        queue.sync()
      }
      try look(trial) { task, all in
        all.enter()
        queues[task.place].async {
          task.run()
          all.leave()
        }
      }
    }
    Variant("concurrent-target", .documented, "serial queues that target one concurrent queue", runTasks) { trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queues = (0..<trial[queues]).map { DispatchQueue(label: "queue.\($0)", target: target) }
      try look(trial) { task, all in
        queues[task.place].async(group: all) { task.run() }
      }
    }
    Variant("actors", .modern, "actors whose executor runs on one serial queue", runTasks) { trial in
      actor Worker {
        private let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        init(on executor: QueueExecutor) { self.executor = executor }
        func run(_ task: PlacedTask) { task.run() }
      }
      let executor = QueueExecutor(queue: DispatchQueue(label: "target"))
      let workers = (0..<trial[queues]).map { _ in Worker(on: executor) }
      try look(trial) { task, all in
        all.enter()
        Task {
          await workers[task.place].run(task)
          all.leave()
        }
      }
    }
    Variant("set-target-active", .broken, "setTarget on a queue that is already active", ends: .trapsAtOnce) {
      trial in
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "queue")
      trial.hazard()
      queue.setTarget(queue: target)
    }
    Variant(
      "sync-siblings", .broken, "a task syncs to another queue with the same serial target", ends: .trapsAtOnce
    ) {
      trial in
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "queue", target: target)
      let other = DispatchQueue(label: "other", target: target)
      trial.hazard()
      queue.sync {
        other.sync {}
      }
    }
  }

  /// The probe for variants that run the tasks on queues or actors.
  private var runTasks: TrialProbe {
    Probe(
      reads: [queues, tasksPerQueue, work], records: [inProgress, blockedTasks, threads, elapsed], longest: longest)
  }

  /// Returns an upper bound for the duration of a trial: the time that all tasks need if they work one after the other.
  private func longest(_ trial: Trial) -> Duration { trial[work] * trial[queues] * trial[tasksPerQueue] }
}

import Dispatch
import Laboratory

/// A few serial queues for many tasks, instead of many.
///
/// YYDispatchQueuePool keeps as many serial queues as there are cores for each class of service, and hands them out in turn:
///
/// ```objc
/// static dispatch_queue_t YYDispatchContextGetQueue(YYDispatchContext *context) {
///   uint32_t counter = (uint32_t)OSAtomicIncrement32(&context->counter);
///   void *queue = context->queues[counter % context->queueCount];
///   return (__bridge dispatch_queue_t)(queue);
/// }
/// ```
///
/// The same tasks go to such a pool, to a queue each, and to concurrent queues. They work, and then they wait until no more of
/// them begin (``TaskLooks``). And a pool's own promises are tried: threads race for its queues, and for a set that nobody
/// has asked for yet.
///
/// Sources: YYDispatchQueuePool; Concurrency Programming Guide, Dispatch Queues, on using many serial queues.
struct QueuePoolPattern: Pattern {
  static let name = "queue-pool"

  let tasks = Setting.count("tasks", 2...2000, default: 300, "tasks in all; more than the system's pool has threads")
  let work = Setting.duration(
    "work", .zero ... .seconds(1), default: .microseconds(50), "how long a task works, in the first look")
  let racers = Setting.count("racers", 2...32, default: 4, "threads that race for the queues of a pool")
  let turns = Setting.count("turns", 1...100_000, default: 251, "queues that each of them takes")

  let threads = Metric.count(
    "threads", "threads held by tasks that wait, when no more began, as the system lists them")
  let atOnce = Metric.count("at-once", "tasks that had begun when no more did, while they wait")
  let inProgress = Metric.count("in-progress", "tasks that had begun and not ended, at most at once, while they work")
  let throughput = Metric.rate("throughput", .perSecond, "tasks a second, while they work")
  let wait = Metric.latency("wait", "from the first submission to the first instruction of a task, while they work")
  let switches = Metric.rate(
    "switches", .none, better: .lower, unless: "the system does not tell",
    "times a task that a thread lost its core or went to sleep, while they work")
  let queues = Metric.count("queues", "different queues of one pool that the racers were given")
  let offSize = Metric.count("off-size", "how many queues more or fewer that is than there are cores, 1 to 32")
  let uneven = Metric.count("uneven", "how much more often one queue was given out than another")
  let sets = Metric.count("sets", "different sets that the racers got for one class, at most")
  let misjudged = Metric.count(
    "misjudged", "of pools with 0, 1, 32 and 33 queues, those that were refused or made against the rule")

  /// How it is looked; a test looks otherwise.
  var looks = TaskLooks()

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant(
      "pool", .documented, "the next queue of a pool with as many serial queues as cores",
      own: [racers, turns, queues, offSize, uneven, misjudged]
    ) { trial in
      let size = DispatchQueuePool.size(cores: trial.cores)
      let pool = DispatchQueuePool(name: "file.read", queueCount: size, .ofClass(.default))
      try look(trial) { tasks, all in
        for task in tasks {
          pool?.queue.async(group: all) { task.run() }
        }
      }
      try race(trial, for: { pool?.queue })
      judge(trial) { count in DispatchQueuePool(name: "any", queueCount: count, .ofClass(.default)) }
    }
    Variant(
      "pool-of-class", .documented, "the next queue of a class's set, the five classes in turn",
      own: [racers, turns, queues, offSize, uneven, sets]
    ) { trial in
      try raceForSets(trial) { qos in DispatchQueuePool.shared(qos) }
      try look(trial) { tasks, all in
        let classes = DispatchQueuePool.classes
        for (index, task) in tasks.enumerated() {
          let pool = DispatchQueuePool.shared(classes[index % classes.count])
          pool?.queue.async(group: all) { task.run() }
        }
      }
      try race(trial, for: { DispatchQueuePool.shared(.utility)?.queue })
    }
    Variant(
      "pool-targeting-global", .documented, "the pool's older way: its queues target the global queue",
      own: [racers, turns, queues, offSize, uneven]
    ) { trial in
      let size = DispatchQueuePool.size(cores: trial.cores)
      let pool = DispatchQueuePool(name: "older", queueCount: size, .targeting(.global()))
      try look(trial) { tasks, all in
        for task in tasks {
          pool?.queue.async(group: all) { task.run() }
        }
      }
      try race(trial, for: { pool?.queue })
    }
    Variant("private-queues", .broken, "a serial queue for each task") { trial in
      try look(trial) { tasks, all in
        for task in tasks {
          DispatchQueue(label: "private").async(group: all) { task.run() }
        }
      }
    }
    Variant("private-targeting-global", .broken, "a serial queue for each task, which targets the global queue") {
      trial in
      try look(trial) { tasks, all in
        for task in tasks {
          DispatchQueue(label: "private", target: .global()).async(group: all) { task.run() }
        }
      }
    }
    Variant("private-concurrent", .documented, "one concurrent queue of the program's own") { trial in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      try look(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant("global-concurrent", .documented, "the global queue") { trial in
      try look(trial) { tasks, all in
        for task in tasks {
          DispatchQueue.global().async(group: all) { task.run() }
        }
      }
    }
    Variant("task-group", .modern, "children of a task group") { trial in
      try look(trial) { tasks, all in
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
  func longest(_ trial: Trial) -> Duration? {
    trial[work] * trial[tasks] + .microseconds(1) * trial[turns] * trial[racers]
  }
}

import Dispatch
import Laboratory
import Synchronization

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
/// them begin (``TaskLooks``). And a pool's own promises are tried, by the document's code (``DispatchQueuePool``, ``ClassSet``):
/// threads race for its queues, and for sets that nobody has asked for yet; its counter is taken to the end of its 32 bits.
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
  let offSize = Metric.count(
    "off-size",
    "how many queues more or fewer that is than there are cores, 1 to 32; also for a set told of other cores")
  let uneven = Metric.count("uneven", "how much more often one queue was given out than another")
  let sets = Metric.count("sets", "different sets that the racers got for one class, at most")
  let misjudged = Metric.count(
    "misjudged", "of pools with 0, 1, 32 and 33 queues, those that were refused or made against the rule")
  let inTurnSizes = Metric.count(
    "in-turn-sizes", "sizes of a pool, of 1 to 32, that hand out their queues in turn where the counter wraps, too")

  /// How it is looked; a test looks otherwise.
  var looks = TaskLooks()

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant(
      "pool", .documented, "the next queue of a pool with as many serial queues as cores",
      own: [racers, turns, queues, offSize, uneven, misjudged, inTurnSizes], shows: ["DispatchQueuePool"]
    ) { trial in
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      let pool = DispatchQueuePool(queueCount: count) { DispatchQueue(label: "file.read", qos: .default) }
      try look(trial) { tasks, all in
        for task in tasks {
          pool?.queue.async(group: all) { task.run() }
        }
      }
      let off = try race(trial, for: { pool?.queue })
      judge(trial, off: off, DispatchQueuePool.queueCount) { count, counter in
        DispatchQueuePool(queueCount: count, counter: counter) { DispatchQueue(label: "any") }
      }
    }
    Variant(
      "pool-of-class", .documented, "the next queue of a class's set, the five classes in turn",
      own: [racers, turns, queues, offSize, uneven, sets], shows: ["ClassSet", "DispatchQueuePool"]
    ) { trial in
      let classes: [DispatchQoS] = [.userInteractive, .userInitiated, .utility, .background, .default]
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      // static YYDispatchContext *context[5]
      let sets: @Sendable () -> [ClassSet] = { classes.map { ClassSet(of: $0, queueCount: count) } }
      try raceForSets(trial, classes: classes.count) {
        let sets = sets()
        return { index in sets[index].pool }
      }
      let used = sets()
      try look(trial) { tasks, all in
        for (index, task) in tasks.enumerated() {
          used[index % used.count].pool?.queue.async(group: all) { task.run() }
        }
      }
      let off = try race(trial, for: { used[2].pool?.queue })
      trial.record(offSize, off)
    }
    Variant(
      "pool-targeting-global", .documented, "the pool's older way: its queues target the global queue",
      own: [racers, turns, queues, offSize, uneven], shows: ["DispatchQueuePool"]
    ) { trial in
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      let pool = DispatchQueuePool(queueCount: count) { DispatchQueue(label: "older", target: .global()) }
      try look(trial) { tasks, all in
        for task in tasks {
          pool?.queue.async(group: all) { task.run() }
        }
      }
      let off = try race(trial, for: { pool?.queue })
      trial.record(offSize, off)
    }
    Variant(
      "off-target", .broken, "the older way with a block that asserts it is not on the global queue of its priority",
      without: [tasks, work, threads, atOnce, inProgress, throughput, wait, switches],
      ends: .traps(within: .milliseconds(500)), shows: ["DispatchQueuePool"]
    ) { trial in
      let pool = DispatchQueuePool(queueCount: 1) { DispatchQueue(label: "older", target: .global(qos: .utility)) }
      trial.hazard()
      pool?.queue.sync {
        dispatchPrecondition(condition: .notOnQueue(.global(qos: .utility)))
      }
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

/// One case of `YYDispatchContextGetForQOS`: whoever asks first makes the set of the class, in a `dispatch_once`.
///
/// Unchecked: nobody reads the pool before the once has been through, and it is never changed again.
final class ClassSet: @unchecked Sendable {
  private let onceToken = OnceToken()
  private let makePool: @Sendable () -> DispatchQueuePool?
  private var made: DispatchQueuePool?

  /// The set of a class, which is not made yet.
  init(of qos: DispatchQoS, queueCount: Int) {
    makePool = { DispatchQueuePool(queueCount: queueCount) { DispatchQueue(label: "class", qos: qos) } }
  }

  /// The set, which the first who asks makes.
  var pool: DispatchQueuePool? {
    onceToken.once { made = makePool() }
    return made
  }
}

/// `YYDispatchContext` and `YYDispatchQueuePool` as the document has them, the counter of 32 bits included.
final class DispatchQueuePool: Sendable {
  private let queues: [DispatchQueue]
  private let counter: Atomic<UInt32>

  /// `initWithName:queueCount:qos:`: nil for no queue, and for more than 32.
  ///
  /// - Parameter counter: how many queues were taken already, for a trial that has no time to take them.
  init?(queueCount: Int, counter: UInt32 = 0, _ makeQueue: () -> DispatchQueue) {
    if queueCount < 1 || queueCount > 32 { return nil }
    queues = (0..<queueCount).map { _ in makeQueue() }
    self.counter = Atomic(counter)
  }

  /// `YYDispatchContextGetQueue`: the next queue. As `OSAtomicIncrement32`, the counter wraps, and what it has come to counts.
  var queue: DispatchQueue {
    let counter = counter.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    return queues[Int(counter % UInt32(queues.count))]
  }

  /// The size of a class's set.
  static func queueCount(activeProcessorCount count: Int) -> Int { count < 1 ? 1 : count > 32 ? 32 : count }
}

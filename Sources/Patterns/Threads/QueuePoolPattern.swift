import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// Does a fixed pool of serial queues serve many tasks as well as one queue for each task?
///
/// YYDispatchQueuePool contains one set of serial queues for each QoS class. A set has one queue for each active core.
/// Each request increments an atomic counter of 32 bits. The counter modulo the number of queues selects the queue, so
/// the pool returns its queues in turn.
///
/// Most variants run tasks: on a pool, on one queue for each task, on a concurrent queue or in a task group. In the
/// timed phase the tasks work. In the blocking phase the tasks block until no further task begins (``TaskCensus``). The
/// trials of a pool also test Swift versions of the pool's code (``DispatchQueuePool``, ``ClassSet``). In these tests,
/// threads race for queues and for sets that do not exist yet, and the counter wraps at 32 bits.
///
/// Sources: YYDispatchQueuePool; Concurrency Programming Guide, Dispatch Queues, on using many serial queues.
struct QueuePoolPattern: Pattern {
  static let name = "queue-pool"

  let tasks = Parameter.count(
    "tasks", 2...2000, default: 300, "number of tasks; by default, more than the system's pool has threads")
  let work = Parameter.duration(
    "work", .zero ... .seconds(1), default: .microseconds(50), "CPU time of a task in the timed phase")
  let pause = Parameter.duration(
    "pause", .zero ... .seconds(1), default: .milliseconds(2),
    "how long each task blocks when the time of blocking tasks is measured")
  let racers = Parameter.count("racers", 2...32, default: 4, "threads that take queues from a pool at the same time")
  let turns = Parameter.count("turns", 1...100_000, default: 251, "queues that each racing thread takes")

  let threads = Metric.count("threads", "threads held in the blocking phase, once no more tasks begin")
  let blockedTasks = Metric.count("blocked-tasks", "tasks begun and blocked in the blocking phase, once no more begin")
  let inProgress = Metric.count("in-progress", "peak number of tasks begun and not ended, in the timed phase")
  let throughput = Metric.rate("throughput", .perSecond, "tasks per second, in the timed phase")
  let startLatency = Metric.latency(
    "start-latency", "from the first submission to the first instruction of each task, in the timed phase")
  let contextSwitches = Metric.rate(
    "context-switches", .none, better: .lower, missingIf: "the system does not report it",
    "context switches per task, voluntary and involuntary, in the timed phase")
  let blockingElapsed = Metric.latency(
    "blocking-elapsed", "from the first submission to the end of the last task, when each task blocks for `pause`")
  let queues = Metric.count("queues", "different queues that one pool handed out")
  let sizeError = Metric.count(
    "size-error", "queues too many or too few, against one per core and 1 to 32; summed over several numbers of cores")
  let imbalance = Metric.count("imbalance", "how many more times one queue was handed out than another")
  let sets = Metric.count("sets", "maximum number of different queue sets that racing threads got for one QoS class")
  let wrongSizeChecks = Metric.count(
    "wrong-size-checks", "pools of 0, 1, 32 and 33 queues that were wrongly created or refused")
  let roundRobinSizes = Metric.count(
    "round-robin-sizes", "pool sizes, of 1 to 32, that stay round robin when the 32-bit counter wraps")

  let offTarget = Metric.count(
    "off-target", "blocks that did not find exactly what was set on the global queue of their priority")

  /// The runner of the two phases of a trial. Tests replace the runner.
  var census = TaskCensus()

  var problem: [any Declaration] { [tasks, work, pause] }

  var variants: [Variant] {
    Variant("pool", .documented, "a fixed pool of serial queues, one per core, round robin", runTasksAndJudge) {
      trial in
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      let pool = DispatchQueuePool(queueCount: count) { DispatchQueue(label: "file.read", qos: .default) }
      try look()(trial) { tasks, all in
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
      "pool-per-class", .documented, "one pool of serial queues per QoS class; tasks use the five classes in turn",
      runTasksAndRaceForSets
    ) { trial in
      let classes: [DispatchQoS] = [.userInteractive, .userInitiated, .utility, .background, .default]
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      // The sets correspond to the array `static YYDispatchContext *context[5]` in YYDispatchQueuePool.
      let sets: @Sendable () -> [ClassSet] = { classes.map { ClassSet(of: $0, queueCount: count) } }
      try raceForSets(trial, classes: classes.count) {
        let sets = sets()
        return { index in sets[index].pool }
      }
      let used = sets()
      try look()(trial) { tasks, all in
        for (index, task) in tasks.enumerated() {
          used[index % used.count].pool?.queue.async(group: all) { task.run() }
        }
      }
      let off = try race(trial, for: { used[2].pool?.queue })
      trial.record(sizeError, off)
    }
    Variant(
      "pool-targeting-global", .documented, "the pool before QoS: its queues target the global queue of their priority",
      runTasksAndRace
    ) { trial in
      let count = DispatchQueuePool.queueCount(activeProcessorCount: trial.cores)
      let pool = DispatchQueuePool(queueCount: count) { DispatchQueue(label: "older", target: .global()) }
      try look()(trial) { tasks, all in
        for task in tasks {
          pool?.queue.async(group: all) { task.run() }
        }
      }
      let off = try race(trial, for: { pool?.queue })
      trial.record(sizeError, off)
    }
    Variant(
      "assert-not-on-target", .broken,
      "as pool-targeting-global, with a block that asserts that it is not on the target queue",
      ends: .trapsAtOnce
    ) { trial in
      let pool = DispatchQueuePool(queueCount: 1) { DispatchQueue(label: "older", target: .global(qos: .utility)) }
      trial.hazard()
      pool?.queue.sync {
        dispatchPrecondition(condition: .notOnQueue(.global(qos: .utility)))
      }
    }
    Variant(
      "on-target", .documented,
      "queues of the older pool for each priority, by dispatch_set_target_queue, and a queue that targets each of them",
      seekTargets
    ) { priority in
      let queue = FunctionQueue(label: "older")
      gcdlab_dispatch_set_target_queue(queue.object, gcdlab_dispatch_get_global_queue(priority, 0))
      return queue
    }
    Variant("private-queues", .broken, "one serial queue per task", look(timesBlocking: true)) { tasks, all in
      for task in tasks {
        DispatchQueue(label: "private").async(group: all) { task.run() }
      }
    }
    Variant("private-targeting-global", .broken, "one serial queue per task, targeting the global queue", look()) {
      tasks, all in
      for task in tasks {
        DispatchQueue(label: "private", target: .global()).async(group: all) { task.run() }
      }
    }
    Variant("private-concurrent", .documented, "one private concurrent queue for all tasks", runTasks) { trial in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      try look()(trial) { tasks, all in
        for task in tasks {
          queue.async(group: all) { task.run() }
        }
      }
    }
    Variant(
      "global-concurrent", .documented, "the global queue for all tasks", look(timesBlocking: true)
    ) { tasks, all in
      for task in tasks {
        DispatchQueue.global().async(group: all) { task.run() }
      }
    }
    Variant("task-group", .modern, "one child task per task, in a task group", look()) { tasks, all in
      try waitFor {
        await withTaskGroup { group in
          for task in tasks {
            group.addTask { task.run() }
          }
        }
      }
    }
  }

  private var runTasks: TrialProbe { Probe(reads: [tasks, work], records: ofTasks) }
  private var runTasksAndRace: TrialProbe {
    Probe(reads: [tasks, work, racers, turns], records: ofTasks + [queues, sizeError, imbalance])
  }
  private var runTasksAndRaceForSets: TrialProbe {
    Probe(reads: [tasks, work, racers, turns], records: ofTasks + [queues, sizeError, imbalance, sets])
  }
  private var runTasksAndJudge: TrialProbe {
    Probe(
      reads: [tasks, work, racers, turns],
      records: ofTasks + [queues, sizeError, imbalance, wrongSizeChecks, roundRobinSizes])
  }

  /// The metrics of the timed phase and the blocking phase.
  var ofTasks: [any Declaration] { [threads, blockedTasks, inProgress, throughput, startLatency, contextSwitches] }

  /// Returns an upper bound for the duration of a trial, without the tasks that block for the setting `pause`: the time
  /// that the working tasks need if they run one after the other, plus the time of the requests for queues. The probe
  /// ``look(timesBlocking:)`` adds the time of the blocking tasks.
  func longest(_ trial: Trial) -> Duration? {
    trial[work] * trial[tasks] + .microseconds(1) * trial[turns] * trial[racers]
  }
}

/// The set of queues of one QoS class. The set corresponds to one case of the C function `YYDispatchContextGetForQOS`.
/// The first access to ``pool`` creates the queues in a `dispatch_once`.
///
/// Conformance to `Sendable` is unchecked: each access waits for the `dispatch_once`, and the pool does not change
/// after the `dispatch_once`.
final class ClassSet: @unchecked Sendable {
  private let onceToken = OnceToken()
  private let makePool: @Sendable () -> DispatchQueuePool?
  private var made: DispatchQueuePool?

  /// Creates an empty set for a QoS class.
  init(of qos: DispatchQoS, queueCount: Int) {
    makePool = { DispatchQueuePool(queueCount: queueCount) { DispatchQueue(label: "class", qos: qos) } }
  }

  /// The queues of the class, created at the first access; nil if the number of queues is below 1 or above 32.
  var pool: DispatchQueuePool? {
    onceToken.once { made = makePool() }
    return made
  }
}

/// A pool of queues that are returned in turn. This class is the Swift version of `YYDispatchContext` and
/// `YYDispatchQueuePool`, and has a counter of 32 bits as the original has.
final class DispatchQueuePool: Sendable {
  private let queues: [DispatchQueue]
  private let counter: Atomic<UInt32>

  /// Creates a pool of `queueCount` queues; nil for fewer than 1 or more than 32 queues, as in the initializer of
  /// `YYDispatchQueuePool`.
  ///
  /// - Parameters:
  ///   - counter: the initial value of the counter, for trials in which the counter wraps.
  ///   - makeQueue: a closure that creates a queue of the pool.
  init?(queueCount: Int, counter: UInt32 = 0, _ makeQueue: () -> DispatchQueue) {
    if queueCount < 1 || queueCount > 32 { return nil }
    queues = (0..<queueCount).map { _ in makeQueue() }
    self.counter = Atomic(counter)
  }

  /// The next queue, selected as in `YYDispatchContextGetQueue`. Each access increments the counter, which wraps. The
  /// incremented value modulo the number of queues is the index of the queue.
  var queue: DispatchQueue {
    let counter = counter.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    return queues[Int(counter % UInt32(queues.count))]
  }

  /// Returns the number of queues in the set of a class: the number of active cores, but at least 1 and at most 32.
  static func queueCount(activeProcessorCount count: Int) -> Int { count < 1 ? 1 : count > 32 ? 32 : count }
}

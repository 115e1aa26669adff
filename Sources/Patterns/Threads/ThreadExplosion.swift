import CDispatchSupport
import Dispatch
import Instruments

/// Which other blocks starve while tasks wait for a lock?
///
/// The Concurrency Programming Guide advises against locks in tasks: a contended lock may block a whole serial queue,
/// and prevent other tasks of a concurrent queue from running. In C, a task with a lock looks like this:
///
/// ```c
/// dispatch_async(queue, ^{
///   pthread_mutex_lock(&lock);
///   …
///   pthread_mutex_unlock(&lock);
/// });
/// ```
///
/// A trial holds the lock, or the queue or actor in place of the lock. When all threads of the process sleep
/// (``Standstill``), every task that has a thread is waiting. The trial then submits four bystanders, which are blocks
/// that do not need the lock. The bystanders run on the global queue, on the global queue of another QoS class, on a
/// serial queue, and on a serial queue of another QoS class. A bystander starves if it has not begun when all threads
/// of the process sleep again.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "Dispatch Queues and Thread Safety"; GCD in depth, on the
/// global queues.
struct ThreadExplosion: Pattern {
  static let name = "thread-explosion"

  let tasks = Parameter.count(
    "tasks", 1...2000, default: 300,
    "tasks that need the lock or its replacement; by default, more than the pool has threads")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(60), default: .milliseconds(50),
    "how much longer the lock is held once a bystander starves")

  let starved = Metric.count("starved", "bystanders, of four, that had not begun when all threads slept")
  let globalStarved = Metric.count(
    "global-starved", "1 if the bystander on the global queue of the tasks' QoS class starved")
  let otherQosStarved = Metric.count(
    "other-qos-starved", "1 if the bystander on the global queue of another QoS class starved")
  let ownQueueStarved = Metric.count(
    "own-queue-starved", "1 if the bystander on its own serial queue of the tasks' QoS class starved")
  let otherQosQueueStarved = Metric.count(
    "other-qos-queue-starved", "1 if the bystander on its own serial queue of another QoS class starved")
  let blockedThreads = Metric.count("blocked-threads", "pool threads that waited for the lock")
  let blockedBehind = Metric.count(
    "blocked-behind", "tasks of the same serial queue that did not need the lock and had not begun")
  let globalStart = Metric.latency(
    "global-start", "from the submission of the bystander on the global queue to its start")
  let otherQosStart = Metric.latency(
    "other-qos-start", "from the submission of the bystander on the global queue of another QoS class to its start")
  let ownQueueStart = Metric.latency(
    "own-queue-start", "from the submission of the bystander on its own serial queue to its start")
  let otherQosQueueStart = Metric.latency(
    "other-qos-queue-start",
    "from the submission of the bystander on its own serial queue of another QoS class to its start")
  let drain = Metric.latency(
    "drain", "from the release of the lock to the end of the last task, over the number of tasks")

  let tasksOnGlobal = Metric.count(
    "tasks-on-global", "Swift tasks, of two, whose precondition that they run on the global queue of their class held")
  let ownQueues = Metric.count(
    "own-queues", "Swift tasks, of two, whose queue does not have the label of the global queue of their class")

  /// The detector of a standstill. Tests replace the detector.
  var standstill = Standstill()
  /// The check that there are enough threads. Tests replace the check.
  var room = ThreadCapacity()

  /// Returns an estimate of the longest duration of a trial: the setting `hold` for each of the four bystanders, plus
  /// ten seconds. The ten seconds allow for a busy machine, on which the trial repeatedly examines up to 255 threads
  /// until all of them sleep.
  func longest(_ trial: Trial) -> Duration? { trial[hold] * 4 + .seconds(10) }

  var problem: [any Declaration] { [tasks, hold] }

  var variants: [Variant] {
    Variant(
      "lock-in-global-queue", .broken, "tasks on the global queue wait for a lock, one per core", runCrowdPerCore
    ) { trial in
      let lock = Lock()
      try crowd(trial, of: trial.poolWidth, while: lock.held) { task in
        DispatchQueue.global().async(group: task.all) {
          lock.mutex.withLock { _ in task.work() }
        }
      }
    }
    Variant("lock-in-private-queues", .broken, "each task, on a serial queue of its own, waits for a lock", runCrowd) {
      trial in
      let lock = Lock()
      try crowd(trial, of: trial[tasks], while: lock.held) { task in
        DispatchQueue(label: "private").async(group: task.all) {
          lock.mutex.withLock { _ in task.work() }
        }
      }
    }
    Variant(
      "lock-in-serial-queue", .broken, "one task of a serial queue waits for a lock, the others do not need it",
      runCrowdBehind
    ) { trial in
      let lock = Lock()
      let queue = DispatchQueue(label: "serial")
      try crowd(trial, of: trial[tasks], while: lock.held) { task in
        if task.isFirst {
          queue.async(group: task.all) {
            lock.mutex.withLock { _ in task.work() }
          }
        } else {
          queue.async(group: task.all) { task.work() }
        }
      }
      .recordBehind(trial, blockedBehind)
    }
    Variant(
      "semaphore-gated", .documented, "a semaphore at submission admits one task fewer than there are cores", runCrowd,
      needs: [.cores(2)]
    ) { trial in
      let lock = Lock()
      let places = DispatchSemaphore(value: trial.cores - 1)
      try crowd(trial, of: trial[tasks], while: lock.held) { task in
        places.wait()
        DispatchQueue.global().async(group: task.all) {
          lock.mutex.withLock { _ in task.work() }
          places.signal()
        }
      }
    }
    Variant(
      "serial-queue-instead", .documented, "no lock: the tasks that need the data run on one serial queue", runCrowd
    ) { trial in
      let queue = DispatchQueue(label: "instead")
      try crowd(trial, of: trial[tasks], while: { body in try run(body, on: queue) }) { task in
        queue.async(group: task.all) { task.work() }
      }
    }
    Variant(
      "sync-instead", .documented, "no lock: each task, on a serial queue of its own, syncs to the queue of the data",
      runCrowd
    ) { trial in
      let queue = DispatchQueue(label: "instead")
      try crowd(trial, of: trial[tasks], while: { body in try run(body, on: queue) }) { task in
        DispatchQueue(label: "private").async(group: task.all) {
          queue.sync { task.work() }
        }
      }
    }
    Variant("actor", .modern, "no lock: an actor owns the data, and tasks await it", runCrowd, needs: [.cores(2)]) {
      trial in
      actor Owner {
        func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result { try body() }
      }
      let owner = Owner()
      try crowd(
        trial, of: trial[tasks], while: { body in try waitFor { try await owner.run(body) } }
      ) { task in
        task.all.enter()
        Task {
          await owner.run { task.work() }
          task.all.leave()
        }
      }
    }
    Variant("bystander", .yardstick, "the bystanders alone, without waiting tasks", runBystandersAlone) { trial in
      try recordBystandersAlone(trial)
    }
    Variant(
      "swift-task", .modern, "a Swift task asserts that it runs on the global queue of its QoS class",
      assertGlobalQueue, needs: [.linux]
    ) { priority, global in
      await Task(priority: priority) {
        dispatchPrecondition(condition: .onQueue(global))
        // If the argument is NULL, Dispatch returns the label of the queue on which the caller runs.
        return String(cString: gcdlab_dispatch_queue_get_label(nil))
      }.value
    }
  }

  private var runCrowd: TrialProbe { Probe(reads: [tasks, hold], records: bystanding + [blockedThreads, drain]) }
  private var runCrowdPerCore: TrialProbe { Probe(reads: [hold], records: bystanding + [blockedThreads, drain]) }
  private var runCrowdBehind: TrialProbe {
    Probe(reads: [tasks, hold], records: bystanding + [blockedThreads, drain, blockedBehind])
  }
  private var runBystandersAlone: TrialProbe { Probe(records: bystanding) }

  /// The metrics of the bystanders.
  private var bystanding: [any Declaration] {
    [
      starved, globalStarved, otherQosStarved, ownQueueStarved, otherQosQueueStarved, globalStart, otherQosStart,
      ownQueueStart, otherQosQueueStart,
    ]
  }
}

import Dispatch
import Laboratory
import Platform

/// Whom does a task hold up that waits for a lock?
///
/// The document advises against locks in tasks: one that is not free may hold up a serial queue altogether, and keep other tasks
/// of a concurrent one from running. In C, what it warns of comes to this:
///
/// ```c
/// dispatch_async(queue, ^{
///   pthread_mutex_lock(&lock);
///   …
///   pthread_mutex_unlock(&lock);
/// });
/// ```
///
/// Here the lock is held, surely, until all such tasks wait that can. Then bystanders come, blocks that do not need the
/// lock: one to the global queue, one to that of another class, one to a serial queue of its own, and one to a serial queue of
/// another class. Each begins, or all threads of
/// the process sleep and it has not begun (``Standstill``): then it is held up.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "Dispatch Queues and Thread Safety"; GCD in depth, on the global
/// queues.
struct ThreadExplosion: Pattern {
  static let name = "thread-explosion"

  let tasks = Setting.count(
    "tasks", 1...2000, default: 300, "tasks that need the lock, or what stands for it; more than the pool has threads")
  let hold = Setting.duration(
    "hold", .zero ... .seconds(60), default: .milliseconds(50),
    "how much longer the lock is held for a bystander that is held up")

  let heldUp = Metric.count("held-up", "bystanders, of four, that had not begun when all threads slept")
  let globalHeldUp = Metric.count("global-held-up", "of these, the one on the global queue")
  let otherClassHeldUp = Metric.count("other-class-held-up", "of these, the one on the global queue of another class")
  let ownQueueHeldUp = Metric.count("own-queue-held-up", "of these, the one on a serial queue of its own")
  let otherClassQueueHeldUp = Metric.count(
    "other-class-queue-held-up", "of these, the one on a serial queue of its own that has another class")
  let parked = Metric.count("parked", "pool threads that waited for the lock, as the system lists them")
  let behind = Metric.count("behind", "tasks of the same serial queue, not in need of the lock, that had not begun")
  let globalStart = Metric.latency("global-start", "from submitting the bystander on the global queue to its start")
  let otherClassStart = Metric.latency("other-class-start", "the same for the one of another class")
  let ownQueueStart = Metric.latency("own-queue-start", "the same for the one on a queue of its own")
  let otherClassQueueStart = Metric.latency(
    "other-class-queue-start", "the same for the one on a queue of its own of another class")
  let drain = Metric.latency("drain", "from the lock's release until the last task was done, a task")

  /// What tells a standstill; a test gives another.
  var standstill = Standstill()
  /// What makes sure of threads; a test gives another.
  var requireRoom: @Sendable (Int) throws -> Void = { try SystemThread.requireRoom(for: $0) }

  /// Some 255 threads are looked at one after the other until none has had a turn, which takes its time on a busy machine.
  func longest(_ trial: Trial) -> Duration? { trial[hold] + .seconds(10) }

  var problem: [any Declaration] { [tasks] }

  var variants: [Variant] {
    Variant(
      "lock-in-global-queue", .broken, "tasks on the global queue wait for a lock, one a core: no more than that",
      without: [tasks]
    ) { trial in
      let lock = Lock()
      try crowd(trial, of: trial.poolWidth, while: lock.held) { task in
        DispatchQueue.global().async(group: task.all) {
          lock.mutex.withLock { _ in task.work() }
        }
      }
    }
    Variant("lock-in-private-queues", .broken, "each task waits for the lock on a serial queue of its own") { trial in
      let lock = Lock()
      try crowd(trial, of: trial[tasks], while: lock.held) { task in
        DispatchQueue(label: "private").async(group: task.all) {
          lock.mutex.withLock { _ in task.work() }
        }
      }
    }
    Variant(
      "lock-in-serial-queue", .broken, "one task of a serial queue waits for the lock, the others do not need it",
      own: [behind]
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
      .recordBehind(trial, behind)
    }
    Variant(
      "semaphore-gated", .documented, "a semaphore lets in one task less than there are cores, before it is submitted",
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
    Variant("serial-queue-instead", .documented, "no lock: who needs what it guards is a task of one serial queue") {
      trial in
      let queue = DispatchQueue(label: "instead")
      try crowd(trial, of: trial[tasks], while: { body in try queue.sync(execute: body) }) { task in
        queue.async(group: task.all) { task.work() }
      }
    }
    Variant("actor", .modern, "no lock: an actor owns what it guards, and tasks await it", needs: [.cores(2)]) {
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
    Variant(
      "bystander", .yardstick, "the bystanders alone, with nobody who waits", without: [tasks, hold, parked, drain]
    ) { trial in
      try recordBystandersAlone(trial)
    }
    Variant(
      "task-off-global", .broken, "a Swift task that asserts it does not run by way of the global queue of its class",
      without: [
        tasks, hold, heldUp, globalHeldUp, otherClassHeldUp, ownQueueHeldUp, otherClassQueueHeldUp, parked, globalStart,
        otherClassStart, ownQueueStart, otherClassQueueStart, drain,
      ], ends: .traps(within: .milliseconds(500)), needs: [.linux]
    ) { trial in
      trial.hazard()
      try waitFor {
        await Task(priority: .medium) { dispatchPrecondition(condition: .notOnQueue(.global())) }.value
      }
    }
  }
}

import Dispatch
import Instruments
import Synchronization

/// In which order do the tasks of a queue begin and end, and in which order do threads acquire a lock?
///
/// The Concurrency Programming Guide says that every queue is first in, first out. According to the guide, a serial
/// queue runs its tasks one at a time and, unlike a lock, in a predictable order. Any thread may submit tasks without a
/// lock. The guide's listing adds one block to a serial queue with `dispatch_async`, and a second block with
/// `dispatch_sync`. When the first call returns, the first block may not have run yet. When the second call returns,
/// both blocks have run.
///
/// Each task logs its beginning and its end. The trial reads the log after all tasks have ended. The first task waits
/// until its successor has ended or a time limit has passed. The successor therefore overtakes the first task if the
/// queue allows it.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues", "Creating Serial Dispatch Queues",
/// "Adding a Single Task to a Queue"; "GCD in depth", Queue Types; "The Replacement of the Semaphore".
struct QueueOrder: Pattern {
  static let name = "queue-order"

  let submitters = Parameter.count("submitters", 1...64, default: 4, "threads that submit tasks at the same time")
  let tasks = Parameter.count("tasks", 2...100_000, default: 5000, "tasks per submitting thread")
  let pairs = Parameter.count("pairs", 1...1000, default: 20, "pairs of tasks, the first by async, the second by sync")
  let waiters = Parameter.count(
    "waiters", 2...64, default: 4, "threads that arrive at the queue or lock, one after the other")

  let beginInversions = Metric.count(
    "begin-inversions", "tasks that began after a task that their thread submitted later")
  let endInversions = Metric.count("end-inversions", "tasks that ended after a task that their thread submitted later")
  let overlaps = Metric.count("overlaps", "tasks that began while another task was running")
  let lost = Metric.count("lost", "tasks that did not begin and end exactly once")
  let returnedBeforeEnd = Metric.count("returned-before-end", "calls of async that returned before the block had ended")
  let unfinished = Metric.count("unfinished", "blocks, of two, that had not ended when sync returned")
  let overtaken = Metric.count("overtaken", "waiting threads overtaken by a thread that arrived later")

  var problem: [any Declaration] { [tasks] }

  var variants: [Variant] {
    Variant("serial", .documented, "threads submit tasks to one serial queue, without a lock", logBlocks) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant("serial-targeting-concurrent", .documented, "as serial, with a concurrent target queue", logBlocks) {
      trial in
      let target = DispatchQueue(label: "com.example.Target", attributes: .concurrent)
      let queue = DispatchQueue(label: "com.example.MyQueue", target: target)
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant(
      "concurrent-targeting-serial", .documented,
      "threads submit tasks to a concurrent queue that targets a serial one", logBlocks
    ) { trial in
      let target = DispatchQueue(label: "com.example.Target")
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent, target: target)
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant("concurrent", .documented, "threads submit tasks to one concurrent queue", logBlocks) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      try log(trial, patience: patienceForOvertaking) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant("global", .documented, "threads submit tasks to a global queue", logBlocks) { trial in
      try log(trial, patience: patienceForOvertaking) { tasks in
        for task in tasks {
          DispatchQueue.global().async(group: task.all) { task.run() }
        }
      }
    }
    Variant(
      "sync-after-async", .broken, "on a concurrent queue: one task by async, then one by sync, while the pool is busy",
      watchPairs
    ) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      try addPairs(trial, patience: .seconds(1)) { pair in
        queue.async(group: pair.all) { pair.firstBegins() }
        queue.sync { pair.secondBegins() }
      }
    }
    Variant("async-then-sync", .documented, "the document's listing, on a serial queue", list(patience: inOrder)) {
      tasks in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue")
      myCustomQueue.async { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      myCustomQueue.sync { tasks.someMoreWork() }
      tasks.bothHaveCompleted()
    }
    Variant(
      "async-then-sync-targeting", .documented, "the listing, on a serial queue with a concurrent target queue",
      list(patience: inOrder)
    ) { tasks in
      let target = DispatchQueue(label: "com.example.Target", attributes: .concurrent)
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue", target: target)
      myCustomQueue.async { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      myCustomQueue.sync { tasks.someMoreWork() }
      tasks.bothHaveCompleted()
    }
    Variant(
      "async-then-sync-concurrent", .broken, "the document's listing, on a concurrent queue",
      list(patience: patienceForOvertaking)
    ) { tasks in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue", attributes: .concurrent)
      myCustomQueue.async { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      myCustomQueue.sync { tasks.someMoreWork() }
      tasks.bothHaveCompleted()
    }
    Variant(
      "async-then-barrier-sync", .modern, "the listing on a concurrent queue, the second block by barrier sync",
      list(patience: inOrder)
    ) { tasks in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue", attributes: .concurrent)
      myCustomQueue.async { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      myCustomQueue.sync(flags: .barrier) { tasks.someMoreWork() }
      tasks.bothHaveCompleted()
    }
    Variant("serial-sync", .documented, "threads call sync on a serial queue, one after the other", queueWaiters) {
      trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      try arrive(trial) { thread in
        queue.sync { thread.noteAdmission() }
      }
    }
    Variant("pthread-mutex", .yardstick, "threads lock a pthread mutex, one after the other", queueWaiters) { trial in
      let mutex = ThreadMutex()
      try arrive(trial) { thread in
        mutex.lock()
        thread.noteAdmission()
        mutex.unlock()
      }
    }
    Variant("mutex", .modern, "threads lock Swift's Mutex, one after the other", queueWaiters) { trial in
      let lock = Lock()
      try arrive(trial) { thread in
        lock.mutex.withLock { _ in thread.noteAdmission() }
      }
    }
  }

  private var logBlocks: TrialProbe {
    Probe(reads: [submitters, tasks], records: [beginInversions, endInversions, overlaps, lost])
  }
  private var watchPairs: TrialProbe { Probe(reads: [pairs], records: [beginInversions]) }
  private var queueWaiters: TrialProbe { Probe(reads: [waiters], records: [overtaken]) }

  /// The maximum time for which a task waits for an event that must not occur.
  private var inOrder: Duration { .milliseconds(10) }
  /// The maximum time for which a task waits for an event that must occur as soon as a thread is available.
  private var patienceForOvertaking: Duration { .seconds(20) }
}

import Dispatch
import Laboratory
import Synchronization

/// In which order do tasks begin and end, and what does a lock make of the same?
///
/// The document says that every queue is first in, first out, that a serial queue runs one task at a time in an order one can
/// predict, "unlike locks", and that any thread may add tasks without a lock. Its listing adds two:
///
/// ```c
/// dispatch_queue_t myCustomQueue = dispatch_queue_create("com.example.MyCustomQueue", NULL);
/// dispatch_async(myCustomQueue, ^{ printf("Do some work here.\n"); });
/// printf("The first block may or may not have run.\n");
/// dispatch_sync(myCustomQueue, ^{ printf("Do some more work here.\n"); });
/// printf("Both blocks have completed.\n");
/// ```
///
/// Tasks write down their beginning and their end in one log, which is read when all have ended. One of them waits for its
/// successor, as long as a queue lets that pass it.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues", "Creating Serial Dispatch Queues", "Adding
/// a Single Task to a Queue"; "GCD in depth", Queue Types; "The Replacement of the Semaphore".
struct QueueOrder: Pattern {
  static let name = "queue-order"

  let submitters = Setting.count("submitters", 1...64, default: 4, "threads that add tasks at the same time")
  let tasks = Setting.count("tasks", 2...100_000, default: 5000, "tasks that each of them adds")
  let pairs = Setting.count(
    "pairs", 1...1000, default: 20, "times that a task is added by async, and one by sync behind it")
  let arrivals = Setting.count("arrivals", 2...64, default: 4, "threads that wait, one behind the other, to get in")

  let beginInversions = Metric.count(
    "begin-inversions", "tasks that began after one that the same thread had added later")
  let endInversions = Metric.count("end-inversions", "tasks that ended after one that the same thread had added later")
  let overlaps = Metric.count("overlaps", "tasks that began before another had ended")
  let lost = Metric.count("lost", "tasks that did not begin and end just once")
  let returnedBefore = Metric.count("returned-before", "asyncs that returned before their block had ended")
  let unfinished = Metric.count("unfinished", "blocks that had not ended when the sync behind them returned")
  let overtaken = Metric.count("overtaken", "threads that waited, and got in after one that had come later")

  var problem: [any Declaration] { [tasks] }

  var variants: [Variant] {
    Variant("serial", .documented, "threads add tasks to one serial queue, without a lock", own: logged) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant(
      "serial-targeting-concurrent", .documented, "the same, the queue's own target being a concurrent one", own: logged
    ) { trial in
      let target = DispatchQueue(label: "com.example.Target", attributes: .concurrent)
      let queue = DispatchQueue(label: "com.example.MyQueue", target: target)
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant(
      "concurrent-targeting-serial", .documented, "a concurrent queue whose target takes one task after the other",
      own: logged
    ) { trial in
      let target = DispatchQueue(label: "com.example.Target")
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent, target: target)
      try log(trial, patience: inOrder) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant("concurrent", .documented, "the same on a concurrent queue", own: logged) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      try log(trial, patience: overtaking) { tasks in
        for task in tasks {
          queue.async(group: task.all) { task.run() }
        }
      }
    }
    Variant("global", .documented, "the same on a global queue", own: logged) { trial in
      try log(trial, patience: overtaking) { tasks in
        for task in tasks {
          DispatchQueue.global().async(group: task.all) { task.run() }
        }
      }
    }
    Variant(
      "sync-behind-async", .broken, "one thread adds two tasks to a concurrent queue, while the pool has no thread",
      own: [pairs, beginInversions]
    ) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      try addPairs(trial, patience: .seconds(1)) { pair in
        queue.async(group: pair.all) { pair.firstBegins() }
        queue.sync { pair.secondBegins() }
      }
    }
    Variant("async-then-sync", .documented, "the document's listing, on a serial queue", own: listed) { trial in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue")
      list(trial, patience: inOrder) { tasks in
        myCustomQueue.async { tasks.someWork() }
        tasks.firstMayOrMayNotHaveRun()
        myCustomQueue.sync { tasks.someMoreWork() }
        tasks.bothHaveCompleted()
      }
    }
    Variant("async-then-sync-concurrent", .broken, "the same listing on a concurrent queue", own: listed) { trial in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue", attributes: .concurrent)
      list(trial, patience: overtaking) { tasks in
        myCustomQueue.async { tasks.someWork() }
        tasks.firstMayOrMayNotHaveRun()
        myCustomQueue.sync { tasks.someMoreWork() }
        tasks.bothHaveCompleted()
      }
    }
    Variant("async-then-barrier-sync", .modern, "on a concurrent queue, the second block a barrier", own: listed) {
      trial in
      let myCustomQueue = DispatchQueue(label: "com.example.MyCustomQueue", attributes: .concurrent)
      list(trial, patience: inOrder) { tasks in
        myCustomQueue.async { tasks.someWork() }
        tasks.firstMayOrMayNotHaveRun()
        myCustomQueue.sync(flags: .barrier) { tasks.someMoreWork() }
        tasks.bothHaveCompleted()
      }
    }
    Variant("serial-sync", .documented, "threads come one by one to a serial queue and sync", own: queued) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      try arrive(trial) { thread in
        queue.sync { thread.isIn() }
      }
    }
    Variant("pthread-mutex", .yardstick, "threads come one by one to a pthread mutex", own: queued) { trial in
      let mutex = ThreadMutex()
      try arrive(trial) { thread in
        mutex.lock()
        thread.isIn()
        mutex.unlock()
      }
    }
    Variant("mutex", .modern, "threads come one by one to a Mutex of Swift's", own: queued) { trial in
      let lock = Lock()
      try arrive(trial) { thread in
        lock.mutex.withLock { _ in thread.isIn() }
      }
    }
  }

  private var logged: [any Declaration] { [submitters, tasks, beginInversions, endInversions, overlaps, lost] }
  private var listed: [any Declaration] { [returnedBefore, unfinished] }
  private var queued: [any Declaration] { [arrivals, overtaken] }

  /// How long a task waits, when all is submitted, for one that must not come.
  private var inOrder: Duration { .milliseconds(10) }
  /// How long it waits for one that will come, as soon as there is a thread for it.
  private var overtaking: Duration { .seconds(20) }
}

import Dispatch
import Laboratory
import Platform

/// What do a task and a thread take to begin, and what do a queue and a thread weigh?
///
/// The document says that the system starts tasks sooner than a program can start threads of its own, and that a queue takes
/// less memory than a thread. It has no listing; in C the two come to this:
///
/// ```c
/// dispatch_async(queue, ^{ … });
/// pthread_create(&thread, NULL, function, argument);
/// ```
///
/// Source: Concurrency Programming Guide, Concurrency and Application Design, "Dispatch Queues"; Migrating Away from Threads,
/// "Replacing Threads with Dispatch Queues".
struct ThreadVsQueue: Pattern {
  static let name = "thread-vs-queue"

  let repeats = Setting.count(
    "repeats", 1...200, default: 60, "tasks or threads that are begun, one behind the other, after one that warms up")
  let objects = Setting.count(
    "objects", 100...10_000, default: 500, "queues, threads or tasks that there are at once while they are weighed")

  let start = Metric.latency("start", "from the call that submits or creates it to its first instruction")
  let notOnce = Metric.count("not-once", "tasks that had not begun exactly once when the last had begun")
  let memory = Metric.count(
    "memory", in: .bytes, better: .lower, unless: "the system does not tell what is resident",
    "resident memory of a queue, a thread that waits or a task that is suspended")

  var variants: [Variant] {
    Variant("async-warm", .documented, "a task on a serial queue, whose thread has just done another") { trial in
      let queue = DispatchQueue(label: "warm")
      try measure(trial) { task in
        queue.async { task.begins() }
      }
      try weigh(trial) { DispatchQueue(label: "one of many") }
    }
    Variant(
      "async-cold", .documented,
      "a task on a queue of its own, while every thread of the pool is held: it has to make one",
      without: [objects, memory]
    ) { trial in
      try SystemThread.requireRoom(for: trial[repeats] + 1)
      let queues = (0...trial[repeats]).map { DispatchQueue(label: "cold.\($0)") }
      let hold = DispatchSemaphore(value: 0)
      defer { for _ in queues { hold.signal() } }
      try measure(trial) { task in
        queues[task.number].async {
          task.begins()
          hold.wait()
        }
      }
    }
    Variant("thread", .yardstick, "a new thread for each") { trial in
      try measure(trial) { task in
        try SystemThread { task.begins() }.detach()
      }
      try weigh(trial) {
        try Parked { arrived in
          let hold = DispatchSemaphore(value: 0)
          let thread = try SystemThread {
            arrived()
            hold.wait()
          }
          return {
            hold.signal()
            thread.join()
          }
        }
      }
    }
    Variant(
      "thread-pool", .yardstick, "a thread of one's own that waits for work", without: [objects, memory]
    ) { trial in
      let thread = try LingeringThread()
      defer { thread.stop() }
      try measure(trial) { task in
        thread.run { task.begins() }
      }
    }
    Variant("task", .modern, "a task of Swift concurrency") { trial in
      try measure(trial) { task in
        Task { task.begins() }
      }
      try weigh(trial) {
        Parked { arrived in
          let waiting = Waiting()
          Task {
            await withCheckedContinuation { task in
              waiting.set(task)
              arrived()
            }
          }
          return { waiting.resume() }
        }
      }
    }
  }
}

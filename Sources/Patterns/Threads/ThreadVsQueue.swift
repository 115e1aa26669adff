import Dispatch
import Instruments

/// How soon does a task or a thread start, and how much memory does a queue or a thread use?
///
/// The Concurrency Programming Guide says that the system starts tasks sooner than a program can start its own threads,
/// and that a queue uses less memory than a thread. The guide has no listing for this comparison. In C, the calls that
/// start a task and a thread look like this:
///
/// ```c
/// dispatch_async(queue, ^{ … });
/// pthread_create(&thread, NULL, function, argument);
/// ```
///
/// Source: Concurrency Programming Guide, Concurrency and Application Design, "Dispatch Queues"; Migrating Away from
/// Threads, "Replacing Threads with Dispatch Queues".
struct ThreadVsQueue: Pattern {
  static let name = "thread-vs-queue"

  let repeats = Parameter.count(
    "repeats", 1...200, default: 60, "tasks or threads started, one after the other, after one warm-up"
  ).ofMeasurement
  let objects = Parameter.count(
    "objects", 100...10_000, default: 500,
    "idle queues, queues with a block, blocked threads or suspended tasks that exist at the same time while their memory is measured"
  )

  let start = Metric.latency("start", "from the call that submits a task or creates a thread to the first instruction")
  let notOnce = Metric.count("not-once", "tasks that had not begun exactly once by the end")
  let memory = Metric.count(
    "memory", in: .bytes, better: .lower, missingIf: "the system does not report resident memory",
    "resident memory per idle queue, queue with a block, blocked thread or suspended task")

  var variants: [Variant] {
    Variant(
      "async-warm", .documented, "async to a serial queue whose thread has just run another task", timeStartsAndWeigh
    ) { trial in
      let queue = DispatchQueue(label: "warm")
      try measure(trial) { task in
        queue.async { task.begins() }
      }
      try weigh(trial) { DispatchQueue(label: "one of many") }
    }
    Variant(
      "async-cold", .documented,
      "async to a new serial queue while every pool thread is blocked: the pool has to create a thread", timeStarts
    ) { trial in
      try SystemThread.requireCapacity(for: trial[repeats] + 1)
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
    Variant(
      "async-waiting", .documented, "async to many serial queues, each with a block that waits for its turn",
      weighObjects
    ) { trial in
      let target = DispatchQueue(label: "busy")
      target.suspend()
      defer { target.resume() }
      try weigh(trial) {
        let queue = DispatchQueue(label: "one of many", target: target)
        queue.async {}
        return queue
      }
    }
    Variant("thread", .yardstick, "a new thread for each task", timeStartsAndWeigh) { trial in
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
    Variant("thread-pool", .yardstick, "a long-lived thread that waits for work", timeStarts) { trial in
      let thread = try WorkerThread()
      defer { thread.stop() }
      try measure(trial) { task in
        thread.run { task.begins() }
      }
    }
    Variant("task", .modern, "an unstructured Task of Swift concurrency", timeStartsAndWeigh) { trial in
      try measure(trial) { task in
        Task { task.begins() }
      }
      try weigh(trial) {
        Parked { arrived in
          let waiting = SuspendedTask()
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
  private var timeStarts: TrialProbe { Probe(reads: [repeats], records: [start, notOnce]) }
  private var weighObjects: TrialProbe { Probe(reads: [objects], records: [memory]) }
  private var timeStartsAndWeigh: TrialProbe { Probe(reads: [repeats, objects], records: [start, notOnce, memory]) }
}

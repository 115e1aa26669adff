import Dispatch
import Instruments

/// How does a program detect that a group of tasks has finished: by `dispatch_group_wait`, by `dispatch_group_notify`,
/// or by the older calls that these functions replaced?
///
/// "GCD in depth" downloads three photos and then calls a completion block on the main queue. The first version of the
/// code moves the whole method to a global queue of high priority, enters the group once for each photo, and blocks in
/// `dispatch_group_wait` until the last download has left the group. The second version registers a notify block
/// instead, and so requires neither the global queue nor a blocked thread. "The Replacement of the Semaphore" reports
/// that the notify call replaced a semaphore. The Concurrency Programming Guide recommends a group in place of joining
/// threads.
///
/// A download in a trial is a task that spins for `work` and stores a result. The completion block checks whether all
/// results are stored. `GroupWaitVsNotifyTrials.swift` contains the code that runs the trials.
///
/// Sources: "GCD in depth", Dispatch Groups; "The Replacement of the Semaphore"; Concurrency Programming Guide,
/// Dispatch Queues, "Waiting on Groups of Queued Tasks".
struct GroupWaitVsNotify: Pattern {
  static let name = "group-wait-vs-notify"

  /// The kind of thread that leaves the group last: a thread of the pool, or a thread outside the pool.
  enum Leaver: String, CaseIterable, Sendable {
    case pool, thread
  }

  let tasks = Parameter.count("tasks", 1...1000, default: 3, "downloads in the group")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(100), default: .microseconds(100), "CPU time that each download spins")
  let lastLeaveOn = Parameter.choice(
    "last-leave-on", default: Leaver.pool,
    "the thread that makes the last leave: a Dispatch worker, or one outside the pool")
  let timeout = Parameter.duration(
    "timeout", .microseconds(1) ... .seconds(1), default: .microseconds(300), "timeout of wait-timeout")
  let enoughTime = Parameter.duration(
    "enough-time", .milliseconds(1) ... .seconds(3600), default: .seconds(60),
    "timeout of wait-enough-time, longer than the downloads take")
  let repeats = Parameter.count("repeats", 1...100_000, default: 40, "calls of the method per trial").ofMeasurement

  let call = Metric.latency(
    "call", "time until the method returns to its caller, without the caller's own other work")
  let threadHeld = Metric.latency("thread-held", "time that the method occupies the thread it runs on")
  let wakeLatency = Metric.latency(
    "wake-latency",
    "from just before the last leave to the first code after it: the wait returns or the notify block runs")
  let completionLatency = Metric.latency(
    "completion-latency", "from just before the last leave to the start of the completion block")
  let total = Metric.latency("total", "from the call of the method to the start of the completion block")
  let blockedThreads = Metric.count(
    "blocked-threads", missingIf: "the system does not report what threads wait for",
    "threads, the caller's included, that block in a wait while every download is held back")
  let timeouts = Metric.count("timeouts", "waits that reported a timeout")
  let falseSuccesses = Metric.count("false-successes", "waits that reported success before any download had ended")
  let earlyTimeouts = Metric.count("early-timeouts", "waits that reported a timeout before the timeout had passed")
  let missing = Metric.count(
    "missing", "results missing when a wait had succeeded, or when the completion block ran")
  let notOnce = Metric.count("not-once", "calls whose completion block did not run exactly once")
  let wrongQueue = Metric.count("wrong-queue", "completion blocks that ran on a queue other than the one named")
  let wrongNotifyQueue = Metric.count(
    "wrong-notify-queue", "notify blocks that ran on a queue other than the background queue named")

  /// The queue on which completion blocks run: the main queue, as in "GCD in depth". Tests replace this queue, since
  /// nothing drains the main queue in a test.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [lastLeaveOn, tasks, work] }

  var variants: [Variant] {
    Variant(
      "wait", .documented, "waits on a background queue, then dispatches the completion block to the main queue",
      measure
    ) { download in
      DispatchQueue.global(qos: .userInitiated).async {
        download.held {
          let group = DispatchGroup()
          for photo in download.photos {
            group.enter()
            photo.load { group.leave() }
          }
          group.wait()
          download.noticed()
          download.mainQueue.async { download.completionBlock() }
        }
      }
    }
    Variant(
      "wait-in-caller", .documented, "submits the downloads, does other work, then waits on the calling thread",
      measureInCaller
    ) { download in
      let group = DispatchGroup()
      for photo in download.photos {
        download.queue.async(group: group) { photo.load() }
      }
      download.otherWork()
      group.wait()
    }
    Variant(
      "wait-timeout", .documented,
      "as wait, but times out before the downloads end; a notify then submits the completion block",
      measureWaitThatExpires
    ) { download in
      DispatchQueue.global(qos: .userInitiated).async {
        download.held {
          let group = DispatchGroup()
          for photo in download.photos {
            group.enter()
            photo.load { group.leave() }
          }
          if download.timed({ group.wait(timeout: .now() + download.timeout) }) == .success {
            download.mainQueue.async { download.completionBlock() }
          } else {
            group.notify(queue: download.mainQueue) { download.completionBlock() }
          }
        }
      }
    }
    Variant(
      "wait-enough-time", .documented, "as wait, with a timeout longer than the downloads take; the result is ignored",
      measureWaitWithEnoughTime()
    ) { download in
      DispatchQueue.global(qos: .userInitiated).async {
        download.held {
          let group = DispatchGroup()
          for photo in download.photos {
            group.enter()
            photo.load { group.leave() }
          }
          _ = download.timed { group.wait(timeout: .now() + download.timeout) }
          // The result is ignored, so the completion block may run before the downloads have ended.
          download.mainQueue.async { download.completionBlock() }
        }
      }
    }
    Variant(
      "notify", .documented, "returns at once; the last leave submits the completion block to the main queue", measure
    ) { download in
      let group = DispatchGroup()
      for photo in download.photos {
        group.enter()
        photo.load { group.leave() }
      }
      group.notify(queue: download.mainQueue) { download.completionBlock() }
    }
    Variant(
      "notify-background", .documented,
      "notifies a background queue, whose block dispatches the completion block to the main queue", measureByBackground
    ) { download in
      let group = DispatchGroup()
      for photo in download.photos {
        group.enter()
        photo.load { group.leave() }
      }
      group.notify(queue: .global(qos: .background)) {
        download.noticedInBackground()
        download.mainQueue.async { download.completionBlock() }
      }
    }
    Variant(
      "semaphore", .documented, "what notify replaced: a background queue waits on a semaphore once per download",
      measure
    ) { download in
      DispatchQueue.global(qos: .userInitiated).async {
        download.held {
          let finished = DispatchSemaphore(value: 0)
          for photo in download.photos {
            photo.load { finished.signal() }
          }
          for _ in download.photos { finished.wait() }
          download.noticed()
          download.mainQueue.async { download.completionBlock() }
        }
      }
    }
    Variant(
      "semaphore-background", .documented, "as semaphore, on the background queue that notify-background names", measure
    ) { download in
      DispatchQueue.global(qos: .background).async {
        download.held {
          let finished = DispatchSemaphore(value: 0)
          for photo in download.photos {
            photo.load { finished.signal() }
          }
          for _ in download.photos { finished.wait() }
          download.noticed()
          download.mainQueue.async { download.completionBlock() }
        }
      }
    }
    Variant(
      "thread-join", .documented, "what groups replaced: one thread per download, joined by the caller", measureInCaller
    ) { download in
      var threads: [SystemThread] = []
      for photo in download.photos {
        threads.append(try SystemThread { photo.load() })
      }
      download.otherWork()
      for thread in threads { thread.join() }
    }
    Variant("task-group", .modern, "awaits a task group, which suspends the task and blocks no thread", measureTask) {
      download in
      Task {
        await withTaskGroup { group in
          for photo in download.photos {
            group.addTask { await photo.load() }
          }
        }
        download.noticed()
        download.mainQueue.async { download.completionBlock() }
      }
    }
  }
}

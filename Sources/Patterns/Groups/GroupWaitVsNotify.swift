import Dispatch
import Laboratory
import Platform

/// Ways to learn that a group of tasks has finished, and what they replaced.
///
/// The document downloads three photos and calls a completion block on the main queue. Its first take blocks a thread:
///
/// ```objc
/// dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0), ^{
///   dispatch_group_t downloadGroup = dispatch_group_create();
///   // for each photo: dispatch_group_enter(downloadGroup), and in its completion block dispatch_group_leave(downloadGroup)
///   dispatch_group_wait(downloadGroup, DISPATCH_TIME_FOREVER);
///   dispatch_async(dispatch_get_main_queue(), ^{ completionBlock(error); });
/// });
/// ```
///
/// Its second take subscribes instead: `dispatch_group_notify(downloadGroup, dispatch_get_main_queue(), ^{ … });`. Another
/// document tells how that call replaced its semaphore, a third that a group replaces the joining of threads.
///
/// A download here is a task that spins for `work` and leaves a result behind, where the completion looks for it. What is
/// measured of a call of the method, and how, stands in `GroupDownload.swift`.
///
/// Sources: "GCD in depth", Dispatch Groups; "The Replacement of the Semaphore"; Concurrency Programming Guide, Dispatch
/// Queues, "Waiting on Groups of Queued Tasks".
struct GroupWaitVsNotify: Pattern {
  static let name = "group-wait-vs-notify"

  /// Who leaves the group last.
  enum Leaver: String, CaseIterable, Sendable {
    case pool, thread
  }

  let tasks = Setting.count("tasks", 1...1000, default: 3, "downloads in the group")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(100), default: .microseconds(100), "how long each download spins")
  let leaver = Setting.choice(
    "leaver", default: Leaver.pool, "who leaves the group last: the pool thread of a task, or a thread outside the pool"
  )
  let timeout = Setting.duration(
    "timeout", .microseconds(1) ... .seconds(1), default: .microseconds(300), "how long wait-timeout waits")
  let enoughTime = Setting.duration(
    "enough-time", .milliseconds(1) ... .seconds(3600), default: .seconds(60),
    "how long wait-enough-time would wait, which is more than the downloads take")
  let repeats = Setting.count("repeats", 1...100_000, default: 40, "calls of the method in a trial")

  let call = Metric.latency(
    "call", "how long the call of the method keeps its caller, other work of its own not counted")
  let held = Metric.latency("held", "how long the thread that runs the method is held, until it is free for others")
  let notice = Metric.latency("notice", "from just before the last leave to the first code that knows of the end")
  let wake = Metric.latency("wake", "from just before the last leave to the start of the completion")
  let total = Metric.latency("total", "from the call of the method to the start of the completion")
  let parked = Metric.count(
    "parked", unless: "the system does not tell what threads wait for",
    "threads, the pool's and the caller's, that sleep in a wait while every download is held back")
  let timeouts = Metric.count("timeouts", "waits that reported that their time was up")
  let unreported = Metric.count("unreported", "waits that reported success while no download had ended")
  let beforeTime = Metric.count("before-time", "waits that reported that their time was up before it was")
  let missing = Metric.count(
    "missing", "results that were not there when a wait had ended well, or when the completion ran")
  let completionsOff = Metric.count("completions-off", "calls whose completion block did not run exactly once")
  let elsewhere = Metric.count("elsewhere", "completion blocks that ran on another queue than the one named")
  let notifiedElsewhere = Metric.count(
    "notified-elsewhere", "blocks of a notify that ran on another queue than the background queue named")

  /// Where completion blocks run: the main queue, as in the document; a test, whose main queue nobody serves, gives its own.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant(
      "wait", .documented, "the method is moved to a background queue, waits there, then hops to the main queue"
    ) { trial in
      try measure(trial) { download in
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
    }
    Variant(
      "wait-in-caller", .documented, "adds a block for each download, does other work, then waits where it was called",
      without: [leaver, completionsOff, elsewhere]
    ) { trial in
      try measureInCaller(trial) { download in
        let group = DispatchGroup()
        for photo in download.photos {
          download.queue.async(group: group) { photo.load() }
        }
        download.otherWork()
        group.wait()
      }
    }
    Variant(
      "wait-timeout", .documented, "as wait, but its time is up before the downloads end; notify sees to the rest",
      own: [timeout, timeouts, unreported, beforeTime], takes: longestWithExpiry
    ) { trial in
      try measureWaitThatExpires(trial) { download in
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
    }
    Variant(
      "wait-enough-time", .documented, "the same with more time than the downloads take, so that nobody has to look",
      own: [enoughTime, timeouts]
    ) { trial in
      try measureWaitWithEnoughTime(trial) { download in
        DispatchQueue.global(qos: .userInitiated).async {
          download.held {
            let group = DispatchGroup()
            for photo in download.photos {
              group.enter()
              photo.load { group.leave() }
            }
            _ = download.timed { group.wait(timeout: .now() + download.timeout) }
            // All have ended, or the time is up; nobody looks which.
            download.mainQueue.async { download.completionBlock() }
          }
        }
      }
    }
    Variant("notify", .documented, "the method returns at once; the group submits the completion block") { trial in
      try measure(trial) { download in
        let group = DispatchGroup()
        for photo in download.photos {
          group.enter()
          photo.load { group.leave() }
        }
        group.notify(queue: download.mainQueue) { download.completionBlock() }
      }
    }
    Variant(
      "notify-background", .documented, "the group notifies a background queue, whose block hops to the main queue",
      own: [notifiedElsewhere]
    ) { trial in
      try measureByBackground(trial) { download in
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
    }
    Variant(
      "semaphore", .documented, "what notify replaced: a background queue's thread waits once for each download"
    ) { trial in
      try measure(trial) { download in
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
    }
    Variant(
      "thread-join", .documented, "what groups replaced: a thread for each download, and the caller joins them",
      without: [leaver, completionsOff, elsewhere]
    ) { trial in
      try measureInCaller(trial) { download in
        var threads: [SystemThread] = []
        for photo in download.photos {
          threads.append(try SystemThread { photo.load() })
        }
        download.otherWork()
        for thread in threads { thread.join() }
      }
    }
    Variant(
      "task-group", .modern, "withTaskGroup in a task, which suspends; no thread is held", without: [held]
    ) { trial in
      try measureTask(trial) { download in
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
}

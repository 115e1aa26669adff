import Dispatch
import Laboratory
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Hearing that a process has ended: a child, or the parent.
///
/// The document's example is a child that ends when its parent has gone:
///
/// ```c
/// pid_t parentPID = getppid();
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_PROC, parentPID, DISPATCH_PROC_EXIT, queue);
/// dispatch_source_set_event_handler(source, ^{
///   MySetAppExitFlag();
///   dispatch_source_cancel(source);
///   dispatch_release(source);
/// });
/// dispatch_resume(source);
/// ```
///
/// Linux has no such source. `ProcessMonitor` is what is built there instead: a pidfd behind a read source. On Darwin it is the
/// process source.
///
/// The processes are real: each is a worker of the lab's own binary, started for the same trial, that plays another part in
/// it. A child waits until it is told to go, writes the time as its last act, and exits with a status of its own.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring a Process".
struct ProcessMonitorPattern: Pattern {
  static let name = "process-monitor"

  let processes = Setting.count(
    "processes", 2...1000, default: 4, "processes whose end is watched, one after the other")

  let notice = Metric.latency(
    "notice", unless: "no end was told", "from the last act of the process until who watches knows of its end")
  let untold = Metric.count("untold", "ends that were not told")
  let toldAgain = Metric.count("told-again", "ends that were told more than once")
  let wrongStatus = Metric.count("wrong-status", "ends that were told with another status than the child's own")
  let unreported = Metric.count("unreported", "of a fork, an exec and a signal, how many were not reported")
  let leftOpen = Metric.count("left-open", "descriptors of the trial's pipes and watches that are open at its end")
  let leftProcesses = Metric.count("left-processes", "children that are there at its end, or whose status nobody took")

  /// The binary whose workers play the other parts; a test, which is none, gives another.
  var executable = Host.executablePath

  var variants: [Variant] {
    Variant("child-exit", .documented, "a source of a child's end", own: [toldAgain, wrongStatus]) { trial in
      try watchChildren(trial) { child, watch in
        let source = try ProcessMonitor(process: child, queue: watch.queue)
        source.setEventHandler {
          var status: Int32 = 0
          waitpid(child, &status, 0)
          watch.heard(status)
          source.cancel()
        }
        source.setCancelHandler { watch.ended() }
        source.activate()
      }
    }
    Variant(
      "already-dead", .documented, "the same, made when the child has ended", own: [toldAgain, wrongStatus],
      without: [notice]
    ) { trial in
      try watchChildren(trial, areDead: true) { child, watch in
        let source = try ProcessMonitor(process: child, queue: watch.queue)
        source.setEventHandler {
          var status: Int32 = 0
          waitpid(child, &status, 0)
          watch.heard(status)
          source.cancel()
        }
        source.setCancelHandler { watch.ended() }
        source.activate()
      }
    }
    Variant("waitpid-thread", .yardstick, "a thread that waits in waitpid", own: [toldAgain, wrongStatus]) { trial in
      try watchChildren(trial) { child, watch in
        try SystemThread {
          var status: Int32 = 0
          waitpid(child, &status, 0)
          watch.heard(status)
          watch.ended()
        }.detach()
      }
    }
    Variant(
      "sigchld", .documented, "a source of SIGCHLD, which asks for all that have ended", own: [toldAgain, wrongStatus]
    ) { trial in
      try watchChildren(trial) { _, watch in
        let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: watch.queue)
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.setEventHandler {
          var status: Int32 = 0
          while waitpid(-1, &status, WNOHANG) > 0 {
            watch.heard(status)
            source.cancel()
          }
        }
        source.setCancelHandler { watch.ended() }
        source.activate()
        // What ends before is not told.
        isRegistered.wait()
      }
    }
    Variant("parent-exit", .documented, "a child has a source of its parent's end, which it asks for") { trial in
      try watchParents(trial, whoEnd: .once(.isWatched)) { watch in
        let parent = getppid()
        let source = try ProcessMonitor(process: parent, queue: watch.queue)
        source.setEventHandler {
          watch.heard()
          source.cancel()
        }
        source.activate()
      }
    }
    Variant(
      "parent-gone", .broken, "the same, but the parent has ended by the time the child asks who it is",
      without: [notice]
    ) { trial in
      try watchParents(trial, whoEnd: .once(.hasStarted)) { watch in
        let parent = getppid()
        let source = try ProcessMonitor(process: parent, queue: watch.queue)
        source.setEventHandler {
          watch.heard()
          source.cancel()
        }
        source.activate()
      }
    }
    Variant(
      "parent-checked", .modern, "the parent says who it is when it starts the child, which then asks once more"
    ) { trial in
      try watchParents(trial, whoEnd: .always) { watch in
        let parent = watch.parent
        watch.knows()
        let source = try ProcessMonitor(process: parent, queue: watch.queue)
        source.setEventHandler {
          watch.heard()
          source.cancel()
        }
        source.activate()
        // It may have ended before, and its number be another's by now.
        if getppid() != parent { watch.heard() }
      }
    }
    Variant(
      "fork-exec-signal", .documented,
      "a source of what else a child does: it forks, executes a program, gets a signal",
      own: [unreported], without: [processes, notice, untold], needs: [.darwin]
    ) { trial in
      try watchActs(trial) { child, acts in
        #if canImport(Darwin)
          let source = DispatchSource.makeProcessSource(
            identifier: child, eventMask: [.fork, .exec, .signal], queue: acts.queue)
          source.setEventHandler {
            if source.data.contains(.fork) { acts.reported(.fork) }
            if source.data.contains(.exec) { acts.reported(.exec) }
            if source.data.contains(.signal) { acts.reported(.signal) }
          }
          source.activate()
          return { source.cancel() }
        #else
          throw Unavailable("process sources are needed, which only Darwin has")
        #endif
      }
    }
  }
}

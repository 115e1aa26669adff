import Dispatch
import Instruments

/// How does a program detect that its child or its parent has exited?
///
/// The example in the Concurrency Programming Guide is a child process that exits after its parent. The child creates a
/// process source for the exit of its parent. The event handler sets a flag that requests the program's exit, and then
/// cancels and releases the source.
///
/// Linux has no process source. On Linux, `ProcessMonitor` replaces the source: it is a read source on a pidfd. On
/// Darwin, `ProcessMonitor` is a process source.
///
/// The processes in a trial are real. Each process is a worker: the trial starts the lab's own binary with a role such
/// as parent or child. Only the variant `fork-exec-signal` watches a shell instead. A process whose exit is watched
/// waits until its exit is requested, and sends the time as its last action. A watched child exits with a specific
/// status.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring a Process".
struct ProcessMonitorPattern: Pattern {
  static let name = "process-monitor"

  let processes = Parameter.count("processes", 2...1000, default: 4, "processes watched, one after the other")

  let reportLatency = Metric.latency(
    "report-latency", missingIf: "no exit was reported",
    "from the last act of the process until its exit is reported")
  let unreportedExits = Metric.count(
    "unreported-exits", "exits that were not reported, or were reported before the process had exited")
  let repeatedReports = Metric.count("repeated-reports", "exits that were reported more than once")
  let wrongStatus = Metric.count("wrong-status", "exits reported with a status other than the child's own")
  let unreportedEvents = Metric.count(
    "unreported-events", "events (a fork, an exec and a signal) that were not reported")
  let leakedDescriptors = Metric.count(
    "leaked-descriptors", "descriptors of the trial's pipes and watches still open at its end")
  let leakedChildren = Metric.count("leaked-children", "children still running or not reaped at the end of the trial")

  /// The binary of the worker processes. A test passes the lab's binary, since the test's own binary has no workers.
  var executable = Host.executable

  var variants: [Variant] {
    Variant("child-exit", .documented, "a source reports a child's exit", watchChildren()) { child, watch in
      let source = try ProcessMonitor(process: child, queue: watch.queue)
      source.setEventHandler {
        var status: Int32 = 0
        let reaped = waitpid(child, &status, WNOHANG)
        watch.exited(reaped == child ? status : nil)
        source.cancel()
      }
      source.setCancelHandler { watch.ended() }
      source.activate()
    }
    Variant(
      "already-dead", .documented, "as child-exit, with the source created after the child has exited",
      watchChildren(areDead: true)
    ) { child, watch in
      let source = try ProcessMonitor(process: child, queue: watch.queue)
      source.setEventHandler {
        var status: Int32 = 0
        let reaped = waitpid(child, &status, WNOHANG)
        watch.exited(reaped == child ? status : nil)
        source.cancel()
      }
      source.setCancelHandler { watch.ended() }
      source.activate()
    }
    Variant("waitpid-thread", .yardstick, "a thread blocks in waitpid", watchChildren()) { child, watch in
      try SystemThread {
        var status: Int32 = 0
        waitpid(child, &status, 0)
        watch.exited(status)
        watch.ended()
      }.detach()
    }
    Variant(
      "sigchld", .documented, "a signal source for SIGCHLD, whose handler reaps every child that has exited",
      watchChildren()
    ) { _, watch in
      let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: watch.queue)
      let isRegistered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isRegistered.signal() }
      source.setEventHandler {
        var status: Int32 = 0
        while waitpid(-1, &status, WNOHANG) > 0 {
          watch.exited(status)
          source.cancel()
        }
      }
      source.setCancelHandler { watch.ended() }
      source.activate()
      // An exit before the registration would not be reported.
      isRegistered.wait()
    }
    Variant(
      "parent-exit", .documented, "a child monitors its parent, whose ID it gets from getppid",
      watchParents(parentsThatEnd: .fixed(.isWatched))
    ) { watch in
      let parent = getppid()
      let source = try ProcessMonitor(process: parent, queue: watch.queue)
      source.setEventHandler {
        watch.exited()
        source.cancel()
      }
      source.activate()
    }
    Variant(
      "parent-gone", .broken, "as parent-exit, but the parent has exited before the child calls getppid",
      watchParents(parentsThatEnd: .fixed(.hasStarted), isTimed: false)
    ) { watch in
      let parent = getppid()
      let source = try ProcessMonitor(process: parent, queue: watch.queue)
      source.setEventHandler {
        watch.exited()
        source.cancel()
      }
      source.activate()
    }
    Variant(
      "parent-checked", .modern,
      "the parent passes its own ID to the child, which calls getppid after activation",
      watchParents(parentsThatEnd: .always)
    ) { watch in
      let parent = watch.parent
      watch.recordParent()
      let source = try ProcessMonitor(process: parent, queue: watch.queue)
      source.setEventHandler {
        watch.exited()
        source.cancel()
      }
      source.activate()
      // The parent may already have exited, and another process may now have the parent's identifier.
      if getppid() != parent { watch.exited() }
    }
    Variant(
      "fork-exec-signal", .documented, "a process source reports a child's fork, exec and signal", watchEvents(),
      needs: [.darwin]
    ) { child, events in
      #if canImport(Darwin)
        let source = DispatchSource.makeProcessSource(
          identifier: child, eventMask: [.fork, .exec, .signal], queue: events.queue)
        source.setEventHandler {
          if source.data.contains(.fork) { events.reported(.fork) }
          if source.data.contains(.exec) { events.reported(.exec) }
          if source.data.contains(.signal) { events.reported(.signal) }
        }
        source.activate()
        return { source.cancel() }
      #else
        throw Unavailable("only Darwin has process sources")
      #endif
    }
  }
}

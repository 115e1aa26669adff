import Dispatch
import Instruments

/// How does a program detect that a file has changed, and how soon?
///
/// The example in the Concurrency Programming Guide opens a file only for event notifications and creates a vnode
/// source for renames of the file. The event handler passes the old name, which the source's context contains, and the
/// descriptor to a function that updates the name. The cancellation handler frees the old name and closes the
/// descriptor.
///
/// Linux has no vnode source. On Linux, `FileMonitor` replaces the source, and reads inotify events through a read
/// source. On Darwin, `FileMonitor` is a vnode source.
///
/// The trial changes a real file in a separate directory. The trial overwrites a byte, extends the file, changes the
/// mode, adds and removes a link, renames the file, and removes the last name. A latency runs from just before the
/// system call that makes the change until the source's handler starts. For polling, a latency runs until a poll
/// detects the change.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring a File-System Object", "Suspending and Resuming
/// Dispatch Sources".
struct FileMonitorPattern: Pattern {
  static let name = "file-monitor"

  let changes = Parameter.count("changes", 1...10_000, default: 8, "changes of each kind per trial")
  let pollInterval = Parameter.duration(
    "poll-interval", .zero ... .seconds(10), default: .milliseconds(2),
    "sleep between two polls; a random part of this time passes before each change; 0 to poll without sleep")
  let burst = Parameter.count(
    "burst", 1...5000, default: 100, "changes in a row while the handler is busy or the source is suspended")
  let deadline = Parameter.duration(
    "deadline", .milliseconds(1) ... .seconds(600), default: .seconds(10),
    "a change that is not delivered within this time counts as missed")

  let latency = Metric.latency(
    "latency", missingIf: "no change was delivered",
    "from just before a change until it is detected, over all kinds of change")
  let latencies = Metric.latencies("latency", for: FileChange.self, missingIf: "no change of this kind was delivered") {
    kind in
    "from just before a change of kind \(kind.rawValue) until it is detected"
  }
  let kinds = Metric.count("kinds", "kinds of change that were delivered, of \(FileChange.allCases.count)")
  let missed = Metric.count("missed", "changes that were not delivered")
  let lostAfterRename = Metric.count("lost-after-rename", "writes right after a rename that were not delivered")
  let misnamed = Metric.count("misnamed", "renames after which the descriptor did not give the file's new name")
  let coalesced = Metric.count("coalesced", "writes of the burst that were coalesced with another write")
  let wrongDescriptor = Metric.count(
    "wrong-descriptor", "handler calls in which the descriptor did not refer to the watched file")
  let leftOpen = Metric.count(
    "left-open", missingIf: "the system does not list descriptors",
    "descriptors still open after the last cancellation handler"
  )
  let unrelatedClosed = Metric.count("unrelated-closed", "descriptors of unrelated files that cancelling closed")
  let eventsWhileBusy = Metric.count(
    "events-while-busy", "rename events for a burst of renames while the handler was busy")
  let eventsWhileSuspended = Metric.count(
    "events-while-suspended", "rename events for a burst of renames while the source was suspended")
  let eventsBetweenWrites = Metric.count(
    "events-between-writes", "rename events for a burst while the source was suspended, each rename followed by a write"
  )
  let measuredInterval = Metric.latency(
    "measured-interval", better: .neither, "measured time from one poll to the next")

  var problem: [any Declaration] { [changes] }

  var variants: [Variant] {
    Variant(
      "source", .documented, "a dispatch source: vnode on Darwin, a read source on inotify on Linux", follow
    ) { path, watch in
      let file = try openForEvents(path)
      let source = try FileMonitor(fileDescriptor: file, queue: .global())
      source.setEventHandler { change, time in
        watch.received(change, at: time, from: file, called: currentPath(of: file))
      }
      source.setCancelHandler {
        close(file)
        watch.ended()
      }
      source.activate()
      return source.cancel
    }
    Variant(
      "polling", .yardstick, "a thread that checks the file's status every poll-interval", followByPolling
    ) { path, watch, interval in
      let file = try openForEvents(path)
      let first = FileStatus(of: file, named: path)
      try SystemThread {
        var last = first
        while watch.continuesPolling {
          blockThread(for: interval)
          let now = FileStatus(of: file, named: path)
          for change in now.changes(since: last) {
            watch.received(change, at: MonotonicClock.now(), from: file, called: currentPath(of: file))
          }
          last = now
          watch.pollEnded()
        }
        close(file)
        watch.ended()
      }.detach()
      return watch.stop
    }
    Variant(
      "burst-of-renames", .documented, "the source; many renames while its handler is busy or the source is suspended",
      renameOften
    ) { path, watch in
      let file = try openForEvents(path)
      let source = try FileMonitor(fileDescriptor: file, queue: .global())
      source.setEventHandler { change, time in
        watch.received(change, at: time, from: file, called: currentPath(of: file))
      }
      source.setCancelHandler {
        close(file)
        watch.ended()
      }
      source.activate()
      return source
    }
    Variant(
      "closed-early", .broken, "the source; its descriptor is closed while the file is watched",
      renameWithReusedDescriptor, needs: [.linux]
    ) { path, watch in
      let file = try openForEvents(path)
      let source = try FileMonitor(fileDescriptor: file, queue: .global())
      source.setEventHandler { change, time in
        watch.received(change, at: time, from: file, called: currentPath(of: file))
      }
      source.setCancelHandler { watch.ended() }
      source.activate()
      // The next file that is opened receives this descriptor number. (On Darwin, the source stops delivering events.)
      close(file)
      return source.cancel
    }
  }
}

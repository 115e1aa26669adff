import Dispatch
import Laboratory
import Measurement
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How does a program learn that a file has changed, and how soon?
///
/// The document opens a file for its events alone and makes a dispatch source of it. Its handler learns the file's new name
/// from the descriptor, its cancel handler closes that:
///
/// ```c
/// int fd = open(filename, O_EVTONLY);
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_VNODE, fd, DISPATCH_VNODE_RENAME, queue);
/// dispatch_source_set_event_handler(source, ^{
///   const char *oldFilename = (char *)dispatch_get_context(source);
///   MyUpdateFileName(oldFilename, fd);
/// });
/// dispatch_source_set_cancel_handler(source, ^{
///   free(dispatch_get_context(source));
///   close(fd);
/// });
/// dispatch_resume(source);
/// ```
///
/// Linux has no such source. `FileMonitor` is what is built there instead: a source of the same form, which reads inotify
/// through a read source. On Darwin it is the vnode source.
///
/// A real file in a directory of its own is changed: a write inside it, one that extends it, a change of its mode, a new and a
/// removed link, renames, and the removal of its last name. A latency runs from just before the system call that makes the
/// change until the source's handler begins (for polling: until the look that shows it).
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring a File-System Object", "Suspending and Resuming
/// Dispatch Sources".
struct FileMonitorPattern: Pattern {
  static let name = "file-monitor"

  let changes = Setting.count("changes", 1...10_000, default: 8, "changes of each kind in a trial")
  let pollInterval = Setting.duration(
    "poll-interval", .zero ... .seconds(10), default: .milliseconds(2),
    "how long polling sleeps between two looks; a random part of it passes before each change, 0 for back to back")
  let burst = Setting.count(
    "burst", 1...5000, default: 100, "changes in a row while the handler is busy or the source suspended")
  let deadline = Setting.duration(
    "deadline", .milliseconds(1) ... .seconds(600), default: .seconds(10),
    "a change not told for this long counts as missed")

  let latency = Metric.latency(
    "latency", unless: "no change was told", "from just before a change until it was noticed, all kinds together")
  let latencies = Metric.latencies("latency", for: FileChange.self, unless: "no change of the kind was told") { kind in
    "the same for changes of kind \(kind.rawValue)"
  }
  let kinds = Metric.count("kinds", "kinds of change that were told, of \(FileChange.allCases.count)")
  let missed = Metric.count("missed", "changes that were not told")
  let lostAfterRename = Metric.count("lost-after-rename", "writes right after a rename that were not told")
  let misnamed = Metric.count("misnamed", "renames after which the descriptor did not say the file's new name")
  let coalesced = Metric.count("coalesced", "writes of the burst that were told together with another")
  let strays = Metric.count("strays", "handlers in which the descriptor was not the watched file's, or not any more")
  let leftOpen = Metric.count(
    "left-open", unless: "the system does not list descriptors", "descriptors that are left open behind the last cancel"
  )
  let closedStrangers = Metric.count("closed-strangers", "descriptors of other files that cancelling closed")
  let toldWhileBusy = Metric.count("told-while-busy", "renames told of a burst while the handler was busy")
  let toldWhileSuspended = Metric.count(
    "told-while-suspended", "renames told of a burst while the source was suspended")
  let toldBetweenWrites = Metric.count("told-between-writes", "the same when a write followed each rename")
  let lookInterval = Metric.latency("look-interval", better: .neither, "from one look of polling's to the next")

  var problem: [any Declaration] { [changes] }

  var variants: [Variant] {
    Variant("source", .documented, "a dispatch source: vnode on Darwin, inotify's read source on Linux", own: followed)
    { trial in
      try follow(trial) { path, watch in
        let file = try openForEvents(path)
        let source = try FileMonitor(fileDescriptor: file, queue: .global())
        source.setEventHandler { change, time in
          watch.heard(change, at: time, from: file, called: currentPath(of: file))
        }
        source.setCancelHandler {
          close(file)
          watch.ended()
        }
        source.activate()
        return source.cancel
      }
    }
    Variant("polling", .yardstick, "a thread that looks every poll-interval", own: followed + [lookInterval]) { trial in
      let interval = trial[pollInterval]
      let looks = try follow(trial) { path, watch in
        let file = try openForEvents(path)
        let first = FileStatus(of: file, named: path)
        try SystemThread {
          var last = first
          while watch.goesOn {
            blockThread(for: interval)
            let now = FileStatus(of: file, named: path)
            for change in now.changes(since: last) {
              watch.heard(change, at: MonotonicClock.now(), from: file, called: currentPath(of: file))
            }
            last = now
            watch.looked()
          }
          close(file)
          watch.ended()
        }.detach()
        return watch.stop
      }
      trial.record(lookInterval, looks)
    }
    Variant("burst-of-renames", .documented, "many renames while the handler is busy, or suspended", own: bursts) {
      trial in
      try renameOften(trial) { path, watch in
        let file = try openForEvents(path)
        let source = try FileMonitor(fileDescriptor: file, queue: .global())
        source.setEventHandler { change, time in
          watch.heard(change, at: time, from: file, called: currentPath(of: file))
        }
        source.setCancelHandler {
          close(file)
          watch.ended()
        }
        source.activate()
        return source
      }
    }
    Variant("closed-early", .broken, "closes the descriptor while the file is watched", needs: [.linux]) { trial in
      try renameWithReusedDescriptor(trial) { path, watch in
        let file = try openForEvents(path)
        let source = try FileMonitor(fileDescriptor: file, queue: .global())
        source.setEventHandler { change, time in
          watch.heard(change, at: time, from: file, called: currentPath(of: file))
        }
        source.setCancelHandler { watch.ended() }
        source.activate()
        // Its number goes to whoever opens a file next. (On Darwin the source goes silent instead.)
        close(file)
        return source.cancel
      }
    }
  }

  /// What a burst of renames uses.
  private var bursts: [any Declaration] { [burst, toldWhileBusy, toldWhileSuspended, toldBetweenWrites] }

  /// What the variants share that are put through every kind of change.
  private var followed: [any Declaration] {
    [
      changes, pollInterval, burst, latency, latencies, kinds, missed, lostAfterRename, coalesced, leftOpen,
      closedStrangers,
    ]
  }
}

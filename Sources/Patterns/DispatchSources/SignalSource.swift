import Dispatch
import Laboratory
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Does a signal source tell of every signal, and what must be done before it does?
///
/// The document ignores the signal first, and then has a source tell of it:
///
/// ```c
/// signal(SIGHUP, SIG_IGN);
/// dispatch_queue_t queue = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGHUP, 0, queue);
/// if (source) {
///   dispatch_source_set_event_handler(source, ^{ MyProcessSIGHUP(); });
///   dispatch_resume(source);
/// }
/// ```
///
/// The signals are real, sent by `kill` to the trial's own process. SIGUSR1 stands in for SIGHUP, by which others, too, end
/// a process. Activating a source is asynchronous: what is sent before its registration handler has run is not told.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring Signals".
struct SignalSource: Pattern {
  static let name = "signal-source"

  let signals = Setting.count("signals", 1...100_000, default: 200, "signals that are sent one after the other")
  let burst = Setting.count("burst", 2...10_000, default: 50, "signals that are sent while the handler waits")
  let children = Setting.count("children", 1...200, default: 8, "child processes that end at the same time")

  let latency = Metric.latency("latency", "from the call of kill until the handler begins")
  let miscounted = Metric.count("miscounted", "by how many the sum of what was told differs from the signals sent")
  let sent = Metric.count("sent", "signals of the burst")
  let told = Metric.count("told", "signals that the handler was told of, added up")
  let runs = Metric.count("runs", "runs of the handler")
  let unheard = Metric.count("unheard", "bursts of which the handler was told nothing")
  let notReaped = Metric.count("not-reaped", "children whose end, with their own status, was not seen just once")

  /// What a child runs, until its standard input ends.
  var child = [Host.executablePath, "worker"]

  var problem: [any Declaration] { [signals] }

  var variants: [Variant] {
    Variant("source", .documented, "the document's listing: the signal is ignored, a source tells of it", own: single) {
      trial in
      try sendOneByOne(trial) { inbox in
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant("sigaction", .yardstick, "a signal handler, which interrupts a thread", own: single) { trial in
      try sendOneByOne(trial) { inbox in
        SignalInbox.ofHandler = inbox
        setSignalHandler(SIGUSR1) { _ in
          // Here nothing is allowed that takes a lock or allocates.
          SignalInbox.ofHandler?.handled(1)
        }
        inbox.isReady()
        return {
          signal(SIGUSR1, SIG_IGN)
          SignalInbox.ofHandler = nil
        }
      }
    }
    Variant(
      "burst", .documented, "many signals while the handler waits for its queue",
      own: [burst, sent, told, runs, unheard]
    ) { trial in
      try sendBurst(trial) { inbox in
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "children", .documented, "SIGCHLD, and a handler that reaps until nobody is left",
      own: [children, notReaped, runs]
    ) { trial in
      try endChildren(trial) { inbox, children in
        let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: inbox.queue)
        source.setEventHandler {
          inbox.handled(source.data)
          var status: Int32 = 0
          while case let child = waitpid(-1, &status, WNOHANG), child > 0 {
            children.reaped(child, status)
          }
        }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "not-ignored", .broken, "a signal that nobody ignored, right after its source was activated", ends: traps
    ) { trial in
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
      source.setEventHandler {}
      // Activating is asynchronous. While the source is suspended, it surely has not got further than that.
      source.suspend()
      source.activate()
      trial.hazard()
      kill(getpid(), SIGUSR1)
      source.resume()
    }
    Variant("fault", .broken, "a source for SIGSEGV, and a thread that writes where there is no memory", ends: traps) {
      trial in
      try survive(trial) { inbox in
        let source = DispatchSource.makeSignalSource(signal: SIGSEGV, queue: .global())
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
      } fault: {
        UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
      }
    }
  }

  private var single: [any Declaration] { [signals, latency, miscounted] }
  private var traps: Ending { .traps(within: .milliseconds(500)) }
}

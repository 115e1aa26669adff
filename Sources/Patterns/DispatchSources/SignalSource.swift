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
/// a process; `registered` sends SIGHUP and SIGTERM as well. Activating a source is asynchronous: what is sent before its
/// registration handler has run is not told.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring Signals".
struct SignalSource: Pattern {
  static let name = "signal-source"

  let signals = Setting.count("signals", 1...100_000, default: 200, "signals that are sent one after the other")
  let burst = Setting.count("burst", 2...10_000, default: 50, "signals that are sent while the handler waits")
  let children = Setting.count("children", 1...200, default: 8, "child processes that end at the same time")

  let latency = Metric.latency("latency", "from the call of kill until the handler begins")
  let miscounted = Metric.count("miscounted", "by how many the sum of what was told differs from the signals sent")
  let sent = Metric.count("sent", "signals that were sent, or faults that a thread had")
  let told = Metric.count("told", "signals that the handler was told of, added up")
  let runs = Metric.count("runs", "runs of the handler")
  let unheard = Metric.count("unheard", "bursts of which the handler was told nothing")
  let notReaped = Metric.count("not-reaped", "children whose end, with their own status, was not seen just once")

  /// What a child runs, until its standard input ends.
  var child = [Host.executablePath, "worker"]
  /// The binary whose worker plays another process; a test, which is none, gives another.
  var executable = Host.executablePath

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
      "locking-source", .documented, "a source's handler takes a lock that the interrupted thread has", own: counted
    ) { trial in
      try sendWhileLocked(trial) { inbox in
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        source.setEventHandler {
          inbox.takeLock()
          inbox.handled(source.data)
          inbox.lock.signal()
        }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "locking-handler", .broken, "a signal handler takes that lock, on the thread that has it",
      ends: .hangs(within: .milliseconds(100))
    ) { trial in
      try interruptWhileLocked(trial) { inbox in
        SignalInbox.ofHandler = inbox
        setSignalHandler(SIGUSR1) { _ in
          SignalInbox.ofHandler?.lock.wait()
          SignalInbox.ofHandler?.handled(1)
          SignalInbox.ofHandler?.lock.signal()
        }
        trial.hazard()
      }
    }
    Variant(
      "registered", .documented, "signals that nobody ignores, when their sources are registered", own: counted,
      needs: [.linux]
    ) { trial in
      try sendToRegistered(trial, [SIGUSR1, SIGHUP, SIGTERM]) { number, inbox in
        let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "not-ignored", .broken, "a signal that nobody ignores, before its source is registered", ends: traps
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
    Variant(
      "raised", .broken, "a source for SIGSEGV, SIGBUS or SIGILL, and a thread that has the fault until it is mended",
      own: counted, needs: [.linux]
    ) { trial in
      try survive(trial) { number, inbox in
        let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
      }
    }
    Variant(
      "sent-blocked", .documented, "the same signals sent by kill, to a process all of whose threads block them",
      own: counted, needs: [.linux]
    ) { trial in
      try sendToBlocking(trial) { number, inbox in
        let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
        source.setEventHandler { inbox.handled(source.data) }
        source.setRegistrationHandler { inbox.isReady() }
        source.activate()
      }
    }
  }

  private var single: [any Declaration] { [signals, latency, miscounted] }
  private var counted: [any Declaration] { [sent, told] }
  private var traps: Ending { .traps(within: .milliseconds(500)) }
}

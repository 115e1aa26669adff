import Dispatch
import Instruments

/// Does a signal source deliver every signal, and which setup does it require?
///
/// The example in the Concurrency Programming Guide first sets the signal to be ignored, so that the signal does not
/// end the process. The example then creates a signal source on a global queue, with an event handler that processes
/// the signal. The variant `source` performs both steps in that order.
///
/// The signals in a trial are real. Most variants send SIGUSR1 to the trial's own process instead of the example's
/// SIGHUP, since other processes may send SIGHUP to end the trial. The variant `registered` also sends SIGHUP and
/// SIGTERM. The variant `children` uses SIGCHLD, and the variants `fault` and `fault-by-kill` use SIGSEGV, SIGBUS and
/// SIGILL. Activation of a source is asynchronous: a signal that is sent before the source's registration handler has
/// run may not be delivered.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring Signals".
struct SignalSource: Pattern {
  static let name = "signal-source"

  let signals = Parameter.count("signals", 1...100_000, default: 200, "signals sent one at a time")
  let burst = Parameter.count("burst", 2...10_000, default: 50, "signals sent while the handler waits for its queue")
  let children = Parameter.count("children", 1...200, default: 8, "child processes that exit at the same time")

  let latency = Metric.latency("latency", "from the call of kill until the handler begins")
  let miscounted = Metric.count(
    "miscounted", "difference between the signals sent and the sum that the handler received")
  let sent = Metric.count("sent", "signals sent, or faults raised by a thread")
  let reported = Metric.count(
    "reported", "signals that the source reported: the sum of its data over all handler calls")
  let handlerCalls = Metric.count("handler-calls", "calls of the event handler")
  let reportedElsewhere = Metric.count(
    "reported-elsewhere", "signals that another source of the same signal, on a queue that was free, reported")
  let unreportedBursts = Metric.count("unreported-bursts", "bursts of which the source reported nothing")
  let notReaped = Metric.count("not-reaped", "children that were not reaped exactly once with a normal exit status")

  /// The executable and the arguments of a child. The child runs until the end of its standard input.
  var child = (executable: Host.executable, arguments: ["worker"])
  /// The binary of the processes that raise faults. A test passes the lab's binary, since the test's own binary has no
  /// workers.
  var executable = Host.executable

  var problem: [any Declaration] { [signals] }

  var variants: [Variant] {
    Variant(
      "source", .documented, "the document's listing: the signal is ignored, and a signal source delivers it",
      sendOneByOne()
    ) { inbox in
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant("sigaction", .yardstick, "a signal handler, which interrupts a thread", sendOneByOne()) { inbox in
      SignalInbox.ofHandler = inbox
      setSignalHandler(SIGUSR1) { _ in
        // A signal handler must not acquire a lock or allocate memory.
        SignalInbox.ofHandler?.handled(1)
      }
      inbox.recordReadiness()
      return {
        signal(SIGUSR1, SIG_IGN)
        SignalInbox.ofHandler = nil
      }
    }
    Variant("burst", .documented, "many signals while the handler waits for its queue", sendBurst()) { inbox in
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "spaced-burst", .documented, "as burst, but each signal is reported by another source before the next is sent",
      sendBurst(isSpaced: true)
    ) { inbox in
      // This variant does not call signal(SIGUSR1, SIG_IGN). Another source already receives the signal, and neither
      // source would receive an ignored signal.
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "before-activation", .documented, "many ignored signals, sent before the source is activated",
      sendBeforeActivation
    ) { inbox, count in
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      for _ in 0..<count { kill(getpid(), SIGUSR1) }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "children", .documented, "SIGCHLD, and a handler that calls waitpid until no child is left", endChildren()
    ) { inbox, children in
      let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: inbox.queue)
      source.setEventHandler {
        inbox.handled(source.data)
        var status: Int32 = 0
        while case let child = waitpid(-1, &status, WNOHANG), child > 0 {
          children.reaped(child, status)
        }
      }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "locking-source", .documented, "the source's handler takes a lock that the interrupted thread holds",
      sendWhileLocked()
    ) { inbox in
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
      source.setEventHandler {
        inbox.takeLock()
        inbox.handled(source.data)
        inbox.lock.signal()
      }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "locking-handler", .broken, "a signal handler takes a lock that its own thread holds", interruptWhileLocked,
      ends: .hangs(within: .milliseconds(100))
    ) { inbox in
      SignalInbox.ofHandler = inbox
      setSignalHandler(SIGUSR1) { _ in
        SignalInbox.ofHandler?.lock.wait()
        SignalInbox.ofHandler?.handled(1)
        SignalInbox.ofHandler?.lock.signal()
      }
    }
    Variant(
      "registered", .documented, "signals with their default action, sent after their sources are registered",
      sendToRegistered([SIGUSR1, SIGHUP, SIGTERM]), needs: [.linux]
    ) { number, inbox in
      let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "not-ignored", .broken, "a signal with its default action, sent before its source is registered",
      ends: .trapsAtOnce
    ) { trial in
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
      source.setEventHandler {}
      // Activation is asynchronous. A suspended source cannot have been registered.
      source.suspend()
      source.activate()
      trial.hazard()
      kill(getpid(), SIGUSR1)
      source.resume()
    }
    Variant(
      "fault", .broken, "a source for SIGSEGV, SIGBUS or SIGILL, and a thread that faults until the cause is repaired",
      raiseFaults(), needs: [.linux]
    ) { number, inbox in
      let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
    }
    Variant(
      "fault-by-kill", .documented, "SIGSEGV, SIGBUS and SIGILL sent by kill, while every thread blocks them",
      sendToBlocking(), needs: [.linux]
    ) { number, inbox in
      let source = DispatchSource.makeSignalSource(signal: number, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
    }
  }
}

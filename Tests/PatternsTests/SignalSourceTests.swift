import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The disposition of a signal belongs to the whole process, so each test runs in a process of its own. Trials that a
/// signal ends run only in workers: `PromiseTests` checks their outcome.
@Suite struct SignalSourceTests {
  /// The pattern with other programs as its children, since a test process is not the lab. The children end when their
  /// input ends.
  static var pattern: SignalSource {
    var pattern = SignalSource()
    pattern.child = (ExecutableFile("/bin/cat"), [])
    // The processes with a fault are workers of the built binary, which is in the directory of the test runner.
    pattern.executable = ExecutableFile(
      (Host.executablePath.split(separator: "/").dropLast().map { "/" + $0 } + ["/gcdlab"]).joined())
    return pattern
  }

  static let settings: [String: [String: ParameterValue]] = [
    "source": ["signals": .integer(20)], "sigaction": ["signals": .integer(20)], "burst": ["burst": .integer(10)],
    "spaced-burst": ["burst": .integer(10)], "before-activation": ["burst": .integer(10)],
    "children": ["children": .integer(3)],
  ]

  @Test(
    arguments: [
      "source", "sigaction", "burst", "spaced-burst", "before-activation", "children", "locking-source", "registered",
      "fault", "fault-by-kill",
    ])
  func `every variant that completes keeps its promises, and leaves no descriptor or child behind`(
    _ variant: String
  ) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let pipes = { OpenDescriptors.paths().filter { $0.hasPrefix("pipe:") }.sorted() }
      let before = pipes()
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, Self.settings[variant] ?? [:])
      #expect(attempt.brokenPromises == [])
      var status: Int32 = 0
      #expect(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD)
      // A cancelled source releases its handler asynchronously.
      for _ in 0..<2000 where pipes() != before { try await Task.sleep(for: .milliseconds(10)) }
      #expect(pipes() == before)
    }
  }

  @Test func `a child that cannot be started breaks the trial`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      var pattern = SignalSource()
      pattern.child = (ExecutableFile("/nonexistent/child"), [])
      let attempt = try await Attempt("children", of: pattern, files: Catalogue.files, ["children": .integer(2)])
      #expect(attempt.trial.outcome == .broken(reason: "cannot start /nonexistent/child: No such file or directory"))
    }
  }

  @Test func `a binary that cannot be started breaks the trials that need its processes`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      var pattern = SignalSource()
      pattern.executable = ExecutableFile("/nonexistent/gcdlab")
      for variant in ["fault", "fault-by-kill"] {
        let attempt = try await Attempt(variant, of: pattern, files: Catalogue.files)
        #expect(attempt.trial.outcome == .broken(reason: "cannot start /nonexistent/gcdlab: No such file or directory"))
      }
    }
  }

  @Test func `killing a fault process makes the trial unavailable, and its early end breaks the trial`()
    async
  {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      var pattern = SignalSource()
      for variant in ["fault", "fault-by-kill"] {
        try await withProgram("kill -KILL $$") { killed in
          pattern.executable = ExecutableFile(killed)
          let attempt = try await Attempt(variant, of: pattern, files: Catalogue.files)
          #expect(attempt.trial.outcome == .unavailable(reason: Unavailable.killed.description))
        }
        try await withProgram("kill -SEGV $$") { faulting in
          pattern.executable = ExecutableFile(faulting)
          let attempt = try await Attempt(variant, of: pattern, files: Catalogue.files)
          #expect(
            attempt.trial.outcome
              == .broken(reason: "a process with a source for a fault's signal ended before it reported the result"))
        }
      }
    }
  }

  @Test func `too few descriptors make the trial unavailable`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      try DescriptorLimit.setSoft(64)
      while dup(0) >= 0 {}
      let attempt = try await Attempt(
        "sigaction", of: Self.pattern, files: Catalogue.files, ["signals": .integer(1)])
      #expect(attempt.trial.outcome == .unavailable(reason: "cannot make a pipe: Too many open files"))
    }
  }

  @Test func `the sender keeps the lock until the handler waits for it, even if the handler begins late`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("locking-source", of: Self.pattern, files: Catalogue.files) { trial in
        try Self.pattern.sendWhileLocked()(trial) { inbox in
          signal(SIGUSR1, SIG_IGN)
          let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
          source.setEventHandler {
            blockThread(for: .milliseconds(50))
            let isTaken = inbox.lock.wait(timeout: .now()) == .timedOut
            if isTaken { inbox.takeLock() }
            inbox.handled(isTaken ? 1 : 0)
            inbox.lock.signal()
          }
          source.setRegistrationHandler { inbox.recordReadiness() }
          source.activate()
          return { source.cancel() }
        }
      }
      #expect(attempt.total("reported") == 1)
    }
  }

  @Test func `a source that is never registered breaks the trial`() async throws {
    await #expect(processExitsWith: .success) {
      let attempt = try await Attempt(
        "source", of: Self.pattern, files: Catalogue.files, ["signals": .integer(1)]
      ) { trial in
        try Self.pattern.sendOneByOne(ready: .milliseconds(1))(trial) { _ in {} }
      }
      #expect(attempt.trial.outcome == .broken(reason: "the source was not registered within 0.001 seconds"))
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, settings[variant] ?? [:], body)
    }
    /// Activates a source whose handler reports `more` additional signals, and returns a closure that cancels the
    /// source.
    @Sendable func source(_ inbox: SignalInbox, more: UInt) -> () -> Void {
      signal(SIGUSR1, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
      source.setEventHandler { inbox.handled(source.data + more) }
      source.setRegistrationHandler { inbox.recordReadiness() }
      source.activate()
      return { source.cancel() }
    }
    /// Installs `handler` for SIGUSR1, and returns a closure that makes the process ignore the signal.
    @Sendable func handler(_ inbox: SignalInbox, _ handler: @escaping @convention(c) (Int32) -> Void) -> () -> Void {
      SignalInbox.ofHandler = inbox
      setSignalHandler(SIGUSR1, handler)
      inbox.recordReadiness()
      return { signal(SIGUSR1, SIG_IGN) }
    }
    return [
      red("source.miscounted == 0", "source") { trial in
        try pattern.sendOneByOne()(trial) { source($0, more: 1) }
      },
      red("sigaction.miscounted == 0", "sigaction") { trial in
        try pattern.sendOneByOne()(trial) { inbox in
          handler(inbox) { _ in
            SignalInbox.ofHandler?.handled(1)
            SignalInbox.ofHandler?.handled(1)
          }
        }
      },
      // The signal is ignored.
      red("not-ignored.trapped == 1", "not-ignored") { trial in
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        source.setEventHandler { _ = source.data }
        source.activate()
        kill(getpid(), SIGUSR1)
      },
      // The signal is reported twice, and without the lock, so that no thread waits for the lock.
      red("locking-source.reported == locking-source.sent", "locking-source") { trial in
        try pattern.sendWhileLocked(patience: .milliseconds(50))(trial) { source($0, more: 1) }
      },
      // The handler does not take the lock.
      red("locking-handler.hung == 1", "locking-handler") { trial in
        try pattern.interruptWhileLocked(trial) { inbox in _ = handler(inbox) { _ in } }
      },
      // Only SIGUSR1 is reported, and the other signals are ignored.
      red("registered.reported == registered.sent", "registered") { trial in
        try pattern.sendToRegistered([SIGUSR1, SIGHUP, SIGTERM], patience: .milliseconds(20))(trial) { number, inbox in
          guard number != SIGUSR1 else { return source(inbox, more: 0) }
          signal(number, SIG_IGN)
          inbox.recordReadiness()
          return {}
        }
      },
      // The signal is sent instead of raised, or raised instead of sent.
      red("fault.reported == 0", "fault") { trial in
        try pattern.sendToBlocking(as: "fault-by-kill")(trial) { _, _ in }
      },
      red("fault-by-kill.reported == fault-by-kill.sent", "fault-by-kill") { trial in
        try pattern.raiseFaults(as: "fault")(trial) { _, _ in }
      },
      // The handler runs more than once for each signal sent.
      red("burst.handler-calls < burst.sent", "burst") { trial in
        try pattern.sendBurst()(trial) { inbox in
          signal(SIGUSR1, SIG_IGN)
          let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
          source.setEventHandler { for _ in 0..<trial[pattern.burst] { inbox.handled(1) } }
          source.setRegistrationHandler { inbox.recordReadiness() }
          source.activate()
          return { source.cancel() }
        }
      },
      // As many signals are reported as were sent.
      red("burst.reported < burst.sent", "burst") { trial in
        try pattern.sendBurst()(trial) { source($0, more: UInt(trial[pattern.burst])) }
      },
      // As many signals are reported as were sent, and the other source does not consume any signal.
      red("spaced-burst.reported < spaced-burst.sent", "spaced-burst") { trial in
        try pattern.sendBurst(isSpaced: true)(trial) { inbox in
          let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
          source.setEventHandler { inbox.handled(UInt(trial[pattern.burst])) }
          source.setRegistrationHandler { inbox.recordReadiness() }
          source.activate()
          return { source.cancel() }
        }
      },
      // The handler runs twice for all signals.
      red("spaced-burst.handler-calls == 1", "spaced-burst") { trial in
        try pattern.sendBurst(isSpaced: true)(trial) { inbox in
          let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: inbox.queue)
          source.setEventHandler { for _ in 0..<2 { inbox.handled(source.data) } }
          source.setRegistrationHandler { inbox.recordReadiness() }
          source.activate()
          return { source.cancel() }
        }
      },
      // The signal is ignored, although the other source handles it.
      red("spaced-burst.reported-elsewhere == spaced-burst.sent", "spaced-burst") { trial in
        try pattern.sendBurst(isSpaced: true, patience: .milliseconds(50))(trial) { inbox in
          signal(SIGUSR1, SIG_IGN)
          inbox.recordReadiness()
          return {}
        }
      },
      // The signal is sent after the source is registered.
      red("before-activation.reported == 0", "before-activation") { trial in
        try pattern.sendBeforeActivation(trial) { inbox, _ in
          let end = source(inbox, more: 0)
          try? inbox.awaitReady()
          kill(getpid(), SIGUSR1)
          inbox.recordReadiness()
          return end
        }
      },
      red("burst.unreported-bursts == 0", "burst") { trial in
        try pattern.sendBurst(patience: .milliseconds(50))(trial) { inbox in
          signal(SIGUSR1, SIG_IGN)
          inbox.recordReadiness()
          return {}
        }
      },
      // The handler reaps one child, and its first run lasts until all children have ended.
      red("children.not-reaped == 0", "children") { trial in
        try pattern.endChildren(patience: .milliseconds(300))(trial) { inbox, children in
          let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: inbox.queue)
          source.setEventHandler {
            inbox.handled(source.data)
            guard inbox.runs.count == 1 else { return }
            for child in children.started {
              var information = siginfo_t()
              while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            }
            var status: Int32 = 0
            let child = waitpid(-1, &status, WNOHANG)
            children.reaped(child, status)
          }
          source.setRegistrationHandler { inbox.recordReadiness() }
          source.activate()
          return { source.cancel() }
        }
      },
    ]
  }
}

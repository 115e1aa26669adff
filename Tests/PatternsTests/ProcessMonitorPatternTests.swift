import CDispatchSupport
import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

/// A trial collects the statuses of all children of its process, and examines its descriptors, so each test runs in a
/// process of its own.
@Suite struct ProcessMonitorPatternTests {
  /// The pattern with workers of the built binary as the other processes. The binary is in the directory of the test
  /// runner.
  static var pattern: ProcessMonitorPattern {
    pattern((Host.executablePath.split(separator: "/").dropLast().map { "/" + $0 } + ["/gcdlab"]).joined())
  }

  /// Returns the pattern with processes that run the program at `path`.
  static func pattern(_ path: String) -> ProcessMonitorPattern {
    var pattern = ProcessMonitorPattern()
    pattern.executable = ExecutableFile(path)
    return pattern
  }

  static let settings: [String: ParameterValue] = ["processes": .integer(2)]

  /// The variants that report the end of a process. The other variant requires a feature of Darwin.
  static var ofEnds: [Variant] { pattern.variants.filter { $0.needs.isEmpty } }

  @Test func `the fork, exec and signal events are unavailable on a system without process sources`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("fork-exec-signal", of: Self.pattern, files: Catalogue.files)
      #if canImport(Darwin)
        #expect(attempt.areAll(.held))
      #else
        #expect(
          attempt.trial.outcome == .unavailable(reason: "only Darwin has process sources"))
      #endif
      // The child has ended, even if the trial is unavailable.
      var status: Int32 = 0
      #expect(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD)
    }
  }

  @Test func `each reported event of a process is counted`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("fork-exec-signal", of: Self.pattern, files: Catalogue.files) { trial in
        try Self.pattern.watchEvents()(trial) { _, events in
          events.queue.async { for event in ReportedEvents.Event.allCases { events.reported(event) } }
          return {}
        }
      }
      #expect(attempt.total("unreported-events") == 0)
    }
  }

  @Test func `every variant keeps its promises`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      for variant in Self.ofEnds {
        let attempt = try await Attempt(variant.name, of: Self.pattern, files: Catalogue.files, Self.settings)
        #expect(attempt.trial.outcome == .completed)
        #expect(attempt.areAll(.held, .witnessed), "\(variant.name): \(attempt.verdicts)")
        // The first child warms up.
        let notices = attempt.trial.observation.samples("report-latency")?.summary?.count
        #expect(notices == (["already-dead", "parent-gone"].contains(variant.name) ? nil : 2), "\(variant.name)")
      }
    }
  }

  @Test func `a trial without enough free descriptors is unavailable`() async {
    await #expect(processExitsWith: .success) {
      try leaveOneDescriptorFree()
      for variant in Self.ofEnds {
        let attempt = try await Attempt(variant.name, of: Self.pattern, files: Catalogue.files, Self.settings)
        #expect(
          attempt.trial.outcome == .unavailable(reason: "cannot open two sockets: Too many open files"),
          "\(variant.name): \(attempt.trial.outcome)")
      }
    }
  }

  @Test func `a missing binary breaks the trial`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let pattern = Self.pattern("/nonexistent/gcdlab")
      for variant in Self.ofEnds {
        let attempt = try await Attempt(variant.name, of: pattern, files: Catalogue.files, Self.settings)
        #expect(
          attempt.trial.outcome
            == .broken(reason: "cannot start /nonexistent/gcdlab: No such file or directory"))
      }
    }
  }

  @Test func `a process that is killed makes the trial unavailable, and a process that exits by itself does not`()
    async
  {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let killed = Outcome.unavailable(reason: Unavailable.killed.description)
      // A SIGCHLD before the registration of its source is lost, and the variant would wait.
      for variant in Self.ofEnds where variant.name != "sigchld" {
        try await withProgram("kill -KILL $$") { program in
          let attempt = try await Attempt(
            variant.name, of: Self.pattern(program), files: Catalogue.files, Self.settings)
          #expect(attempt.trial.outcome == killed, "\(variant.name): \(attempt.trial.outcome)")
        }
        try await withProgram("exit 200") { program in
          let attempt = try await Attempt(
            variant.name, of: Self.pattern(program), files: Catalogue.files, Self.settings)
          #expect(
            attempt.verdicts.values.contains(.violated)
              || attempt.trial.outcome == .broken(reason: "a process of the trial ended too early"),
            "\(variant.name): \(attempt.trial.outcome)")
        }
      }
      try await withProgram("kill -KILL $$") { program in
        let pattern = Self.pattern(program)
        let attempt = try await Attempt("sigchld", of: pattern, files: Catalogue.files, Self.settings) { trial in
          try pattern.watchChildren(patience: .milliseconds(1))(trial) { _, _ in }
        }
        #expect(attempt.trial.outcome == killed, "\(attempt.trial.outcome)")
      }
    }
  }

  // MARK: Broken bodies

  /// Monitors a child with a source whose event handler is `hear`.
  private static func watches(
    _ child: pid_t, _ watch: ChildWatch, hear: @escaping @Sendable (_ cancel: () -> Void) -> Void
  ) throws {
    let source = try ProcessMonitor(process: child, queue: watch.queue)
    source.setEventHandler { hear(source.cancel) }
    source.setCancelHandler { watch.ended() }
    source.activate()
  }

  private static func takeStatus(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(
      _ check: String, _ variant: String, areDead: Bool = false,
      _ begin: @escaping @Sendable (pid_t, ChildWatch) throws -> Void
    ) -> Red {
      Red(check, variant, of: pattern, settings) { trial in
        try pattern.watchChildren(areDead: areDead, patience: .milliseconds(1))(trial, begin)
      }
    }
    func parentRed(_ check: String, _ variant: String, _ ends: ParentEnds, as played: String) -> Red {
      Red(check, variant, of: pattern, settings) { trial in
        try pattern.watchParents(parentsThatEnd: ends, isTimed: variant != "parent-gone", as: played)(trial) { _ in }
      }
    }
    /// Ignores the event.
    let isDeaf: @Sendable (pid_t, ChildWatch) -> Void = { _, _ in }
    return [
      red("child-exit.unreported-exits == 0", "child-exit", isDeaf),
      red("already-dead.unreported-exits == 0", "already-dead", areDead: true, isDeaf),
      red("waitpid-thread.unreported-exits == 0", "waitpid-thread", isDeaf),
      red("sigchld.unreported-exits == 0", "sigchld", isDeaf),
      // The report comes while the child still runs.
      Red("child-exit.unreported-exits == 0", "child-exit", of: pattern, settings) { trial in
        try pattern.watchChildren()(trial) { child, watch in
          var status: Int32 = 0
          watch.exited(waitpid(child, &status, WNOHANG) == child ? status : nil)
          watch.ended()
        }
      },
      Red("all.repeated-reports == 0", "child-exit", of: pattern, settings) { trial in
        try pattern.watchChildren()(trial) { child, watch in
          let runs = Runs()
          try watches(child, watch) { cancel in
            watch.exited(runs.next() == 1 ? takeStatus(child) : 0)
            if runs.next() > 2 { cancel() }
          }
        }
      },
      Red("all.wrong-status == 0", "child-exit", of: pattern, settings) { trial in
        try pattern.watchChildren()(trial) { child, watch in
          try watches(child, watch) { cancel in
            watch.exited(takeStatus(child) & 0xFF)
            cancel()
          }
        }
      },
      Red("all.leaked-children == 0", "already-dead", of: pattern, settings) { trial in
        try pattern.watchChildren(areDead: true)(trial) { child, watch in
          try watches(child, watch) { cancel in
            watch.exited(1 << 8)
            cancel()
          }
        }
      },
      Red("all.leaked-descriptors == 0", "waitpid-thread", of: pattern, settings) { trial in
        try pattern.watchChildren()(trial) { child, watch in
          #expect(gcdlab_open_process(child) >= 0)
          try SystemThread {
            watch.exited(takeStatus(child))
            watch.ended()
          }.detach()
        }
      },
      // Only one of the three events is reported.
      Red("fork-exec-signal.unreported-events == 0", "fork-exec-signal", of: pattern) { trial in
        try pattern.watchEvents(patience: .milliseconds(1))(trial) { _, events in
          events.reported(.fork)
          return {}
        }
      },
      parentRed("parent-exit.unreported-exits == 0", "parent-exit", .fixed(.hasStarted), as: "parent-gone"),
      parentRed("parent-gone.unreported-exits > 0", "parent-gone", .fixed(.isWatched), as: "parent-exit"),
      parentRed("parent-checked.unreported-exits == 0", "parent-checked", .always, as: "parent-exit"),
    ]
  }
}

/// A count of runs.
private final class Runs: Sendable {
  private let count = Atomic(0)
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

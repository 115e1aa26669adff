import Dispatch
import Instruments
import LabTesting
import Platform
import Testing

@testable import Patterns

@Suite struct ContinuationsTests {
  /// The pattern with workers of the built binary as the processes that resume a continuation twice. The binary is in
  /// the directory of the test runner.
  private static var pattern: Continuations {
    var pattern = Continuations()
    pattern.executable = ExecutableFile(
      (Host.executablePath.split(separator: "/").dropLast().map { "/" + $0 } + ["/gcdlab"]).joined())
    return pattern
  }

  @Test(arguments: [
    "checked", "unsafe", "anywhere", "actor", "unsafe-actor", "inline-executor", "twice", "never", "unsafe-never",
  ])
  func `each variant keeps its promises`(_ variant: String) async throws {
    // The process is the test's own, since the test redirects standard error and examines whether all threads sleep.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  @Test func `a process that is killed makes the trial unavailable`() async throws {
    try await withProgram("kill -9 $$") { killed in
      var pattern = Self.pattern
      pattern.executable = ExecutableFile(killed)
      let attempt = try await Attempt("twice", of: pattern, files: Catalogue.files)
      #expect(attempt.trial.outcome == .unavailable(reason: Unavailable.killed.description))
    }
  }

  @Test func `a process that another signal than that of a trap ends counts as one that did not trap`() async throws {
    try await withProgram("kill -SEGV $$") { crashes in
      var pattern = Self.pattern
      pattern.executable = ExecutableFile(crashes)
      let attempt = try await Attempt("twice", of: pattern, files: Catalogue.files, ["processes": .integer(2)])
      #expect(attempt.total("survivors") == 2)
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern, [:], body)
    }
    /// Resumes tasks without an actor: each task continues at once, on any thread.
    @Sendable func withoutActor(_ trial: Trial) throws {
      try pattern.suspendAndResume(
        trial,
        { waiting in
          waiting.operationRuns(after: 0)
          waiting.continues()
        },
        { waiting in
          while waiting.gone.count < waiting.count { await Task.yield() }
          waiting.allAreResumed()
        })
    }
    /// Creates tasks whose continuations do not retain them.
    @Sendable func continues(_ trial: Trial) throws {
      try pattern.forget(trial) { task in
        task.operationEnds {}
        task.continues()
      }
    }
    /// Creates tasks whose continuations are dropped with a warning.
    @Sendable func warns(_ trial: Trial) throws {
      try pattern.forget(trial) { task in
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in task.operationEnds {} }
        task.continues()
      }
    }
    /// Resumes tasks that do not continue before the call has ended.
    @Sendable func goesOnAfterwards(_ trial: Trial) throws {
      try pattern.suspendAndResume(
        trial, { waiting in waiting.operationRuns(after: 0) }, { waiting in waiting.allAreResumed() })
    }
    /// Resumes tasks that continue while the call runs, outside of Swift's pool, which the call may occupy.
    @Sendable func continuesMeanwhile(_ trial: Trial) throws {
      try pattern.suspendAndResume(
        trial, { waiting in waiting.operationRuns(after: 0) },
        { waiting in
          DispatchQueue(label: "meanwhile").async { waiting.continues() }
          waiting.allAreResumed()
        })
    }
    /// Makes round trips in which neighbours receive each other's numbers. The sum of the numbers is right.
    @Sendable func swaps(_ trial: Trial) throws {
      try pattern.timeRoundTrips(trial) { count in
        var wrong = 0
        for number in 0..<count {
          if await withCheckedContinuation({ task in task.resume(returning: number ^ 1) }) != number { wrong += 1 }
        }
        return wrong
      }
    }
    return [
      red("actor.early == 0", continuesMeanwhile), red("unsafe-actor.early == 0", continuesMeanwhile),
      red("checked.wrong == 0", swaps), red("unsafe.wrong == 0", swaps),
      red("anywhere.wrong == 0") { trial in try pattern.runEachAnswer(trial) { _, _ in 0 } },
      red("actor.elsewhere == 0", withoutActor), red("unsafe-actor.elsewhere == 0", withoutActor),
      red("actor.early == 0", withoutActor), red("unsafe-actor.early == 0", withoutActor),
      red("inline-executor.early > 0", goesOnAfterwards),
      red("twice.survivors == 0") { trial in try pattern.runProcesses(trial, of: "anywhere") { _ in } },
      red("twice.unnamed == 0") { trial in try pattern.runProcesses(trial, of: "anywhere") { _ in } },
      red("never.unwarned == 0", continues), red("unsafe-never.unwarned > 0", warns),
      red("never.continued == 0", continues), red("unsafe-never.continued == 0", continues),
      red("never.freed == 0", continues), red("unsafe-never.freed == 0", continues),
    ]
  }
}

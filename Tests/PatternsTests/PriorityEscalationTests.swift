import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct PriorityEscalationTests {
  private static let pattern = PriorityEscalation()

  @Test(arguments: [
    "awaited", "raised", "raised-task", "raised-by-many", "child-task", "async-let", "nested", "handler-too-late",
    "loose-task",
  ])
  func `each variant keeps its promises`(_ variant: String) async throws {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (RaisedTask) async -> Void) -> Red {
      let name = String(check.prefix { $0 != "." })
      return Red(check, name, of: pattern, ["tasks": .integer(2)]) { trial in
        let probe =
          switch name {
          case "child-task", "async-let", "nested": pattern.runEachInnerHandler(patience: .zero)
          case "loose-task": pattern.runEachLooseTask(patience: .zero)
          case "handler-too-late": pattern.runEachRaisedBefore(patience: .zero)
          default: pattern.runEachTask(patience: .zero)
          }
        try probe(trial, body)
      }
    }
    /// Executes a task whose priority is not raised. Its handler is called three times for the same priority, before
    /// the outer handler.
    @Sendable func isNotRaised(_ work: RaisedTask) async {
      await Task.detached(priority: .low) {
        await work.awaitEscalation()
        for _ in 0..<3 { work.recordHandlerCall(.low, .low) }
        await work.recordPriorityAfterYield()
      }.value
    }
    /// Returns a body that executes tasks with high priority from the beginning. The handler of every other task is
    /// called.
    func isHigh() -> @Sendable (RaisedTask) async -> Void {
      let turns = RoundRobin(count: 2)
      return { work in
        await Task.detached(priority: .high) {
          await work.awaitEscalation()
          if turns.next() == 0 { work.recordHandlerCall(.low, .high) }
        }.value
      }
    }
    /// Executes a task whose handler is called after that of its parent.
    @Sendable func isCalledAfterOuter(_ work: RaisedTask) async {
      work.outerHandlerIsCalled()
      work.recordHandlerCall(.low, .high)
    }
    /// Executes a task whose inner handler is called. The outer handler is never called.
    @Sendable func isCalledAlone(_ work: RaisedTask) async { work.recordHandlerCall(.low, .high) }
    /// Executes a task that is not raised and whose handler is not called.
    @Sendable func isLeftAlone(_ work: RaisedTask) async {
      await Task.detached(priority: .low) { await work.awaitEscalation() }.value
    }
    /// Executes a task with high priority, which an awaited and raised task waits for.
    @Sendable func isHighWhileAwaited(_ work: RaisedTask) async {
      work.outerHandlerIsCalled()
      await Task.detached(priority: .high) { await work.awaitEscalation() }.value
    }
    let nesting = ["child-task", "async-let", "nested"].map { red("\($0).inside-first > 0", isCalledAlone) }
    return nesting + [
      red("handler-too-late.uncalled > 0", isLeftAlone),
      red("awaited.unraised == 0", isNotRaised), red("awaited.uncalled == 0", isHigh()),
      red("awaited.forgotten == 0", isNotRaised), red("raised.unraised == 0", isNotRaised),
      red("raised.uncalled == 0", isHigh()), red("raised.repeated == 0", isNotRaised),
      red("raised.forgotten == 0", isNotRaised), red("raised-by-many.repeated == 0", isNotRaised),
      red("raised.lowered == 0", isNotRaised), red("awaited.lowered == 0", isNotRaised),
      red("child-task.unraised == 0", isNotRaised), red("child-task.uncalled == 0", isHigh()),
      red("raised-task.uncalled == 0", isHigh()), red("async-let.uncalled == 0", isHigh()),
      red("async-let.inside-first > 0", isCalledAfterOuter), red("nested.inside-first > 0", isCalledAfterOuter),
      red("child-task.inside-first > 0", isCalledAfterOuter), red("handler-too-late.uncalled > 0", isNotRaised),
      red("loose-task.raised == 0", isHighWhileAwaited),
    ]
  }
}

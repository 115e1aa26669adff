import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct CancellationTests {
  private static let pattern = Cancellation()
  private static let few: [String: ParameterValue] = ["tasks": .integer(20), "scopes": .integer(2)]

  @Test(
    arguments: [
      "suspended", "running", "registering", "before", "itself", "nested", "by-many", "afterwards", "group-returned",
      "group-thrown", "group-of-cancelled", "group-cancelled", "async-let-returned", "async-let-thrown",
      "async-let-order",
      "loose-tasks", "sleep",
    ]) func `each variant keeps its promises`(_ variant: String) async throws
  {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let settings = Self.few.filter {
        $0.key == (variant.contains("group") || variant.contains("-let") ? "scopes" : $0.key)
      }
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, settings)
      #expect(attempt.brokenPromises == [])
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func handlers(
      _ check: String, of count: Int = 1, runsHandler: Bool = true,
      _ body: @escaping @Sendable (HandledTask) -> Void
    ) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern, ["tasks": .integer(3)]) { trial in
        try
          (runsHandler
          ? pattern.runEachTask(handlers: count, operations: count) : pattern.runEachTaskAfterwards)(trial, body)
      }
    }
    func scopes(
      _ check: String, late: Int = 0, children: Int = 2, cancelledWithin limit: Duration = .zero,
      patience: Duration = .milliseconds(1),
      _ body: @escaping @Sendable (Scope) async throws -> Void
    ) -> Red {
      let settings: [String: ParameterValue] = ["scopes": .integer(1), "patience": .integer(Int(patience.nanoseconds))]
      return Red(check, String(check.prefix { $0 != "." }), of: pattern, settings) { trial in
        try pattern.runScopes(trial, children: children, late: late, cancelledWithin: limit, body)
      }
    }
    /// Returns a body whose handler runs for every other task, so that a reaction is recorded.
    func missing() -> @Sendable (HandledTask) -> Void {
      let turns = RoundRobin(count: 2)
      return { work in
        if turns.next() == 0 {
          work.beginOperation()
          work.handlerRuns()
        }
        work.cancel {}
        work.recordEnd()
      }
    }
    /// Executes the handler twice, and skips the operation.
    @Sendable func twice(_ work: HandledTask) {
      work.cancel {
        work.handlerRuns()
        work.handlerRuns()
      }
      work.recordEnd()
    }
    /// Executes the handler after cancel has returned, and after the operation has begun.
    @Sendable func tooLate(_ work: HandledTask) {
      work.beginOperation()
      work.cancel {}
      work.handlerRuns()
      work.recordEnd()
    }
    /// Creates tasks that are neither awaited nor cancelled.
    @Sendable func isLoose(_ scope: Scope) async {
      for child in scope.children { Task { await child.awaitExit() } }
      await scope.awaitBegin()
      scope.recordAddition(true)
      Task { await scope.lateChild.awaitExit() }
    }
    /// Cancels the child tasks only after they have begun, and reports that no late child task was added although the
    /// late child task runs.
    @Sendable func cancelsTooLate(_ scope: Scope) async {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await scope.children[0].awaitExit() }
        group.addTask { await scope.lateChild.recordCancellationAndAwaitExit() }
        await scope.awaitBegin()
        group.cancelAll()
        group.addTask { await scope.children[1].awaitExit() }
        scope.recordAddition(false)
        scope.recordUnwantedChild()
      }
    }
    /// Creates tasks that are neither awaited nor cancelled, in a scope without a late child task.
    @Sendable func recordExit(_ scope: Scope) async {
      for child in scope.children { Task { await child.awaitExit() } }
      await scope.awaitBegin()
    }
    /// Creates child tasks that are cancelled and awaited.
    @Sendable func cancels(_ scope: Scope) async {
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        for child in scope.children { group.addTask { await child.awaitExit() } }
      }
    }
    /// Creates child tasks that are cancelled at the end of the body, while they wait.
    @Sendable func cancelsAtEnd(_ scope: Scope) async {
      await withTaskGroup(of: Void.self) { group in
        for child in scope.children { group.addTask { await child.awaitExit() } }
        await scope.awaitBegin()
        group.cancelAll()
      }
    }
    var reds = ["suspended", "running", "registering", "nested", "itself"].map {
      handlers("\($0).missed == 0", missing())
    }
    for name in ["suspended", "running", "nested", "by-many", "registering", "before", "itself"] {
      reds.append(handlers("\(name).late == 0", tooLate))
    }
    for name in ["suspended", "running", "registering", "by-many", "nested", "itself"] {
      reds.append(handlers("\(name).repeated == 0", twice))
    }
    for name in ["before", "itself", "registering"] { reds.append(handlers("\(name).skipped == 0", twice)) }
    // The outer operation cancels its task, and the operation of the handler registered afterwards does not run.
    reds.append(
      handlers("itself.skipped == 0", of: 2) { work in
        work.beginOperation()
        work.cancel { work.handlerRuns() }
        work.handlerRuns(1)
        work.recordEnd()
      })
    reds.append(handlers("afterwards.needless == 0", runsHandler: false, twice))
    for name in ["group-returned", "group-thrown", "async-let-returned", "async-let-thrown"] {
      reds.append(scopes("\(name).unended == 0", recordExit))
    }
    for name in ["group-thrown", "async-let-returned", "async-let-thrown"] {
      reds.append(scopes("\(name).uncancelled == 0", recordExit))
    }
    for check in [
      "group-cancelled.unended == 0", "group-cancelled.uncancelled == 0", "group-of-cancelled.added == 0",
    ] { reds.append(scopes(check, late: 1, isLoose)) }
    for check in ["group-of-cancelled.uncancelled == 0", "group-cancelled.added == 0"] {
      reds.append(scopes(check, late: 1, patience: .seconds(1), cancelsTooLate))
    }
    for check in ["loose-tasks.unended > 0", "loose-tasks.cancelled == 0"] { reds.append(scopes(check, cancels)) }
    reds.append(scopes("group-returned.cancelled == 0", patience: .seconds(1), cancelsAtEnd))
    reds.append(Red("no-handler.hung == 1", "no-handler", of: pattern) { _ in try waitFor { await Task {}.value } })
    reds.append(
      Red("sleep.slept == 0", "sleep", of: pattern, ["scopes": .integer(1)]) { trial in
        try pattern.runEachGroupOfSleepers(trial) { scope in
          await withTaskGroup(of: Void.self) { group in
            for child in scope.children + [scope.lateChild] { group.addTask { await child.sleep(for: .zero) } }
          }
        }
      })
    reds.append(
      Red("async-let-order.at-once == 0", "async-let-order", of: pattern, ["scopes": .integer(1)]) { trial in
        try pattern.runEachPair(trial) { scope in
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await scope.children[0].awaitCancellationAndNotifyOther() }
            group.addTask { await scope.children[1].awaitCancellationOfBoth() }
            await scope.awaitBegin()
            group.cancelAll()
          }
        }
      })
    return reds
  }
}

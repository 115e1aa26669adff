import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Trials that hang run only in workers: `PromiseTests` checks how each variant ends.
@Suite struct GroupNestingTests {
  /// The pattern with another queue instead of the main queue, which a test process does not serve.
  static var pattern: GroupNesting {
    var pattern = GroupNesting()
    pattern.mainQueue = DispatchQueue(label: "main")
    return pattern
  }

  static let settings: [String: ParameterValue] = [
    "work": .integer(1000), "hold": .integer(1_000_000), "held-calls": .integer(2), "repeats": .integer(3),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(variant, of: pattern, files: Catalogue.files, Self.settings.merging(settings) { $1 })
  }

  @Test(arguments: ["nested", "nested-entered", "flat", "task-group"], [1, 2, 20])
  func `a group waits for work that is added to it`(_ variant: String, _ tasks: Int) async throws {
    let attempt = try await Self.attempt(variant, ["tasks": .integer(tasks)])
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
    #expect(attempt.total("missing-at-group-end") == 0 && attempt.total("missing") == 0)
    #expect(attempt.total("blocked-callers") == 0 && attempt.total("not-once") == 0)
  }

  @Test(arguments: [1, 2, 20])
  func `a group does not wait for work outside it, whether or not the work is delayed`(_ tasks: Int) async throws {
    let other = try await Self.attempt("nested-ungrouped", ["tasks": .integer(tasks)])
    #expect(try other.verdict("nested-ungrouped.missing > 0") == .witnessed)
    #expect((other.total("missing") ?? 0) >= 2 * tasks)
    let main = try await Self.attempt("ungrouped-on-main", ["tasks": .integer(tasks)])
    #expect(try main.verdict("ungrouped-on-main.missing-at-group-end > 0") == .witnessed)
    #expect((main.total("missing-at-group-end") ?? 0) >= 2 * tasks)
    #expect(main.total("missing") == 0)
  }

  @Test func `only waiting on the main queue is a hazard`() {
    #expect(Self.pattern.variants.filter { $0.ending != .completes }.map(\.name) == ["wait-on-main"])
  }

  // MARK: Broken bodies

  /// Returns a broken body whose work items call `add`, and which notifies the completion on the main queue.
  private static func adding(
    _ add: @escaping @Sendable (NestedWork, NestedWork.Result) -> Void
  ) -> @Sendable (NestedWork) -> DispatchGroup {
    { work in
      let group = DispatchGroup()
      for result in work.results {
        work.queue.async(group: group) {
          result.doSomething()
          add(work, result)
        }
      }
      group.notify(queue: work.mainQueue) { work.completionBlock() }
      return group
    }
  }

  /// Executes the work in the group, and waits for the group without a timeout.
  @Sendable private static func waits(_ work: NestedWork) -> DispatchGroup {
    let group = DispatchGroup()
    for result in work.results {
      work.queue.async(group: group) {
        result.doSomething()
        result.set()
      }
    }
    group.wait()
    work.completionBlock()
    return group
  }

  /// Calls `notify` again in the completion.
  @Sendable private static func notifiesTwice(_ work: NestedWork) -> DispatchGroup {
    let group = DispatchGroup()
    for result in work.results {
      work.queue.async(group: group) {
        result.doSomething()
        work.mainQueue.async(group: group) { result.set() }
      }
    }
    group.notify(queue: work.mainQueue) {
      group.notify(queue: work.mainQueue) { work.completionBlock() }
      work.completionBlock()
    }
    return group
  }

  /// Starts unstructured tasks instead of child tasks. The tasks set their results after the completion has run.
  @Sendable private static func unstructured(_ work: NestedWork) {
    Task {
      await withTaskGroup { group in
        for result in work.results {
          group.addTask {
            await result.doSomething()
            Task {
              while work.completions.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
              await result.set()
            }
          }
        }
      }
      work.groupHasEnded()
      work.mainQueue.async { work.completionBlock() }
    }
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      // The hold is long, so that the result does not depend on the load of the machine.
      Red(check, variant, of: pattern, Self.settings.merging(["hold": .integer(1_000_000_000)]) { $1 }, body)
    }
    let ungrouped = adding { work, result in work.otherQueue.async { result.set() } }
    let onMain = adding { work, result in work.mainQueue.async { result.set() } }
    return [
      red("nested.missing-at-group-end == 0", "nested") {
        try pattern.measure(addsOnMain: true)($0, onMain)
      },
      red("nested-entered.missing-at-group-end == 0", "nested-entered") {
        try pattern.measure(addsOnMain: true)($0, onMain)
      },
      red("nested-entered.not-once == 0", "nested-entered") {
        try pattern.measure(addsOnMain: true)($0, notifiesTwice)
      },
      red("nested.missing == 0", "nested") {
        try pattern.measure(addsOnMain: true)($0, ungrouped)
      },
      red("nested.not-once == 0", "nested") {
        try pattern.measure(addsOnMain: true)($0, notifiesTwice)
      },
      red("nested.wrong-queue == 0", "nested") {
        try pattern.measure(addsOnMain: true)($0, adding { $1.set() })
      },
      red("nested.blocked-callers == 0", "nested") { trial in
        try pattern.measure(addsOnMain: true, patience: .milliseconds(20))(trial, waits)
      },
      // The method calls `notify` instead of `wait`.
      red("wait-on-main.hung == 1", "wait-on-main") { trial in
        try pattern.hang(trial) { work in
          let group = DispatchGroup()
          for result in work.results {
            work.queue.async(group: group) {
              result.doSomething()
              work.mainQueue.async(group: group) { result.set() }
            }
          }
          group.notify(queue: work.mainQueue) { work.completionBlock() }
        }
      },
      // The work is added to the group.
      red("nested-ungrouped.missing > 0", "nested-ungrouped") { trial in
        try pattern.measureEarly(patience: .milliseconds(10))(trial, adding { work, result in result.set() })
      },
      red("ungrouped-on-main.missing-at-group-end > 0", "ungrouped-on-main") {
        try pattern.measureEarly(addsOnMain: true, patience: .milliseconds(10))($0, adding { $1.set() })
      },
      red("ungrouped-on-main.missing == 0", "ungrouped-on-main") {
        try pattern.measureEarly(addsOnMain: true)($0, ungrouped)
      },
      red("task-group.missing-at-group-end == 0", "task-group") { try pattern.measureTask($0, unstructured) },
      red("task-group.missing == 0", "task-group") { try pattern.measureTask($0, unstructured) },
    ]
  }
}

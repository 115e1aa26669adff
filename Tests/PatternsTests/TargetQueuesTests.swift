import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct TargetQueuesTests {
  private static let six: [String: ParameterValue] = ["queues": .integer(6), "tasks-per-queue": .integer(2)]

  @Test(
    arguments: [
      ("independent", 6), ("serial-target", 1), ("concurrent-on-serial", 1), ("tree", 1), ("set-target", 1),
      ("set-target-in-c", 1), ("actors", 1),
    ])
  func `the target queue lets the expected number of tasks begin`(_ variant: String, _ expected: Int) async {
    await #expect(processExitsWith: .success) { [variant = variant as String, expected = expected as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: TargetQueues(), files: Catalogue.files, Self.six)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("blocked-tasks") == expected)
      #expect(attempt.areAll(.held), "\(attempt.verdicts)")
    }
  }

  @Test func `a concurrent target lets each queue begin at most one task`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("concurrent-target", of: TargetQueues(), files: Catalogue.files, Self.six)
      #expect(attempt.trial.outcome == .completed)
      #expect(
        (1...6).contains(attempt.total("blocked-tasks") ?? 0) && (1...6).contains(attempt.total("in-progress") ?? 0))
    }
  }

  @Test func `a trial with too few threads, or without reports of their states, is unavailable`() async throws {
    try await expectUnavailable(
      TargetQueues(), Catalogue.files, Self.six, "independent", needing: 6, \.census.capacity, "serial-target",
      \.census.standstill)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = TargetQueues()
    /// Returns a broken body whose queues have targets from `target`. The work of the queues is long enough to overlap,
    /// even on one core.
    func red(_ check: String, _ variant: String, _ target: @escaping @Sendable () -> DispatchQueue?) -> Red {
      Red(check, variant, of: pattern, six.merging(["work": .integer(20_000_000)]) { $1 }) { trial in
        let queues = (0..<trial[pattern.queues]).map { DispatchQueue(label: "queue.\($0)", target: target()) }
        try pattern.look(trial) { task, all in queues[task.place].async(group: all) { task.run() } }
      }
    }
    let common = DispatchQueue(label: "target")
    return [
      red("independent.blocked-tasks > 1", "independent") { common },
      // The target is set before the queue is activated.
      Red("set-target-active.trapped == 1", "set-target-active", of: pattern) { trial in
        let queue = DispatchQueue(label: "queue", attributes: .initiallyInactive)
        queue.setTarget(queue: common)
        queue.activate()
      },
      // The queues have targets of their own.
      Red("sync-siblings.trapped == 1", "sync-siblings", of: pattern) { trial in
        let (queue, other) = (DispatchQueue(label: "queue"), DispatchQueue(label: "other"))
        queue.sync { other.sync {} }
      },
    ]
      + ["serial-target", "concurrent-on-serial", "tree", "set-target", "set-target-in-c", "actors"].flatMap {
        variant in
        ["blocked-tasks", "in-progress"].map { metric in red("\(variant).\(metric) == 1", variant) { nil } }
      }
  }
}

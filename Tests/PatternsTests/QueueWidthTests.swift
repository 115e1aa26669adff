import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct QueueWidthTests {
  private static let ten: [String: ParameterValue] = ["tasks": .integer(10)]

  @Test(arguments: [("one-serial", 1...1), ("many-queues", 10...10), ("threads", 10...10)])
  func `the expected number of tasks begins in each variant`(_ variant: String, _ expected: ClosedRange<Int>) async {
    let least = expected.lowerBound
    await #expect(processExitsWith: .success) { [variant = variant as String, least = least as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueueWidth(), files: Catalogue.files, Self.ten)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("blocked-tasks") == least)
      #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
    }
  }

  @Test(arguments: ["one-concurrent", "apply", "task-group"])
  func `every task runs to completion`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueueWidth(), files: Catalogue.files, Self.ten)
      #expect(attempt.trial.outcome == .completed)
      #expect(
        (1...10).contains(attempt.total("blocked-tasks") ?? 0) && (1...10).contains(attempt.total("in-progress") ?? 0)
      )
      #expect(attempt.trial.observation.samples("start")?.summary?.count == 10)
    }
  }

  /// The number of tasks that begin depends on the pool's monitor, which adds a thread each second while tasks only
  /// wait.
  @Test(.enabled(if: Host.cores > 1, "there is only one core"))
  func `tasks of a concurrent queue begin while other tasks block all pool threads except one`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("one-concurrent-beside", of: QueueWidth(), files: Catalogue.files, Self.ten)
      #expect(attempt.trial.outcome == .completed)
      #expect((1...10).contains(attempt.total("blocked-tasks") ?? 0))
    }
  }

  @Test(arguments: ["one-concurrent-beside-serial", "one-concurrent-beside-processes"])
  func `tasks of a concurrent queue begin while other work keeps all cores busy`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueueWidth(), files: Catalogue.files, Self.ten)
      #expect(attempt.trial.outcome == .completed)
      #expect((1...10).contains(attempt.total("in-progress") ?? 0))
      #expect(ChildProcess.leftOver() == 0)
    }
  }

  @Test(.enabled(if: Host.cores > 1, "there is only one core"))
  func `tasks of a concurrent queue begin while serial queues that target its global queue are busy`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "one-concurrent-beside-targeting", of: QueueWidth(), files: Catalogue.files, Self.ten, cores: Host.onlineCores)
      #expect(attempt.trial.outcome == .completed)
      #expect((1...10).contains(attempt.total("in-progress") ?? 0))
    }
  }

  @Test func `tasks that run one after the other count as one task in progress`() {
    let round = TaskRound(count: 3, steps: 10)
    for task in round.tasks { task.run() }
    #expect(round.mostAtOnce == 1 && round.begun == 3)
    #expect(round.cores.map { (1...3).contains($0) } != false)
  }

  @Test func `a task that pauses ends, whether it blocks its thread or suspends`() async {
    let round = TaskRound(count: 2, blockingFor: .microseconds(1))
    round.tasks[0].run()
    await round.tasks[1].runSuspending()
    #expect(round.unended == 0)
  }

  @Test func `a trial with too few threads, or without reports of their states, is unavailable`() async throws {
    try await expectUnavailable(
      QueueWidth(), Catalogue.files, Self.ten, "one-serial", needing: 10, \.census.capacity, "many-queues",
      \.census.standstill)
  }

  // MARK: Broken bodies

  /// The broken bodies: a queue for each task instead of one queue, or one queue instead of many.
  static var reds: [Red] {
    let pattern = QueueWidth()
    func red(_ check: String, _ variant: String, _ queues: Int, _ settings: [String: ParameterValue]) -> Red {
      Red(check, variant, of: pattern, settings) { trial in
        let queues = (0..<queues).map { DispatchQueue(label: "queue.\($0)") }
        try pattern.look(trial) { tasks, all in
          for (index, task) in tasks.enumerated() { queues[index % queues.count].async(group: all) { task.run() } }
          all.wait()
        }
      }
    }
    return [
      red("many-queues.blocked-tasks > 1", "many-queues", 1, ten),
      red("one-serial.blocked-tasks == 1", "one-serial", 2, ten),
      // The work is long enough for tasks to overlap, even on one core.
      red("one-serial.in-progress == 1", "one-serial", 2, ten.merging(["work": .integer(20_000_000)]) { $1 }),
    ]
  }
}

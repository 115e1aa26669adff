import Instruments
import LabTesting
import Testing

@testable import Patterns
@testable import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct DispatchComparedTests {
  private static let few: [String: ParameterValue] = [
    "tasks": .integer(20), "repeats": .integer(2), "work": .integer(100),
  ]

  @Test(arguments: ["loop", "apply", "serial", "concurrent", "many-queues", "threads", "task-group"], [1, 20])
  func `every piece of work is done once, and each repeat is timed`(_ variant: String, _ tasks: Int) async throws {
    let attempt = try await Attempt(
      variant, of: DispatchCompared(), files: Catalogue.files, Self.few.merging(["tasks": .integer(tasks)]) { $1 })
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.verdicts == ["all.not-once == 0": .held])
    let (initiate, complete) = (
      attempt.trial.observation.samples("initiate")?.summary, attempt.trial.observation.samples("complete")?.summary
    )
    #expect(initiate?.count == 2 && complete?.count == 2)
    #expect((initiate?.max ?? .infinity) <= (complete?.max ?? 0))
  }

  @Test func `a lack of threads makes the trial unavailable`() async throws {
    let attempt = try await Attempt("threads", of: DispatchCompared(), files: Catalogue.files, Self.few) { trial in
      try DispatchCompared().compare(trial) { _, _ in throw SystemError(EAGAIN, "start a thread") }
    }
    guard case .unavailable = attempt.trial.outcome else {
      Issue.record("\(attempt.trial.outcome)")
      return
    }
  }

  #if os(Linux)
    /// The room for threads becomes too small once the trial has verified that 200 threads can be started, and these
    /// threads have ended.
    @Test func `a thread that cannot be started among others makes the trial unavailable, and it does not hang`() async
    {
      await #expect(processExitsWith: .success) {
        alarm(300)
        let room = try addressSpace() + 100 << 20
        try SystemThread {
          while OwnThreads.most <= 10 { yieldProcessor() }
          while OwnThreads.numbers.count > 3 { yieldProcessor() }
          limitAddressSpace(to: room)
        }.detach()
        let attempt = try await Attempt(
          "threads", of: DispatchCompared(), files: Catalogue.files,
          ["tasks": .integer(100), "repeats": .integer(20), "work": .integer(10_000_000)])
        #expect(attempt.trial.outcome == .unavailable(reason: "\(SystemError(EAGAIN, "start a thread"))"))
      }
    }
  #endif

  @Test func `processor time is the sum of user time and system time`() {
    let earlier = ProcessorTime(user: 5, system: 7)
    var sum = ProcessorTime(user: 9, system: 6) - earlier
    #expect(sum == ProcessorTime(user: 4, system: 0))
    sum += ProcessorTime(user: 1, system: 2)
    #expect(sum == ProcessorTime(user: 5, system: 2) && sum.total == 7)
    let before = Host.processorTime
    CalibratedWork.run(steps: 20_000_000)
    #expect((Host.processorTime - before).total > 0)
  }

  // MARK: Findings

  /// Returns the findings on some variants with 20 tasks at two sizes. Each variant has the given times in nanoseconds
  /// in each of `rounds` rounds.
  private func findings(_ times: [String: [Double]], rounds: Int = 6) throws -> [String] {
    let pattern = DispatchCompared()
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [pattern])
    let experiment = try library.experiment(DispatchCompared.name).applying(
      Overrides(settings: ["tasks=20"], variants: Array(times.keys))
    ).sweeping([Sweep("work", [.integer(1000), .integer(10_000)])])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      guard let times = times[runs[index].variant.name] else { continue }
      let time = times[runs[index].parameters["work"] == .integer(1000) ? 0 : 1]
      runs[index].trials = (0..<rounds).map { round in
        var observation = Observation()
        observation.record("complete", time * (1 + 0.01 * Double(round)), batch: 1)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    return pattern.findings(in: results).map(\.says)
  }

  @Test func `the findings name the fastest variant per size, and the size from which dispatching is faster`() throws {
    #expect(
      try findings([
        "loop": [1000, 9000], "apply": [2000, 4500], "concurrent": [4000, 6000], "serial": [4000, 9100],
      ])
        == [
          "first to complete 20 tasks of 1 us: loop",
          "first to complete 20 tasks of 10 us: apply, 2.00 times as fast as loop",
          "20 tasks, faster than the loop: from 10 us per task with apply and concurrent; at none of these sizes with serial",
        ])
    #expect(
      try findings(["loop": [3000, 9000], "apply": [2000, 4500], "concurrent": [2000, 9000]])
        == [
          "first to complete 20 tasks of 1 us: apply and concurrent, not told apart",
          "first to complete 20 tasks of 10 us: apply, 2.00 times as fast as loop",
          "20 tasks, faster than the loop: from 1 us per task with apply; at 1 us only with concurrent",
        ])
  }

  @Test func `the findings name no faster variant if the loop is among the fastest`() throws {
    #expect(
      try findings(["loop": [1000, 9000], "apply": [1000, 9100]])
        == [
          "first to complete 20 tasks of 1 us: loop and apply, not told apart",
          "first to complete 20 tasks of 10 us: loop",
          "20 tasks, faster than the loop: at none of these sizes with apply",
        ])
  }

  @Test func `results with too few rounds have no findings`() throws {
    #expect(try findings(["loop": [1000, 9000], "apply": [2000, 4500]], rounds: 5).isEmpty)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = DispatchCompared()
    return [
      // The loop omits one piece.
      Red("all.not-once == 0", "loop", of: pattern, few) { trial in
        try pattern.compare(trial) { tasks, _ in for task in tasks.dropLast() { task.run() } }
      }
    ]
  }
}

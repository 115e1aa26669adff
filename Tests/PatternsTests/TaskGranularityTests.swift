import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct TaskGranularityTests {
  static let settings: [String: ParameterValue] = [
    "tasks": .integer(20), "repeats": .integer(2), "work": .integer(100),
  ]

  @Test(arguments: ["inline", "sync", "async", "work-item", "task", "thread"])
  func `every task runs once, and each repeat is timed`(_ variant: String) async throws {
    let attempt = try await Attempt(variant, of: TaskGranularity(), files: Catalogue.files, Self.settings)
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.verdicts == ["all.not-once == 0": .held])
    #expect(attempt.trial.observation.samples("per-task")?.summary?.count == 2)
  }

  // MARK: Findings

  /// Returns the findings on `inline` and `async` at three sizes, with the given times in nanoseconds in each of
  /// `rounds` rounds. The time of a round may be replaced by `figure`.
  private func findings(
    _ inline: [Double], _ async: [Double], rounds: Int = 6, _ figure: (Int, Double) -> Double = { $1 }
  ) throws -> [String] {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [TaskGranularity()])
    let experiment = try library.experiment(TaskGranularity.name).sweeping([
      Sweep("work", [.integer(100), .integer(1000), .integer(10_000)])
    ])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      guard let times = ["inline": inline, "async": async][runs[index].variant.name] else { continue }
      guard case .integer(let work)? = runs[index].parameters["work"] else { continue }
      let time = times[work == 100 ? 0 : work == 1000 ? 1 : 2]
      runs[index].trials = (0..<rounds).map { round in
        var observation = Observation()
        observation.record("per-task", figure(round, time) * (1 + 0.01 * Double(round)), batch: 1)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    return TaskGranularity().findings(in: results).map(\.says)
  }

  @Test func `the crossover is the size from which on a variant is significantly faster at all sizes`() throws {
    #expect(
      try findings([100, 1000, 10_000], [600, 500, 5000])
        == ["async is faster than inline from 1 us of work per task on, 2.00 times as fast there; slower at 100 ns."])
    #expect(
      try findings([100, 1000, 10_000], [50, 1100, 5000])
        == [
          "async is faster than inline at 10 us of work per task, the largest size, 2.00 times as fast there; slower at 1 us."
        ])
    #expect(
      try findings([100, 1000, 10_000], [50, 500, 5000])
        == ["async is faster than inline from 100 ns of work per task on, 2.00 times as fast there."])
    #expect(
      try findings([100, 1000, 10_000], [600, 1500, 10_001])
        == ["async is not significantly faster than inline at any of these sizes; slower at 100 ns, 1 us and 10 us."])
    #expect(try findings([100, 1000, 10_000], [600, 500, 5000], rounds: 3).isEmpty)
  }

  @Test func `variants with the same crossover share a sentence`() throws {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [TaskGranularity()])
    let experiment = try library.experiment(TaskGranularity.name).sweeping([
      Sweep("work", [.integer(100), .integer(1000)])
    ])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      let isSmall = runs[index].parameters["work"] == .integer(100)
      let times: [String: Double] = isSmall ? [:] : ["async": 500, "task": 250]
      runs[index].trials = (0..<6).map { round in
        var observation = Observation()
        observation.record("per-task", times[runs[index].variant.name] ?? 1000 + Double(round), batch: 1)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    let says = TaskGranularity().findings(in: results).map(\.says)
    #expect(
      says.first?.contains(
        /^async and task are faster than inline at 1 us of work per task, the largest size, 2\.\d\d and 4\.\d\d times as fast there/
      ) == true && says.count == 2, "\(says)")
  }

  @Test func `each setting of another swept parameter has its own crossovers`() throws {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [TaskGranularity()])
    let experiment = try library.experiment(TaskGranularity.name).sweeping([
      Sweep("tasks", [.integer(4), .integer(80)]), Sweep("work", [.integer(100), .integer(1000)]),
    ])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs.filter { ["inline", "async"].contains($0.variant.name) }
    for index in runs.indices {
      let isFaster = runs[index].variant.name == "async" && runs[index].parameters["tasks"] == .integer(80)
      runs[index].trials = (0..<6).map { round in
        var observation = Observation()
        observation.record("per-task", (isFaster ? 500 : 1000) + Double(round), batch: 1)
        return TrialRecord(round: round, outcome: .completed, observation: observation)
      }
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    let says = TaskGranularity().findings(in: results).map(\.says)
    #expect(
      says.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } == [
        "At tasks=80, async is faster than inline from 100 ns of work per task on, 2.00 times as fast there",
        "At tasks=4, async is not significantly faster than inline at any of these sizes",
      ], "\(says)")
  }

  /// A very fast second state may lower the mean of a variant that is slower in many rounds. The sentence must agree
  /// with the table, which ranks the means.
  @Test func `a variant that is faster on average, but in few rounds, says so`() throws {
    func says(_ fast: Set<Int>) throws -> [String] {
      try findings([100, 1000, 10_000], [600, 900, 5000], rounds: 20) { round, time in
        time == 900 ? fast.contains(round) ? 10 : 1050 : time
      }
    }
    let usually = try says(Set(0..<18))
    #expect(
      usually.first?.hasPrefix("async is faster than inline from 1 us of work per task on, ") == true
        && usually.first?.contains("rounds only") == false, "\(usually)")
    let seldom = try says(Set(0..<13))
    #expect(
      seldom.first?.hasPrefix("async is faster than inline from 1 us of work per task on, ") == true
        && seldom.first?.hasSuffix(
          " times as fast there on average, but faster in 65 % of the rounds only; slower at 100 ns.") == true,
      "\(seldom)")
  }

  @Test func `a variant that is faster on average, but slower in most rounds, is not called faster`() throws {
    let says = try findings([100, 1000, 10_000], [600, 900, 10_001], rounds: 20) { round, time in
      time == 900 ? round % 5 < 2 ? 10 : 1050 : time
    }
    #expect(
      says.first?.contains(
        /^async is faster than inline only on average, at 1 us of work per task \([0-9.]+ times as fast, but slower in 60 % of the rounds\)\.$/
      ) == true, "\(says)")
  }

  @Test func `a variant that is faster at a middle size only says at which`() throws {
    #expect(
      try findings([100, 1000, 10_000], [600, 500, 10_001])
        == ["async is faster than inline at 1 us of work per task; slower at 100 ns and 10 us."])
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = TaskGranularity()
    return [
      // One task is omitted.
      Red("all.not-once == 0", "async", of: pattern, settings) { trial in
        try pattern.measure(trial) { tasks in for task in tasks.dropLast() { task.run() } }
      }
    ]
  }
}

import Laboratory
import Patterns
import Testing

/// Every variant of every scenario, once in a real worker: it ends as it says, records what it promises, and reads just the
/// settings that it says it uses.
@Suite struct PromiseTests {
  static let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)

  @Test(arguments: library.names)
  func `every variant keeps to what it says`(_ name: String) async throws {
    var experiment = try Self.library.experiment(name).applying(Overrides(quick: true))
    experiment.sweep = experiment.sweep.map { Sweep($0.name, Array($0.values.suffix(1))) }
    let plan = Plan(experiment, budget: Budget(rounds: 1), seed: 1)
    let results = try await Runner(executable: Binary.path, machine: .current()).run(plan)
    for run in results.runs {
      let trial = try #require(run.trials.first)
      switch (trial.outcome, run.variant.ending) {
      case (.completed, .completes):
        let used = Set(experiment.pattern.parameters.map(\.name)).subtracting(run.variant.ignores)
        #expect(trial.reads == used, "\(run.label)")
      case (.unavailable, _): continue
      case (.trapped, .traps), (.hung, .hangs): #expect(trial.figure(Metric.timeToEnd) != nil, "\(run.label)")
      default: Issue.record("\(run.label): \(trial.outcome)")
      }
    }
  }
}

import ArgumentParser
import Laboratory
import Platform
import Reporting

struct ScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Run scenarios and judge their claims.",
    discussion: """
      Every variant runs once a round in a process of its own, in shuffled order. Guarantees and anomalies are judged \
      on every trial, performance claims on paired rounds.
      """)

  @Argument(help: "Scenarios by name, or .yml files.", completion: .list(Root.library.names))
  var names: [String]

  @OptionGroup(title: "What to run") var run: RunOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws {
    let budget = try run.budget()
    let plans = try names.map { name in
      Plan(try Root.library.experiment(name).applying(run.overrides), budget: budget, seed: run.seedOrRandom)
    }
    try await output.show(try output.exportFiles()) { runner, progress in
      var results: [Results] = []
      for plan in plans where !Task.isCancelled && results.last?.cut == nil {
        results.append(try await runner.run(plan, observer: progress))
      }
      return results
    }
  }
}

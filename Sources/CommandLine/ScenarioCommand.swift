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

  @Argument(help: "Scenarios by name, or .yml files.", completion: .list(Lab.library.names))
  var names: [String]

  @Option(help: "Run it all so many times, for `diff`: one document a run, all in one file.")
  var runs = 1

  @OptionGroup(title: "What to run") var run: RunOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if !(1...1000).contains(runs) { throw ValidationError("--runs: found \(runs), allowed is 1 to 1000.") }
  }

  func run() async throws {
    let budget = try run.budget()
    let experiments = try names.map { try Lab.library.experiment($0).applying(run.overrides) }
    // In turn, so that the runs of a scenario lie as far apart as they can.
    let plans = (0..<runs).flatMap { _ in
      experiments.map { Plan($0, budget: budget, seed: run.seedOrRandom) }
    }
    try await output.show(try output.rendering.exportFiles()) { runner, progress in
      var results: [Results] = []
      for plan in plans where !Task.isCancelled && results.last?.cut == nil {
        results.append(try await runner.run(plan, observer: progress))
      }
      return results
    }
  }
}

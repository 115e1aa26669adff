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

      \(examples(("scenario \(Lab.example) --quick", "a first look"), ("scenario \(Lab.example) --export run.html", "a page"), ("scenario --all --export book.html", "a book of all")))
      """)

  @Argument(help: "Scenarios by name, or .yml files.", completion: .custom { _, _, _ in Completions.scenarios })
  var names: [String] = []

  @Flag(help: "Run all scenarios.")
  var all = false

  @Option(
    name: .customLong("tag"), help: "Run all scenarios with this tag (repeatable).",
    completion: .custom { _, _, _ in Completions.tags })
  var tags: [String] = []

  @Option(help: "Run everything this many times, for `diff`: one document per run, all in one file.")
  var runs = 1

  @OptionGroup(title: "What to run") var run: RunOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if all, !names.isEmpty || !tags.isEmpty {
      throw ValidationError("--all runs every scenario: give it alone, or names and --tag without it.")
    }
    if !(1...1000).contains(runs) { throw ValidationError("--runs: found \(runs), allowed is 1 to 1000.") }
  }

  func run() async throws {
    var budget = try run.budget()
    budget.left = budget.time
    budget.trialShare = Smoke.trialShare
    let experiments = try chosen().map { try Lab.library.experiment($0).applying(run.overrides) }
    try output.requireNames(experiments.map(\.name))
    // In turn, so that the runs of a scenario lie as far apart as they can.
    let plans = (0..<runs).flatMap { _ in
      experiments.map { Plan($0, budget: budget, seed: run.seedOrRandom) }
    }
    // Only what the scenario itself asks for can be compared with another run of it, and graded by its name.
    let keeps = run.settings.isEmpty && run.variants.isEmpty && run.overhead == nil && names.allSatisfy(isBuiltIn)
    try await output.show(try output.rendering.exportFiles(), keeps: keeps) { runner, progress in
      var results: [Results] = []
      for plan in plans where !Task.isCancelled && results.last?.cut == nil {
        results.append(try await runner.run(plan, observer: progress))
      }
      return results
    }
  }

  private func isBuiltIn(_ name: String) -> Bool { Lab.library.names.contains(name) }

  /// The names given, and those of the tags, each once.
  private func chosen() throws(InputError) -> [String] {
    guard all || !tags.isEmpty else {
      // Not where the command line is validated: that comes before an unknown option is told.
      if names.isEmpty { throw InputError("name a scenario (see gcdlab list), or give --all or --tag") }
      return names
    }
    let experiments = try Lab.library.all()
    let known = Set(experiments.flatMap(\.tags)).sorted()
    for tag in tags where !known.contains(tag) {
      throw InputError(
        "unknown tag '\(tag)' (known: \(known.joined(separator: ", ")))", at: "--tag", near: tag, of: known)
    }
    let meant = experiments.filter { all || !Set(tags).isDisjoint(with: $0.tags) }.map(\.name)
    return names + meant.filter { !names.contains($0) }
  }
}

import ArgumentParser
import Laboratory
import Platform
import Reporting

struct ScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Run scenarios and judge their claims.",
    discussion: """
      In each round, every variant runs once in a process of its own, in shuffled order. Guarantees and anomalies are \
      judged on every trial, and performance claims on paired rounds.

      A trial is one process that runs one variant. \(Legend.kinds.joined(separator: "; ")). A ratio is the geometric \
      mean of the ratios of paired rounds, and can differ from the ratio of the two medians.

      \(Root.exitStatuses)

      \(examples(("scenario \(Lab.example) --quick", "a first look"), ("scenario \(Lab.example) --export run.html", "a page"), ("scenario --all --export book.html", "a book of all")))
      """)

  @Argument(help: "The names of scenarios, or .yml files.", completion: .custom { _, _, _ in Completions.scenarios })
  var names: [String] = []

  @Flag(help: "Run all scenarios.")
  var all = false

  @Option(
    name: .customLong("tag"), help: "Run all scenarios with this tag (repeatable).",
    completion: .custom { _, _, _ in Completions.tags })
  var tags: [String] = []

  @Option(help: "Run each scenario this many times, for `diff`. One file contains one document for each run.")
  var runs = 1

  @Flag(
    help: "Then record one additional trial of each variant, and draw the record (see `\(Tool.command) trace`).")
  var trace = false

  @OptionGroup(title: "What to run") var run: RunOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if all, !names.isEmpty || !tags.isEmpty {
      throw ValidationError("--all runs every scenario: give either --all, or names and --tag.")
    }
    if !(1...1000).contains(runs) { throw ValidationError("--runs: found \(runs), expected 1 to 1000.") }
  }

  func run() async throws {
    var budget = try run.budget()
    budget.timeLeft = budget.time
    budget.trialShare = SmokeCommand.trialShare
    let experiments = try chosen().map { try Lab.library.experiment($0).applying(run.overrides) }
    try output.requireNames(experiments.map(\.name))
    // The scenarios alternate, so that the runs of a scenario are as far apart as possible.
    let plans = (0..<runs).flatMap { _ in
      experiments.map { Plan($0, budget: budget, seed: run.seed.orRandom) }
    }
    // A run is compared and counted under the scenario's name only if it has the scenario's own settings.
    let keeps =
      run.settings.isEmpty && run.variants.isEmpty && run.confinement.cores == nil && names.allSatisfy(isBuiltIn)
    try await output.session(try output.rendering.exports.files(), keeps: keeps).runAndReport {
      runner, progress in
      var results: [Results] = []
      for plan in plans where !Task.isCancelled && results.last?.earlyEnd == nil {
        results.append(try await runner.run(plan, observer: progress))
      }
      // Each scenario is recorded once, after all scenarios have been measured.
      for index in results.indices.prefix(trace ? experiments.count : 0) where results[index].earlyEnd == nil {
        try await trace(&results[index], plans[index], runner, progress)
      }
      for index in results.indices.prefix(experiments.count) { try await results[index].addExploration() }
      return results
    }
  }

  /// Records a trial of each variant, and adds the traces to the results. If no trial can be recorded, adds a warning
  /// to the results instead.
  private func trace(
    _ results: inout Results, _ plan: Plan, _ runner: Runner, _ progress: ProgressDisplay?
  ) async throws {
    let experiment = try plan.experiment.forTrace(run.settings)
    do {
      results.traces = try await runner.traces(
        Plan(experiment, budget: .smoke, seed: plan.seed), observer: progress)
    } catch let error as LabError {
      results.warnings.append(RunNote("trace", "no trial was recorded: \(error)"))
    }
  }

  private func isBuiltIn(_ name: String) -> Bool { Lab.library.names.contains(name) }

  /// Returns the names of the requested scenarios, followed by the names of the other scenarios with a requested tag.
  ///
  /// - Throws: ``InputError`` if the arguments contain neither a scenario nor a tag, or if a tag is unknown.
  private func chosen() throws(InputError) -> [String] {
    guard all || !tags.isEmpty else {
      // This check is not part of the validation, which would run before an unknown option is reported.
      if names.isEmpty { throw InputError("name a scenario (see \(Tool.command) list), or give --all or --tag") }
      if let setting = names.dropFirst().first(where: { $0.contains("=") }) {
        throw InputError(
          "'\(setting)' is not a scenario: --set \(setting) changes a setting, "
            + "and \(Tool.command) compare \(names[0]) \(setting) compares several values")
      }
      return names
    }
    let experiments = try Lab.library.all()
    let known = Set(experiments.flatMap(\.tags)).sorted()
    for tag in tags where !known.contains(tag) {
      throw InputError.unknown("tag", tag, at: "--tag", known: known)
    }
    let meant = experiments.filter { all || !Set(tags).isDisjoint(with: $0.tags) }.map(\.name)
    return names + meant.filter { !names.contains($0) }
  }
}

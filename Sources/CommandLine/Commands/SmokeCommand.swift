import ArgumentParser
import Laboratory
import Measurement
import Platform
import Reporting

struct SmokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smoke",
    abstract: "Run every scenario briefly, and judge all guarantees and anomalies, for CI.",
    discussion: """
      A scenario that passes is shown as one line, and a scenario that fails is shown in full. Performance claims are not \
      judged, since three rounds are too few.

      The time is divided among the scenarios. A scenario starts no round that would end after its share of the time, but \
      always finishes its first round unless a trial hangs. A variant that hangs is not run again. If the time ends, the \
      remaining scenarios are not run. A guarantee or anomaly that no trial measured counts as not judged (exit status 2).

      \(examples(("smoke", "all scenarios, short"), ("smoke --only \(Lab.exampleTag) --time 30s", "those with a tag"), ("smoke --export results.xml", "JUnit for CI")))
      """)

  @Argument(help: "Run only these scenarios or .yml files.", completion: .custom { _, _, _ in Completions.scenarios })
  var names: [String] = []

  @Option(
    help: "Run only scenarios with this name or tag (repeatable).",
    completion: .custom { _, _, _ in Completions.tags + Completions.scenarios })
  var only: [String] = []

  @Option(
    help: "Run no scenario with this name or tag (repeatable).",
    completion: .custom { _, _, _ in Completions.tags + Completions.scenarios })
  var skip: [String] = []

  @Option(help: ArgumentHelp("The maximum duration of the whole command, as in 30s or 2min.", valueName: "duration"))
  var time = "2min"

  @Option(help: ArgumentHelp("As --export, whatever the file's name.", valueName: "file", visibility: .hidden))
  var junit: String?

  @OptionGroup var seed: SeedOption
  @OptionGroup var confinement: CoresOption
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try limit() }

  func run() async throws {
    let experiments = try chosen()
    let files = try FileExport<ReportInput>.files(output.rendering.exports.paths, junit: junit)
    let start = MonotonicClock.now()
    try output.requireNames(experiments.map(\.name))
    let session = output.session(files)
    let limit = try limit().nanoseconds
    let seed = seed.orRandom
    var results: [Results] = []
    var unprinted: (any Error)?
    Interrupt.begin()
    for (index, experiment) in experiments.enumerated() {
      let left = limit - min(limit, MonotonicClock.now() &- start)
      // The first scenario always runs, since the result must not depend on the time that the lab took to start.
      guard left > 0 || index == 0, !Task.isCancelled, results.last?.earlyEnd == nil, unprinted == nil else { break }
      var budget = Budget.smoke
      budget.time = .nanoseconds(Int64(left / UInt64(experiments.count - index)))
      // A worker that hangs must not use up the time of all later scenarios.
      budget.timeLeft = .nanoseconds(Int64(left))
      budget.trialShare = Self.trialShare
      let progress = output.progress(of: experiment.name)
      let result = try await session.runner.run(Plan(experiment, budget: budget, seed: seed), observer: progress)
      progress?.clear()
      results.append(result)
      if output.rendering.format.isTable {
        // If the output has no reader, no further scenario runs, but the results so far are exported.
        let content = RunSession.content(result)
        do {
          try output.rendering.color.print { SmokeReport.line(content, strict: output.rendering.strict, $0) }
        } catch { unprinted = error }
      }
    }
    let missed = experiments.dropFirst(results.count).map(\.name)
    let rendering = output.rendering
    try session.conclude(results) { contents in
      if let unprinted { throw unprinted }
      guard rendering.format.isTable else { return try rendering.print(contents) }
      try rendering.color.print {
        SmokeReport.summary(contents, notRun: missed, strict: rendering.strict, $0)
      }
    }
    if Interrupt.status == nil, !missed.isEmpty {
      let names = missed.listed(most: Self.mostNames)
      throw LabError("\(names) not run, since the time of \(time) was over; raise --time")
    }
  }

  /// The maximum number of scenarios that the error about the time names.
  private static let mostNames = 4

  /// The maximum share of the remaining time for one trial. The next trial thus has time left even if many trials hang.
  static let trialShare = 0.5

  private func limit() throws -> Duration { try Duration(option: "--time", time) }

  /// Returns the scenarios to run, with quick settings, in the order in which they run.
  ///
  /// - Throws: ``InputError`` if a name or a tag is unknown, or if no scenario is left to run.
  private func chosen() throws(InputError) -> [Experiment] {
    var experiments: [Experiment] = []
    for name in names.isEmpty ? Lab.library.names : names {
      experiments.append(try Lab.library.experiment(name).applying(Overrides(cores: confinement.cores, quick: true)))
    }
    let words = experiments.map(\.name) + Set(experiments.flatMap(\.tags)).sorted()
    for (flag, given) in [("--only", only), ("--skip", skip)] {
      for word in given where !words.contains(word) {
        // A list of all words would be too long to be useful.
        let few = words.nearest(to: word) == nil ? words.nearest(3, to: word).joined(separator: ", ") : ""
        throw .unknown(
          "name or tag", word, at: flag, known: words,
          listing: .text(few.isEmpty ? "" : "nearest: \(few); \(Tool.command) list has all"))
      }
    }
    func isMeant(_ experiment: Experiment, by given: [String]) -> Bool {
      given.contains { $0 == experiment.name || experiment.tags.contains($0) }
    }
    let chosen = experiments.filter { (only.isEmpty || isMeant($0, by: only)) && !isMeant($0, by: skip) }
    guard !chosen.isEmpty else { throw InputError("no scenario is left to run", at: "--skip") }
    return chosen
  }
}

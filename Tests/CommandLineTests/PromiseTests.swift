import LabTesting
import Laboratory
import Patterns
import Platform
import Reporting
import Testing

/// Tests of every variant in a real worker: the trial has the declared outcome, records the promised figures, reads
/// exactly the declared settings, and keeps every guarantee of its scenario. The result document is valid.
@Suite struct PromiseTests {
  static let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)

  /// A scenario with its settings for a quick run, some of which are replaced by `settings`.
  struct Case: Sendable, CustomTestStringConvertible {
    let scenario: String
    var settings: [String] = []

    var testDescription: String { ([scenario] + settings).joined(separator: " ") }
  }

  /// Settings at which a pattern behaves differently, such as the smallest size, several threads, or another kind.
  static let edges = [
    Case(scenario: "completion-block", settings: ["numbers=1", "calls=5"]),
    Case(scenario: "custom-source", settings: ["burst=2", "stream=3", "work=1us"]),
    Case(scenario: "custom-source", settings: ["burst=1000", "stream=1001", "work=1us"]),
    Case(scenario: "descriptor-read", settings: ["kind=socket", "messages=3", "size=200000B"]),
    Case(scenario: "descriptor-read", settings: ["kind=file", "messages=3", "size=200000B"]),
    Case(scenario: "queue-context", settings: ["repeats=1"]),
    Case(scenario: "queue-order", settings: ["submitters=1", "tasks=50", "waiters=2"]),
    Case(scenario: "queue-order", settings: ["submitters=8", "tasks=50", "waiters=12"]),
    Case(scenario: "source-lifecycle", settings: ["repeats=1", "events=1"]),
    Case(scenario: "source-lifecycle", settings: ["repeats=20", "events=200"]),
    Case(scenario: "timer-source", settings: ["interval=1ms", "leeway=0ns", "handler-intervals=2"]),
  ]

  @Test(arguments: library.names.map { Case(scenario: $0) } + edges)
  func `every variant has its declared outcome, figures, settings and guarantees, in a valid document`(
    _ tried: Case
  ) async throws {
    var experiment = try Self.library.experiment(tried.scenario)
      .applying(Overrides(settings: tried.settings, quick: true))
    // The first value of a sweep is the default, with which other values need not agree: a failure with a pipe need not
    // occur with a file.
    experiment.sweep = experiment.sweep.map { Sweep($0.name, Array($0.values.prefix(1))) }
    let plan = Plan(experiment, budget: Budget(rounds: 1), seed: 1)
    let results = try await Runner(ExecutableFile(Binary.path), machine: .current()).run(plan)
    var missing: [String] = []
    for run in results.runs {
      let trial = try #require(run.trials.first)
      switch (trial.outcome, run.variant.ending) {
      case (.completed, .completes):
        let used = Set(experiment.pattern.parameters.map(\.name)).subtracting(run.variant.ignores)
        #expect(trial.reads == used, "\(run.label)")
      case (.unavailable(let reason), _): missing.append("\(run.label): \(reason)")
      case (.trapped, .traps): #expect(trial.figure(Metric.timeToEnd) != nil, "\(run.label)")
      case (.hung, .hangs): #expect(trial.figure(Metric.timeToEnd) == nil, "\(run.label)")
      default: Issue.record("\(run.label): \(trial.outcome)")
      }
    }
    // An anomaly may require several rounds, which `smoke` runs. A guarantee holds in each round.
    for judged in results.judgements where judged.verdict == .violated {
      Issue.record("\(judged.claim.check.text) is \(judged.verdict): \(judged.evidence.reason ?? "")")
    }
    let document = try JSONValue(JSONReport.render([ResultDocument(results)]))
    #expect(try JSONSchema.ofResults().violations(document) == [])
    if missing.count == results.runs.count { try skip("nothing can be tried here: \(missing.listed())") }
  }
}

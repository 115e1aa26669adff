import LabTesting
import Laboratory
import Measurement

@testable import Reporting

extension Results {
  var document: ResultDocument { ResultDocument(self) }
  var content: ReportContent { ReportContent(document) }
}

/// Invented results of runs.
enum Fixture {
  struct Pattern: Laboratory.Pattern {
    static let name = "fixture"
    let stride = Parameter.count("stride", 1...4096, default: 1, "iterations in a block")
    let elapsed = Metric.latency("elapsed", missingIf: "a test leaves it out", "the whole loop")
    let missed = Metric.count("missed", missingIf: "a test leaves it out", "left out")
    let rate = Metric.rate("rate", .perSecond, missingIf: "a test leaves it out", "loops a second")
    let each = Metric.latency("each", missingIf: "a test leaves it out", "one of those timed together")
    let ways: [(name: String, role: Variant.Role)]

    var variants: [Variant] {
      for way in ways {
        Variant(way.name, way.role, "a way", TrialProbe(records: [elapsed, missed, rate, each])) { _ in }
      }
    }
  }

  /// A pattern with additional parameters. All strides from 1,024 on have the same effect.
  struct Wide: SaturatingPattern {
    static let name = "fixture"
    let stride = Parameter.count("stride", 1...4096, default: 1, "iterations in a block")
    let work = Parameter.duration("work", .zero ... .milliseconds(1), default: .nanoseconds(15), "each")
    let threads = Parameter.count("threads", 1...100, default: 1, "at once")
    let elapsed = Metric.latency("elapsed", missingIf: "a test leaves it out", "the whole loop")
    let missed = Metric.count("missed", missingIf: "a test leaves it out", "left out")
    let rate = Metric.rate("rate", .perSecond, missingIf: "a test leaves it out", "loops a second")
    /// The role of the variant `plain`.
    var plain = Variant.Role.documented

    func saturation(of parameter: String, with _: [String: ParameterValue]) -> (from: Int, reason: String)? {
      parameter == stride.name ? (1024, "from 1024 on, there is one block") : nil
    }
    var problem: [any Declaration] { [work] }
    var variants: [Variant] {
      Variant(
        "plain", plain, "a way", TrialProbe(reads: [work, threads], records: [elapsed, missed, rate])
      ) { _ in }
      Variant("apply", .documented, "another way") { _ in }
    }
  }

  static func described(_ pattern: some Laboratory.Pattern) -> PatternDescription {
    do { return try PatternDescription(pattern) } catch { fatalError("\(error)") }
  }

  static let machine = Machine.test

  static let claim = Claim(
    says: "Nothing is left out.", kind: .guarantee,
    check: Check(text: "all.missed == 0", left: .cores, relation: .equal, right: .cores))

  /// Returns the results of the given variants, each with the elapsed times of its trials in nanoseconds. Each trial
  /// has one histogram.
  static func results(
    _ elapsed: [(variant: String, trials: [[UInt64]])], baseline: String? = nil, outcome: Outcome = .completed,
    judgements: [Judgement] = [], claims: [Claim] = [], earlyEnd: Measurements.EarlyEnd? = nil, warnings: [String] = [],
    optimised: Bool = true
  ) -> Results {
    // The names need not be valid in a pattern, since a document may contain any text.
    let pattern = described(Pattern(ways: (0...elapsed.count).map { ("way-\($0)", .documented) }))
    let variants = elapsed.map { Variant($0.variant, .documented, "a way") { _ in } }
    let experiment = Experiment(
      name: "fixture", pattern: pattern, title: "A fixture", source: "Nowhere at all", variants: variants,
      baseline: baseline, show: ["elapsed", "missed", "rate"], claims: claims)
    let runs = zip(variants, elapsed).map { variant, figures in
      VariantRun(
        variant: variant, point: Point(), parameters: ["stride": .integer(1)],
        trials: figures.trials.enumerated().map { round, values in
          var observation = Observation()
          var histogram = LatencyHistogram()
          for value in values { histogram.record(value) }
          observation.record("elapsed", histogram)
          if !values.isEmpty { observation.record("missed", round) }
          return TrialRecord(
            round: round, outcome: values.isEmpty ? outcome : .completed, observation: observation)
        })
    }
    var machine = machine
    machine.optimised = optimised
    return Results(
      experiment: experiment, machine: machine, seed: 7, started: "2026-11-21T01:02:03Z", seconds: 1.5,
      earlyEnd: earlyEnd, runs: runs, warnings: warnings.map { RunNote("test", $0) }, judgements: judgements)
  }

  static let pair = results(
    [
      ("slow", (0..<6).map { round in (0..<20).map { UInt64(20_000 + 100 * $0 + round) } }),
      ("fast", (0..<6).map { round in (0..<20).map { UInt64(10_000 + 50 * $0 + round) } }),
    ], baseline: "slow",
    judgements: [
      Judgement(
        claim: claim, verdict: .violated, evidence: Evidence(left: 5, trials: 12, met: 10, reason: "fast in round 6"))
    ], warnings: ["a word of care"])

  static func judgement(_ verdict: Verdict, _ evidence: Evidence) -> Judgement {
    Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  /// The samples of a trial by metric; nil for a trial that failed.
  typealias Samples = [String: [Double]]?

  /// Returns the samples of `count` rounds.
  static func rounds(_ count: Int, _ samples: (Int) -> Samples) -> [Samples] { (0..<count).map(samples) }

  /// Returns the results of the given variants and their trials.
  static func made(
    _ variants: [(variant: String, trials: [Samples])], baseline: String? = nil,
    outcome: Outcome = .hung
  ) -> Results {
    let base = results(variants.map { ($0.variant, []) }, baseline: baseline)
    let runs = zip(base.runs, variants).map { run, made in
      var run = run
      run.trials = made.trials.enumerated().map { round, samples in
        guard let samples else { return TrialRecord(round: round, outcome: outcome) }
        return TrialRecord(round: round, outcome: .completed, observation: observation(samples))
      }
      return run
    }
    return Results(
      experiment: base.experiment, machine: machine, seed: 7, started: "2026-11-21T01:02:03Z", seconds: 1.5, runs: runs)
  }

  static func observation(_ samples: [String: [Double]]) -> Observation {
    var observation = Observation()
    for (metric, values) in samples { for value in values { observation.record(metric, value) } }
    return observation
  }

  /// Returns a comparison of `plain`, which ignores the stride, and `apply`. The figures depend on the settings.
  ///
  /// - Parameter plain: the role of the variant `plain`.
  static func compared(
    _ sweeps: [(name: String, values: [Int])], rounds: Int = 6, samples: Int = 1, baseline: String? = nil,
    isComparison: Bool = true, plain: Variant.Role = .documented,
    _ figure: (_ variant: String, _ round: Int, _ values: [String: Int]) -> Double?
  ) throws -> Results {
    let pattern = described(Wide(plain: plain))
    var experiment = try Experiment(
      name: "fixture", pattern: pattern, title: "A fixture", source: "Nowhere", variants: pattern.variants,
      baseline: baseline, show: ["elapsed"]
    ).sweeping(sweeps.map { .init($0.name, $0.values.map(ParameterValue.integer)) })
    experiment.isComparison = isComparison
    let runs = Plan(experiment, budget: .quick, seed: 1).runs.map { run in
      var run = run
      let values = run.parameters.compactMapValues { if case .integer(let number) = $0 { number } else { nil } }
      run.trials = (0..<rounds).map { round in
        guard let value = figure(run.variant.name, round, values) else {
          return TrialRecord(round: round, outcome: .stopped(after: .seconds(3)))
        }
        return TrialRecord(
          round: round, outcome: .completed,
          observation: observation(["elapsed": Array(repeating: value, count: samples)]))
      }
      return run
    }
    return Results(
      experiment: experiment, machine: machine, seed: 1, started: "2026-11-21T00:00:00Z", seconds: 1, runs: runs)
  }

  /// Returns a comparison of `plain` and `apply` with a little noise from round to round.
  static func compared(
    _ sweeps: [(name: String, values: [Int])], rounds: Int = 6, baseline: String? = nil,
    plain: Variant.Role = .documented, _ mean: (_ variant: String, _ values: [String: Int]) -> Double?
  ) throws -> Results {
    try compared(sweeps, rounds: rounds, baseline: baseline, plain: plain) { variant, round, values in
      mean(variant, values).map { $0 * (1 + 0.01 * Double((round * 7 + Int($0)) % 5)) }
    }
  }
}

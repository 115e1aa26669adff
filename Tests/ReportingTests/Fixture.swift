import Laboratory
import Measurement

/// Recorded observations: results as a run would give them, made by hand.
enum Fixture {
  struct Pattern: Laboratory.Pattern {
    let name = "fixture"
    var parameters: [Parameter] = [.count("stride", 1...4096, default: 1, "iterations in a block")]
    var variants: [Variant]
    let metrics: [Metric] = [
      Metric("elapsed", .latency, .nanoseconds, "the whole loop"), Metric("missed", .count, .none, "left out"),
      Metric("rate", .rate, .perSecond, "loops a second"),
      Metric("each", .latency, .nanoseconds, batch: "stride", "one of those timed together"),
    ]

    func run(_ trial: Trial) throws -> Observation { Observation() }
  }

  static let machine = Machine(
    os: "Linux", kernel: "6.1.0", cpu: "Test CPU", cores: 2, memory: 8 << 30, swift: "6.3", optimised: true,
    descriptorLimit: 1024, threadLimit: nil, clockRead: 21, floor: 45, work: CalibratedWork(stepsPerMicrosecond: 700))

  static let claim = Claim(
    says: "Nothing is left out.", kind: .guarantee,
    check: Check(text: "all.missed == 0", left: .cores, comparison: .equal, right: .cores))

  /// Runs of the given variants, each with the elapsed times (ns) of its trials: one histogram a trial.
  static func results(
    _ elapsed: [(variant: String, trials: [[UInt64]])], baseline: String? = nil, outcome: Outcome = .completed,
    judgements: [Judgement] = [], cut: Results.Cut? = nil, warnings: [String] = [], optimised: Bool = true
  ) -> Results {
    let variants = elapsed.map { Variant($0.variant, .documented, ignores: ["stride"], "a way") }
    let pattern = Pattern(variants: variants)
    let experiment = Experiment(
      name: "fixture", pattern: pattern, title: "A fixture", source: "Nowhere at all", variants: variants,
      baseline: baseline, show: ["elapsed", "missed", "rate"])
    let runs = zip(variants, elapsed).map { variant, figures in
      Run(
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
      cut: cut, runs: runs, warnings: warnings.map { Remark("test", $0) }, judgements: judgements)
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
}

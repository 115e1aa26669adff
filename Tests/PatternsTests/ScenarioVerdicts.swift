import Laboratory
import Measurement
import Platform
import Scenarios
import Testing

/// The verdicts of an embedded scenario on observations that a test made.
struct ScenarioVerdicts {
  let experiment: Experiment

  static let machine = Machine(
    os: "", kernel: "", cpu: nil, cores: 2, memory: nil, swift: "", optimised: true, descriptorLimit: 1024,
    threadLimit: nil, clockRead: 20, floor: 50, work: CalibratedWork(stepsPerMicrosecond: 1))

  /// The scenario of `pattern`, which has its name.
  init(_ pattern: any Pattern) throws {
    let file = try #require(EmbeddedScenarios.files.first { $0.name == pattern.name })
    experiment = try ScenarioFile(place: "\(file.name).yml", patterns: [pattern]).experiment(
      from: String(decoding: file.yaml, as: UTF8.self))
  }

  /// The verdict on each check of `kind`, by its text, when `variant` gave `observation` at the first point.
  func verdicts(_ kind: Claim.Kind, _ variant: String, _ observation: Observation) throws -> [String: Verdict] {
    let plan = Plan(experiment, budget: .quick, seed: 1)
    var run = try #require(plan.runs.first { $0.variant.name == variant })
    run.trials = [TrialRecord(round: 0, outcome: .completed, observation: observation)]
    let results = Results(experiment: experiment, machine: Self.machine, seed: 1, started: "", runs: [run])
    let judged = Judge(results).judgements().filter { $0.claim.kind == kind && $0.verdict != .unavailable }
    return Dictionary(uniqueKeysWithValues: judged.map { ($0.claim.check.text, $0.verdict) })
  }
}

extension Pattern {
  /// A trial of `variant` with the standard parameters but for `settings`.
  func trial(_ variant: String, _ settings: [String: ParameterValue]) -> Trial {
    var values = Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.standard) })
    values.merge(settings) { $1 }
    return Trial(variant: variant, parameters: values, seed: 1, work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
  }
}

extension Observation {
  /// The total of a count, nil when it was not measured.
  func total(_ metric: String) -> Int? { metrics[metric]?.summary.map { Int($0.total) } }
}

/// Runs `body` on a thread of its own, as a worker runs a trial: a test itself has a thread of the pool that Swift
/// concurrency lives on, and must not block it.
func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { done in
    do { try SystemThread { done.resume(with: Result(catching: body)) }.detach() } catch {
      done.resume(throwing: error)
    }
  }
}

import Laboratory
import Measurement
import Platform

/// A trial of a variant that runs in this process as in a worker, and is judged by the claims of its scenario. A test
/// may replace the variant's body by a body that violates a claim.
public struct Attempt: Sendable {
  /// The experiment with the scenario's claims.
  public let experiment: Experiment
  /// The outcome and the figures of the trial.
  public let trial: TrialRecord
  private let variant: Variant

  /// Runs `variant` of `pattern` once with the scenario's settings for a quick run, some of which are replaced by
  /// `settings`.
  ///
  /// - Parameters:
  ///   - pattern: the pattern. Its scenario is the scenario of the same name in `files`, or the scenario named
  ///     `scenario`.
  ///   - cores: the number of cores that is passed to the trial.
  ///   - poolWidth: the width of the pool that is passed to the trial; nil for the number of cores.
  ///   - body: the body to execute instead of the variant's own body.
  public init(
    _ variant: String, of pattern: any Pattern, files: [(name: String, text: String)], scenario: String? = nil,
    _ settings: [String: ParameterValue] = [:], cores: Int = 2, poolWidth: Int? = nil,
    body: (@Sendable (Trial) throws -> Void)? = nil
  ) async throws {
    // The sources are omitted: the lessons are not needed here, and extracting them takes longer than most trials.
    let library = ScenarioLibrary(files: files.filter { !$0.name.hasSuffix(".swift") }, patterns: [pattern])
    var experiment = try library.experiment(scenario ?? type(of: pattern).name).applying(Overrides(quick: true))
    for (name, value) in settings {
      experiment.sweep.removeAll { $0.name == name }
      experiment.parameters[name] = value
    }
    guard var found = experiment.pattern.variant(variant) else { throw InputError("no variant '\(variant)'") }
    experiment.variants = [found]
    if let body { found = found.running(body) }
    self.experiment = experiment
    self.variant = found
    let plan = Plan(experiment, budget: .quick, seed: 1)
    let trial = Trial(
      variant: variant, parameters: plan.runs[0].parameters, seed: 1, work: CalibratedWork(stepsPerMicrosecond: 700),
      cores: cores, poolWidth: poolWidth)
    let report = try await onOwnThread { [found] in trial.run(found) }
    self.trial = TrialRecord(of: found, round: 0, report)
  }

  /// Returns the verdict on the claim with a check.
  ///
  /// - Throws: ``InputError`` if the scenario has no such claim.
  public func verdict(_ check: String) throws -> Verdict {
    var results = Results(
      experiment: experiment, machine: .test, seed: 1, started: "", runs: Plan(experiment, budget: .quick, seed: 1).runs
    )
    results.runs[0].trials = [trial]
    guard let judged = Judge(results).judgements().first(where: { $0.claim.check.text == check }) else {
      throw InputError("no claim with the check '\(check)'")
    }
    return judged.verdict
  }

  /// The verdicts on all guarantees and anomalies about the variant, by their checks.
  public var verdicts: [String: Verdict] {
    var results = Results(
      experiment: experiment, machine: .test, seed: 1, started: "", runs: Plan(experiment, budget: .quick, seed: 1).runs
    )
    results.runs[0].trials = [trial]
    let judged = Judge(results).judgements().filter { $0.claim.kind != .performance && $0.verdict != .unavailable }
    return Dictionary(judged.map { ($0.claim.check.text, $0.verdict) }) { first, _ in first }
  }

  /// Returns whether guarantees and anomalies about the variant were judged, and each has one of the given verdicts.
  public func areAll(_ allowed: Verdict...) -> Bool {
    let verdicts = verdicts
    return !verdicts.isEmpty && verdicts.values.allSatisfy(allowed.contains)
  }

  /// Returns whether no guarantee and no anomaly about the variant has a verdict other than the given ones. The result
  /// is also true if nothing is claimed of the variant, as of many yardsticks.
  public func isNone(otherThan allowed: Verdict...) -> Bool { verdicts.values.allSatisfy(allowed.contains) }

  /// Descriptions of the promises that the trial did not keep; empty if the trial kept all promises.
  ///
  /// The descriptions contain the outcome if the trial did not complete, the guarantees and anomalies whose verdict is
  /// a failure, and a note if the variant has no guarantees and no anomalies.
  public var brokenPromises: [String] {
    let end = trial.outcome == .completed ? nil : trial.outcome.reason ?? trial.outcome.kind.rawValue
    let verdicts = verdicts
    let silence = verdicts.isEmpty ? "no guarantee and no anomaly is claimed of it" : nil
    return [end, silence].compactMap(\.self)
      + verdicts.filter { $0.value.isFailure(strict: false) }.map { "\($0.key) is \($0.value)" }.sorted()
  }

  /// Returns the sum of a metric's samples; nil if it was not measured.
  public func total(_ metric: String) -> Int? {
    trial.observation.samples(metric)?.summary.map { Int($0.total) }
  }
}

/// A body that makes the check of a guarantee or an anomaly fail, which shows that the check can fail.
public struct Red: Sendable {
  /// The check of the claim, as the scenario writes it.
  public let check: String
  /// The variant whose body is replaced.
  public let variant: String
  /// The source location of the body.
  public let place: SourceLine
  let pattern: any Pattern
  let settings: [String: ParameterValue]
  let body: @Sendable (Trial) throws -> Void

  /// Creates a broken body for the claim with a check in the scenario of `pattern`.
  public init(
    _ check: String, _ variant: String, of pattern: any Pattern, _ settings: [String: ParameterValue] = [:],
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.check = check
    self.variant = variant
    place = SourceLine(file, line)
    self.pattern = pattern
    self.settings = settings
    self.body = body
  }

  /// The name of the pattern and of its scenario.
  public var scenario: String { type(of: pattern).name }

  /// Returns the verdict on the claim after the broken body has run. A red verdict is `violated` or `not-witnessed`.
  ///
  /// - Throws: ``InputError`` if the trial is broken, since any check would then be red.
  public func verdict(files: [(name: String, text: String)]) async throws -> Verdict {
    let attempt = try await Attempt(variant, of: pattern, files: files, settings, body: body)
    if case .broken(let reason) = attempt.trial.outcome { throw InputError(reason) }
    return try attempt.verdict(check)
  }
}

import Laboratory
import Measurement
import Platform

/// One trial of a variant, run in this process as a worker runs it, and judged by the claims of its scenario. The body
/// may be replaced by one that breaks what is claimed.
public struct Attempt: Sendable {
  /// What is tried.
  public let experiment: Experiment
  /// How it ended and what it measured.
  public let trial: TrialRecord
  private let variant: Variant

  /// Runs `variant` of `pattern` once, with the scenario's settings for a quick run but for `settings`.
  ///
  /// - Parameters:
  ///   - pattern: the pattern; the scenario of its name is taken from `files`, or `scenario` where it has another.
  ///   - cores: the cores that the trial is told it has.
  ///   - body: what runs instead of the variant's own body.
  public init(
    _ variant: String, of pattern: any Pattern, files: [(name: String, text: String)], scenario: String? = nil,
    _ settings: [String: ParameterValue] = [:], cores: Int = 2, body: (@Sendable (Trial) throws -> Void)? = nil
  ) async throws {
    // Without the sources, whose lessons nobody reads here: cutting them takes longer than most trials.
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
      cores: cores)
    let report = try await onOwnThread { [found] in TrialReport(of: found, trial) }
    self.trial = TrialRecord(of: found, round: 0, report)
  }

  /// The grade of the claim with this check.
  ///
  /// - Throws: ``InputError`` when the scenario has no such claim.
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

  /// The verdicts on all guarantees and anomalies that speak of the variant, by their checks.
  public var verdicts: [String: Verdict] {
    var results = Results(
      experiment: experiment, machine: .test, seed: 1, started: "", runs: Plan(experiment, budget: .quick, seed: 1).runs
    )
    results.runs[0].trials = [trial]
    let judged = Judge(results).judgements().filter { $0.claim.kind != .performance && $0.verdict != .unavailable }
    return Dictionary(judged.map { ($0.claim.check.text, $0.verdict) }) { first, _ in first }
  }

  /// What keeps the trial from having kept its promises: how it ended, where it did not complete, and the guarantees
  /// and anomalies that are not as claimed, or that there is none of them. Empty where all is.
  public var brokenPromises: [String] {
    let end = trial.outcome == .completed ? nil : trial.outcome.reason ?? trial.outcome.kind.rawValue
    let verdicts = verdicts
    let silence = verdicts.isEmpty ? "no guarantee and no anomaly is claimed of it" : nil
    return [end, silence].compactMap(\.self)
      + verdicts.filter { $0.value.isFailure(strict: false) }.map { "\($0.key) is \($0.value)" }.sorted()
  }

  /// The total of a metric; nil when it was not measured.
  public func total(_ metric: String) -> Int? {
    trial.observation.samples(metric)?.summary.map { Int($0.total) }
  }
}

/// A body that makes the check of a guarantee or an anomaly red: what shows that the check can fail.
public struct Red: Sendable {
  /// The check of the claim, as the scenario writes it.
  public let check: String
  /// The variant whose body is replaced.
  public let variant: String
  /// Where the body stands.
  public let place: SourcePlace
  let pattern: any Pattern
  let settings: [String: ParameterValue]
  let body: @Sendable (Trial) throws -> Void

  /// A broken body for the claim of `pattern`'s scenario that has this check.
  public init(
    _ check: String, _ variant: String, of pattern: any Pattern, _ settings: [String: ParameterValue] = [:],
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.check = check
    self.variant = variant
    place = SourcePlace(file, line)
    self.pattern = pattern
    self.settings = settings
    self.body = body
  }

  /// The pattern's name, which is that of the scenario.
  public var scenario: String { type(of: pattern).name }

  /// The verdict on the claim when the broken body runs; a red one is `violated` or `not-witnessed`.
  ///
  /// - Throws: ``InputError`` when the trial is broken: that is red whatever the check says.
  public func verdict(files: [(name: String, text: String)]) async throws -> Verdict {
    let attempt = try await Attempt(variant, of: pattern, files: files, settings, body: body)
    if case .broken(let reason) = attempt.trial.outcome { throw InputError(reason) }
    return try attempt.verdict(check)
  }
}

/// Runs `body` on a thread of its own, as a worker runs a trial: a test itself has a thread of the pool that Swift
/// concurrency lives on, and must not block it.
public func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { done in
    do { try SystemThread { done.resume(with: Result(catching: body)) }.detach() } catch {
      done.resume(throwing: error)
    }
  }
}

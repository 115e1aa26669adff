import Measurement

/// Grades the claims of a run on its trials.
///
/// Guarantees and anomalies are judged on every trial by itself. Performance claims are judged on paired rounds: both
/// sides ran within seconds of each other, so what disturbed one disturbed the other.
public struct Judge: Sendable {
  private let results: Results

  /// A judge of these results.
  public init(_ results: Results) { self.results = results }

  /// Every claim with its verdict and evidence, in the order of the experiment.
  public func judgements() -> [Judgement] {
    results.experiment.claims.map { claim in
      if let reason = obstacle(to: claim.check) {
        return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(reason: reason))
      }
      return switch claim.kind {
      case .guarantee, .anomaly: everyTrial(claim)
      case .performance: pairedRounds(claim)
      }
    }
  }

  /// The figures of both sides in one trial; a side without a figure is nil.
  private struct Sides {
    let run: Run
    let trial: TrialRecord
    let left: Double?
    let right: Double?
    let any: Bool

    func met(_ comparison: Check.Comparison) -> Bool {
      guard let left, let right else { return false }
      return comparison.holds(left, right)
    }
  }

  // MARK: Guarantees and anomalies

  private func everyTrial(_ claim: Claim) -> Judgement {
    let check = claim.check
    let trials = trialSides(check)
    guard !trials.isEmpty else {
      return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(reason: "no trial measured it"))
    }
    let met = trials.filter { $0.met(check.comparison) }
    let unmet = trials.filter { !$0.met(check.comparison) }
    // "any": in each round one variant that passes is enough.
    let ranging = trials.contains { $0.any }
    let rounds = Dictionary(grouping: trials) { $0.trial.round }
    let heldEverywhere =
      ranging ? rounds.values.allSatisfy { $0.contains { $0.met(check.comparison) } } : unmet.isEmpty
    let verdict: Verdict =
      switch claim.kind {
      case .guarantee: heldEverywhere ? .held : .violated
      case .anomaly, .performance: met.isEmpty ? .notWitnessed : .witnessed
      }
    // What to show: for a broken guarantee the trial that broke it, for a witnessed anomaly one that shows it.
    let shown = verdict == .violated ? unmet : verdict == .witnessed ? met : trials
    var evidence = Evidence(unit: unit(check), trials: trials.count, met: met.count)
    evidence.left = Summary(shown.compactMap(\.left))?.p50
    evidence.right = Summary(shown.compactMap(\.right))?.p50
    if verdict == .violated, let worst = unmet.first {
      evidence.reason =
        worst.left == nil || worst.right == nil
        ? "\(worst.run.label) \(worst.trial.outcome.name) in round \(worst.trial.round + 1)"
        : "\(worst.run.label) in round \(worst.trial.round + 1)"
    }
    return Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  /// Each trial that the check speaks of, with its sides. When both sides are figures, they are of the same round.
  private func trialSides(_ check: Check) -> [Sides] {
    let references = check.references
    guard let subject = references.first else { return [] }
    return runs(of: subject).flatMap { run in
      run.trials.compactMap { trial -> Sides? in
        if trial.outcome.wasNotTried { return nil }
        // A variant that has nothing to do with the metric is not spoken of; one that should have measured it and did
        // not (it hung, it trapped) has failed to keep a guarantee.
        if trial.outcome == .completed, trial.figure(subject.metric, subject.statistic) == nil { return nil }
        func value(_ operand: Check.Operand) -> Double? { self.value(operand, subject, run, trial) }
        return Sides(
          run: run, trial: trial, left: value(check.left), right: value(check.right), any: subject.scope == .any)
      }
    }
  }

  private func value(_ operand: Check.Operand, _ subject: Check.Reference, _ run: Run, _ trial: TrialRecord) -> Double?
  {
    switch operand {
    case .quantity(let value, _): return value
    case .cores: return Double(results.machine.cores)
    case .scaled(let factor, let inner): return value(inner, subject, run, trial).map { $0 * factor }
    case .reference(let reference):
      if reference == subject { return trial.figure(reference.metric, reference.statistic) }
      // The other side: its own run, or the same run where it ranges over all.
      let other = runs(of: reference).first { $0.label == run.label } ?? runs(of: reference).first
      return other?.trials.first { $0.round == trial.round }?.figure(reference.metric, reference.statistic)
    }
  }

  // MARK: Performance

  private func pairedRounds(_ claim: Claim) -> Judgement {
    let check = claim.check
    let sides = trialSides(check)
    let pairs = sides.compactMap { side -> (left: Double, right: Double)? in
      guard let left = side.left, let right = side.right else { return nil }
      return (left, right)
    }
    var evidence = Evidence(
      left: Summary(pairs.map(\.left))?.p50, right: Summary(pairs.map(\.right))?.p50, unit: unit(check),
      trials: pairs.count, met: pairs.count { check.comparison.holds($0.left, $0.right) })
    guard !pairs.isEmpty else {
      evidence.reason = "no round measured both sides"
      return Judgement(claim: claim, verdict: .unavailable, evidence: evidence)
    }
    guard pairs.count >= ConfidenceInterval.fewest else {
      evidence.reason = "\(pairs.count) rounds are too few to tell, \(ConfidenceInterval.fewest) are needed"
      return Judgement(claim: claim, verdict: .inconclusive, evidence: evidence)
    }
    return Judgement(claim: claim, verdict: grade(check.comparison, pairs, &evidence), evidence: evidence)
  }

  private func grade(
    _ comparison: Check.Comparison, _ pairs: [(left: Double, right: Double)], _ evidence: inout Evidence
  ) -> Verdict {
    switch comparison {
    case .equal, .different:
      return evidence.met == pairs.count ? .supported : evidence.met == 0 ? .refuted : .inconclusive
    case .less, .atMost, .greater, .atLeast:
      evidence.ratio = ConfidenceInterval.ofRatio(pairs, seed: results.seed)
      // Without positive figures there is no ratio: the difference and its distance from 0 stand in.
      let interval =
        evidence.ratio.map { ConfidenceInterval(estimate: $0.estimate - 1, low: $0.low - 1, high: $0.high - 1) }
        ?? ConfidenceInterval.ofMean(pairs.map { $0.left - $0.right }, seed: results.seed)
      guard let interval else { return .inconclusive }
      let less = comparison == .less || comparison == .atMost
      if interval.low == 0, interval.high == 0 { return comparison.holds(0, 0) ? .supported : .refuted }
      if interval.high < 0 { return less ? .supported : .refuted }
      if interval.low > 0 { return less ? .refuted : .supported }
      return .inconclusive
    }
  }

  // MARK: What a check refers to

  /// The runs that `reference` speaks of; a variant that ignores a parameter has one run for all its values.
  private func runs(of reference: Check.Reference) -> [Run] {
    results.runs.filter { run in
      if case .variant(let name) = reference.scope, run.variant.name != name { return false }
      return reference.point.allSatisfy { wanted in
        let found = run.point[wanted.name] ?? run.parameters[wanted.name]
        return found == wanted.value || run.variant.ignores.contains(wanted.name)
      }
    }
  }

  private func obstacle(to check: Check) -> String? {
    for reference in check.references {
      let runs = runs(of: reference)
      if runs.isEmpty {
        let point = reference.point.isEmpty ? "" : "[\(Point(reference.point).label)]"
        if case .variant(let name) = reference.scope { return "\(name)\(point) is not part of this run" }
        return "no variant of this run is meant"
      }
      let reasons = runs.flatMap(\.trials).compactMap { $0.outcome.wasNotTried ? $0.outcome.detail : nil }
      if let reason = reasons.first, reasons.count == runs.map(\.trials.count).reduce(0, +) { return reason }
    }
    return nil
  }

  private func unit(_ check: Check) -> Unit { check.references.first?.metric.unit ?? .none }
}

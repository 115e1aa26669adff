/// The reasons why trials of a claim are missing.
extension Results {
  /// Returns the reason why a check cannot be judged; nil if the check can be judged.
  func obstacle(to check: Check) -> String? { check.references.lazy.compactMap(obstacle).first }

  private func obstacle(to reference: Check.Reference) -> String? {
    let runs = runs(of: reference)
    if isLeftOut(reference) {
      let point = reference.point.isEmpty ? "" : "[\(Point(reference.point).label)]"
      return "\(reference.scope.name)\(point) is not part of this run"
    }
    if runs.isEmpty { return "the check names no variant of this run" }
    let trials = runs.flatMap(\.trials)
    let reasons = trials.compactMap { $0.outcome.kind.hasNoResult ? $0.outcome.detail : nil }
    if let reason = reasons.first, reasons.count == trials.count { return reason }
    let shortages = runs.compactMap { $0.whyTooFewSamples(for: reference) }
    return shortages.count == runs.count ? shortages.first : nil
  }

  /// Returns whether `reference` refers to a variant, or to a variant's setting, that is not part of the run.
  func isLeftOut(_ reference: Check.Reference) -> Bool { reference.scope.isOne && runs(of: reference).isEmpty }

  /// Returns whether the claim cannot be judged for a reason that was declared before the run.
  func isExcused(_ claim: Claim) -> Bool {
    let sides = claim.check.references.map { reference in
      runs(of: reference).filter { $0.variant.canRecord(reference.metric) }
    }
    // The command line excluded the run, or the machine does not meet the requirements.
    if sides.contains(where: { side in side.allSatisfy { !isPossible($0) } }) { return true }
    // Performance figures may be absent for declared reasons. A side is not excused if none of its trials completed.
    return claim.kind == .performance
      && sides.allSatisfy { side in side.allSatisfy { $0.trials.contains { $0.outcome == .completed } } }
  }

  /// Returns whether each trial of `run`, if there are any, was unavailable or stopped, although the machine meets the
  /// requirements of the run.
  func isUnseen(_ run: VariantRun) -> Bool { run.trials.allSatisfy(\.outcome.kind.hasNoResult) && isPossible(run) }

  private func isPossible(_ run: VariantRun) -> Bool { experiment.pattern.obstacle(to: run, on: machine) == nil }
}

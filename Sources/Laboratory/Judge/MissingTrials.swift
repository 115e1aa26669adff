/// The reasons why trials that a claim refers to are missing.
extension Results {
  /// Returns the reason why a check cannot be judged; nil if it can.
  func obstacle(to check: Check) -> String? { check.references.lazy.compactMap(obstacle).first }

  private func obstacle(to reference: Check.Reference) -> String? {
    let runs = runs(of: reference)
    if isLeftOut(reference) {
      let point = reference.point.isEmpty ? "" : "[\(Point(reference.point).label)]"
      return "\(reference.scope.name)\(point) is not part of this run"
    }
    if runs.isEmpty { return "the check names no variant of this run" }
    let trials = runs.flatMap(\.trials)
    let reasons = trials.compactMap { $0.outcome.kind.wasNotTried ? $0.outcome.detail : nil }
    if let reason = reasons.first, reasons.count == trials.count { return reason }
    let shortages = runs.compactMap { $0.shortage(for: reference) }
    return shortages.count == runs.count ? shortages.first : nil
  }

  /// Returns whether `reference` means a variant, or a setting of a variant, that is not part of the run.
  func isLeftOut(_ reference: Check.Reference) -> Bool { reference.scope.isOne && runs(of: reference).isEmpty }

  /// Returns whether a declaration made before the run says that the claim cannot be judged.
  func isExcused(_ claim: Claim) -> Bool {
    let sides = claim.check.references.map { reference in
      runs(of: reference).filter { $0.variant.gives(reference.metric) }
    }
    // The run was not asked for, or the machine cannot do it.
    if sides.contains(where: { side in side.allSatisfy { !isPossible($0) } }) { return true }
    // Performance figures may be absent for declared reasons. A side that lost all its trials to the machine was not
    // measured.
    return claim.kind == .performance
      && sides.allSatisfy { side in side.allSatisfy { $0.trials.contains { $0.outcome == .completed } } }
  }

  /// Returns whether a run has no trial, although the machine has everything that the run is known to need.
  func isUnseen(_ run: Run) -> Bool { run.trials.allSatisfy(\.outcome.kind.wasNotTried) && isPossible(run) }

  private func isPossible(_ run: Run) -> Bool { experiment.pattern.obstacle(to: run, on: machine) == nil }
}

import Measurement

/// Grades the claims of a run by its trials.
///
/// Guarantees and anomalies are judged on every trial. Performance claims are judged on paired rounds: both sides of a
/// round ran within seconds of each other, so a disturbance affected both.
public struct Judge: Sendable {
  private let results: Results

  /// Creates a judge of these results.
  public init(_ results: Results) { self.results = results }

  /// Returns a verdict with its evidence for every claim, in the order of the experiment.
  public func judgements() -> [Judgement] {
    results.experiment.claims.map { claim in
      var judgement = judgement(on: claim)
      if judgement.verdict == .unavailable {
        judgement.isExcused = isExcused(claim)
        judgement.isLeftOut = claim.check.references.contains(where: isLeftOut)
      }
      return judgement
    }
  }

  private func judgement(on claim: Claim) -> Judgement {
    if let reason = obstacle(to: claim.check) {
      return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(reason: reason))
    }
    return switch claim.kind {
    case .guarantee, .anomaly: everyTrial(claim)
    case .performance: pairedRounds(claim)
    }
  }

  /// The figures of both sides in one trial; nil for a side without a figure.
  private struct Sides {
    let run: Run
    let trial: TrialRecord
    let left: Double?
    let right: Double?
    let any: Bool

    var example: Evidence.Example {
      Evidence.Example(
        run: run.label, round: trial.round + 1, left: left,
        ended: trial.outcome == .completed ? nil : trial.outcome.kind.rawValue)
    }

    /// Whether the trial gave no figure, or failed the lab.
    var isLost: Bool { left == nil || right == nil || trial.outcome.kind == .broken }

    func met(_ comparison: Check.Comparison) -> Bool {
      guard let left, let right else { return false }
      return comparison.holds(left, right)
    }
  }

  // MARK: Guarantees and anomalies

  private func everyTrial(_ claim: Claim) -> Judgement {
    let check = claim.check
    let found = trialSides(check)
    guard !found.isEmpty else {
      return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(reason: "no trial measured it"))
    }
    // A trial that was lost has broken a guarantee, but shows neither an anomaly nor its absence.
    let lost = claim.kind == .anomaly ? lost(check, among: found) : []
    let trials = claim.kind == .anomaly ? found.filter { !$0.isLost } : found
    let met = trials.filter { $0.met(check.comparison) }
    let unmet = trials.filter { !$0.met(check.comparison) }
    // With "any", one variant that passes is enough in each round.
    let ranging = trials.contains { $0.any }
    let rounds = Dictionary(grouping: trials) { $0.trial.round }
    // A run without a trial shows neither that a guarantee holds nor that an anomaly does not occur.
    let unseen = ranging ? [] : unseen(check)
    let heldEverywhere =
      ranging ? rounds.values.allSatisfy { $0.contains { $0.met(check.comparison) } } : unmet.isEmpty
    let verdict: Verdict =
      switch claim.kind {
      case .guarantee: heldEverywhere ? .held : .violated
      case .anomaly, .performance: met.isEmpty ? .notWitnessed : .witnessed
      }
    if !unseen.isEmpty, verdict == .held || verdict == .notWitnessed {
      let labels = Results.list(unseen.map(\.label), upTo: 8)
      let reason = unseen.lazy.flatMap(\.trials).compactMap(\.outcome.detail).first ?? "time ran out"
      return Judgement(
        claim: claim, verdict: .unavailable,
        evidence: Evidence(
          unit: unit(check), trials: trials.count, met: met.count, reason: "no trial showed \(labels): \(reason)"))
    }
    if verdict == .notWitnessed, let first = lost.first {
      return Judgement(
        claim: claim, verdict: .unavailable,
        evidence: Evidence(
          unit: unit(check), trials: trials.count, lost: lost.count,
          reason:
            "not seen, but \(lost.count) of \(trials.count + lost.count) trials were lost: \(first)"))
    }
    // The evidence shows the trial that broke a guarantee, or one that shows an anomaly.
    let shown = verdict == .violated ? unmet : verdict == .witnessed ? met : trials
    var evidence = Evidence(unit: unit(check), trials: trials.count, met: met.count, lost: lost.count)
    evidence.example = met.first.map(\.example)
    evidence.counterexample = unmet.first.map(\.example)
    evidence.left = Summary(shown.compactMap(\.left))?.p50
    evidence.right = Summary(shown.compactMap(\.right))?.p50
    evidence.leftRange = Self.range(shown.compactMap(\.left))
    evidence.rightRange = Self.range(shown.compactMap(\.right))
    if verdict == .violated, let worst = unmet.first {
      evidence.reason =
        worst.left == nil || worst.right == nil
        ? "\(worst.run.label) \(worst.trial.outcome.kind.rawValue) in round \(worst.trial.round + 1)"
        : "\(worst.run.label) in round \(worst.trial.round + 1)"
    }
    return Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  /// Returns how each lost trial of an anomaly ended: those among `found`, and those that were not tried.
  private func lost(_ check: Check, among found: [Sides]) -> [String] {
    let untried = matches(check).map(\.run).grouped(by: \.label).compactMap(\.elements.first)
      .flatMap { run in run.trials.filter(\.outcome.kind.wasNotTried).map { (run, $0) } }
    return (found.filter(\.isLost).map { ($0.run, $0.trial) } + untried).map { run, trial in
      "\(run.label) \(trial.outcome.reason ?? trial.outcome.kind.rawValue)"
    }
  }

  /// Returns the smallest and the largest of some figures; nil if all of them are the same.
  private static func range(_ figures: [Double]) -> ClosedRange<Double>? {
    guard let least = figures.min(), let most = figures.max(), least < most else { return nil }
    return least...most
  }

  /// Returns the sides of each trial that the check speaks of. If both sides are figures, they belong to the same
  /// round.
  private func trialSides(_ check: Check) -> [Sides] {
    matches(check).flatMap { match in
      match.run.trials.compactMap { trial -> Sides? in
        if trial.outcome.kind.wasNotTried { return nil }
        // A figure may be absent for a declared reason (`unless`), and a percentile if there are too few samples.
        if trial.outcome == .completed, trial.figure(match.subject.metric, match.subject.statistic) == nil {
          return nil
        }
        func value(_ operand: Check.Operand) -> Double? { self.value(operand, match, trial) }
        let sides = Sides(
          run: match.run, trial: trial, left: value(check.left), right: value(check.right),
          any: match.subject.scope == .any)
        // The other side has no figure in this round for a reason of its own, which says nothing about this side.
        if trial.outcome == .completed, sides.left == nil || sides.right == nil { return nil }
        return sides
      }
    }
  }

  /// A run that a check speaks of, and the run of its other side if that is a figure as well.
  private struct Match {
    let subject: Check.Reference
    let run: Run
    var other: Run?
    /// The value of `cores`.
    let cores: Double
  }

  /// Returns the runs that a check speaks of, each paired with the runs that it is compared with. Runs are compared at
  /// equal values of all settings that both use, unless the check names others.
  private func matches(_ check: Check) -> [Match] {
    guard let subject = check.references.first else { return [] }
    // A check does not speak of a variant that has no such metric. A variant that should have measured the metric and
    // did not (because it hung, trapped or is broken) has broken a guarantee.
    let spokenOf = runs(of: subject).filter { $0.variant.gives(subject.metric) }
    guard let object = check.references.dropFirst().first(where: { $0 != subject }) else {
      return spokenOf.map { Match(subject: subject, run: $0, cores: cores(in: check, of: $0)) }
    }
    let candidates = runs(of: object)
    return spokenOf.flatMap { run -> [Match] in
      let cores = cores(in: check, of: run)
      if let same = candidates.first(where: { $0.label == run.label }) {
        return [Match(subject: subject, run: run, other: same, cores: cores)]
      }
      let alike = candidates.filter { candidate in
        candidate.point.settings.allSatisfy { setting in
          let isNamed = (subject.point + object.point).contains { $0.name == setting.name }
          return isNamed || run.point[setting.name].map { $0 == setting.value } ?? true
        }
      }
      return alike.map { Match(subject: subject, run: run, other: $0, cores: cores) }
    }
  }

  /// Returns the cores that trials of `run` may use. If the check sets a bound, it is the largest number that Dispatch
  /// may use.
  private func cores(in check: Check, of run: Run) -> Double {
    let machine = results.machine.confined(to: run.cores)
    let isBound =
      switch check.comparison {
      case .less, .atMost: check.right.isOfCores
      case .greater, .atLeast: check.left.isOfCores
      case .equal, .different: false
      }
    return Double(isBound ? machine.poolWidth ?? machine.cores : machine.cores)
  }

  private func value(_ operand: Check.Operand, _ match: Match, _ trial: TrialRecord) -> Double? {
    switch operand {
    case .quantity(let value, _): return value
    case .cores: return match.cores
    case .scaled(let factor, let inner): return value(inner, match, trial).map { $0 * factor }
    case .reference(let reference):
      if reference == match.subject { return trial.figure(reference.metric, reference.statistic) }
      return match.other?.trials.first { $0.round == trial.round }?.figure(reference.metric, reference.statistic)
    }
  }

  // MARK: Performance

  /// Judges each point by itself, since points are not rounds of each other. The claim has a verdict if all points
  /// agree.
  private func pairedRounds(_ claim: Claim) -> Judgement {
    let check = claim.check
    let judged = matches(check).compactMap { match -> (label: String, verdict: Verdict, evidence: Evidence)? in
      let rounds = PairedRounds(
        match.run.trials.compactMap { trial in
          guard let left = value(check.left, match, trial), let right = value(check.right, match, trial) else {
            return nil
          }
          return (left, right)
        })
      guard !rounds.pairs.isEmpty else { return nil }
      var (verdict, evidence) = grade(check, rounds)
      if verdict != .inconclusive, let lack = lack(match, in: rounds.pairs.count) {
        verdict = .inconclusive
        evidence.reason = lack
      }
      let points = [match.run, match.other].compactMap(\.self).map(\.point.label)
      return (points.max { $0.count < $1.count } ?? "", verdict, evidence)
    }
    guard let first = judged.first else {
      return Judgement(
        claim: claim, verdict: .unavailable,
        evidence: Evidence(
          unit: unit(check),
          reason: check.references.compactMap(\.metric.unless).first ?? "no round measured both sides"))
    }
    guard judged.count > 1 else { return Judgement(claim: claim, verdict: first.verdict, evidence: first.evidence) }
    let groups = judged.grouped(by: \.verdict)
    // The evidence shows the point that says the least.
    let weakest = judged.min { distance($0.evidence) < distance($1.evidence) } ?? first
    var evidence = weakest.evidence
    let said = groups.map { verdict, points in
      "\(verdict.rawValue) at \(points.prefix(4).map(\.label).joined(separator: " and "))"
        + (points.count > 4 ? " and \(points.count - 4) more" : "")
    }
    evidence.reason =
      groups.count == 1
      ? "at each of \(judged.count) settings; shown: \(weakest.label)" : said.joined(separator: ", ")
    return Judgement(claim: claim, verdict: groups.count == 1 ? first.verdict : .inconclusive, evidence: evidence)
  }

  /// Returns the reason why most rounds of a match lack a figure on either side: they measured something other than the
  /// claim's subject, such as a parallel loop on one core. Returns nil if they have the figure.
  private func lack(_ match: Match, in rounds: Int) -> String? {
    let found = match.run.trials.flatMap { trial in
      let other = match.other?.trials.first { $0.round == trial.round }
      return trial.shortages.union(other?.shortages ?? [])
    }.grouped(by: \.self)
    return found.first { $0.elements.count * 2 > rounds }.map { thing, found in
      "\(thing) was not available in \(found.count) of \(rounds) rounds"
    }
  }

  /// Returns how far the interval of a ratio is from no change; 0 without an interval.
  private func distance(_ evidence: Evidence) -> Double {
    evidence.ratio.map { max(0, $0.low - 1, 1 - $0.high) } ?? 0
  }

  private func grade(_ check: Check, _ rounds: PairedRounds) -> (Verdict, Evidence) {
    let pairs = rounds.pairs
    var evidence = Evidence(
      left: Summary(pairs.map(\.left))?.p50, right: Summary(pairs.map(\.right))?.p50, unit: unit(check),
      trials: pairs.count, met: pairs.count { check.comparison.holds($0.left, $0.right) })
    if check.references.first?.metric.kind == .count {
      evidence.leftRange = Self.range(pairs.map(\.left))
      evidence.rightRange = Self.range(pairs.map(\.right))
    }
    guard pairs.count >= ConfidenceInterval.fewest else {
      evidence.reason =
        "\(pairs.count.counted("round")): too few to tell (\(ConfidenceInterval.fewest) needed)"
      return (.inconclusive, evidence)
    }
    return (grade(check, rounds, &evidence), evidence)
  }

  private func grade(_ check: Check, _ rounds: PairedRounds, _ evidence: inout Evidence) -> Verdict {
    let comparison = check.comparison
    let interval = comparison.isDirected ? rounds.interval() : nil
    evidence.ratio = interval
    evidence.isBound = interval.map { results.isBound($0, of: check) } ?? false
    // Counts, and figures without a ratio, are judged round by round, since their mean does not tell how often the
    // check was true.
    guard let interval, check.references.first?.metric.kind != .count else { return byRounds(check, rounds) }
    let less = comparison == .less || comparison == .atMost
    if interval.low == 1, interval.high == 1 { return comparison.holds(0, 0) ? .supported : .refuted }
    if interval.high < 1 { return less ? .supported : .refuted }
    if interval.low > 1 { return less ? .refuted : .supported }
    // One round that takes a hundred times as long makes the interval useless, but does not affect whether the sides
    // overlap.
    guard Set(check.references).count > 1, rounds.areApart else { return .inconclusive }
    evidence.reason = Evidence.apart
    return evidence.met > 0 ? .supported : .refuted
  }

  /// A check that is true in every round is supported, and one that is true in no round is refuted. The sign test
  /// decides all other cases.
  ///
  /// If both sides were measured, a few rounds of equal sides all have the same direction by chance often enough. Such
  /// a check needs as many rounds as the sign test requires, or sides that do not overlap.
  private func byRounds(_ check: Check, _ rounds: PairedRounds) -> Verdict {
    let pairs = rounds.pairs
    let met = pairs.count { check.comparison.holds($0.left, $0.right) }
    let verdict: Verdict = 2 * met > pairs.count ? .supported : .refuted
    if SignTest.isTold(met, of: pairs.count) { return verdict }
    guard met == 0 || met == pairs.count else { return .inconclusive }
    guard Set(check.references).count > 1, check.comparison.isDirected else { return verdict }
    let areSame = Set(pairs.flatMap { [$0.left, $0.right] }).count == 1
    return areSame || rounds.areApart ? verdict : .inconclusive
  }

  // MARK: Missing trials

  /// Returns the runs of a check that have no trial, although the machine has everything that they are known to need.
  private func unseen(_ check: Check) -> [Run] {
    matches(check).flatMap { [$0.run, $0.other].compactMap(\.self) }.grouped(by: \.label).compactMap(\.elements.first)
      .filter { run in run.trials.allSatisfy(\.outcome.kind.wasNotTried) && obstacle(to: run) == nil }
  }

  /// Returns whether a declaration made before the run says that the claim cannot be judged.
  private func isExcused(_ claim: Claim) -> Bool {
    let sides = claim.check.references.map { reference in
      runs(of: reference).filter { $0.variant.gives(reference.metric) }
    }
    // The run was not asked for, or the machine cannot do it.
    if sides.contains(where: { side in side.allSatisfy { obstacle(to: $0) != nil } }) { return true }
    // Performance figures may be absent for declared reasons. A side that lost all its trials to the machine was not
    // measured.
    return claim.kind == .performance
      && sides.allSatisfy { side in side.allSatisfy { $0.trials.contains { $0.outcome == .completed } } }
  }

  private func obstacle(to run: Run) -> String? {
    results.experiment.pattern.obstacle(to: run, on: results.machine)
  }

  // MARK: The runs of a check

  /// Returns the runs that `reference` speaks of. A variant that ignores a parameter has one run for all values of it.
  private func runs(of reference: Check.Reference) -> [Run] { results.runs(of: reference) }

  /// Returns whether `reference` speaks of a variant, or of a setting of a variant, that is not part of the run.
  private func isLeftOut(_ reference: Check.Reference) -> Bool { reference.scope.isOne && runs(of: reference).isEmpty }

  private func obstacle(to check: Check) -> String? {
    for reference in check.references {
      let runs = runs(of: reference)
      if isLeftOut(reference) {
        let point = reference.point.isEmpty ? "" : "[\(Point(reference.point).label)]"
        return "\(reference.scope.name)\(point) is not part of this run"
      }
      if runs.isEmpty { return "the check names no variant of this run" }
      let reasons = runs.flatMap(\.trials).compactMap { $0.outcome.kind.wasNotTried ? $0.outcome.detail : nil }
      if let reason = reasons.first, reasons.count == runs.map(\.trials.count).reduce(0, +) { return reason }
      let shortages = runs.compactMap { $0.shortage(for: reference) }
      if let shortage = shortages.first, shortages.count == runs.count { return shortage }
    }
    return nil
  }

  private func unit(_ check: Check) -> Unit { check.references.first?.metric.unit ?? .none }
}

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

  /// The figures of both sides in one trial; a side without a figure is nil.
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
    // What no trial showed was not seen to hold, nor not to happen.
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
    // What to show: for a broken guarantee the trial that broke it, for a witnessed anomaly one that shows it.
    let shown = verdict == .violated ? unmet : verdict == .witnessed ? met : trials
    var evidence = Evidence(unit: unit(check), trials: trials.count, met: met.count)
    evidence.example = met.first.map(\.example)
    evidence.counterexample = unmet.first.map(\.example)
    evidence.left = Summary(shown.compactMap(\.left))?.p50
    evidence.right = Summary(shown.compactMap(\.right))?.p50
    if verdict == .violated, let worst = unmet.first {
      evidence.reason =
        worst.left == nil || worst.right == nil
        ? "\(worst.run.label) \(worst.trial.outcome.kind.rawValue) in round \(worst.trial.round + 1)"
        : "\(worst.run.label) in round \(worst.trial.round + 1)"
    }
    return Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  /// Each trial that the check speaks of, with its sides. When both sides are figures, they are of the same round.
  private func trialSides(_ check: Check) -> [Sides] {
    matches(check).flatMap { match in
      match.run.trials.compactMap { trial -> Sides? in
        if trial.outcome.kind.wasNotTried { return nil }
        // What may honestly be absent (`unless`) is, and so is a percentile of too few samples.
        if trial.outcome == .completed, trial.figure(match.subject.metric, match.subject.statistic) == nil {
          return nil
        }
        func value(_ operand: Check.Operand) -> Double? { self.value(operand, match, trial) }
        let sides = Sides(
          run: match.run, trial: trial, left: value(check.left), right: value(check.right),
          any: match.subject.scope == .any)
        // The other side lost its round, for a reason of its own: that says nothing about this one.
        if trial.outcome == .completed, sides.left == nil || sides.right == nil { return nil }
        return sides
      }
    }
  }

  /// A run that a check speaks of, and the run of its other side where that is a figure, too.
  private struct Match {
    let subject: Check.Reference
    let run: Run
    var other: Run?
    /// What `cores` stands for.
    let cores: Double
  }

  /// The runs that a check speaks of, each with each that it is compared with: like with like, at the same values of
  /// whatever both heed, where the check itself names no others.
  private func matches(_ check: Check) -> [Match] {
    guard let subject = check.references.first else { return [] }
    // A variant that has nothing to do with the metric is not spoken of; one that should have measured it and did not
    // (it hung, it trapped, it is broken) has failed to keep a guarantee.
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

  /// The cores that trials of `run` may use; where a check sets a bound, the most that Dispatch may go by.
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

  /// The verdict at each point by itself: points are no rounds of each other. They must agree for the claim to have
  /// one.
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
    // What is shown is the point that says the least.
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

  /// What most rounds of a match lacked on either side: they measured something else than the claim speaks of, as a
  /// parallel loop on one core. Nil where they had it.
  private func lack(_ match: Match, in rounds: Int) -> String? {
    let found = match.run.trials.flatMap { trial in
      let other = match.other?.trials.first { $0.round == trial.round }
      return trial.shortages.union(other?.shortages ?? [])
    }.grouped(by: \.self)
    return found.first { $0.elements.count * 2 > rounds }.map { thing, found in
      "\(thing) was not available in \(found.count) of \(rounds) rounds"
    }
  }

  /// How far the interval of a ratio is from no change; 0 where there is none.
  private func distance(_ evidence: Evidence) -> Double {
    evidence.ratio.map { max(0, $0.low - 1, 1 - $0.high) } ?? 0
  }

  private func grade(_ check: Check, _ rounds: PairedRounds) -> (Verdict, Evidence) {
    let pairs = rounds.pairs
    var evidence = Evidence(
      left: Summary(pairs.map(\.left))?.p50, right: Summary(pairs.map(\.right))?.p50, unit: unit(check),
      trials: pairs.count, met: pairs.count { check.comparison.holds($0.left, $0.right) })
    guard pairs.count >= ConfidenceInterval.fewest else {
      evidence.reason =
        "\(pairs.count) round\(pairs.count == 1 ? "" : "s"): too few to tell (\(ConfidenceInterval.fewest) needed)"
      return (.inconclusive, evidence)
    }
    return (grade(check, rounds, &evidence), evidence)
  }

  private func grade(_ check: Check, _ rounds: PairedRounds, _ evidence: inout Evidence) -> Verdict {
    let comparison = check.comparison
    let interval = comparison.isDirected ? rounds.interval() : nil
    evidence.ratio = interval
    // Counts, and figures without a ratio, are judged round by round: no mean of them says how often the check was met.
    guard let interval, check.references.first?.metric.kind != .count else { return byRounds(check, rounds) }
    let less = comparison == .less || comparison == .atMost
    if interval.low == 1, interval.high == 1 { return comparison.holds(0, 0) ? .supported : .refuted }
    if interval.high < 1 { return less ? .supported : .refuted }
    if interval.low > 1 { return less ? .refuted : .supported }
    // One round in a hundred times as long widens the interval beyond use, and takes nothing from sides that lie apart.
    guard Set(check.references).count > 1, rounds.areApart else { return .inconclusive }
    evidence.reason = Evidence.apart
    return evidence.met > 0 ? .supported : .refuted
  }

  /// What was met in every round is supported, what was met in none refuted; of anything in between the sign test
  /// decides.
  ///
  /// Where both sides were measured, equals of few rounds are all on one side by chance often enough: there it takes as
  /// many rounds as the sign test asks for, or sides that lie apart.
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

  // MARK: What was not seen

  /// The runs that a check speaks of and no trial of which was tried, though the machine has all that they are known to
  /// need.
  private func unseen(_ check: Check) -> [Run] {
    matches(check).flatMap { [$0.run, $0.other].compactMap(\.self) }.grouped(by: \.label).compactMap(\.elements.first)
      .filter { run in run.trials.allSatisfy(\.outcome.kind.wasNotTried) && obstacle(to: run) == nil }
  }

  /// Whether what kept a claim from being judged was declared before the run.
  private func isExcused(_ claim: Claim) -> Bool {
    let sides = claim.check.references.map { reference in
      runs(of: reference).filter { $0.variant.gives(reference.metric) }
    }
    // Not asked for, or not to be had here.
    if sides.contains(where: { side in side.allSatisfy { obstacle(to: $0) != nil } }) { return true }
    // Of performance some figures may honestly be absent; whoever lost a whole side to the machine did not measure it.
    return claim.kind == .performance
      && sides.allSatisfy { side in side.allSatisfy { $0.trials.contains { $0.outcome == .completed } } }
  }

  private func obstacle(to run: Run) -> String? {
    results.experiment.pattern.obstacle(to: run, on: results.machine)
  }

  // MARK: What a check refers to

  /// The runs that `reference` speaks of; a variant that ignores a parameter has one run for all its values.
  private func runs(of reference: Check.Reference) -> [Run] { results.runs(of: reference) }

  /// Whether `reference` speaks of a variant, or of a setting of it, that is not part of the run.
  private func isLeftOut(_ reference: Check.Reference) -> Bool { reference.scope.isOne && runs(of: reference).isEmpty }

  private func obstacle(to check: Check) -> String? {
    for reference in check.references {
      let runs = runs(of: reference)
      if isLeftOut(reference) {
        let point = reference.point.isEmpty ? "" : "[\(Point(reference.point).label)]"
        return "\(reference.scope.name)\(point) is not part of this run"
      }
      if runs.isEmpty { return "no variant of this run is spoken of" }
      let reasons = runs.flatMap(\.trials).compactMap { $0.outcome.kind.wasNotTried ? $0.outcome.detail : nil }
      if let reason = reasons.first, reasons.count == runs.map(\.trials.count).reduce(0, +) { return reason }
      let shortages = runs.compactMap { $0.shortage(for: reference) }
      if let shortage = shortages.first, shortages.count == runs.count { return shortage }
    }
    return nil
  }

  private func unit(_ check: Check) -> Unit { check.references.first?.metric.unit ?? .none }
}

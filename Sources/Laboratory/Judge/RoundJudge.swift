import Measurement

/// The judge of a performance claim at one point, by paired rounds.
struct RoundJudge {
  /// The label of the point. If the runs of both sides are at different points, this is the longer label.
  let label: String
  private(set) var verdict = Verdict.inconclusive
  private(set) var evidence: Evidence

  /// Judges the rounds of two runs; nil if no round measured both sides.
  init?(_ check: Check, _ runs: RunPair, in results: Results) {
    let rounds = PairedRounds(
      runs.run.trials.compactMap { trial in
        guard let left = runs.value(check.left, in: trial), let right = runs.value(check.right, in: trial) else {
          return nil
        }
        return (left, right)
      })
    let pairs = rounds.pairs
    guard !pairs.isEmpty else { return nil }
    label = runs.runs.map(\.point.label).max { $0.count < $1.count } ?? ""
    evidence = Evidence(
      unit: check.unit, trials: pairs.count, met: pairs.count { check.relation.holds($0.left, $0.right) })
    let isCount = check.references.first?.metric.kind == .count
    evidence.setSides(left: pairs.map(\.left), right: pairs.map(\.right), withRanges: isCount)
    guard pairs.count >= ConfidenceInterval.fewest else {
      evidence.reason = "\(pairs.count.counted("round")): too few to tell (\(ConfidenceInterval.fewest) needed)"
      return
    }
    let ratio = check.relation.isDirected ? rounds.interval() : nil
    evidence.ratio = ratio
    evidence.isLowerBound = ratio.map { results.isLowerBound($0, of: check) } ?? false
    if let ratio, !isCount {
      judge(check, rounds, ratio)
    } else {
      verdict = Self.verdict(check, rounds, met: evidence.met)
    }
    if verdict != .inconclusive, let lack = runs.lack(in: pairs.count) {
      verdict = .inconclusive
      evidence.reason = lack
    }
  }

  /// Sets the verdict by the interval of the ratio, or by the fact that two measured sides do not overlap. If neither
  /// decides, the verdict remains inconclusive.
  private mutating func judge(_ check: Check, _ rounds: PairedRounds, _ ratio: ConfidenceInterval) {
    let relation = check.relation
    if ratio.low == 1, ratio.high == 1 {
      verdict = relation.holds(0, 0) ? .supported : .refuted
    } else if ratio.high < 1 || ratio.low > 1 {
      let isLess = ratio.high < 1
      verdict = (relation == .less || relation == .atMost) == isLess ? .supported : .refuted
    } else if Set(check.references).count > 1, rounds.areDisjoint {
      // One round that takes a hundred times as long makes the interval useless, but does not affect whether the sides
      // overlap.
      verdict = evidence.met > 0 ? .supported : .refuted
      evidence.reason = Evidence.disjoint
    }
  }

  /// Returns the verdict on counts, and on figures without a ratio. The check is judged in each round, since a mean
  /// does not show how often the check was true. A check that is true in every round is supported, and a check that is
  /// true in no round is refuted. The sign test decides all other cases.
  ///
  /// If both sides of a directed check were measured, a few rounds of equal sides often have the same direction by
  /// chance. Such a check requires a significant sign test, sides that do not overlap, or figures that are all equal.
  private static func verdict(_ check: Check, _ rounds: PairedRounds, met: Int) -> Verdict {
    let pairs = rounds.pairs
    let verdict: Verdict = 2 * met > pairs.count ? .supported : .refuted
    if SignTest.isSignificant(met, of: pairs.count) { return verdict }
    guard met == 0 || met == pairs.count else { return .inconclusive }
    guard Set(check.references).count > 1, check.relation.isDirected else { return verdict }
    let areSame = Set(pairs.flatMap { [$0.left, $0.right] }).count == 1
    return areSame || rounds.areDisjoint ? verdict : .inconclusive
  }

  /// The distance from 1 to the interval of the ratio; 0 if the interval includes 1, or if there is no interval.
  private var distance: Double { evidence.ratio.map { max(0, $0.low - 1, 1 - $0.high) } ?? 0 }

  /// Returns the judgement of a claim from the verdicts at its points. Each point is judged separately. If all points
  /// agree, the claim has their verdict; otherwise, the claim is inconclusive. The evidence is from the point whose
  /// interval is nearest to 1. The claim is unavailable if no round measured both sides.
  static func judgement(on claim: Claim, in results: Results) -> Judgement {
    let check = claim.check
    let points = results.checkedRuns(check).compactMap { RoundJudge(check, $0, in: results) }
    guard let weakest = points.min(by: { $0.distance < $1.distance }) else {
      let reason = check.references.compactMap(\.metric.missingIf).first ?? "no round measured both sides"
      return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(unit: check.unit, reason: reason))
    }
    var evidence = weakest.evidence
    let groups = points.grouped(by: \.verdict)
    if groups.count > 1 {
      evidence.reason = groups.map { verdict, points in
        "\(verdict.rawValue) at \(points.map(\.label).abridged(to: 4, separator: " and "))"
      }.joined(separator: ", ")
    } else if points.count > 1 {
      evidence.reason = "at each of \(points.count) settings; shown: \(weakest.label)"
    }
    return Judgement(
      claim: claim, verdict: groups.count == 1 ? weakest.verdict : .inconclusive, evidence: evidence)
  }
}

extension RunPair {
  /// Returns a message about a feature, such as a second core, that was missing in most rounds; nil if no feature was
  /// missing in most rounds. A round without the feature measured something other than the claim's subject, such as a
  /// parallel loop on one core.
  fileprivate func lack(in rounds: Int) -> String? {
    let found = run.trials.flatMap { $0.shortages.union(partner(of: $0)?.shortages ?? []) }.grouped(by: \.self)
    return found.first { $0.elements.count * 2 > rounds }.map { thing, found in
      "\(thing) was not available in \(found.count) of \(rounds) rounds"
    }
  }
}

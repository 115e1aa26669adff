import Laboratory

/// The verdicts of both sides of a diff.
extension ResultDiff {
  /// A claim with its verdict in several runs.
  private struct JudgedClaim {
    let scenario: String
    /// The claim with its verdict and evidence in one run.
    let claim: ClaimFacts
    /// The number of runs with this verdict, and of all runs.
    let count, runs: Int
    /// The share of the runs with each verdict.
    let shares: [Verdict: Double]

    /// Creates the claim from its verdicts in some runs, of which there is at least one. A claim that failed in one run
    /// has failed. A claim that could not be judged in one run does not count as held. Otherwise, the most frequent
    /// verdict counts.
    init?(_ scenario: String, _ claims: [ClaimFacts]) {
      func severity(_ verdict: Verdict) -> Int {
        verdict.isFailure(strict: false) ? 2 : verdict == .unavailable ? 1 : 0
      }
      func rank(_ verdict: (key: Verdict, elements: [ClaimFacts])) -> (Int, Int) {
        (severity(verdict.key), verdict.elements.count)
      }
      let verdicts = claims.grouped(by: \.verdict)
      guard let most = verdicts.max(by: { rank($0) < rank($1) }) else { return nil }
      (self.scenario, claim, count, runs) = (scenario, most.elements[0], most.elements.count, claims.count)
      shares = Dictionary(
        uniqueKeysWithValues: verdicts.map { ($0.key, Double($0.elements.count) / Double(claims.count)) })
    }

    var verdict: VerdictChange.Side {
      VerdictChange.Side(verdict: claim.verdict, count: count, runs: runs, evidence: claim.evidenceText)
    }
  }

  private static func judged(_ documents: [ResultDocument]) -> [JudgedClaim] {
    documents.grouped { $0.scenario.name }.flatMap { scenario, documents in
      var claims: [[ClaimFacts]] = []
      for claim in documents.flatMap(\.claims) {
        if let place = claims.firstIndex(where: { $0[0].isSame(as: claim) }) {
          claims[place].append(claim)
        } else {
          claims.append([claim])
        }
      }
      return claims.compactMap { JudgedClaim(scenario, $0) }
    }
  }

  static func verdicts(_ old: [ResultDocument], _ new: [ResultDocument]) -> [VerdictChange] {
    // A comparison is about figures. It reports a claim only if the claim fails.
    let before = judged(old.filter { !$0.isComparison })
    return judged(new.filter { !$0.isComparison }).compactMap { now in
      let was = before.first { $0.scenario == now.scenario && $0.claim.isSame(as: now.claim) }
      // Of several verdicts that are equally frequent, chance decides which stands for a side.
      guard let was, was.claim.verdict != now.claim.verdict, was.shares != now.shares else { return nil }
      return VerdictChange(scenario: now.scenario, says: now.claim.says, old: was.verdict, new: now.verdict)
    }
  }

  static func faults(_ new: [ResultDocument], _ effective: EffectiveSettings) -> [String] {
    judged(new).filter { $0.claim.verdict.isFailure(strict: false) }.map {
      "\($0.scenario), now \($0.claim.verdict.rawValue): \($0.claim.says)"
    }
      + new.filter { $0.brokenTrials > 0 }.grouped { $0.scenario.name }.map { scenario, documents in
        let count = documents.reduce(0) { $0 + $1.brokenTrials }
        return "\(scenario): \(count.counted("broken trial"))"
      } + EndingCounts(new, effective).crashes
  }
}

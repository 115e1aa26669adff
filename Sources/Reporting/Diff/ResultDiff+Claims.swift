import Laboratory

/// The verdicts of both sides of a diff.
extension ResultDiff {
  /// Returns each claim of some runs with its most severe verdict. A claim that failed in one run has failed. A claim
  /// that could not be judged in one run does not count as held.
  private static func mostSevere(_ documents: [ResultDocument]) -> [(scenario: String, claim: ClaimFacts)] {
    func severity(_ verdict: Verdict) -> Int { verdict.isFailure(strict: false) ? 2 : verdict == .unavailable ? 1 : 0 }
    var mostSevere: [(scenario: String, claim: ClaimFacts)] = []
    for document in documents {
      for claim in document.claims {
        let place = mostSevere.firstIndex { $0.scenario == document.scenario.name && $0.claim.isSame(as: claim) }
        if let place {
          if severity(claim.verdict) > severity(mostSevere[place].claim.verdict) { mostSevere[place].claim = claim }
        } else {
          mostSevere.append((document.scenario.name, claim))
        }
      }
    }
    return mostSevere
  }

  static func verdicts(_ old: [ResultDocument], _ new: [ResultDocument]) -> [VerdictChange] {
    // A comparison is about figures. It reports a claim only if the claim fails.
    let before = mostSevere(old.filter { !$0.isComparison })
    return mostSevere(new.filter { !$0.isComparison }).compactMap { scenario, claim in
      let was = before.first { $0.scenario == scenario && $0.claim.isSame(as: claim) }
      guard let was, was.claim.verdict != claim.verdict else { return nil }
      return VerdictChange(
        scenario: scenario, says: claim.says, old: was.claim.verdict, new: claim.verdict,
        evidence: (was.claim.evidenceText, claim.evidenceText))
    }
  }

  static func faults(_ new: [ResultDocument]) -> [String] {
    mostSevere(new).filter { $0.claim.verdict.isFailure(strict: false) }.map { scenario, claim in
      "\(scenario), now \(claim.verdict.rawValue): \(claim.says)"
    }
      + new.filter(\.hasBrokenTrials).grouped { $0.scenario.name }.map { scenario, documents in
        let count = documents.reduce(0) { $0 + $1.brokenTrials }
        return "\(scenario): \(count.counted("broken trial"))"
      } + EndingCounts(new).crashes
  }
}

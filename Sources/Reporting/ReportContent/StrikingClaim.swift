import Laboratory

/// The most striking claim of some runs. Among claims of equal precedence, it is the claim with the largest significant
/// factor between its sides.
///
/// The order of precedence is: a claim that refutes a sentence of a document, another claim against a sentence, a
/// supported claim for a sentence, another refuted claim, and a supported claim of the lab's own.
public struct StrikingClaim: Sendable {
  let claim: ClaimFacts
  /// The claims of the scenario that have the verdict, the sentences and the first metric of the claim, including the
  /// claim itself.
  let beside: [ClaimFacts]
  /// The sentence that the claim speaks against, with its standing; nil if the claim speaks against no sentence.
  let against: Standings.Entry?
  let scenario: String
  let started: String

  /// Returns the most striking claim of some runs; nil if no performance claim has a significant factor.
  ///
  /// - Parameter documents: the documents whose sentences the claims test.
  public static func strongest(_ runs: [ResultDocument], by documents: SourceDocuments?) -> StrikingClaim? {
    let standings = Standings(runs, by: documents).entries
    let found = runs.flatMap { run in
      run.claims.filter { [.refuted, .supported].contains($0.verdict) && $0.factor > 1 }.map { claim in
        StrikingClaim(
          claim: claim, beside: run.claims.filter { $0.isLike(claim) },
          against: standings.first { claim.sentencesAgainst.contains($0.sentence.id) },
          scenario: run.scenario.name, started: run.started)
      }
    }
    return found.max { ($0.rank, $0.claim.factor) < ($1.rank, $1.claim.factor) }
  }

  private var rank: Int {
    if let against { return against.standing == .refuted ? 4 : 3 }
    return claim.verdict == .refuted ? 1 : claim.isOfLesson ? 0 : 2
  }

  /// Returns text for a terminal: the sentence or the claim with its result, the evidence, the scenario, and the date
  /// of the run.
  public func text(_ style: TextStyle) -> String {
    let says =
      against.map { "\($0.standing.mark(style)) \($0.sentence.id) \($0.standing.rawValue): \($0.sentence.says.inLine)" }
      ?? "\(claim.verdict.mark(style)) \(claim.word): \(claim.says.inLine)"
    let color = against?.standing.color ?? claim.verdict.color
    let figures = (against == nil ? [claim] : beside).map(\.evidenceText) + ["\(scenario), \(started.prefix(10))"]
    let lines = style.wrapped(says, color, indent: 2) + figures.flatMap { style.wrapped($0, .quiet, indent: 2) }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension ClaimFacts {
  /// The factor between the sides, at the end of the interval that is nearer to 1; at most 1 if the interval includes
  /// 1, and 0 if there is no interval.
  fileprivate var factor: Double {
    guard let low = evidence.low?.value, let high = evidence.high?.value, low > 0, high > 0 else { return 0 }
    return max(low, 1 / high)
  }

  /// Returns whether another claim has the verdict, the sentences and the first metric of this claim.
  fileprivate func isLike(_ other: ClaimFacts) -> Bool {
    verdict == other.verdict && sentenceIDs == other.sentenceIDs
      && writtenCheck?.figures.first?.metric == other.writtenCheck?.figures.first?.metric
  }
}

import Laboratory

/// The claim that stands out among some runs: of two ways the one that is surely many times the other, refuted before
/// supported, since what is not so is the news.
public struct Finding: Sendable {
  let claim: ClaimFacts
  let scenario: String
  let started: String

  /// The strongest one; nil where no performance claim was decided.
  public static func strongest(_ documents: [ResultDocument]) -> Finding? {
    let found = documents.flatMap { document in
      document.claims.map { Finding(claim: $0, scenario: document.scenario.name, started: document.started) }
    }.filter { $0.claim.verdict == .refuted || $0.claim.verdict == .supported }
    return found.filter { $0.factor > 1 }.max { one, other in
      (one.claim.verdict == .refuted ? 1 : 0, one.factor) < (other.claim.verdict == .refuted ? 1 : 0, other.factor)
    }
  }

  /// How many times the one is the other, at the end of the interval that is nearer to no difference; 0 where there is
  /// none.
  private var factor: Double {
    guard let low = claim.evidence.low?.value, let high = claim.evidence.high?.value, low > 0, high > 0 else {
      return 0
    }
    return max(low, 1 / high)
  }

  /// The claim with its verdict, its figures, and where they are from.
  public func text(_ style: TextStyle) -> String {
    let width = max(20, style.width - 2)
    let says = "\(claim.verdict.mark(style)) \(claim.verdict.rawValue): \(claim.says.inLine)".wrapped(to: width)
    let figures = claim.evidenceText.inLine.wrapped(to: width)
    return says.map { "  " + (claim.verdict.ink($0, style)) + "\n" }.joined()
      + (figures + ["\(scenario.inLine), \(started.prefix(10))"]).map { "  " + Ink.quiet($0, style) + "\n" }.joined()
  }
}

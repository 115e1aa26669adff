import Laboratory

/// The claim that stands out among some runs: one way is surely many times the other.
///
/// A claim against a document comes before one for a document, and this before the lab's own. Of the lab's own the
/// refuted ones come first.
public struct Finding: Sendable {
  let claim: ClaimFacts
  /// The claim, and those that say the same of the same sentence by the same metric: the queue without Swift's wrapper.
  let beside: [ClaimFacts]
  /// The sentence that it speaks against, with its standing; nil where it speaks against none.
  let against: Grades.Grade?
  let scenario: String
  let started: String

  /// The strongest one of some runs; nil where no performance claim was decided.
  ///
  /// - Parameter documents: those whose sentences claims grade.
  public static func strongest(_ runs: [ResultDocument], by documents: Documents?) -> Finding? {
    let grades = Grades(runs, by: documents).grades
    let found = runs.flatMap { run in
      run.claims.filter { [.refuted, .supported].contains($0.verdict) && $0.factor > 1 }.map { claim in
        Finding(
          claim: claim, beside: run.claims.filter { $0.isLike(claim) },
          against: claim.isAgainstDocument ? grades.first { claim.grades.contains($0.sentence.id) } : nil,
          scenario: run.scenario.name, started: run.started)
      }
    }
    return found.max { ($0.rank, $0.claim.factor) < ($1.rank, $1.claim.factor) }
  }

  private var rank: Int {
    if let against { return against.standing == .refuted ? 4 : 3 }
    return claim.verdict == .refuted ? 1 : claim.isOfLesson ? 0 : 2
  }

  /// The sentence or the claim with what became of it, the figures, and where they are from.
  public func text(_ style: TextStyle) -> String {
    let width = max(20, style.width - 2)
    let says =
      against.map { "\($0.standing.mark(style)) \($0.sentence.id) \($0.standing.rawValue): \($0.sentence.says.inLine)" }
      ?? "\(claim.verdict.mark(style)) \(claim.word): \(claim.says.inLine)"
    let ink = against?.standing.ink ?? claim.verdict.ink
    let figures = (against == nil ? [claim] : beside).flatMap { $0.evidenceText.inLine.wrapped(to: width) }
    return says.wrapped(to: width).map { "  " + ink($0, style) + "\n" }.joined()
      + (figures + ["\(scenario.inLine), \(started.prefix(10))"]).map { "  " + Ink.quiet($0, style) + "\n" }.joined()
  }
}

extension ClaimFacts {
  /// How many times one side is the other, at the end of the interval that is nearer to no difference; 0 if there is no
  /// interval.
  fileprivate var factor: Double {
    guard let low = evidence.low?.value, let high = evidence.high?.value, low > 0, high > 0 else { return 0 }
    return max(low, 1 / high)
  }

  /// Whether it speaks of the same sentences by the same metric and came out alike.
  fileprivate func isLike(_ other: ClaimFacts) -> Bool {
    verdict == other.verdict && grades == other.grades
      && comparison?.figures.first?.metric == other.comparison?.figures.first?.metric
  }
}

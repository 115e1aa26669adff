import Measurement

/// A judge that decides the verdict on each claim of a run from the run's trials.
///
/// Guarantees and anomalies are judged on every trial. Performance claims are judged on paired rounds: both sides of a
/// round ran within seconds of each other, so a disturbance affected both sides.
public struct Judge: Sendable {
  private let results: Results

  /// Creates a judge of the claims in `results`.
  public init(_ results: Results) { self.results = results }

  /// Returns the judgement of every claim, in the order of the experiment. A comparison of settings may remove the
  /// conditions of an anomaly, so an anomaly that it did not witness is not judged.
  public func judgements() -> [Judgement] {
    results.experiment.claims.map { claim in
      var judgement = judgement(on: claim)
      if results.experiment.isComparison, judgement.verdict == .notWitnessed {
        judgement = Judgement(
          claim: claim, verdict: .unavailable, evidence: Evidence(reason: "a comparison need not provoke an anomaly"))
        judgement.isExcused = true
        return judgement
      }
      if judgement.verdict == .unavailable {
        judgement.isExcused = results.isExcused(claim)
        judgement.isLeftOut = claim.check.references.contains(where: results.isLeftOut)
      }
      return judgement
    }
  }

  private func judgement(on claim: Claim) -> Judgement {
    if let reason = results.obstacle(to: claim.check) {
      return Judgement(claim: claim, verdict: .unavailable, evidence: Evidence(reason: reason))
    }
    return switch claim.kind {
    case .guarantee, .anomaly: TrialJudge(claim, in: results).judgement
    case .performance: RoundJudge.judgement(on: claim, in: results)
    }
  }
}

extension Check {
  /// The unit of both sides of the check; `none` if the check refers to no figure.
  var unit: Unit { references.first?.metric.unit ?? .none }
}

extension Evidence {
  /// Sets both sides to the medians of the figures. If `withRanges` is true, also sets the ranges of both sides to the
  /// ranges of the figures.
  mutating func setSides(left: [Double], right: [Double], withRanges: Bool = true) {
    self.left = Summary(left)?.p50
    self.right = Summary(right)?.p50
    guard withRanges else { return }
    leftRange = Self.range(left)
    rightRange = Self.range(right)
  }

  /// Returns the smallest and the largest of `figures`; nil if all figures are equal, or if there are none.
  private static func range(_ figures: [Double]) -> ClosedRange<Double>? {
    guard let least = figures.min(), let most = figures.max(), least < most else { return nil }
    return least...most
  }
}

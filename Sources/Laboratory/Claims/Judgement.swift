/// A claim with its verdict and the evidence for it.
public struct Judgement: Sendable {
  /// The claim that was judged.
  public let claim: Claim
  /// The verdict on the claim.
  public let verdict: Verdict
  /// The figures that the verdict is based on.
  public let evidence: Evidence
  /// Whether the claim cannot be judged for a reason that was declared before the run: a variant or a setting is not
  /// part of the run or requires a feature that the machine lacks, or a figure is absent for a reason that the pattern
  /// declares.
  public var isExcused = false
  /// Whether the claim is unavailable because its variant or its setting is not part of the run.
  public var isLeftOut = false

  /// Creates a judgement.
  public init(claim: Claim, verdict: Verdict, evidence: Evidence) {
    self.claim = claim
    self.verdict = verdict
    self.evidence = evidence
  }
}

import Laboratory
import Measurement

/// A claim with its verdict and the figures behind it.
struct ClaimFacts: Codable, Sendable {
  let says: String
  let kind: Claim.Kind
  let check: String
  /// The sentences of the documents that it grades, by their numbers.
  let grades: [String]
  let verdict: Verdict
  let evidence: EvidenceFacts

  init(_ judgement: Judgement) {
    says = judgement.claim.says
    kind = judgement.claim.kind
    check = judgement.claim.check.text
    grades = judgement.claim.grades
    verdict = judgement.verdict
    evidence = EvidenceFacts(judgement.evidence)
  }
}

/// The figures behind a verdict; what does not apply is absent.
struct EvidenceFacts: Codable, Sendable {
  let left: Number?
  let right: Number?
  let unit: Unit
  /// Left to right, with the ends of its interval.
  let ratio: Number?
  let low: Number?
  let high: Number?
  let trials: Int
  let met: Int
  let reason: String?

  init(_ evidence: Evidence) {
    left = evidence.left.map(Number.init)
    right = evidence.right.map(Number.init)
    unit = evidence.unit
    ratio = evidence.ratio.map { Number($0.estimate) }
    low = evidence.ratio.map { Number($0.low) }
    high = evidence.ratio.map { Number($0.high) }
    trials = evidence.trials
    met = evidence.met
    reason = evidence.reason
  }
}

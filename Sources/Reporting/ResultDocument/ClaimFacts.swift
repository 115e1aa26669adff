import Laboratory
import Measurement

/// A claim with its verdict and its evidence, as part of a result document.
struct ClaimFacts: Codable, Sendable {
  let says: String
  let kind: Claim.Kind
  let check: String
  /// The identifiers of the documents' sentences that the claim supports if the claim is true; nil if the claim
  /// supports no sentence.
  let bears: [String]?
  /// The identifiers of the documents' sentences that the claim contradicts if the claim is true; nil if the claim
  /// contradicts no sentence.
  let contradicts: [String]?
  let verdict: Verdict
  /// True if an obstacle that was known before the run makes the claim unavailable; otherwise nil.
  let excused: Bool?
  /// True if the claim is about a variant or a setting that the command line left out; otherwise nil.
  let leftOut: Bool?
  let evidence: EvidenceFacts

  /// Whether the claim is about the lesson only, and not about a sentence of a document.
  var isOfLesson: Bool { bears == nil && contradicts == nil }

  init(_ judgement: Judgement) {
    says = judgement.claim.says
    kind = judgement.claim.kind
    check = judgement.claim.check.text
    bears = judgement.claim.bears.isEmpty ? nil : judgement.claim.bears
    contradicts = judgement.claim.contradicts.isEmpty ? nil : judgement.claim.contradicts
    verdict = judgement.verdict
    excused = judgement.isExcused ? true : nil
    leftOut = judgement.isLeftOut ? true : nil
    evidence = EvidenceFacts(
      judgement.evidence,
      of: judgement.evidence.ratio == nil ? nil : judgement.claim.check.references.first?.metric)
  }
}

extension ClaimFacts {
  /// The word for the verdict on a refuted claim of the lab's own. Reports use *refuted* only for claims about
  /// sentences of documents.
  static let notSo = "not so"
  /// The word that reports use for the verdict.
  var word: String { verdict == .refuted && isOfLesson ? Self.notSo : verdict.rawValue }

  /// The identifiers of the sentences against which the verdict speaks without being a failure: those that the claim
  /// bears if it is refuted, and those that it contradicts if it is borne out.
  var sentencesAgainst: [String] { (verdict == .refuted ? bears : verdict.isBorneOut ? contradicts : nil) ?? [] }

  /// Whether the verdict speaks against a sentence of a document.
  var isAgainstDocument: Bool { !sentencesAgainst.isEmpty }

  /// The importance of a claim's result for a reader, in descending order.
  enum Severity: CaseIterable {
    case failed, againstDocument, open, notSo, seen, asSaid
  }

  var severity: Severity {
    if verdict.isFailure(strict: false) { return .failed }
    if isAgainstDocument { return .againstDocument }
    switch verdict {
    case .inconclusive, .unavailable: return .open
    case .refuted: return .notSo
    case .witnessed: return .seen
    case .held, .supported, .violated, .notWitnessed: return .asSaid
    }
  }

  /// The check in a normalized form; nil if the check cannot be parsed.
  var writtenCheck: WrittenCheck? { WrittenCheck(check) }

  /// Returns whether both claims have the same kind and the same check. Checks that are only spelled differently are
  /// the same. The texts of the two claims may differ.
  func isSame(as other: ClaimFacts) -> Bool {
    guard kind == other.kind, check != other.check else { return kind == other.kind }
    return writtenCheck.map { $0 == other.writtenCheck } ?? false
  }

  /// Whether the claim is about a variant or a setting that the command line left out.
  var isLeftOut: Bool { leftOut == true }

  /// Whether the claim could not be judged although no obstacle was known before the run.
  var isUnjudged: Bool { verdict == .unavailable && excused != true }
}

/// The figures that decide a verdict. A figure that does not apply is nil.
struct EvidenceFacts: Codable, Sendable {
  let left: Number?
  let right: Number?
  /// The smallest and the largest figure of the left side; nil if the figures are equal, or if the side has no range.
  let leftRange: [Number]?
  /// The smallest and the largest figure of the right side; nil if the figures are equal, or if the side has no range.
  let rightRange: [Number]?
  let unit: Unit
  /// The kind of the metric whose ratio is in `ratio`; nil if there is no ratio, or if the version that wrote the
  /// document did not write the kind.
  let of: Metric.Kind?
  /// True if a shorter duration means a smaller amount, and not a higher speed; otherwise nil.
  let amount: Bool?
  /// The ratio of the left side to the right side; nil if there is no ratio. The ends of the ratio's confidence
  /// interval are in `low` and `high`.
  let ratio: Number?
  let low: Number?
  let high: Number?
  /// True if the actual ratio is further from 1 than `ratio`, because the shorter side is near its noise floor;
  /// otherwise nil.
  let bound: Bool?
  let trials: Int
  let met: Int
  /// The number of lost trials of an anomaly; nil if no trial was lost.
  let lost: Int?
  let reason: String?
  /// A trial in which the check was true; nil for a performance claim, or if there is no such trial.
  let example: TrialFacts?
  /// A trial in which the check was false; nil for a performance claim, or if there is no such trial.
  let counterexample: TrialFacts?

  var meaning: Metric.Meaning { Metric.Meaning(of, unit, isAmount: amount == true) }

  init(_ evidence: Evidence, of metric: Metric?) {
    of = metric?.kind
    amount = metric?.isAmount == true ? true : nil
    left = evidence.left.map(Number.init)
    right = evidence.right.map(Number.init)
    leftRange = evidence.leftRange.map { [Number($0.lowerBound), Number($0.upperBound)] }
    rightRange = evidence.rightRange.map { [Number($0.lowerBound), Number($0.upperBound)] }
    unit = evidence.unit
    ratio = evidence.ratio.map { Number($0.estimate) }
    low = evidence.ratio.map { Number($0.low) }
    high = evidence.ratio.map { Number($0.high) }
    bound = evidence.isLowerBound ? true : nil
    trials = evidence.trials
    met = evidence.met
    lost = evidence.lost > 0 ? evidence.lost : nil
    reason = evidence.reason
    example = evidence.example.map(TrialFacts.init)
    counterexample = evidence.counterexample.map(TrialFacts.init)
  }
}

/// A trial that is an example or a counterexample of a claim.
struct TrialFacts: Codable, Sendable {
  /// The label of the run: the variant at its point.
  let run: String
  /// The number of the trial's round, starting at 1.
  let round: Int
  /// The figure of the check's left side in this trial; nil if the trial has no figure.
  let left: Number?
  /// The way in which the trial ended; nil if the trial completed.
  let ended: String?

  init(_ example: Evidence.Example) {
    run = example.run
    round = example.round
    left = example.left.map(Number.init)
    ended = example.ended
  }

  /// Returns the trial as text: `concurrent in round 3: overlaps 2`. A figure of `metric` has the unit `unit`. If the
  /// trial did not complete, the text states how the trial ended.
  func says(_ unit: Unit, of metric: String?) -> String {
    let figure = left.map { [metric, Quantity($0.value, unit).description].compactMap(\.self).joined(separator: " ") }
    return "\(run) in round \(round)" + ([ended ?? figure].compactMap(\.self).first.map { ": \($0)" } ?? "")
  }
}

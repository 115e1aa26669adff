import Laboratory
import Measurement

/// A claim with its verdict and the figures on which the verdict rests.
struct ClaimFacts: Codable, Sendable {
  let says: String
  let kind: Claim.Kind
  let check: String
  /// The numbers of the documents' sentences that the claim bears out if it is true; nil for none.
  let bears: [String]?
  /// The numbers of the sentences that the claim contradicts if it is true; nil for none.
  let contradicts: [String]?
  let verdict: Verdict
  /// Whether something declared before the run makes the claim unavailable; nil if the claim was to be judged.
  let excused: Bool?
  /// Whether the claim is about a variant or a setting that the command line left out; nil if it is not.
  let leftOut: Bool?
  let evidence: EvidenceFacts

  /// Whether the claim belongs only to the lesson, and speaks neither for a sentence of a document nor against one.
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
  /// The word for a refuted claim of the lab itself. Reports say *refuted* only of claims on sentences of documents.
  static let notSo = "not so"
  /// The verdict in a word or two.
  var word: String { verdict == .refuted && isOfLesson ? Self.notSo : verdict.rawValue }

  /// Whether the claim speaks against a sentence of a document, as far as one verdict can.
  var isAgainstDocument: Bool {
    verdict == .refuted && bears != nil || verdict.isBorneOut && contradicts != nil
  }

  /// The importance of a claim's result to a reader, in descending order.
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

  /// The comparison in the check, independent of its notation; nil if the document's check cannot be parsed.
  var comparison: WrittenCheck? { WrittenCheck(check) }

  /// Returns whether another claim makes the same comparison. The words of the two claims may differ.
  func isSame(as other: ClaimFacts) -> Bool {
    guard kind == other.kind, check != other.check else { return kind == other.kind }
    return comparison.map { $0 == other.comparison } ?? false
  }

  /// Whether the claim is about a variant or a setting that the command line left out.
  var isLeftOut: Bool { leftOut == true }

  /// Whether the claim was to be judged and could not be judged.
  var isUnjudged: Bool { verdict == .unavailable && excused != true }
}

/// The figures on which a verdict rests. A figure that does not apply is absent.
struct EvidenceFacts: Codable, Sendable {
  let left: Number?
  let right: Number?
  /// The smallest and the largest figure of the left side; nil if they are equal.
  let leftRange: [Number]?
  /// The smallest and the largest figure of the right side; nil if they are equal.
  let rightRange: [Number]?
  let unit: Unit
  /// The kind of the left side's metric; nil in documents of labs that did not write it.
  let of: Metric.Kind?
  /// True if a shorter duration means a smaller amount, and not a higher speed; otherwise nil.
  let amount: Bool?
  /// The ratio of the left side to the right one; `low` and `high` are the ends of its interval.
  let ratio: Number?
  let low: Number?
  let high: Number?
  /// True if the true ratio is further from 1 than `ratio`, since the shorter side is near its noise floor.
  let bound: Bool?
  let trials: Int
  let met: Int
  /// The number of trials of an anomaly that were lost; nil for none.
  let lost: Int?
  let reason: String?
  /// A trial in which the check was true; nil for performance claims, and if there is no such trial.
  let example: TrialFacts?
  /// A trial in which the check was false; nil for performance claims, and if there is no such trial.
  let counterexample: TrialFacts?

  /// The meaning of the left side's figure.
  var meaning: Metric.Meaning { Metric.Meaning(of, unit, isAmount: amount == true) }

  init(_ evidence: Evidence, of metric: Metric?) {
    of = metric?.kind
    amount = metric?.isAmountOfTime == true ? true : nil
    left = evidence.left.map(Number.init)
    right = evidence.right.map(Number.init)
    leftRange = evidence.leftRange.map { [Number($0.lowerBound), Number($0.upperBound)] }
    rightRange = evidence.rightRange.map { [Number($0.lowerBound), Number($0.upperBound)] }
    unit = evidence.unit
    ratio = evidence.ratio.map { Number($0.estimate) }
    low = evidence.ratio.map { Number($0.low) }
    high = evidence.ratio.map { Number($0.high) }
    bound = evidence.isBound ? true : nil
    trials = evidence.trials
    met = evidence.met
    lost = evidence.lost > 0 ? evidence.lost : nil
    reason = evidence.reason
    example = evidence.example.map(TrialFacts.init)
    counterexample = evidence.counterexample.map(TrialFacts.init)
  }
}

/// A trial that serves as an example.
struct TrialFacts: Codable, Sendable {
  /// The variant at its point.
  let run: String
  /// The number of the trial's round, from 1 on.
  let round: Int
  /// The figure of the check's left side in this trial.
  let left: Number?
  /// The way in which the trial ended; nil if it completed.
  let ended: String?

  init(_ example: Evidence.Example) {
    run = example.run
    round = example.round
    left = example.left.map(Number.init)
    ended = example.ended
  }

  /// Returns the trial in words: `concurrent in round 3: overlaps 2`. A figure of `metric` has the unit of the check.
  func says(_ unit: Unit, of metric: String?) -> String {
    let figure = left.map { [metric, Quantity($0.value, unit).description].compactMap(\.self).joined(separator: " ") }
    return "\(run) in round \(round)" + ([ended ?? figure].compactMap(\.self).first.map { ": \($0)" } ?? "")
  }
}

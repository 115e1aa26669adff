import Laboratory
import Measurement

/// A claim with its verdict and the figures behind it.
struct ClaimFacts: Codable, Sendable {
  let says: String
  let kind: Claim.Kind
  let check: String
  /// The sentences of the documents that it bears out where it is true, by their numbers; nil for none.
  let bears: [String]?
  /// The sentences that it contradicts where it is true; nil for none.
  let contradicts: [String]?
  let verdict: Verdict
  /// Whether it is unavailable by what was declared before the run; nil where it was to be judged.
  let excused: Bool?
  /// Whether it speaks of a variant or a setting that the command line left out; nil where it does not.
  let leftOut: Bool?
  let evidence: EvidenceFacts

  /// Whether it is of the lesson alone, and speaks for or against no sentence of a document.
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
  /// What is said of a claim of the lab's own that was refuted: *refuted* is said of the documents.
  static let notSo = "not so"
  /// Its verdict in a word or two.
  var word: String { verdict == .refuted && isOfLesson ? Self.notSo : verdict.rawValue }

  /// Whether it speaks against a sentence of a document, as far as one verdict can.
  var isAgainstDocument: Bool {
    verdict == .refuted && bears != nil || verdict.isBorneOut && contradicts != nil
  }

  /// How much it is news, the most first.
  enum Gravity: CaseIterable {
    case failed, againstDocument, open, notSo, seen, asSaid
  }

  var gravity: Gravity {
    if verdict.isFailure(strict: false) { return .failed }
    if isAgainstDocument { return .againstDocument }
    switch verdict {
    case .inconclusive, .unavailable: return .open
    case .refuted: return .notSo
    case .witnessed: return .seen
    case .held, .supported, .violated, .notWitnessed: return .asSaid
    }
  }

  /// What the check asks, apart from how it is written; nil in a document whose check is none.
  var comparison: WrittenCheck? { WrittenCheck(check) }

  /// Whether it asks the same: its words may have changed.
  func isSame(as other: ClaimFacts) -> Bool {
    guard kind == other.kind, check != other.check else { return kind == other.kind }
    return comparison.map { $0 == other.comparison } ?? false
  }

  /// Whether it speaks of what the command line left out.
  var isLeftOut: Bool { leftOut == true }

  /// Whether it was to be judged and could not be.
  var isUnjudged: Bool { verdict == .unavailable && excused != true }
}

/// The figures behind a verdict; what does not apply is absent.
struct EvidenceFacts: Codable, Sendable {
  let left: Number?
  let right: Number?
  /// The smallest and the largest figure of the left side, where they differ.
  let leftRange: [Number]?
  /// The same of the right side.
  let rightRange: [Number]?
  let unit: Unit
  /// What kind of metric the left side is; nil in documents of labs that did not say.
  let of: Metric.Kind?
  /// There where a shorter duration is less of something, and not faster.
  let amount: Bool?
  /// Left to right, with the ends of its interval.
  let ratio: Number?
  let low: Number?
  let high: Number?
  let trials: Int
  let met: Int
  /// How many trials of an anomaly were lost; nil for none.
  let lost: Int?
  let reason: String?
  /// A trial in which the check was true; nil for performance claims, and where there is none.
  let example: TrialFacts?
  /// A trial in which it was not.
  let counterexample: TrialFacts?

  /// What the left side says.
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
    trials = evidence.trials
    met = evidence.met
    lost = evidence.lost > 0 ? evidence.lost : nil
    reason = evidence.reason
    example = evidence.example.map(TrialFacts.init)
    counterexample = evidence.counterexample.map(TrialFacts.init)
  }
}

/// A trial that shows something.
struct TrialFacts: Codable, Sendable {
  /// The variant at its point.
  let run: String
  /// The number of its round, from 1 on.
  let round: Int
  /// The figure of the check's left side there.
  let left: Number?
  /// How it ended, where it did not complete.
  let ended: String?

  init(_ example: Evidence.Example) {
    run = example.run
    round = example.round
    left = example.left.map(Number.init)
    ended = example.ended
  }

  /// `concurrent in round 3: overlaps 2`, with the figure of a metric in the unit of the check.
  func says(_ unit: Unit, of metric: String?) -> String {
    let figure = left.map { [metric, Quantity($0.value, unit).description].compactMap(\.self).joined(separator: " ") }
    return "\(run) in round \(round)" + ([ended ?? figure].compactMap(\.self).first.map { ": \($0)" } ?? "")
  }
}

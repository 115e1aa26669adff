import Laboratory

/// The standing of a document's sentence. The standing depends on the strength of the sentence, and on the results of
/// the claims about the sentence.
public enum SentenceStanding: String, Sendable, Codable, CaseIterable {
  /// A claim speaks against the sentence. One counterexample refutes a sentence of the strength *always*.
  case refuted
  /// Claims speak for one part of the sentence and against another part.
  case partly
  /// A claim about the sentence is open: the rounds do not decide the claim, or a possibility did not occur. If the
  /// sentence is a tendency, another claim may speak against a part of the tendency.
  case undecided
  /// All claims that could be judged speak for the sentence.
  case borneOut = "borne out"
  /// The sentence is about every run, but was tried in one configuration only. Every claim that could be judged
  /// supports the sentence. Another configuration may be a counterexample.
  case inOneConfiguration = "in one configuration"
  /// The claims show the facts from which the sentence is inferred. No trial shows the sentence itself.
  case byInference = "by inference"
  /// The lab tried a replacement of its own, since the system does not have the feature that the sentence is about.
  case standIn = "stand-in"
  /// All claims that could be judged speak for the sentence, but any implementation of Dispatch satisfies it: the
  /// document's own code shows that the sentence is true.
  case byConstruction = "by construction"
  /// No claim about the sentence could be judged on this machine.
  case unavailable
  /// No claim about the sentence was judged in a run whose results count.
  case notRun = "not run"
  /// No scenario can try the sentence.
  case untried = "cannot be tried"

  /// The name of the standing on a command line: `borne-out`.
  var name: String { rawValue.replacing(" ", with: "-") }
}

/// The opinion of a judged claim about a sentence of a document.
enum ClaimOpinion: String, Sendable, Codable {
  case speaksFor = "for"
  case speaksAgainst = "against"
  case open
  case unavailable

  /// Creates the opinion of a claim about a sentence of the strength `strength`. If `contradicts` is true, a true claim
  /// speaks against the sentence. Otherwise, a true claim speaks for the sentence.
  ///
  /// For *always* and *recipe*, every trial counts. A trial speaks against the sentence if the trial fails the check of
  /// a claim for the sentence, or meets the check of a claim against the sentence. For *usually*, the verdict decides.
  /// For *may*, one trial that shows the possibility is enough.
  init(_ claim: ClaimFacts, _ strength: SourceDocuments.Strength, contradicts: Bool) {
    let evidence = claim.evidence
    let isTrue: Bool?
    switch claim.verdict {
    case .unavailable:
      self = .unavailable
      return
    case .inconclusive: isTrue = nil
    case .supported, .held: isTrue = true
    case .refuted: isTrue = false
    case .violated: isTrue = contradicts && strength.asksEveryTrial && evidence.met > 0
    case .witnessed:
      // A lost trial may have been the trial that does not meet the check.
      let isSure = contradicts || !strength.asksEveryTrial || evidence.met < evidence.trials || evidence.lost == nil
      isTrue = isSure ? contradicts || !strength.asksEveryTrial || evidence.met == evidence.trials : nil
    case .notWitnessed: isTrue = false
    }
    switch isTrue.map({ $0 != contradicts }) {
    case true?: self = .speaksFor
    // A sentence of the strength *may* is not refuted if no trial shows the possibility.
    case false?: self = strength == .may ? .open : .speaksAgainst
    case nil: self = .open
    }
  }
}

extension SourceDocuments.Strength {
  /// Whether a single trial can refute a sentence of this strength.
  var asksEveryTrial: Bool { self == .always || self == .recipe }
}

extension SourceDocuments.Sentence {
  /// Returns the standing of the sentence, according to the opinions of claims that were judged on a system.
  ///
  /// The results of a stand-in speak neither for a sentence about Dispatch nor against it.
  func standing(_ opinions: [ClaimOpinion], on system: String?) -> SentenceStanding {
    if reason != nil { return .untried }
    if opinions.isEmpty { return .notRun }
    let isJudged = !Set(opinions).isDisjoint(with: [.speaksFor, .speaksAgainst, .open])
    if isJudged, standIn(on: system) != nil { return .standIn }
    if opinions.contains(.speaksAgainst) {
      guard partly != nil else { return .refuted }
      if opinions.contains(.speaksFor) { return .partly }
      // One counterexample does not refute a tendency if another part of the tendency is open.
      return strength?.asksEveryTrial == false && opinions.contains(.open) ? .undecided : .refuted
    }
    if opinions.contains(.open) { return .undecided }
    guard opinions.contains(.speaksFor) else { return .unavailable }
    if byConstruction != nil { return .byConstruction }
    if byInference != nil { return .byInference }
    return strength == .always && conditions.count < 2 ? .inOneConfiguration : .borneOut
  }

  private func standIn(on system: String?) -> String? { system.flatMap { standIns[$0] } }

  /// Returns a remark on a standing; nil if the standing requires none.
  ///
  /// The remark is the part of the sentence that holds, the stand-in that was tried, the reason for a standing by
  /// construction or by inference, or the reason why the sentence cannot be tried. For a sentence about every run that
  /// was borne out, the remark is a list of the claims that could not be judged.
  ///
  /// - Parameter untried: the claims about the sentence that could not be judged, with the reasons.
  func remark(
    _ standing: SentenceStanding, _ opinions: [ClaimOpinion], untried: [(claim: String, reason: String?)] = [],
    on system: String?
  ) -> String? {
    switch standing {
    case .partly: return partly
    case .standIn:
      let against = opinions.contains(.speaksAgainst) ? partly ?? "the stand-in does not keep it" : nil
      return [standIn(on: system), against].compactMap(\.self).joined(separator: "; ")
    case .byConstruction: return byConstruction
    case .byInference: return byInference
    case .untried: return reason
    case .borneOut, .inOneConfiguration: return strength == .always ? Self.remark(on: untried) : nil
    case .refuted, .undecided, .unavailable, .notRun: return nil
    }
  }

  /// Returns the claims that could not be judged, as text with each reason once; nil if all claims could be judged.
  private static func remark(on untried: [(claim: String, reason: String?)]) -> String? {
    if untried.isEmpty { return nil }
    let parts = untried.grouped(by: { $0.reason ?? "" }).map { reason, claims in
      let says = claims.map { $0.claim.hasSuffix(".") ? String($0.claim.dropLast()) : $0.claim }
      return says.joined(separator: "; ") + (reason.isEmpty ? "" : " (\(reason))")
    }
    return "not tried here: " + parts.joined(separator: "; ")
  }
}

import Laboratory

/// What became of a sentence of a document, by what its claims came to and by the strength with which it is said.
public enum Standing: String, Sendable, Codable, CaseIterable {
  /// A claim speaks against it, and of an *always* one counterexample is enough.
  case refuted
  /// Claims speak for one part of it and against another.
  case partly
  /// A claim for it is open: the rounds do not tell, or what may be was not seen.
  case undecided
  /// All claims that could be judged speak for it.
  case borneOut = "borne out"
  /// The same of what is said of every run, but tried in one configuration only: another may be the counterexample.
  case inOneConfiguration = "in one configuration"
  /// The claims for it show what it is inferred from, and no trial shows the sentence itself.
  case byInference = "by inference"
  /// What was tried was built by the lab, since the system lacks the real thing.
  case standIn = "stand-in"
  /// All claims speak for it, but no Dispatch could fail it: it is true of the document's own code by reading it.
  case byConstruction = "by construction"
  /// No claim for it could be judged here.
  case unavailable
  /// What tries it was not run.
  case notRun = "not run"
  /// Nothing can try it.
  case untried = "cannot be tried"
}

/// What a claim, as it was judged, is to a sentence.
enum Opinion: String, Sendable, Codable {
  case speaksFor = "for"
  case speaksAgainst = "against"
  case open
  case unavailable

  /// The opinion of a claim on a sentence said with such a strength, which it `contradicts` where it is true, or else
  /// bears out.
  ///
  /// *Always* and *recipe* ask every trial: one that did not meet the check of a claim for the sentence speaks against
  /// it, and so does one that met the check of a claim against it. *Usually* asks the verdict. *May* asks for one
  /// sighting.
  init(_ claim: ClaimFacts, _ said: Documents.Strength, contradicts: Bool) {
    let evidence = claim.evidence
    let isTrue: Bool?
    switch claim.verdict {
    case .unavailable:
      self = .unavailable
      return
    case .inconclusive: isTrue = nil
    case .supported, .held: isTrue = true
    case .refuted: isTrue = false
    case .violated: isTrue = contradicts && said.asksEveryTrial && evidence.met > 0
    case .witnessed:
      // A trial that was lost may have been the one that does not show it.
      let isSure = contradicts || !said.asksEveryTrial || evidence.met < evidence.trials || evidence.lost == nil
      isTrue = isSure ? contradicts || !said.asksEveryTrial || evidence.met == evidence.trials : nil
    case .notWitnessed: isTrue = false
    }
    switch isTrue.map({ $0 != contradicts }) {
    case true?: self = .speaksFor
    // What was merely not seen refutes no *may*.
    case false?: self = said == .may ? .open : .speaksAgainst
    case nil: self = .open
    }
  }
}

extension Documents.Strength {
  /// Whether a single trial can refute it.
  var asksEveryTrial: Bool { self == .always || self == .recipe }
}

extension Documents.Sentence {
  /// Its standing by the opinions of its claims on a system.
  ///
  /// What was tried on a stand-in says nothing of Dispatch, for the sentence or against it.
  func standing(_ opinions: [Opinion], on system: String?) -> Standing {
    if reason != nil { return .untried }
    if opinions.isEmpty { return .notRun }
    let isJudged = !Set(opinions).isDisjoint(with: [.speaksFor, .speaksAgainst, .open])
    if isJudged, standIn(on: system) != nil { return .standIn }
    if opinions.contains(.speaksAgainst) {
      return opinions.contains(.speaksFor) && partly != nil ? .partly : .refuted
    }
    if opinions.contains(.open) { return .undecided }
    guard opinions.contains(.speaksFor) else { return .unavailable }
    if byConstruction != nil { return .byConstruction }
    if byInference != nil { return .byInference }
    return said == .always && conditions.count < 2 ? .inOneConfiguration : .borneOut
  }

  private func standIn(on system: String?) -> String? { system.flatMap { standIns[$0] } }

  /// A sentence of its own on such a standing: which part holds, what was tried instead and which part of that holds,
  /// or why nothing could fail it.
  func remark(_ standing: Standing, _ opinions: [Opinion], on system: String?) -> String? {
    switch standing {
    case .partly: return partly
    case .standIn:
      let against = opinions.contains(.speaksAgainst) ? partly ?? "what was built does not keep it" : nil
      return [standIn(on: system), against].compactMap(\.self).joined(separator: "; ")
    case .byConstruction: return byConstruction
    case .byInference: return byInference
    case .untried: return reason
    case .refuted, .undecided, .borneOut, .inOneConfiguration, .unavailable, .notRun: return nil
    }
  }
}

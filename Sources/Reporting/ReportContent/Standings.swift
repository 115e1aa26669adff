import Laboratory

/// The standings of documents' sentences according to the claims of some runs. A sentence without a claim in these runs
/// has no entry. The claims of comparisons, and claims about variants or settings that the command line left out, do
/// not count.
struct Standings: Sendable {
  struct Entry: Sendable {
    let sentence: SourceDocuments.Sentence
    let standing: SentenceStanding
    /// The names of the scenarios whose claims test the sentence.
    let scenarios: [String]
  }
  /// The standings, in the order of the documents.
  let entries: [Entry]
  /// The name of the operating system, such as `Linux`, if all tested sentences were tried with stand-ins for Dispatch;
  /// nil otherwise, and if no sentence was tested.
  let standIn: String?

  init(_ runs: [ResultDocument], by documents: SourceDocuments?) {
    var found: [String: [(opinion: ClaimOpinion, scenario: String)]] = [:]
    for run in runs where !run.scenario.isComparison {
      for claim in run.claims where !claim.isLeftOut {
        for (ids, contradicts) in [(claim.bears ?? [], false), (claim.contradicts ?? [], true)] {
          for id in ids {
            guard let strength = documents?.sentence(id)?.strength else { continue }
            found[id, default: []].append((ClaimOpinion(claim, strength, contradicts: contradicts), run.scenario.name))
          }
        }
      }
    }
    let system = runs.first?.machine.os
    let tested = found.isEmpty ? [] : (documents?.sentences ?? []).filter { found[$0.id] != nil }
    entries = tested.map { sentence in
      let claims = found[sentence.id] ?? []
      return Entry(
        sentence: sentence, standing: sentence.standing(claims.map(\.opinion), on: system),
        scenarios: claims.map(\.scenario).distinct)
    }
    let isStandIn = !tested.isEmpty && system.map { system in tested.allSatisfy { $0.standIns[system] != nil } } == true
    standIn = isStandIn ? system : nil
  }

  /// The standings as a line, with the most severe standing first, `Documents: guide.19 refuted; guide.27, guide.31
  /// borne out`; nil if no sentence was tested, or if only stand-ins were tried.
  var line: Line? {
    guard standIn == nil else { return nil }
    let phrases = SentenceStanding.allCases.compactMap { standing -> Line.Phrase? in
      let ids = entries.filter { $0.standing == standing }.map(\.sentence.id)
      return ids.isEmpty ? nil : ("\(ids.joined(separator: ", ")) \(standing.phrase)", standing.color)
    }
    return Line("Documents: ", phrases, separator: "; ")
  }

  /// A hint with the command that explains the first doubtful sentence; nil if no sentence is refuted, partly borne out
  /// or undecided, or if only stand-ins were tried.
  var hint: String? {
    let doubtful: [SentenceStanding] = [.refuted, .partly, .undecided]
    guard standIn == nil else { return nil }
    return doubtful.lazy.compactMap { standing in entries.first { $0.standing == standing } }.first.map {
      "\(Tool.command) explain \($0.sentence.id) shows the sentence and its claims"
    }
  }

  /// A warning for the top of a report: only stand-ins for Dispatch were tried. The warning is nil if Dispatch was
  /// tried, or if no sentence was tested.
  var caution: String? { standIn.map { "On \($0): stand-in, says nothing about Dispatch" } }

  var refuted: [Entry] { entries.filter { $0.standing == .refuted } }
}

extension SentenceStanding {
  /// The words for the standing in a report's line of standings, after the identifiers of sentences: `borne out in one
  /// configuration`.
  fileprivate var phrase: String {
    switch self {
    case .inOneConfiguration, .byInference: "\(SentenceStanding.borneOut.rawValue) \(rawValue)"
    case .refuted, .partly, .undecided, .borneOut, .standIn, .byConstruction, .unavailable, .notRun, .untried: rawValue
    }
  }
}

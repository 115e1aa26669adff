import Laboratory

/// The standings of the documents' sentences according to some runs. The grades contain each sentence that a claim of
/// these runs grades.
struct Grades: Sendable {
  struct Grade: Sendable {
    let sentence: Documents.Sentence
    let standing: SentenceStanding
    /// The names of the scenarios whose claims grade the sentence.
    let scenarios: [String]
  }
  /// The grades, in the order of the documents.
  let grades: [Grade]
  /// The system on which every graded sentence was tried with a stand-in for Dispatch, such as `Linux`; nil if Dispatch
  /// was tried.
  let standIn: String?

  init(_ runs: [ResultDocument], by documents: Documents?) {
    var found: [String: [(opinion: ClaimOpinion, scenario: String)]] = [:]
    for run in runs where run.scenario.seeksBest != true {
      for claim in run.claims where !claim.isLeftOut {
        for (ids, contradicts) in [(claim.bears ?? [], false), (claim.contradicts ?? [], true)] {
          for id in ids {
            guard let said = documents?.sentence(id)?.said else { continue }
            found[id, default: []].append((ClaimOpinion(claim, said, contradicts: contradicts), run.scenario.name))
          }
        }
      }
    }
    let system = runs.first?.machine.os
    let graded = found.isEmpty ? [] : (documents?.sentences ?? []).filter { found[$0.id] != nil }
    grades = graded.map { sentence in
      let opinions = found[sentence.id] ?? []
      return Grade(
        sentence: sentence, standing: sentence.standing(opinions.map(\.opinion), on: system),
        scenarios: opinions.map(\.scenario).grouped(by: \.self).map(\.key))
    }
    let isStandIn = !graded.isEmpty && system.map { system in graded.allSatisfy { $0.standIns[system] != nil } } == true
    standIn = isStandIn ? system : nil
  }

  /// The grades as a line, the most severe first: `Documents: guide.19 refuted; guide.27, guide.31 borne out`. Nil if
  /// no sentence was graded, or if only a stand-in was tried.
  var line: Line? {
    guard standIn == nil else { return nil }
    let phrases = SentenceStanding.allCases.compactMap { standing -> Line.Phrase? in
      let ids = grades.filter { $0.standing == standing }.map(\.sentence.id)
      return ids.isEmpty ? nil : ("\(ids.joined(separator: ", ")) \(standing.phrase)", standing.color)
    }
    return Line("Documents: ", phrases, separator: "; ")
  }

  /// The command that shows the first sentence that is not borne out; nil if there is no such sentence.
  var hint: String? {
    let doubtful: [SentenceStanding] = [.refuted, .partly, .undecided]
    guard standIn == nil else { return nil }
    return doubtful.lazy.compactMap { standing in grades.first { $0.standing == standing } }.first.map {
      "\(Tool.command) explain \($0.sentence.id) has the sentence and its claims"
    }
  }

  /// A warning below the title of a report that only a stand-in was tried; nil if Dispatch was tried.
  var caution: String? { standIn.map { "On \($0): stand-in, says nothing of Dispatch" } }

  /// The grades of the refuted sentences.
  var refuted: [Grade] { grades.filter { $0.standing == .refuted } }
}

extension SentenceStanding {
  /// The standing in the form in which a line of grades contains it after the numbers of sentences.
  fileprivate var phrase: String {
    switch self {
    case .inOneConfiguration, .byInference: "\(SentenceStanding.borneOut.rawValue) \(rawValue)"
    case .refuted, .partly, .undecided, .borneOut, .standIn, .byConstruction, .unavailable, .notRun, .untried: rawValue
    }
  }
}

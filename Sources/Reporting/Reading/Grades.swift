import Laboratory

/// What runs came to for the sentences of the documents: each sentence that a claim of theirs grades, with its standing
/// by these runs alone.
struct Grades: Sendable {
  struct Grade: Sendable {
    let sentence: Documents.Sentence
    let standing: Standing
    /// Whose claims they were.
    let scenarios: [String]
  }
  /// In the order of the documents.
  let grades: [Grade]
  /// On which system the lab tried a replacement of its own, and nothing else: `Linux`. Nil where Dispatch was tried.
  let standIn: String?

  init(_ runs: [ResultDocument], by documents: Documents?) {
    var found: [String: [(opinion: Opinion, scenario: String)]] = [:]
    for run in runs where run.scenario.seeksBest != true {
      for claim in run.claims where !claim.isLeftOut {
        for (ids, contradicts) in [(claim.bears ?? [], false), (claim.contradicts ?? [], true)] {
          for id in ids {
            guard let said = documents?.sentence(id)?.said else { continue }
            found[id, default: []].append((Opinion(claim, said, contradicts: contradicts), run.scenario.name))
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

  /// `guide.19 refuted; guide.27, guide.31 borne out`, the gravest first, each with its standing; empty where no
  /// sentence was graded, or nothing but a stand-in was tried.
  var parts: [(text: String, standing: Standing)] {
    guard standIn == nil else { return [] }
    return Standing.allCases.compactMap { standing in
      let ids = grades.filter { $0.standing == standing }.map(\.sentence.id)
      return ids.isEmpty ? nil : ("\(ids.joined(separator: ", ")) \(standing.phrase)", standing)
    }
  }

  /// What stands before ``parts``.
  static let head = "Documents: "
  /// The same in one line; nil where there is nothing to say.
  var text: String? { parts.isEmpty ? nil : Self.head + parts.map(\.text).joined(separator: "; ") }

  /// What stands under the title of a stand-in; nil where Dispatch was tried.
  var caution: String? { standIn.map { "On \($0): stand-in, says nothing of Dispatch" } }

  /// The sentences that do not hold.
  var refuted: [Grade] { grades.filter { $0.standing == .refuted } }
}

extension Standing {
  /// What a sentence is, behind its number.
  fileprivate var phrase: String {
    switch self {
    case .inOneConfiguration, .byInference: "\(Standing.borneOut.rawValue) \(rawValue)"
    case .refuted, .partly, .undecided, .borneOut, .standIn, .byConstruction, .unavailable, .notRun, .untried: rawValue
    }
  }
}

import Laboratory

/// The sentences of the source documents with what tries them and what came of it on a machine.
public struct SentenceIndex: Sendable {
  /// A claim on a sentence, as it was judged.
  struct Testimony: Sendable {
    let opinion: Opinion
    let scenario: String
    let claim: ClaimFacts
    /// A trial that speaks as the opinion does, and the seed that orders its rounds again; nil where all of them do.
    let shown: String?

    init(_ opinion: Opinion, _ claim: ClaimFacts, contradicts: Bool, of document: ResultDocument) {
      self.opinion = opinion
      self.claim = claim
      scenario = document.scenario.name
      let trial: TrialFacts? =
        switch opinion {
        case .speaksAgainst: contradicts ? claim.evidence.example : claim.evidence.counterexample
        case .speaksFor: claim.verdict == .witnessed ? claim.evidence.example : nil
        case .open, .unavailable: nil
        }
      shown = trial.map { "\($0.says(claim.evidence.unit)), seed \(document.seed)" }
    }
  }

  /// A sentence with what came of it.
  struct Entry: Sendable {
    let id: String
    let says: String
    /// How strongly it is said; nil where nothing can try it.
    let said: Documents.Strength?
    let standing: Standing
    /// What is to be said of that standing.
    let remark: String?
    /// The scenarios with a claim on it, in their order.
    let scenarios: [String]
    /// The claims on it that were judged, those against it first.
    let testimonies: [Testimony]
  }

  struct Chapter: Sendable {
    let name: String
    let title: String
    /// Where the document can be read; nil where that is not known.
    let address: String?
    let entries: [Entry]

    /// `23 sentences: 4 refuted, 12 borne out, 7 cannot be tried`.
    var summary: String { SentenceIndex.summary(entries) }
  }

  let chapters: [Chapter]
  /// The scenarios with results, and when the first of them was run.
  let results: [(scenario: String, started: String)]
  /// The scenarios whose results do not count, since another version of the lab gave them.
  let outdated: [String]

  /// `115 sentences: 20 refuted, 60 borne out, …`
  static func summary(_ entries: [Entry]) -> String {
    let counts = Standing.allCases.compactMap { standing -> String? in
      let count = entries.count { $0.standing == standing }
      return count > 0 ? "\(count) \(standing.rawValue)" : nil
    }
    return "\(entries.count) sentence\(entries.count == 1 ? "" : "s"): " + counts.joined(separator: ", ")
  }

  /// The same of all chapters shown.
  var summary: String { Self.summary(chapters.flatMap(\.entries)) }

  /// An index of some documents, of the scenarios that try them and of results; of a scenario's the last ones count.
  ///
  /// What a claim is to a sentence, the scenarios say, and not the results: a verdict counts where the scenario has a claim with the
  /// same check, of the same kind, and this version of the lab gave it on at least one trial.
  ///
  /// - Parameter only: the names of the documents to show; empty for all.
  /// - Throws: ``InputError`` for a document that there is not.
  public init(
    _ documents: Documents, tried scenarios: [ScenarioOutline], results: [ResultDocument], only names: [String] = []
  ) throws(InputError) {
    let known = documents.documents.map(\.name)
    for name in names where !known.contains(name) {
      throw InputError(
        "unknown document '\(name)' (known: \(known.joined(separator: ", ")))", near: name, of: known)
    }
    let last = Dictionary(results.map { ($0.scenario.name, $0) }, uniquingKeysWith: { $1 })
    let counted = last.filter { $0.value.tool.version == Tool.version }
    var tries: [String: [String]] = [:]
    var testimonies: [String: [Testimony]] = [:]
    for scenario in scenarios {
      for id in Set(scenario.claims.flatMap(\.grades)) { tries[id, default: []].append(scenario.name) }
      guard let document = counted[scenario.name] else { continue }
      for claim in scenario.claims {
        guard
          let found = document.claims.first(where: { $0.check == claim.check && $0.kind == claim.kind }),
          found.evidence.trials > 0 || found.verdict == .unavailable
        else { continue }
        for id in claim.grades {
          guard let said = documents.sentence(id)?.said else { continue }
          let contradicts = claim.contradicts.contains(id)
          let opinion = Opinion(found, said, contradicts: contradicts)
          testimonies[id, default: []].append(Testimony(opinion, found, contradicts: contradicts, of: document))
        }
      }
    }
    let system = Set(counted.values.map(\.machine.os)).sorted().first
    chapters = documents.documents.filter { names.isEmpty || names.contains($0.name) }.map { document in
      Chapter(
        name: document.name, title: document.title, address: document.address,
        entries: document.sentences.map { sentence in
          let found = testimonies[sentence.id] ?? []
          let standing = sentence.standing(found.map(\.opinion), on: system)
          return Entry(
            id: sentence.id, says: sentence.says, said: sentence.said, standing: standing,
            remark: sentence.remark(standing, found.map(\.opinion), on: system),
            scenarios: tries[sentence.id] ?? [],
            testimonies: [Opinion.speaksAgainst, .open, .speaksFor, .unavailable].flatMap { opinion in
              found.filter { $0.opinion == opinion }
            })
        })
    }
    self.results = counted.values.map { ($0.scenario.name, $0.started) }.sorted { $0.0 < $1.0 }
    outdated = Set(last.keys).subtracting(counted.keys).sorted()
  }
}

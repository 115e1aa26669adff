import Laboratory

/// The sentences of the source documents with what tries them and what came of it on a machine.
public struct SentenceIndex: Sendable {
  /// What became of a sentence.
  public enum Standing: String, Sendable, Codable, CaseIterable {
    /// A claim that grades it was violated, refuted, or its anomaly never seen.
    case refuted
    /// The rounds of a claim do not tell.
    case undecided
    /// Every claim that grades it, and could be judged, was borne out.
    case borneOut = "borne out"
    /// No claim that grades it could be judged here.
    case unavailable
    /// What tries it was not run.
    case notRun = "not run"
    /// Nothing can try it.
    case untried = "cannot be tried"
  }

  /// A sentence with what came of it.
  struct Entry: Sendable {
    let id: String
    let says: String
    /// Why nothing can try it.
    let reason: String?
    /// The scenarios with a claim that grades it, in their order.
    let scenarios: [String]
    /// What became of those claims, as far as they were run: the verdict and how many have it.
    let verdicts: [(verdict: Verdict, count: Int)]

    var standing: Standing {
      if reason != nil { return .untried }
      let found = Set(verdicts.map(\.verdict))
      if found.isEmpty { return .notRun }
      if !found.isDisjoint(with: [.violated, .notWitnessed, .refuted]) { return .refuted }
      if found.contains(.inconclusive) { return .undecided }
      return found == [.unavailable] ? .unavailable : .borneOut
    }
  }

  struct Chapter: Sendable {
    let name: String
    let title: String
    let entries: [Entry]

    /// `23 sentences: 4 refuted, 12 borne out, 7 cannot be tried`.
    var summary: String {
      let counts = Standing.allCases.compactMap { standing -> String? in
        let count = entries.count { $0.standing == standing }
        return count > 0 ? "\(count) \(standing.rawValue)" : nil
      }
      return "\(entries.count) sentence\(entries.count == 1 ? "" : "s"): " + counts.joined(separator: ", ")
    }
  }

  let chapters: [Chapter]
  /// The scenarios with results, and when the first of them was run.
  let results: [(scenario: String, started: String)]

  /// An index of some documents, of the scenarios that try them and of results; of a scenario's the last ones count.
  ///
  /// - Parameter only: the names of the documents to show; empty for all.
  /// - Throws: ``InputError`` for a document that there is not.
  public init(
    _ documents: Documents, tried experiments: [Experiment], results: [ResultDocument], only names: [String] = []
  ) throws(InputError) {
    let known = documents.documents.map(\.name)
    for name in names where !known.contains(name) {
      throw InputError(
        "unknown document '\(name)' (known: \(known.joined(separator: ", ")))", near: name, of: known)
    }
    var scenarios: [String: [String]] = [:]
    for experiment in experiments {
      for id in Set(experiment.claims.flatMap(\.grades)) { scenarios[id, default: []].append(experiment.name) }
    }
    let last = Dictionary(results.map { ($0.scenario.name, $0) }, uniquingKeysWith: { $1 })
    var verdicts: [String: [Verdict]] = [:]
    for claim in last.values.flatMap(\.claims) {
      for id in claim.grades { verdicts[id, default: []].append(claim.verdict) }
    }
    chapters = documents.documents.filter { names.isEmpty || names.contains($0.name) }.map { document in
      Chapter(
        name: document.name, title: document.title,
        entries: document.sentences.map { sentence in
          let found = verdicts[sentence.id] ?? []
          return Entry(
            id: sentence.id, says: sentence.says, reason: sentence.reason, scenarios: scenarios[sentence.id] ?? [],
            verdicts: Reading.gravestFirst.compactMap { verdict in
              let count = found.count { $0 == verdict }
              return count > 0 ? (verdict, count) : nil
            })
        })
    }
    self.results = last.values.map { ($0.scenario.name, $0.started) }.sorted { $0.0 < $1.0 }
  }
}

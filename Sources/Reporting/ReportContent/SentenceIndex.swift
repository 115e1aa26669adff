import Laboratory
import Measurement

/// The sentences of the source documents, with the claims about each sentence and the results of these claims.
public struct SentenceIndex: Sendable {
  /// A judged claim about a sentence.
  struct JudgedClaim: Sendable {
    let opinion: ClaimOpinion
    let scenario: String
    let claim: ClaimFacts
    /// A trial that demonstrates the opinion, as text, with the seed that reproduces the order of the trial's round;
    /// nil if no single trial demonstrates the opinion.
    let shown: String?

    init(_ claim: ClaimFacts, _ strength: SourceDocuments.Strength, contradicts: Bool, of document: ResultDocument) {
      let opinion = ClaimOpinion(claim, strength, contradicts: contradicts)
      self.opinion = opinion
      self.claim = claim
      scenario = document.scenario.name
      let trial: TrialFacts? =
        switch opinion {
        case .speaksAgainst: contradicts ? claim.evidence.example : claim.evidence.counterexample
        case .speaksFor: claim.verdict == .witnessed && !strength.asksEveryTrial ? claim.evidence.example : nil
        case .open, .unavailable: nil
        }
      shown = trial.map { "\($0.says(claim.evidence.unit, of: claim.writtenCheck?.leftMetric)), seed \(document.seed)" }
    }
  }

  /// A claim of a scenario about a sentence, with the result of the claim.
  struct SentenceClaim: Sendable {
    let scenario: String
    let claim: ScenarioOutline.Claim
    /// The judged claim; nil if the claim was not judged.
    let judgedClaim: JudgedClaim?
  }

  /// The reason why a scenario with a claim about a sentence gave no verdict on the sentence.
  enum Absence: String, Sendable, CaseIterable {
    case notRun = "not run"
    case unavailable
    case compared = "not judged, since the last run was a comparison"
    case unjudged = "run, but gave no verdict"
    case outdated = "run by another version"
  }

  /// A sentence, with the results of the claims about the sentence.
  struct Entry: Sendable {
    let id: String
    let says: String
    /// The place of the sentence in the document.
    let place: String
    /// The strength of the sentence in the document; nil if no scenario can try the sentence.
    let strength: SourceDocuments.Strength?
    /// The word or the grammatical form in the document that expresses the strength.
    let word: String
    /// The configurations in which the sentence was tried.
    let conditions: [String]
    let standing: SentenceStanding
    /// A remark on the standing; nil if the standing requires none.
    let remark: String?
    /// The names of the scenarios with a claim about the sentence, in the order of the scenarios.
    let scenarios: [String]
    /// The judged claims about the sentence. Claims that speak against the sentence are first.
    let judgedClaims: [JudgedClaim]
    /// All claims about the sentence, in the order of the scenarios.
    let claims: [SentenceClaim]
    /// The sentences in documents of the other era that concern the question of this sentence.
    let answers: [SourceDocuments.Sentence]
    /// The names of the scenarios that gave no verdict on the sentence, grouped by the reason.
    let absent: [(why: Absence, scenarios: [String])]
    /// The reason why a claim about the sentence could not be judged, or why a scenario with a claim about the sentence
    /// cannot be run on the machine; nil if there is no such reason.
    let obstacle: String?

    /// The strength and the word that expresses the strength: `always: cannot`. If both are equal, the text has the
    /// word once. If no scenario can try the sentence, the text is the word alone.
    var strengthText: String {
      [strength?.rawValue, word == strength?.rawValue ? nil : word].compactMap(\.self).joined(separator: ": ")
    }

    /// The names of the scenarios whose verdicts decide the standing, in the order of the scenarios.
    var judgedBy: [String] {
      scenarios.filter { name in judgedClaims.contains { $0.scenario == name && $0.opinion != .unavailable } }
    }
  }

  struct Chapter: Sendable {
    let name: String
    let title: String
    /// The era of the document; nil if the documents are not divided into eras.
    let era: SourceDocuments.Era?
    /// The author of the document; nil if the author is unknown.
    let author: String?
    /// The address at which the document can be read; nil if the address is unknown.
    let address: String?
    let entries: [Entry]

    /// The number of sentences in total and for each standing: `23 sentences: 4 refuted, 12 borne out, 7 cannot be
    /// tried`.
    var summary: String { SentenceIndex.summary(entries) }

    /// The author and the address, such as `Apple` and `https://…`, or a remark that both are unknown.
    var origin: [String] {
      let known = [author, address].compactMap(\.self)
      return known.isEmpty ? ["author not known, no public address"] : known
    }
  }

  let chapters: [Chapter]
  /// The chapters of each era. If the documents are not divided into eras, the only part has no era.
  var parts: [(era: SourceDocuments.Era?, chapters: [Chapter])] {
    chapters.grouped(by: \.era).map { era, chapters in (era: era, chapters: chapters) }
  }
  /// The names of the scenarios with a result of this version of the lab, each with the start time of its last run.
  let results: [(scenario: String, started: String)]
  /// The names of the scenarios whose results do not count, since another version of the lab wrote the results.
  let outdated: [String]

  /// The number of sentences without a judged claim, which the index omits since it is limited to other standings.
  let omittedNotRun: Int

  /// Returns the number of sentences in total and for each standing: `115 sentences: 20 refuted, 60 borne out, …`.
  static func summary(_ entries: [Entry]) -> String {
    let counts = SentenceStanding.allCases.compactMap { standing -> String? in
      let count = entries.count { $0.standing == standing }
      return count > 0 ? "\(count) \(standing.rawValue)" : nil
    }
    return "\(entries.count.counted("sentence")): " + counts.joined(separator: ", ")
  }

  /// The number of sentences in all chapters, in total and for each standing.
  public var summary: String { Self.summary(chapters.flatMap(\.entries)) }

  /// The names of the standings on a command line: `refuted`, `borne-out`.
  public static let standings = SentenceStanding.allCases.map(\.name)

  /// The refuted sentences of all chapters.
  var refuted: [Entry] { chapters.flatMap(\.entries).filter { $0.standing == .refuted } }

  /// Creates an index from documents, from the scenarios that test the documents' sentences, and from the results of
  /// runs. Only the last result of each scenario counts.
  ///
  /// The scenarios, and not the results, determine which sentence a claim is about. A verdict counts if the scenario
  /// still has a claim with the kind and the check of the judged claim, if this version of the lab gave the verdict,
  /// and if the verdict is based on at least one trial or is `unavailable`. The verdicts of a comparison do not count.
  ///
  /// - Parameters:
  ///   - documents: the documents.
  ///   - scenarios: the scenarios with claims about the documents' sentences.
  ///   - results: the result documents of runs, in the order of the runs.
  ///   - machine: the machine on which scenarios without results would be run; nil for the machines of the results.
  ///   - names: the names of the documents, eras and sentences to show, and the standings (``standings``) to which the
  ///     list is limited. Without names of documents, eras or sentences, all sentences are candidates.
  /// - Throws: ``InputError`` if a name is unknown.
  public init(
    _ documents: SourceDocuments, tried scenarios: [ScenarioOutline], results: [ResultDocument],
    on machine: Machine? = nil,
    only names: [String] = []
  ) throws(InputError) {
    let known = documents.documents.map(\.name)
    let standings = SentenceStanding.allCases.filter { names.contains($0.name) }
    let names = names.filter { !Self.standings.contains($0) }
    for name in names
    where !known.contains(name) && documents.sentence(name) == nil && !documents.eras.contains(name) {
      throw .unknown(
        "document", name, known: known + Self.standings, listing: .text("known: \(known.joined(separator: ", "))"))
    }
    let tried = TriedClaims(documents, scenarios, results, on: machine)
    func isShown(_ sentence: SourceDocuments.Sentence, _ document: SourceDocuments.Document) -> Bool {
      names.isEmpty || names.contains(document.name) || names.contains(sentence.id)
        || document.era.map { names.contains($0.rawValue) } == true
    }
    var omittedNotRun = 0
    chapters = documents.documents.compactMap { document in
      let all = document.sentences.filter { isShown($0, document) }.map(tried.entry)
      let entries = all.filter { standings.isEmpty || standings.contains($0.standing) }
      omittedNotRun += all.count { $0.standing == .notRun } - entries.count { $0.standing == .notRun }
      guard !entries.isEmpty else { return nil }
      return Chapter(
        name: document.name, title: document.title, era: document.era, author: document.author,
        address: document.address, entries: entries)
    }
    self.omittedNotRun = omittedNotRun
    self.results = tried.counted.values.map { ($0.scenario.name, $0.started) }.sorted { $0.0 < $1.0 }
    outdated = Set(tried.last.keys).subtracting(tried.counted.keys).sorted()
  }
}

/// The claims of scenarios about sentences of documents, with the last results of the scenarios.
private struct TriedClaims {
  typealias SentenceClaim = SentenceIndex.SentenceClaim
  typealias JudgedClaim = SentenceIndex.JudgedClaim

  let documents: SourceDocuments
  /// The last result of each scenario.
  let last: [String: ResultDocument]
  /// The last results that this version of the lab wrote, by the name of the scenario.
  let counted: [String: ResultDocument]
  /// The names of the scenarios with a claim about a sentence, by the identifier of the sentence.
  private var scenarios: [String: [String]] = [:]
  /// The claims about a sentence, by the identifier of the sentence.
  private var claims: [String: [SentenceClaim]] = [:]
  /// The reasons why scenarios without results cannot be run, by the name of the scenario.
  private var obstacles: [String: String] = [:]
  /// The operating system of the results, or the alphabetically first of several systems; nil if there are no results.
  private let system: String?

  init(
    _ documents: SourceDocuments, _ scenarios: [ScenarioOutline], _ results: [ResultDocument], on machine: Machine?
  ) {
    self.documents = documents
    last = Dictionary(results.map { ($0.scenario.name, $0) }, uniquingKeysWith: { $1 })
    counted = last.filter { $0.value.tool.version == Tool.version }
    system = Set(counted.values.map(\.machine.os)).sorted().first
    let machines = machine.map { [$0] } ?? Array(Set(counted.values.map(\.machine)))
    for scenario in scenarios {
      for id in Set(scenario.claims.flatMap(\.sentenceIDs)) {
        self.scenarios[id, default: []].append(scenario.name)
      }
      if counted[scenario.name] == nil { obstacles[scenario.name] = Self.obstacle(to: scenario, on: machines) }
      for claim in scenario.claims { add(claim, of: scenario.name) }
    }
  }

  /// Adds a claim to each sentence that the claim is about.
  private mutating func add(_ claim: ScenarioOutline.Claim, of scenario: String) {
    let document = counted[scenario]
    // The claims of a comparison count for no sentence.
    let found =
      document?.scenario.isComparison == true
      ? nil
      : document?.claims.first { found in
        found.check == claim.check && found.kind == claim.kind
          && (found.evidence.trials > 0 || found.verdict == .unavailable)
      }
    for id in claim.sentenceIDs {
      guard let strength = documents.sentence(id)?.strength else { continue }
      var judgedClaim: JudgedClaim?
      if let document, let found {
        judgedClaim = JudgedClaim(found, strength, contradicts: claim.contradicts.contains(id), of: document)
      }
      claims[id, default: []].append(SentenceClaim(scenario: scenario, claim: claim, judgedClaim: judgedClaim))
    }
  }

  func entry(_ sentence: SourceDocuments.Sentence) -> SentenceIndex.Entry {
    let (scenarios, claims) = (self.scenarios[sentence.id] ?? [], self.claims[sentence.id] ?? [])
    let found = claims.compactMap(\.judgedClaim)
    let absent = scenarios.compactMap { name in absence(name, found).map { ($0, name) } }
      .grouped { $0.0 }.map { why, scenarios in (why: why, scenarios: scenarios.map(\.1)) }
    let isHopeless = found.isEmpty && !absent.isEmpty && absent.allSatisfy { $0.why == .unavailable }
    let standing = isHopeless ? .unavailable : sentence.standing(found.map(\.opinion), on: system)
    return SentenceIndex.Entry(
      id: sentence.id, says: sentence.says, place: sentence.place, strength: sentence.strength, word: sentence.word,
      conditions: sentence.conditions, standing: standing,
      remark: sentence.remark(
        standing, found.map(\.opinion),
        untried: found.filter { $0.opinion == .unavailable }.map { ($0.claim.says, $0.claim.evidence.reason) },
        on: system),
      scenarios: scenarios,
      judgedClaims: [ClaimOpinion.speaksAgainst, .open, .speaksFor, .unavailable].flatMap { opinion in
        found.filter { $0.opinion == opinion }
      },
      claims: claims, answers: documents.answers(to: sentence), absent: absent,
      obstacle: found.first { $0.opinion == .unavailable }?.claim.evidence.reason
        ?? scenarios.lazy.compactMap { obstacles[$0] }.first)
  }

  /// Returns the reason why a scenario gave no verdict on a sentence; nil if `found` contains a verdict of the
  /// scenario.
  private func absence(_ scenario: String, _ found: [JudgedClaim]) -> SentenceIndex.Absence? {
    let found = found.filter { $0.scenario == scenario }
    if found.contains(where: { $0.opinion != .unavailable }) { return nil }
    if !found.isEmpty || obstacles[scenario] != nil { return .unavailable }
    if counted[scenario]?.scenario.isComparison == true { return .compared }
    return counted[scenario] != nil ? .unjudged : last[scenario] != nil ? .outdated : .notRun
  }

  /// Returns the reason why a scenario cannot be run on any of `machines`; nil if one of the machines can run the
  /// scenario, or if `machines` is empty.
  private static func obstacle(to scenario: ScenarioOutline, on machines: [Machine]) -> String? {
    var first: String?
    for machine in machines {
      guard let obstacle = scenario.pattern.obstacle(on: machine) else { return nil }
      first = first ?? obstacle
    }
    return first
  }
}

extension WrittenCheck {
  /// The name of the metric of the left side's figure; nil if the left side is a number.
  fileprivate var leftMetric: String? {
    switch left {
    case .figure(let figure), .scaled(_, .figure(let figure)): figure.metric
    case .quantity, .cores, .scaled: nil
    }
  }
}

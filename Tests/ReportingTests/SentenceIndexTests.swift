import LabTesting
import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of a sentence's standing, which is derived from the verdicts on its claims.
@Suite struct SentenceIndexTests {
  private static let documents = """
    documents:
      - document: guide
        title: A guide
        sentences:
          - {id: guide.1, says: it always holds, said: always, place: a heading, word: always, conditions: [one, another]}
          - {id: guide.2, says: it has two parts and takes more words than there is room for in a line of sixty cells, said: always, place: a heading, word: always, conditions: [one, another], partly: one of them holds}
          - {id: guide.3, says: nobody can tell, reason: a matter of taste, place: a heading, word: so}
          - {id: guide.4, says: it usually is quicker, said: usually, place: a heading, word: usually, conditions: [one, another]}
          - {id: guide.5, says: it may be, said: may, place: a heading, word: may, conditions: [one, another]}
          - {id: guide.6, says: do as it says, said: recipe, place: a heading, word: recipe, conditions: [one, another]}
      - document: other
        title: Another
        sentences:
          - {id: other.1, says: one reads it, said: recipe, place: a heading, word: recipe, conditions: [one, another], by-construction: nothing can fail it}
          - {id: other.3, says: it holds where it was tried, said: always, place: a heading, word: never, conditions: [one]}
          - {id: other.4, says: it follows, said: always, place: a heading, word: statement, conditions: [one], by-inference: from its clock}
          - {id: other.5, says: one runs it, said: recipe, place: the listing, word: code, conditions: [one]}
          - {id: other.2, says: what Linux lacks, said: always, place: a heading, word: always, conditions: [one, another], stand-in: {linux: the lab built it}}
          - {id: other.6, says: it usually has two parts, said: usually, place: a heading, word: usually, conditions: [one, another], partly: the first}
    """

  /// A verdict on a claim about a sentence.
  private struct Judged {
    var id: String
    var verdict: Verdict
    var contradicts = false
    var met = 10
    var lost = 0
    var version = Tool.version

    init(
      _ id: String, _ verdict: Verdict, contradicts: Bool = false, met: Int = 10, lost: Int = 0,
      version: String = Tool.version
    ) {
      (self.id, self.verdict, self.contradicts) = (id, verdict, contradicts)
      (self.met, self.lost, self.version) = (met, lost, version)
    }

    var kind: Claim.Kind {
      switch verdict {
      case .held, .violated: .guarantee
      case .witnessed, .notWitnessed: .anomaly
      case .supported, .refuted, .inconclusive, .unavailable: .performance
      }
    }
  }

  private static func index(
    _ judged: [Judged], only names: [String] = [], checks: String = "check", isComparison: Bool = false
  )
    throws -> SentenceIndex
  {
    let claims = judged.enumerated().map { number, judged in
      Claim(
        says: "so", bears: judged.contradicts ? [] : [judged.id], contradicts: judged.contradicts ? [judged.id] : [],
        kind: judged.kind, check: Check(text: "check \(number)", left: .cores, relation: .equal, right: .cores))
    }
    var results = Fixture.results([("a", [[1000]])])
    results.judgements = zip(claims, judged).enumerated().map { number, pair in
      let (claim, judged) = pair
      let met = judged.verdict == .notWitnessed ? 0 : judged.met
      return Judgement(
        claim: Claim(
          says: claim.says, kind: claim.kind,
          check: Check(text: "\(checks) \(number)", left: .cores, relation: .equal, right: .cores)),
        verdict: judged.verdict,
        evidence: Evidence(
          trials: 10, met: met, lost: judged.lost, reason: "why",
          example: met > 0 ? .init(run: "a", round: 3, left: 7) : nil,
          counterexample: met < 10 ? .init(run: "b", round: 4, left: nil, ended: "hung") : nil))
    }
    let experiment = Fixture.results([("a", [[1]])], claims: claims).experiment
    func index(_ results: [ResultDocument]) throws -> SentenceIndex {
      try SentenceIndex(
        SourceDocuments(place: "documents.yml", yaml: documents), tried: [ScenarioOutline(experiment)],
        results: results,
        only: names)
    }
    guard !judged.isEmpty else { return try index([]) }
    if isComparison {
      var comparison = results.experiment
      comparison.isComparison = true
      results = Results(
        experiment: comparison, machine: results.machine, seed: 1, started: "", earlyEnd: nil, runs: results.runs,
        judgements: results.judgements)
      return try index([results.document])
    }
    let ofAll = try index([results.document])
    // The user's cache contains documents in this form.
    let ofVerdicts = try index([results.document.verdictsAlone])
    #expect(try DocumentsReport(ofVerdicts).json() == DocumentsReport(ofAll).json())
    return ofVerdicts
  }

  private static func standing(_ judged: Judged...) throws -> SentenceStanding? {
    try index(judged).chapters.flatMap(\.entries).first { $0.id == judged[0].id }?.standing
  }

  @Test(arguments: ["guide.1", "guide.6"])
  func `one counterexample refutes an always-sentence or a recipe`(_ id: String) throws {
    #expect(try Self.standing(Judged(id, .held), Judged(id, .witnessed)) == .borneOut)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .violated, met: 9)) == .refuted)
    // The anomaly was not seen in every trial.
    #expect(try Self.standing(Judged(id, .witnessed, met: 9)) == .refuted)
    #expect(try Self.standing(Judged(id, .notWitnessed)) == .refuted)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .witnessed, contradicts: true, met: 1)) == .refuted)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .violated, contradicts: true, met: 1)) == .refuted)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .violated, contradicts: true, met: 0)) == .borneOut)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .notWitnessed, contradicts: true)) == .borneOut)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .inconclusive)) == .undecided)
  }

  @Test(arguments: ["guide.1", "guide.6"])
  func `an anomaly bears out an always-sentence only if all trials show it and no trial was lost`(_ id: String) throws {
    func judgedClaim(_ judged: Judged) throws -> SentenceIndex.JudgedClaim? {
      try Self.index([judged], only: [id]).chapters[0].entries[0].judgedClaims.first
    }
    let all = try judgedClaim(Judged(id, .witnessed))
    #expect(all?.shown == nil && all?.evidence.hasPrefix("in all 10 trials") == true)
    // A lost trial may be a trial without the anomaly.
    #expect(try Self.standing(Judged(id, .witnessed, lost: 1)) == .undecided)
    #expect(try Self.standing(Judged(id, .witnessed, met: 9, lost: 1)) == .refuted)
    #expect(try Self.standing(Judged(id, .held), Judged(id, .witnessed, contradicts: true, lost: 1)) == .refuted)
    // For a *may*, one occurrence is sufficient.
    let one = try Self.index([Judged("guide.5", .witnessed, met: 1, lost: 1)], only: ["guide.5"]).chapters[0].entries[0]
    #expect(one.standing == .borneOut && one.judgedClaims[0].shown == "a in round 3: 7, seed 7")
  }

  @Test func `a comparison judges no sentence, and the report mentions it`() throws {
    let index = try Self.index([Judged("guide.1", .held)], only: ["guide.1"], isComparison: true)
    #expect(index.chapters.first?.entries.first?.standing == .notRun)
    let text = SentenceReport(index).text(TextStyle(width: 200))
    #expect(text.contains("not judged, since the last run was a comparison: fixture"), "\(text)")
  }

  @Test func `the standing of a usually-sentence depends on the verdict, not on each trial`() throws {
    #expect(try Self.standing(Judged("guide.4", .supported)) == .borneOut)
    #expect(try Self.standing(Judged("guide.4", .refuted)) == .refuted)
    #expect(try Self.standing(Judged("guide.4", .supported, contradicts: true)) == .refuted)
    #expect(try Self.standing(Judged("guide.4", .refuted, contradicts: true)) == .borneOut)
    #expect(try Self.standing(Judged("guide.4", .inconclusive)) == .undecided)
    #expect(try Self.standing(Judged("guide.4", .witnessed, met: 1)) == .borneOut)
  }

  @Test func `one trial that shows the anomaly bears out a may-sentence, and no verdict refutes the sentence`() throws {
    #expect(try Self.standing(Judged("guide.5", .witnessed, met: 1)) == .borneOut)
    #expect(try Self.standing(Judged("guide.5", .supported)) == .borneOut)
    for verdict in [Verdict.notWitnessed, .refuted, .inconclusive, .violated] {
      #expect(try Self.standing(Judged("guide.5", verdict, met: 0)) == .undecided)
    }
  }

  @Test func `a sentence of two parts can be partly borne out`() throws {
    #expect(try Self.standing(Judged("guide.2", .held), Judged("guide.2", .violated)) == .partly)
    #expect(try Self.standing(Judged("guide.2", .violated)) == .refuted)
    #expect(try Self.standing(Judged("guide.2", .held)) == .borneOut)
    // A refuted part of an *always* refutes the sentence. Without the verdict on the other part, a tendency is
    // undecided.
    #expect(try Self.standing(Judged("guide.2", .inconclusive), Judged("guide.2", .violated)) == .refuted)
    let against = Judged("other.6", .held, contradicts: true)
    #expect(try Self.standing(Judged("other.6", .supported), against) == .partly)
    #expect(try Self.standing(Judged("other.6", .inconclusive), against) == .undecided)
    #expect(try Self.standing(Judged("other.6", .refuted), against) == .refuted)
    let entry = try Self.index([Judged("guide.2", .held), Judged("guide.2", .violated)]).chapters[0].entries[1]
    #expect(entry.remark == "one of them holds")
    #expect(entry.judgedClaims.map(\.opinion) == [.speaksAgainst, .speaksFor])
  }

  @Test func `a sentence with a stand-in, and a sentence that cannot fail, have separate standings`() throws {
    #expect(try Self.standing(Judged("other.1", .held)) == .byConstruction)
    #expect(try Self.standing(Judged("other.1", .violated)) == .refuted)
    #expect(try Self.standing(Judged("other.2", .held)) == .standIn)
    // A stand-in of the lab is not Dispatch: its failure does not refute a sentence about Dispatch.
    #expect(try Self.standing(Judged("other.2", .violated)) == .standIn)
    let entry = try Self.index([Judged("other.2", .violated)]).chapters[1].entries[4]
    #expect(entry.remark == "the lab built it; the stand-in does not keep it")
  }

  @Test func `a sentence about every run is not borne out by one configuration`() throws {
    #expect(try Self.standing(Judged("other.3", .held)) == .inOneConfiguration)
    #expect(try Self.standing(Judged("other.3", .violated, met: 9)) == .refuted)
    #expect(try Self.standing(Judged("guide.1", .held)) == .borneOut)
    // The document's own code counts as a configuration.
    #expect(try Self.standing(Judged("other.5", .held)) == .borneOut)
    #expect(
      SentenceStanding.inOneConfiguration.color == .quiet
        && SentenceStanding.inOneConfiguration.color.tone != SentenceStanding.borneOut.color.tone)
  }

  @Test func `a sentence that only follows from the trials is borne out by inference`() throws {
    #expect(try Self.standing(Judged("other.4", .held)) == .byInference)
    #expect(try Self.standing(Judged("other.4", .violated, met: 9)) == .refuted)
    let entry = try Self.index([Judged("other.4", .held)], only: ["other.4"]).chapters[0].entries[0]
    #expect(entry.remark == "from its clock")
  }

  @Test func `every format has a sentence's place, its decisive word and its configurations`() throws {
    let index = try Self.index([], only: ["other.3"])
    let report = DocumentsReport(index)
    let text = report.text(TextStyle(width: 200))
    #expect(text.contains("it holds where it was tried (always: never)\n"))
    #expect(text.contains("  in: a heading\n") && text.contains("  tried with: one\n"))
    #expect(report.markdown.contains("| a heading"))
    #expect(report.markdown.contains("always: never") && report.markdown.contains("tried with"))
    let json = try JSONValue(report.json())[at: "documents.0.sentences.0"]
    #expect(json?["place"] == .text("a heading") && json?["word"] == .text("never"))
    #expect(json?["conditions"] == .list([.text("one")]))
    let page = HTMLReport.render([Fixture.pair.content, Fixture.pair.content], sentences: index)
    #expect(
      page.contains("in: a heading") && page.contains("<td>always: never</td>") && page.contains("tried with: one"))
    // Without results, no standing is displayed.
    #expect(!report.markdown.contains("standing") && !report.markdown.contains("not run"))
    let single = SentenceReport(index).text(TextStyle(width: 100))
    #expect(
      single.contains("in: a heading\n") && single.contains("said: always, by the word never\nalways: of every run"))
    #expect(single.contains("tried with\n  -  one\n"))
  }

  @Test func `a sentence is unavailable only if none of its claims could be judged`()
    throws
  {
    #expect(try Self.standing(Judged("guide.1", .unavailable)) == .unavailable)
    #expect(try Self.standing(Judged("guide.1", .unavailable), Judged("guide.1", .held)) == .borneOut)
    let index = try Self.index([Judged("guide.1", .held)])
    #expect(index.chapters[0].entries[2].standing == .untried && index.chapters[0].entries[3].standing == .notRun)
    #expect(index.chapters[0].summary == "6 sentences: 1 borne out, 4 not run, 1 cannot be tried")
  }

  @Test func `a remark lists the unavailable claims of a sentence about every run`() throws {
    func entry(_ judged: Judged...) throws -> SentenceIndex.Entry? {
      try Self.index(judged).chapters.flatMap(\.entries).first { $0.id == judged[0].id }
    }
    for id in ["guide.1", "other.3"] {
      let partial = try entry(Judged(id, .held), Judged(id, .unavailable), Judged(id, .unavailable))
      #expect(partial?.remark == "not tried here: so; so (why)")
      #expect(try entry(Judged(id, .held))?.remark == nil)
    }
    #expect(try entry(Judged("guide.4", .supported), Judged("guide.4", .unavailable))?.remark == nil)
    let index = try Self.index([Judged("guide.1", .held), Judged("guide.1", .unavailable)])
    let text = DocumentsReport(index).text(TextStyle()).split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    #expect(text.contains("borne out, 1 for it, 1 unavailable: fixture; not tried here: so (why)"))
  }

  @Test func `a verdict on another check does not count`() throws {
    let index = try Self.index([Judged("guide.1", .held)], checks: "another check")
    #expect(index.chapters[0].entries[0].standing == .notRun)
  }

  @Test func `a counterexample is shown with its trial and its seed`() throws {
    let index = try Self.index([
      Judged("guide.1", .witnessed, contradicts: true, met: 1), Judged("guide.6", .violated, met: 9),
    ])
    #expect(index.chapters[0].entries[0].judgedClaims[0].shown == "a in round 3: 7, seed 7")
    #expect(index.chapters[0].entries[5].judgedClaims[0].shown == "b in round 4: hung, seed 7")
  }

  @Test func `documents can be selected by name`() throws {
    #expect(try Self.index([], only: ["other"]).chapters.map(\.name) == ["other"])
    let error = #expect(throws: InputError.self) { try Self.index([], only: ["othr"]) }
    #expect(error?.description == "unknown document 'othr'; did you mean 'other'? (known: guide, other)")
  }

  @Test func `sentences can be selected by verdict`() throws {
    func selected(_ names: [String]) throws -> [String] {
      try Self.index(
        [Judged("guide.1", .held), Judged("guide.4", .refuted), Judged("other.4", .violated, met: 9)], only: names
      )
      .chapters.flatMap(\.entries).map(\.id)
    }
    #expect(try selected(["refuted"]) == ["guide.4", "other.4"])
    #expect(try selected(["other", "refuted"]) == ["other.4"])
    #expect(try selected(["guide", "borne-out", "refuted"]) == ["guide.1", "guide.4"])
    #expect(try selected(["guide.1", "refuted"]) == [])
    let none = DocumentsReport(try Self.index([], only: ["refuted"])).text(TextStyle(width: 80))
    #expect(none.hasPrefix("No sentence has this verdict.\n"), "\(none)")
  }

  @Test func `every format of the sentence index has the same content`() throws {
    let index = try Self.index([
      Judged("guide.1", .held), Judged("guide.2", .held), Judged("guide.2", .violated, met: 9),
    ])
    let report = DocumentsReport(index)
    let text = report.text(TextStyle(width: 60))
    #expect(text.contains("✓ it always holds") && text.contains("± partly, 1 for it, 1 against it"))
    #expect(text.contains("cannot be tried: a matter of taste") && text.contains("(always)"))
    #expect(text.contains("against, violated: so (b in round 4: hung") && !text.contains("for, held: so"))
    let full = report.text(TextStyle(width: 60), details: true)
    #expect(full.contains("for, held: so") && full.contains("✓ borne out, 1 for it"))
    // A sentence that was borne out is displayed in one line.
    #expect(text.split(separator: "\n").contains { $0.hasPrefix("  guide.1  ✓ it always holds") }, "\(text)")
    // The key explains only the words in the list.
    let key = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(key.contains("always (of every run: one counterexample refutes it)") && key.contains("± partly (one part"))
    #expect(!key.contains("stand-in ("))
    #expect(text.contains("author not known, no public address"))
    #expect(key.contains("The verdicts are those of the last runs on this machine: 1 scenario."))
    #expect(DocumentsReport(index, of: ["a.json"]).text(TextStyle()).contains("those of a.json: 1 scenario."))
    #expect(text.split(separator: "\n").allSatisfy { String($0).displayWidth <= 60 })
    #expect(!report.text(TextStyle(unicode: false)).contains("✓"))
    #expect(report.markdown.contains("| guide.2") && report.markdown.contains("partly; 1 for it, 1 against it"))
    #expect(try report.json().contains("\"standing\" : \"partly\""))
    let page = HTMLReport.render([Fixture.pair.content, Fixture.pair.content], sentences: index)
    #expect(
      page.contains("sentence by sentence") && page.contains("<th id=\"guide.1\">guide.1</th>")
        && page.contains(">partly</span>"))
  }

  /// A pattern that requires another machine.
  private struct Elsewhere: Pattern {
    static let name = "elsewhere"
    static let needs = [Requirement("another machine") { _ in "only elsewhere" }]
    let elapsed = Metric.latency("elapsed", "how long it took")
    var variants: [Variant] { Variant("a", .documented, "a way") { _ in } }
  }

  /// Returns an index of three scenarios with the same claim on the first sentence. Only the first scenario has
  /// results.
  private static func indexOfThree(_ verdict: Verdict?, only names: [String] = []) throws -> SentenceIndex {
    let claim = Claim(
      says: "It holds.", bears: ["guide.1"], kind: .guarantee,
      check: Check(text: "a.missed == 0", left: .cores, relation: .equal, right: .cores))
    var results = Fixture.results([("a", [[1000]])], claims: [claim])
    let ran = ScenarioOutline(results.experiment)
    results.judgements = [verdict].compactMap { verdict in
      verdict.map {
        Judgement(
          claim: claim, verdict: $0,
          evidence: Evidence(
            trials: 10, met: $0 == .held ? 10 : 9,
            counterexample: $0 == .held ? nil : .init(run: "a", round: 2, left: 400)))
      }
    }
    func other(_ name: String, _ pattern: any Pattern) -> ScenarioOutline {
      ScenarioOutline(name: name, pattern: pattern, title: "", tags: [], claims: ran.claims)
    }
    return try SentenceIndex(
      SourceDocuments(place: "documents.yml", yaml: documents),
      tried: [ran, other("not-yet", ran.pattern), other("not-here", Elsewhere())],
      results: verdict == nil ? [] : [results.document], on: .test, only: names)
  }

  @Test func `a standing names the scenarios that judged it, and the scenarios without a verdict`() throws {
    func words(_ index: SentenceIndex) -> String {
      DocumentsReport(index).text(TextStyle(width: 200), details: true).split { $0 == " " || $0 == "\n" }.joined(
        separator: " ")
    }
    let judged = try Self.indexOfThree(.held)
    #expect(words(judged).contains("borne out, 1 for it: fixture; not run: not-yet; unavailable: not-here"))
    #expect(judged.chapters[0].entries[0].judgedBy == ["fixture"])
    #expect(try DocumentsReport(judged).json().contains("\"judgedBy\" : [\n"))
    let untried = try Self.indexOfThree(nil)
    #expect(words(untried).contains("not run: fixture, not-yet; unavailable: not-here"))
  }

  @Test func `a sentence whose scenarios cannot run here is unavailable before any run`() throws {
    let claim = Claim(
      says: "It holds.", bears: ["guide.1"], kind: .guarantee,
      check: Check(text: "a.missed == 0", left: .cores, relation: .equal, right: .cores))
    let claims = ScenarioOutline(Fixture.results([("a", [[1]])], claims: [claim]).experiment).claims
    let index = try SentenceIndex(
      SourceDocuments(place: "documents.yml", yaml: Self.documents),
      tried: [ScenarioOutline(name: "not-here", pattern: Elsewhere(), title: "", tags: [], claims: claims)],
      results: [], on: .test)
    #expect(index.chapters[0].entries[0].standing == .unavailable)
    #expect(DocumentsReport(index).text(TextStyle()).contains("- unavailable: not-here (only elsewhere)\n"))
  }

  @Test func `the report on a sentence has all its claims and the commands that run them`() throws {
    let index = try Self.indexOfThree(.violated, only: ["guide.1"])
    #expect(index.chapters.map(\.entries.count) == [1])
    let text = SentenceReport(index).text(TextStyle(width: 100))
    for part in [
      "guide.1  it always holds\n", "A guide\n", "said: always, by the word always\n", "always: of every run",
      "✗ refuted, 1 against it: fixture",
      "  against it  It holds.\n", "violated: a in round 2: missed 400, seed 7", "  not judged  It holds.\n",
      "fixture: a.missed == 0", "gcdlab scenario not-yet", "explain fixture --code",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    for width in [40, 80] {
      let lines = SentenceReport(index).text(TextStyle(width: width)).split(separator: "\n")
      #expect(lines.allSatisfy { String($0).displayWidth <= width })
    }
  }

  @Test func `documents of then and now form two parts, and sentences on one question refer to each other`() throws {
    func sentence(_ id: String, _ more: String = "") -> String {
      "{id: \(id), says: what \(id) says, said: may, place: a heading, word: may, conditions: [one]\(more)}"
    }
    let documents = try SourceDocuments(
      place: "documents.yml",
      yaml: """
        documents:
          - {document: guide, title: A guide, era: then, sentences: [\(sentence("guide.1", ", today: [book.2]")), \(sentence("guide.2"))]}
          - {document: book, title: A book, era: now, sentences: [\(sentence("book.1")), \(sentence("book.2"))]}
        """)
    func index(only names: [String] = []) throws -> SentenceIndex {
      try SentenceIndex(documents, tried: [], results: [], only: names)
    }
    let report = DocumentsReport(try index())
    let lines = report.text(TextStyle()).split(separator: "\n").map(String.init)
    #expect(lines[0] == "then  Grand Central Dispatch, 2010 to 2015" && lines[1] == "2 sentences: 2 not run")
    #expect(lines.contains("now  Swift Concurrency"))
    let full = report.text(TextStyle(), details: true).split(separator: "\n")
    #expect(full.contains { $0.hasSuffix("on the same subject: book.2") })
    #expect(full.contains { $0.hasSuffix("on the same subject: guide.1") })
    #expect(report.markdown.contains("## Now: Swift Concurrency\n\n### A book\n"))
    let json = try JSONValue(report.json())
    #expect(json[at: "documents.1.era"] == .text("now"))
    #expect(json[at: "documents.1.sentences.1.answers"] == .list([.text("guide.1")]))
    let page = HTMLReport.render([Fixture.pair.content, Fixture.pair.content], sentences: try index())
    #expect(page.contains("<h2>Now: Swift Concurrency</h2>") && page.contains("<a href=\"#guide.1\">guide.1</a>"))
    #expect(try index(only: ["now"]).chapters.map(\.name) == ["book"])
    let single = SentenceReport(try index(only: ["guide.1"])).text(TextStyle())
    #expect(single.contains("on the same subject now\n  book.2  what book.2 says\n"))
    #expect(SentenceReport(try index(only: ["book.1"])).text(TextStyle()).contains("same subject") == false)
  }

  @Test func `an index without results mentions that there are no verdicts yet`() throws {
    #expect(DocumentsReport(try Self.index([])).text(TextStyle()).contains("No verdicts yet"))
  }
}

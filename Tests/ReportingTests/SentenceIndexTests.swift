import Laboratory
import Measurement
import Testing

@testable import Reporting

/// From sentences to what became of them.
@Suite struct SentenceIndexTests {
  private static let documents = """
    documents:
      - document: guide
        title: A guide
        sentences:
          - {id: guide.1, says: it holds}
          - {id: guide.2, says: it does not and takes more words than there is room for in a line of sixty cells}
          - {id: guide.3, says: nobody can tell, reason: a matter of taste}
          - {id: guide.4, says: it was not run}
      - document: other
        title: Another
        sentences:
          - {id: other.1, says: the rounds do not tell}
          - {id: other.2, says: it cannot be had here}
    """

  private static func result(_ verdicts: [(String, Verdict)], started: String = "2026-01-01T00:00:00Z")
    -> ResultDocument
  {
    let check = Check(text: "a.missed == 0", left: .cores, comparison: .equal, right: .cores)
    var results = Fixture.results([("a", [[1000]])])
    results.judgements = verdicts.map { id, verdict in
      Judgement(
        claim: Claim(says: "so", grades: [id], kind: .guarantee, check: check), verdict: verdict,
        evidence: Evidence(reason: "why"))
    }
    return results.document
  }

  private static func index(_ results: [ResultDocument], only names: [String] = []) throws -> SentenceIndex {
    try SentenceIndex(
      Documents(place: "documents.yml", yaml: documents), tried: [Fixture.results([("a", [[1]])]).experiment],
      results: results, only: names)
  }

  @Test func `the gravest verdict of its claims is a sentence's`() throws {
    let index = try Self.index([
      Self.result([
        ("guide.1", .held), ("guide.1", .supported), ("guide.2", .held), ("guide.2", .refuted),
        ("other.1", .inconclusive), ("other.1", .held), ("other.2", .unavailable),
      ])
    ])
    let standings = index.chapters.flatMap(\.entries).map(\.standing)
    #expect(standings == [.borneOut, .refuted, .untried, .notRun, .undecided, .unavailable])
    #expect(index.chapters[0].summary == "4 sentences: 1 refuted, 1 borne out, 1 not run, 1 cannot be tried")
  }

  @Test(arguments: [Verdict.violated, .notWitnessed, .refuted])
  func `whatever fails refutes`(_ verdict: Verdict) throws {
    #expect(try Self.index([Self.result([("guide.1", verdict)])]).chapters[0].entries[0].standing == .refuted)
  }

  @Test func `of a scenario's results the last ones count`() throws {
    let index = try Self.index([Self.result([("guide.1", .violated)]), Self.result([("guide.1", .held)])])
    #expect(index.chapters[0].entries[0].verdicts.map(\.verdict) == [.held])
  }

  @Test func `documents are chosen by name`() throws {
    #expect(try Self.index([], only: ["other"]).chapters.map(\.name) == ["other"])
    let error = #expect(throws: InputError.self) { try Self.index([], only: ["othr"]) }
    #expect(error?.description == "unknown document 'othr' (known: guide, other); did you mean 'other'?")
  }

  @Test func `every form says the same`() throws {
    let report = DocumentsReport(
      try Self.index([Self.result([("guide.1", .held), ("guide.2", .refuted)])]))
    let text = report.text(TextStyle(width: 60))
    #expect(text.contains("  guide.1  it holds\n           ✓ 1 held: \n") || text.contains("✓ 1 held"))
    #expect(text.contains("✗ 1 refuted") && text.contains("cannot be tried: a matter of taste"))
    #expect(text.split(separator: "\n").allSatisfy { String($0).displayWidth <= 60 })
    #expect(!report.text(TextStyle(unicode: false)).contains("✓"))
    #expect(report.markdown.contains("| guide.2") && report.markdown.contains("1 refuted"))
    #expect(try report.json().contains("\"standing\" : \"refuted\""))
    let page = HTMLReport.render(
      [Fixture.pair.reading, Fixture.pair.reading], sentences: try Self.index([Self.result([("guide.1", .held)])]))
    #expect(
      page.contains("sentence by sentence") && page.contains("<th>guide.1</th>") && page.contains("href=\"#fixture\""))
  }

  @Test func `without results it says what to do`() throws {
    #expect(DocumentsReport(try Self.index([])).text(TextStyle()).contains("No verdicts yet"))
  }
}

import LabTesting
import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the standings of sentences by a run, and of the display of its claims.
@Suite struct StandingsTests {
  private static let yaml = """
    documents:
      - document: guide
        title: A guide
        sentences:
          - {id: guide.1, says: it never hangs, said: always, place: a heading, word: always, conditions: [one, another]}
          - {id: guide.2, says: it has two parts, said: always, place: a heading, word: always, conditions: [one, another], partly: one of them holds}
          - {id: guide.3, says: it is quicker, said: usually, place: a heading, word: usually, conditions: [one]}
      - document: other
        title: Another
        sentences:
          - {id: other.1, says: what Linux lacks, said: always, place: a heading, word: always, conditions: [one, another], stand-in: {linux: the lab built it}}
    """

  private static func documents() throws -> SourceDocuments { try SourceDocuments(place: "documents.yml", yaml: yaml) }

  private static func judgement(
    _ verdict: Verdict, bears: String? = nil, contradicts: String? = nil, check: String = "a.elapsed < b.elapsed",
    _ evidence: Evidence = Evidence(left: 1, right: 2, trials: 6, met: 6)
  ) -> Judgement {
    let kind: Claim.Kind =
      switch verdict {
      case .held, .violated: .guarantee
      case .witnessed, .notWitnessed: .anomaly
      case .supported, .refuted, .inconclusive, .unavailable: .performance
      }
    let claim = Claim(
      says: "So it is with \(verdict.rawValue).", bears: bears.map { [$0] } ?? [],
      contradicts: contradicts.map { [$0] } ?? [], kind: kind,
      check: Check(text: check, left: .cores, relation: .less, right: .cores))
    return Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  private static func content(_ judgements: [Judgement], _ results: Results = Fixture.pair) throws -> ReportContent {
    var results = results
    results.judgements = judgements
    return ReportContent(results.document, by: try documents())
  }

  private static func lines(_ content: ReportContent, width: Int = 80, details: Bool = false) -> [String] {
    TerminalReport(TextStyle(width: width), details: details).render(content).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  private static let mixed = [
    judgement(.held, bears: "guide.2"), judgement(.witnessed, contradicts: "guide.1"),
    judgement(.violated, bears: "guide.2"), judgement(.supported, bears: "guide.3"),
  ]

  @Test func `the standings of sentences come after the headline, refuted sentences first`() throws {
    let content = try Self.content(Self.mixed)
    let says = "Documents: guide.1 refuted; guide.2 partly; guide.3 borne out"
    #expect(Self.lines(content)[1] == says && Self.lines(content, details: true)[1] == says)
    #expect(MarkdownReport.render(content).contains("\n\n\(says)\n\n"))
    let page = HTMLReport.render([content])
    #expect(
      page.contains(
        "<p>Documents: <span class=\"bad\">guide.1 refuted</span>; <span class=\"care\">guide.2 partly</span>; <span class=\"good\">guide.3 borne out</span></p>"
      ))
    // Colours do not change the words, and a report of a lab without documents has no standings.
    let colored = TerminalReport(TextStyle(color: true)).render(content)
    #expect(colored.contains("\u{1b}[31;1mguide.1 refuted\u{1b}[0m; "))
    #expect(!TerminalReport(TextStyle()).render(ReportContent(content.document)).contains("Documents"))
  }

  @Test func `a refuted claim is labelled 'not so' if the lab makes it, and 'refuted' if a document makes it`() throws {
    let content = try Self.content([Self.judgement(.refuted), Self.judgement(.refuted, bears: "guide.3")])
    #expect(content.counts?.text == "2 claims: 1 refuted, 1 not so")
    let lines = Self.lines(content)
    let (refuted, notSo) = (
      lines.firstIndex { $0.hasPrefix("  ✗ refuted  ") }, lines.firstIndex { $0.hasPrefix("  ✗ not so   ") }
    )
    #expect(try #require(refuted) < #require(notSo))
    #expect(lines.contains { $0.contains("against guide.3") } && lines.contains { $0.contains("not so: ") })
    #expect(MarkdownReport.render(content).contains("| not so"))
    #expect(HTMLReport.render([content]).contains("<span class=\"verdict care\">not so</span>"))
  }

  @Test func `a claim is against the sentences that its verdict contradicts, and not against those that it bears`()
    throws
  {
    func line(_ verdict: Verdict) throws -> String? {
      let judgement = Self.judgement(verdict, bears: "guide.2", contradicts: "guide.1")
      return try Self.lines(Self.content([judgement])).first { $0.contains("against ") && $0.contains("guide.") }
    }
    let (witnessed, refuted) = (try line(.witnessed), try line(.refuted))
    #expect(witnessed?.contains("against guide.1") == true && witnessed?.contains("guide.2") == false)
    #expect(refuted?.contains("against guide.2") == true && refuted?.contains("guide.1") == false)
  }

  @Test func `a report on a stand-in mentions it below the title, and its claims do not count`() throws {
    let content = try Self.content([Self.judgement(.violated, bears: "other.1"), Self.judgement(.held)])
    let says = "On Linux: stand-in, says nothing about Dispatch"
    #expect(Self.lines(content)[1] == says && !Self.lines(content)[2].hasPrefix("Documents"))
    #expect(MarkdownReport.render(content).contains("**\(says)**"))
    #expect(HTMLReport.render([content]).contains("<p class=\"care\">\(says)</p>"))
    let held = try Self.content([Self.judgement(.held, bears: "other.1")])
    #expect(SmokeReport.line(held, strict: false, TextStyle()).contains("stand-in: 1 held"))
    let other = try Self.content([Self.judgement(.held, bears: "guide.2")])
    #expect(
      SmokeReport.summary([held, other], strict: false, TextStyle())
        == "1 passed, 0 failed, on a stand-in: fixture\n")
    #expect(HTMLReport.render([held, other]).contains("2 scenarios, 1 claim: <span class=\"good\">1 held</span></p>"))
    // With a further claim, on a sentence about Dispatch, the report has standings.
    let both = try Self.content([Self.judgement(.held, bears: "other.1"), Self.judgement(.held, bears: "guide.2")])
    #expect(Self.lines(both)[1] == "Documents: guide.2 borne out; other.1 stand-in")
  }

  @Test func `the summary of a smoke run begins with the refuted sentences`() throws {
    let refuted = try Self.content([Self.judgement(.witnessed, contradicts: "guide.1")])
    let text = SmokeReport.summary([refuted], strict: false, TextStyle())
    #expect(
      text == """
        Sentences of the documents that these runs refute
          guide.1  it never hangs (fixture)
        1 passed, 0 failed

        """)
    // A second scenario may decide on a sentence with parts.
    let for2 = try Self.content([Self.judgement(.held, bears: "guide.2")])
    let against2 = try Self.content([Self.judgement(.violated, bears: "guide.2")])
    #expect(SmokeReport.summary([against2], strict: false, TextStyle()).contains("guide.2"))
    #expect(!SmokeReport.summary([against2, for2], strict: false, TextStyle()).contains("guide.2"))
  }

  @Test func `the most severe claims come first, and held or supported claims share one line`() throws {
    let content = try Self.content(
      [
        .supported, .held, .witnessed, .refuted, .inconclusive, .held, .violated,
      ].map { Self.judgement($0) } + [Self.judgement(.held, contradicts: "guide.2")])
    let lines = Self.lines(content)
    let marks = lines.filter { $0.hasPrefix("  ") && "✗✓?!".contains($0.dropFirst(2).first ?? " ") }
      .map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(marks == ["✗ violated So", "! held So", "? inconclusive So", "✗ not so", "✓ witnessed So"])
    #expect(lines.contains("  and 2 held, 1 supported: see --details"))
    #expect(lines.contains("--details shows all claims, metrics and distributions"))
    let details = Self.lines(content, details: true)
    #expect(details.count { $0.contains("So it is with ") } == 8 && !details.contains { $0.contains("see --details") })
    let page = HTMLReport.render([content])
    #expect(page.contains("<details><summary>and 2 held, 1 supported</summary>"))
    #expect(page.split(separator: "<li><span class=\"verdict").count == 9)
  }

  @Test(arguments: [40, 80, 140])
  func `a report fits on a screen and shows the failed claims`(_ width: Int) throws {
    let many = (0..<40).map { _ in Self.judgement(.witnessed) }
    let failed = (0..<6).map { _ in
      Self.judgement(.violated, Evidence(left: 5, trials: 6, met: 4, reason: "b in round 2"))
    }
    let rounds = Fixture.rounds(6) { round in
      ["elapsed": (0..<20).map { Double(1000 + $0 + round) }, "missed": [Double(round)], "rate": [2]]
    }
    let results = Fixture.made((0..<8).map { ("way-\($0)", rounds) }, baseline: "way-0")
    let content = try Self.content(many + failed, results)
    let lines = Self.lines(content, width: width)
    #expect(lines.count { $0.contains("✗ violated") } == 6)
    #expect(lines.contains { $0.contains("witnessed: see --details") || $0.contains("--details") })
    if width >= 80 { #expect(lines.count <= TerminalReport.longest + 1, "\(lines.joined(separator: "\n"))") }
    // Tables are never omitted from the report.
    #expect((0..<8).allSatisfy { way in lines.contains { $0.contains("way-\(way) ") } })
  }

  @Test func `a smoke run mentions that a scenario has only performance claims`() throws {
    let content = try Self.content([Self.judgement(.inconclusive), Self.judgement(.inconclusive)])
    #expect(
      SmokeReport.line(content, strict: false, TextStyle(width: 140))
        == "✓ fixture                all claims are about performance, which needs more rounds  12 trials, 1.50 s\n"
    )
    let other = try Self.content([Self.judgement(.inconclusive), Self.judgement(.held)])
    #expect(
      SmokeReport.line(other, strict: false, TextStyle()) == "✓ fixture                1 held  12 trials, 1.50 s\n")
  }

  @Test func `numbers of five digits or more have commas`() {
    #expect(Quantity(40_746, .none).description == "40,746" && Quantity(1500, .none).description == "1500")
    #expect(Quantity(-40_746, .none).description == "-40,746" && 1_000_000.withCommas == "1,000,000")
  }

  @Test func `the labels of a distribution do not repeat its heading`() throws {
    let results = try Fixture.compared(
      [("work", (1...9).map { $0 }), ("stride", [1, 4])], samples: 40, isComparison: false
    ) {
      variant, round, values in Double(1000 * (values["work"] ?? 1) + round)
    }
    let distribution = try #require(results.content.distributions.first)
    #expect(distribution.note.contains("work=") && !distribution.series.contains { $0.label.contains("work=") })
  }

  @Test func `a run is marked as wrong only if its variant is broken and the run was not sound`() throws {
    func isWrong(_ verdict: Verdict, _ role: Variant.Role = .broken) throws -> Bool {
      var results = Fixture.results([("a", [[1000]])], judgements: [Self.judgement(verdict, check: "a.missed == 0")])
      let variant = Variant("a", role, "a way") { _ in }
      let experiment = Experiment(
        name: "fixture", pattern: results.experiment.pattern, title: "t", source: "s", variants: [variant],
        show: ["elapsed"], claims: [])
      results = Results(
        experiment: experiment, machine: results.machine, seed: 7, started: results.started, seconds: 1,
        runs: results.runs, judgements: results.judgements)
      return results.content.index.isWrong(0)
    }
    #expect(try !isWrong(.held) && isWrong(.witnessed) && isWrong(.violated) && isWrong(.supported))
    #expect(try !isWrong(.witnessed, .documented))
  }

  @Test(arguments: [40, 80]) func `no comment in a code listing is wider than the terminal`(_ width: Int) {
    var experiment = Experiment(
      name: "fixture", pattern: Fixture.described(Fixture.Wide()), title: "t", source: "s",
      variants: [Variant("a", .documented, "a way") { _ in }], show: ["elapsed"])
    experiment.code["a"] = [
      "try measure()", "", "// measure: Has threads ask for a singleton at the same time until one has been created",
      "//   twice, then times the hot path.", "// row: Another.",
      "    /// A comment of the code itself, which is longer than a narrow terminal is wide, and goes on",
    ]
    let text = CodeListing.render(experiment, variants: experiment.variants, TextStyle(width: width))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.count <= width }, "\(text)")
    let words = text.split { $0 == " " || $0 == "\n" || $0 == "/" }.joined(separator: " ")
    #expect(words.contains("until one has been created twice, then times the hot path. row: Another. A comment of the"))
  }
}

import LabTesting
import Laboratory
import Measurement
import Platform
import Testing

@testable import Reporting

/// Tests of the atlas, which compares several machines.
@Suite struct AtlasTests {
  private static let documents = """
    documents:
      - document: guide
        title: A guide
        sentences:
          - {id: guide.1, says: it agrees, said: always, place: a heading, word: always, conditions: [one, another]}
          - {id: guide.2, says: it is open somewhere, said: usually, place: a heading, word: usually, conditions: [one, another]}
          - {id: guide.3, says: it differs, said: always, place: a heading, word: always, conditions: [one, another]}
      - document: other
        title: Another
        sentences:
          - {id: other.1, says: nobody can tell, reason: a matter of taste, place: a heading, word: so}
    """

  private static func claim(_ id: String, _ kind: Claim.Kind) -> Claim {
    Claim(
      says: "It is \(id).", bears: [id], kind: kind,
      check: Check(text: "check \(id)", left: .cores, relation: .equal, right: .cores))
  }

  private static let claims = [
    claim("guide.1", .guarantee), claim("guide.2", .performance), claim("guide.3", .guarantee),
  ]

  /// The properties of a machine's run: its verdicts on the three sentences, and the ratio of `fast` to `slow`.
  private struct Ran {
    var cores = 2
    var cpu = "Test CPU"
    var started = "2026-11-21T01:02:03Z"
    var verdicts: [Verdict] = [.held, .supported, .held]
    var ratio = 0.5
    var claimed = 2.0
    var baseline: String? = "slow"
    var fast = "fast"

    var results: Results {
      let made = Fixture.made(
        [
          ("slow", Fixture.rounds(6) { ["elapsed": [1000 * (1 + 0.001 * Double($0))]] }),
          (fast, Fixture.rounds(6) { ["elapsed": [ratio * 1000 * (1 + 0.001 * Double($0 % 3))]] }),
        ], baseline: baseline)
      var machine = made.machine
      (machine.cores, machine.cpu) = (cores, cpu)
      var results = Results(
        experiment: made.experiment, machine: machine, seed: 7, started: started, seconds: 1.5, runs: made.runs)
      results.judgements = zip(AtlasTests.claims, verdicts).map { claim, verdict in
        let met = verdict == .violated ? 9 : 10
        let isRatio = claim.kind == .performance && verdict != .unavailable
        return Judgement(
          claim: claim, verdict: verdict,
          evidence: Evidence(
            left: isRatio ? 10 : nil, right: isRatio ? 20 : nil,
            ratio: isRatio ? ConfidenceInterval(estimate: claimed, low: claimed * 0.9, high: claimed * 1.1) : nil,
            trials: 10, met: met, reason: "why"))
      }
      return results
    }
  }

  private static func columns(_ runs: [Ran]) -> [AtlasColumn] {
    runs.enumerated().flatMap { AtlasColumn.columns(of: [$1.results.document], place: "run-\($0).json") }
  }

  private static func atlas(_ columns: [AtlasColumn], only: [String] = []) throws -> Atlas {
    let experiment = Fixture.results([("a", [[1]])], claims: claims).experiment
    return try Atlas(
      columns, try SourceDocuments(place: "documents.yml", yaml: documents), tried: [ScenarioOutline(experiment)],
      only: only)
  }

  private static func atlas(_ runs: Ran...) throws -> Atlas { try atlas(columns(runs)) }

  // MARK: Machines

  @Test func `machines are distinguished by the facts in their documents`() {
    func names(_ runs: Ran...) -> [String] { AtlasColumn.names(of: Self.columns(runs)) }
    #expect(names(Ran(cores: 1), Ran()) == ["1 core", "2 cores"])
    #expect(names(Ran(cpu: "A"), Ran(cores: 4, cpu: "B")) == ["A, 2 cores", "B, 4 cores"])
    // Two runs of the same machine are two columns, whose headings contain their dates. Within a minute, the headings
    // contain the names of their files.
    #expect(
      names(Ran(), Ran(started: "2026-11-22T01:02:03Z"), Ran(cores: 1)) == [
        "2 cores, 2026-11-21 01:02 UTC", "2 cores, 2026-11-22 01:02 UTC", "1 core",
      ])
    #expect(names(Ran(), Ran()) == ["run-0.json", "run-1.json"])
    var other = Ran().results.document.machine
    other.dispatch = "swift-6.0-RELEASE, built in /b (c932e9d5f69c)"
    other.isStatic = true
    #expect(other.dispatchText == "swift-6.0-RELEASE, built in /b (c932e9d5f69c), static")
    #expect(Machine.test.dispatchText == "of Swift 6.3")
  }

  @Test func `a file has a column for each machine and for each of its runs`() {
    let (one, two) = (Ran(cores: 1).results.document, Ran().results.document)
    #expect(AtlasColumn.columns(of: [one, two], place: "a").map(\.machine.cores) == [1, 2])
    #expect(AtlasColumn.columns(of: [two, two], place: "a").count == 2)
    #expect(AtlasColumn.columns(of: [two], place: "a")[0].verdicts[0].runs.isEmpty)
  }

  @Test func `an atlas of a single run is refused`() throws {
    let error = #expect(throws: InputError.self) { try Self.atlas(Ran()) }
    #expect(
      error?.description
        == "found only run-0.json, which is one run on one machine: an atlas needs the result documents of two or more runs, such as a.json b.json"
    )
    let unknown = #expect(throws: InputError.self) { try Self.atlas(Self.columns([Ran(), Ran()]), only: ["guid"]) }
    #expect(unknown?.description.contains("did you mean 'guide'?") == true)
  }

  // MARK: Sentences

  @Test func `sentences on which machines disagree come first, opposite verdicts before open verdicts`() throws {
    let atlas = try Self.atlas(
      Ran(cores: 1, verdicts: [.held, .inconclusive, .violated], claimed: 1), Ran(), Ran(cores: 4))
    #expect(atlas.sentences.map(\.id) == ["guide.3", "guide.2", "guide.1", "other.1"])
    #expect(atlas.sentences.map(\.disagreement) == [.opposed, .open, .none, .none])
    #expect(atlas.sentences[0].standings == [.refuted, .borneOut, .borneOut])
    #expect(
      atlas.summary
        == "4 sentences: 2 on which machines disagree, 1 on which they agree, 1 without a verdict")
    #expect(atlas.sentences[2].claims.isEmpty)
  }

  @Test func `several runs of one machine are called runs, and only verdicts count as agreement`() throws {
    let atlas = try Self.atlas(
      Ran(verdicts: [.held, .unavailable, .held]), Ran(verdicts: [.held, .supported, .violated]))
    #expect(
      atlas.summary
        == "4 sentences: 1 on which runs disagree, 1 on which they agree, 1 judged in one run only, 1 without a verdict"
    )
    let text = AtlasText(atlas, TextStyle(width: 100)).sentences
    for part in [
      "runs\n  1 ", "sentences on which runs disagree  1\n", "A guide  sentences on which runs agree\n",
      "A guide  sentences judged in one run only\n", "Another  sentences without a verdict\n",
    ] {
      #expect(text.contains(part), "\(part): \(text)")
    }
    let page = AtlasPage.render(atlas)
    #expect(page.contains("2 runs side by side") && page.contains("1 on which runs agree, 1 judged in one run only"))
    #expect(!text.contains("machine"), "\(text)")
    // If one of two machines ran twice, the columns are also called runs.
    #expect(try Self.atlas(Ran(), Ran(), Ran(cores: 1)).words.one == "run")
    #expect(try Self.atlas(Ran(), Ran(cores: 1)).words.one == "machine")
  }

  @Test func `a disagreement shows the figures and the factor between them`() throws {
    let atlas = try Self.atlas(Ran(cores: 1, verdicts: [.held, .refuted, .held], claimed: 0.5), Ran(), Ran(cores: 4))
    let claim = try #require(atlas.sentences.first?.claims.first)
    #expect(claim.apartText == "the ratios lie 4.00x apart")
    #expect(claim.words.map(\.machines) == [[1], [2, 3]])
    #expect(claim.words[0].says.hasPrefix("against: refuted, "))
    let near = try Self.atlas(Ran(cores: 1, verdicts: [.held, .inconclusive, .held], claimed: 1.9), Ran())
    #expect(near.sentences[0].claims[0].apartText == "the ratios, whose intervals overlap, lie 1.05x apart")
  }

  @Test func `a claim that a machine could not judge is not a disagreement`() throws {
    let atlas = try Self.atlas(Ran(cores: 1, verdicts: [.held, .unavailable, .held]), Ran())
    #expect(atlas.sentences.allSatisfy { $0.disagreement == .none })
    #expect(atlas.sentences.first { $0.id == "guide.2" }?.standings == [.unavailable, .borneOut])
  }

  @Test func `verdicts of another version do not count, and the atlas has a remark about them`() throws {
    let json = try JSONReport.render([Ran(cores: 1, verdicts: [.held, .supported, .violated]).results.document])
    let older = json.replacing("\"version\": \"\(Tool.version)\"", with: "\"version\": \"0.9.0\"")
    let columns = AtlasColumn.columns(
      of: try ResultDocument.parse(Array(older.utf8), place: "old.json"), place: "old.json")
    let atlas = try Self.atlas(columns + Self.columns([Ran()]))
    #expect(atlas.sentences.first { $0.id == "guide.3" }?.standings == [nil, .borneOut])
    #expect(atlas.sentences.allSatisfy { $0.disagreement == .none })
    #expect(atlas.cautions[0].hasPrefix("machine 1: the verdicts do not count, since gcdlab 0.9.0 gave them"))
    #expect(AtlasPage.render(atlas).contains(">other version</td>"))
    let other = json.replacing(ResultDocument.schema, with: "gcdlab.result/1")
    #expect(throws: InputError.self) { try ResultDocument.parse(Array(other.utf8), place: "x") }
  }

  // MARK: Scenarios

  @Test func `figures are ratios to the baseline on each machine`() throws {
    let atlas = try Self.atlas(Ran(cores: 1, ratio: 2), Ran(ratio: 0.5))
    let scenario = atlas.scenarios[0]
    #expect(scenario.note == "elapsed as a multiple of slow in the same run")
    let fast = try #require(scenario.rows.first { $0.label == "fast" })
    // The report on the run itself contains the same ratio.
    let shown = Ran(cores: 1, ratio: 2).results.content.comparison?.contrasts[1]
    #expect(fast.cells[0]?.contrast?.ratio == shown?.ratio && fast.cells[0]?.cell.text == "2.00")
    #expect(fast.apartText == "4.00x!" && fast.isSignificant == true)
    let slow = try #require(scenario.rows.first { $0.label == "slow" })
    #expect(slow.cells.map { $0?.cell.text } == ["1.00", "1.00"] && slow.apart == nil)
  }

  @Test func `a difference as small as between runs of one machine is not significant`() throws {
    let atlas = try Self.atlas(Ran(cores: 1, ratio: 0.5), Ran(ratio: 0.51))
    let row = try #require(atlas.scenarios[0].rows.first { $0.label == "fast" })
    #expect(row.isSignificant == false && row.apartText == "1.02x")
  }

  @Test func `an atlas shows figures instead of ratios if there is no baseline, or if it is 0`() throws {
    let plain = try Self.atlas(Ran(cores: 1, baseline: nil), Ran(baseline: nil)).scenarios[0]
    #expect(plain.note == "elapsed, the figure itself: the scenario has no baseline")
    #expect(plain.rows.allSatisfy { $0.apart == nil && $0.cells[0]?.cell.text == $0.cells[0]?.figure })
    #expect(plain.rows[1].cells[0]?.figure?.hasSuffix(" ns") == true)
    let made = Fixture.made(
      [("a", Fixture.rounds(6) { _ in ["missed": [0]] }), ("b", Fixture.rounds(6) { _ in ["missed": [5]] })],
      baseline: "a")
    var experiment = made.experiment
    experiment.show = ["missed"]
    let zero = Results(experiment: experiment, machine: .test, seed: 7, started: "", runs: made.runs)
    let columns = [1, 2].flatMap { AtlasColumn.columns(of: [zero.document], place: "\($0)") }
    let scenario = try Self.atlas(columns).scenarios[0]
    #expect(scenario.note == "missed, the figure itself: a is 0, so there is no multiple")
    #expect(scenario.rows.map { $0.cells[0]?.cell.text } == ["0", "5"])
  }

  @Test func `figures with another baseline are not compared, and different settings are mentioned`() throws {
    let atlas = try Self.atlas(Ran(cores: 1), Ran(baseline: "fast"))
    #expect(atlas.scenarios[0].rows.allSatisfy { $0.cells[1] == nil })
    #expect(
      atlas.scenarios[0].cautions == [
        "machine 2 has elapsed, latency in ns, to fast, not elapsed, latency in ns, to slow: not compared"
      ])
    let json = try JSONReport.render([Ran(cores: 1).results.document])
    #expect(json.contains("\"stride\": 1"))
    for (setting, says) in [
      ("\"stride\": 9", "stride differs between machines"), ("\"tasks\": 1", "stride, tasks differ between machines"),
      ("\"stride\": 1, \"tasks\": 1", "tasks differs between machines"),
    ] {
      let set = try ResultDocument.parse(Array(json.replacing("\"stride\": 1", with: setting).utf8), place: "x")
      let (one, other) = (AtlasColumn.columns(of: set, place: "a"), Self.columns([Ran()]))
      // The order of the machines does not matter.
      #expect(try Self.atlas(one + other).scenarios[0].cautions == [says])
      #expect(try Self.atlas(other + one).scenarios[0].cautions == [says])
    }
  }

  @Test func `a variant that only one machine has keeps its row`() throws {
    let scenario = try Self.atlas(Ran(cores: 1), Ran(fast: "other")).scenarios[0]
    #expect(scenario.rows.map(\.label) == ["slow", "fast", "other"])
    #expect(scenario.rows[1].cells[1] == nil && scenario.rows[2].cells[0] == nil)
  }

  // MARK: Forms

  @Test(arguments: [40, 60, 80, 200]) func `the text fits its width with few machines and with many`(_ width: Int)
    throws
  {
    for count in [2, 4, 20] {
      let runs = (0..<count).map { Ran(cores: $0 + 1, verdicts: [.held, .supported, $0 == 1 ? .violated : .held]) }
      let atlas = try Self.atlas(Self.columns(runs))
      for style in [TextStyle(width: width), TextStyle(width: width, unicode: false)] {
        let text = AtlasText(atlas, style, details: true)
        for line in (text.report + text.sentences).split(separator: "\n") {
          #expect(String(line).displayWidth <= width, "\(line)")
        }
        #expect(!text.report.contains("\u{1b}"))
        #expect(style.unicode || !text.sentences.contains("✗"))
      }
      let colorful = AtlasText(atlas, TextStyle(width: width, color: true)).report
      #expect(colorful.contains("\u{1b}[") && TextStyle(color: true).safe(colorful) == colorful)
    }
  }

  @Test func `every format of an atlas has the same content`() throws {
    let atlas = try Self.atlas(Ran(cores: 1, verdicts: [.held, .supported, .violated], ratio: 2), Ran())
    let text = AtlasText(atlas, TextStyle(width: 80)).report
    let page = AtlasPage.render(atlas)
    for part in [text, page, atlas.markdown] {
      #expect(part.contains("2.00") && part.contains("4.00x") && part.contains("guide.3") && part.contains("1 core"))
    }
    #expect(text.contains("  guide.3  ✗  ✓  it differs (always)\n"))
    #expect(page.contains("<td class=\"bad\">refuted</td><td class=\"good\">borne out</td>"))
    #expect(atlas.markdown.contains(/\| guide.3 +\| it differs +\| refuted +\| borne out +\|/))
    let json = try JSONValue(try atlas.json())
    #expect(json["schema"] == .text("gcdlab.atlas/1"))
    guard case .list(let sentences) = json["sentences"] else { throw Missing.sentences }
    #expect(sentences[0]["id"] == .text("guide.3") && sentences[0]["disagree"] == .bool(true))
  }

  private enum Missing: Error { case sentences }

  @Test func `hostile text in a document is displayed as text in every format`() throws {
    let hostile = "</td><script>alert('x')</script>\\u202e\\u001b[2J\\r\\nFORGED"
    let json = try JSONReport.render([Ran(cores: 1, verdicts: [.held, .supported, .violated]).results.document])
      .replacing("\"fast\"", with: "\"\(hostile)\"").replacing("\"A fixture\"", with: "\"\(hostile)\"")
      .replacing("Test CPU", with: hostile).replacing("6.1.0", with: hostile).replacing(
        "\"why\"", with: "\"\(hostile)\""
      )
      .replacing("It is guide.3.", with: hostile)
    let columns = AtlasColumn.columns(
      of: try ResultDocument.parse(Array(json.utf8), place: "x"), place: "<script>\n\u{1b}[2J.json")
    let atlas = try Self.atlas(columns + Self.columns([Ran()]))
    let page = AtlasPage.render(atlas)
    #expect(!page.contains("<script") && page.contains("&lt;script&gt;"))
    #expect(!page.unicodeScalars.contains { $0.isHidden && $0 != "\n" })
    // The text is wide, so that no word begins a line only because the line is wrapped.
    for style in [TextStyle(width: 10_000), TextStyle(width: 10_000, color: true)] {
      let text = AtlasText(atlas, style, details: true)
      for shown in [text.report, text.sentences] {
        #expect(style.safe(shown) == shown)
        #expect(!shown.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("FORGED") }, "\(shown)")
      }
    }
    let markdown = atlas.markdown
    #expect(!markdown.unicodeScalars.contains { $0.isHidden && $0 != "\n" } && !markdown.contains("<script"))
  }

  @Test func `every figure on an atlas page is a finite number`() throws {
    let page = AtlasPage.render(try Self.atlas(Ran(cores: 1, ratio: 1e-9), Ran(ratio: 1e9)))
    for word in ["nan", "inf"] { #expect(!page.contains(">\(word)") && !page.contains(" \(word)x")) }
  }
}

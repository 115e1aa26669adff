import FoundationEssentials
import Laboratory
import Measurement
import Platform
import Testing

@testable import Reporting

@Suite struct FormatTests {
  private struct Document: Decodable {
    struct Run: Decodable {
      struct Figures: Decodable {
        let kind: String
        let unit: String
        let count: Int
        let p50: Double
        let p99: Double?
        let p99_9: Double?
        struct Round: Decodable, Equatable {
          let round: Int
          let value: Double
        }
        let rounds: [Round]
        let histogram: [[Double]]
      }
      let variant: String
      let outcomes: [String: Int]
      let metrics: [String: Figures]
    }
    struct Claim: Decodable {
      struct Evidence: Decodable {
        let left: Double?
        let ratio: Double?
        let trials: Int
      }
      let verdict: String
      let evidence: Evidence
    }
    let schema: String
    let interrupted: Bool?
    let runs: [Run]
    let claims: [Claim]
  }

  private func decode<T: Decodable>(_ type: T.Type, _ results: [Results]) throws -> T {
    try JSONDecoder().decode(type, from: Data(try JSONReport.render(results.map(\.document)).utf8))
  }

  @Test func `the document contains only figures that were measured`() throws {
    let document = try decode(Document.self, [Fixture.pair])
    #expect(document.schema == "gcdlab.result/2")
    #expect(document.interrupted == nil)
    let elapsed = try #require(document.runs[0].metrics["elapsed"])
    #expect(elapsed.kind == "latency" && elapsed.unit == "ns" && elapsed.count == 120)
    #expect(elapsed.rounds.count == 6)
    #expect(elapsed.p99 != nil && elapsed.p99_9 == nil)  // 120 samples have a p99 and no p99.9.
    #expect(Int(elapsed.histogram.map { $0[1] }.reduce(0, +)) == 120)
    #expect(document.runs[0].metrics["rate"] == nil)
    #expect(document.claims[0].verdict == "violated" && document.claims[0].evidence.ratio == nil)
  }

  @Test func `several results are written as an array, and an interrupted run is marked`() throws {
    let cut = Fixture.results([("a", [[5]])], earlyEnd: .interrupted)
    let documents = try decode([Document].self, [Fixture.pair, cut])
    #expect(documents.map(\.interrupted) == [nil, true])
  }

  @Test func `a long histogram is complete, with several values in each line of JSON`() throws {
    let long = Fixture.results([("a", [(0..<3000).map { UInt64(1000 + 37 * $0) }])])
    let samples = try #require(try decode(Document.self, [long]).runs[0].metrics["elapsed"])
    #expect(Int(samples.histogram.map { $0[1] }.reduce(0, +)) == 3000)
    #expect(samples.histogram.map { $0[0] } == samples.histogram.map { $0[0] }.sorted())
    let headline = try #require(long.experiment.headline)
    let recorded = try #require(long.runs[0].measured(headline))
    #expect(samples.histogram.count == recorded.pairs.count)
    let json = try JSONReport.render([long.document])
    #expect(json.split(separator: "\n").allSatisfy { $0.utf8.count <= 130 })
    #expect(json.split(separator: "\n").count < 600)
  }

  @Test func `CSV has one row for each statistic, quoted if necessary`() {
    let csv = CSVReport.render([Fixture.results([("a,\"b\"", [[10, 20]])]).document])
    let rows = csv.split(separator: "\r\n")
    #expect(rows[0] == "scenario,variant,metric,unit,statistic,value")
    #expect(rows[1] == "fixture,\"a,\"\"b\"\"\",elapsed,ns,count,2")
    #expect(rows.contains("fixture,\"a,\"\"b\"\"\",elapsed,ns,max,20"))
    #expect(!csv.contains("p99"))  // Two samples have none.
  }

  @Test func `CSV has a column for each parameter that any result swept`() throws {
    let one = try Fixture.compared([("stride", [1, 4])], rounds: 1) { _, _, _ in 100 }
    let two = try Fixture.compared([("work", [15]), ("stride", [2])], rounds: 1) { _, _, _ in 200 }
    let rows = CSVReport.render([one.document, two.document]).split(separator: "\r\n")
    #expect(rows[0] == "scenario,variant,stride,work,metric,unit,statistic,value")
    #expect(rows.contains("fixture,plain,,,elapsed,ns,max,100") && rows.contains("fixture,apply,4,,elapsed,ns,max,100"))
    #expect(
      rows.contains("fixture,plain,,15,elapsed,ns,max,200") && rows.contains("fixture,apply,2,15,elapsed,ns,max,200"))
  }

  @Test func `CSV has the mean of the rounds, which the tables of a comparison show`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 6) { _, round, _ in round < 3 ? 100 : 400 }
    let rows = CSVReport.render([results.document]).split(separator: "\r\n")
    let mean = try #require(rows.first { $0.hasPrefix("fixture,apply,4,elapsed,ns,round-mean,") })
    let value = try #require(mean.split(separator: ",").last.flatMap { Double($0) })
    #expect(abs(value - 200) < 0.001)
    #expect(TerminalReport(TextStyle(width: 100)).render(results.content).contains("200 ns"))
  }

  @Test func `Markdown escapes characters that would end a cell`() {
    let markdown = MarkdownReport.render(Fixture.results([("a|b*<c>", [[10, 20]])], baseline: nil).content)
    #expect(markdown.contains("| a\\|b\\*&lt;c>"))
    #expect(markdown.contains("| variant "))
    let claims = MarkdownReport.render(Fixture.pair.content)
    #expect(claims.contains("| violated | Nothing is left out. | `all.missed == 0` |"))
  }

  @Test(arguments: [
    ("a < b & c", "`a < b & c`"), ("a|b", "`a\\|b`"), ("a`b``c", "```a`b``c```"), ("`", "`` ` ``"),
  ])
  func `a code span escapes only characters that end a cell`(_ text: String, _ span: String) {
    #expect(MarkdownReport.code(text, inTable: true) == span)
    let claim = Claim(
      says: "so", kind: .guarantee, check: Check(text: text, left: .cores, relation: .equal, right: .cores))
    let results = Fixture.results(
      [("a", [[1]])], judgements: [Judgement(claim: claim, verdict: .held, evidence: Evidence(trials: 1, met: 1))])
    #expect(MarkdownReport.render(results.content).contains("| \(span) |"))
  }

  @Test func `Markdown shows the settings and the command`() {
    var results = Fixture.pair
    results.command = ["scenario", "x y", "--set", "a=$b"]
    let markdown = MarkdownReport.render(results.content)
    #expect(markdown.contains("\n\nstride 1\n\n") && markdown.hasSuffix("\n\n`gcdlab scenario 'x y' --set 'a=$b'`\n"))
    #expect(!MarkdownReport.render(Fixture.pair.content).contains("gcdlab scenario"))
  }

  /// Each sign in the tables has a footnote, and each footnote refers to a sign in the tables.
  @Test func `footnotes explain only signs that the displayed cells contain`() throws {
    func notes(_ results: Results) -> [String] { results.content.footnotes(results.content.tables) }
    let mean = "mean: the geometric mean of the rounds, by which the runs are ranked"
    let stride = "stride: iterations in a block"
    let missed = "missed: left out"
    let margin =
      "±: simultaneous 99 % confidence intervals of the ratios of paired rounds"
    #expect(notes(Fixture.pair) == [missed, margin + ", whose mean can differ from the quotient of the medians"])
    // Samples of a hidden metric are near the noise floor, as is the smallest sample of a displayed metric.
    let hidden = Fixture.made([
      (
        "a",
        Fixture.rounds(6) { _ in ["elapsed": Array(repeating: 5000, count: 20), "each": [1], "missed": [3]] }
      )
    ])
    #expect(notes(hidden) == [missed])
    #expect(notes(Fixture.results([("quick", [[60]])])).dropFirst().first == "~ within twice the noise floor of 45 ns")
    let best = try Fixture.compared([("stride", [1, 4])]) { variant, values in
      variant == "plain" ? 10_004 : values["stride"] == 4 ? 10_000 : 90_000
    }
    #expect(
      Array(notes(best).prefix(3)) == [
        mean, stride,
        "● best mean (lower is better); ≈ no difference from it was found",
      ])
    let clear = try Fixture.compared([("stride", [1, 4])]) { variant, values in
      variant == "plain" ? 5000 : values["stride"] == 4 ? 1000 : 9000
    }
    #expect(
      notes(clear) == [
        mean, stride, "● best mean (lower is better)", margin + " of this run; another run may differ by more",
      ])
  }

  @Test func `a report without intervals mentions how many rounds are needed`() {
    func notes(_ trials: [[UInt64]], baseline: String?) -> [String] {
      let content = Fixture.results([("a", trials), ("b", trials)], baseline: baseline).content
      return content.footnotes(content.tables).filter { $0 != "missed: left out" }
    }
    let three: [[UInt64]] = [[1000], [1001], [1002]]
    #expect(notes(three, baseline: "a") == ["3 rounds: too few for intervals (6 needed)"])
    #expect(notes(three, baseline: nil) == ["3 rounds: too few for intervals (6 needed)"])
    #expect(notes([[1000]], baseline: nil) == ["1 round: too few for intervals (6 needed)"])
    #expect(notes(three + three, baseline: nil) == [])
    // There are enough rounds, but in too few of them the trials of both sides completed.
    #expect(
      notes(three + three + [[], []], baseline: "a").allSatisfy { !$0.contains("too few") }
        && notes([[1000], [], [], [], [], []], baseline: "a") == [
          "a ratio without an interval has fewer than the 6 rounds that an interval needs"
        ])
  }

  @Test func `JUnit reports count failures and skipped tests, and escape special characters`() {
    let results = Fixture.results(
      [("a", [[1]])],
      judgements: [
        Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1)),
        Fixture.judgement(.violated, Evidence(left: 1, trials: 1, reason: "a < b & \"c\"\u{7}\u{ffff}")),
        Fixture.judgement(.refuted, Evidence(left: 1, right: 2, trials: 6)),
        Fixture.judgement(.inconclusive, Evidence(trials: 2)),
      ])
    let lenient = JUnitReport.render([results.document], strict: false)
    #expect(lenient.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\""))
    #expect(lenient.contains("a &lt; b &amp; &quot;c&quot;\\u{7}\\u{ffff}"))
    // The output of a refuted claim contains the evidence, although the test case passes.
    #expect(
      lenient.contains(
        "      <system-out>refuted: missed: 1 where 2 is claimed, 6 rounds\nall.missed == 0</system-out>\n"))
    #expect(
      lenient.split(separator: "<testcase").filter { $0.contains("<system-out>") && $0.contains("refuted") }.count == 1)
    #expect(lenient.contains("<skipped message=\"inconclusive: missed: - vs -"))
    #expect(JUnitReport.render([results.document], strict: true).contains("failures=\"2\""))
  }

  @Test func `a run with a broken, hung or trapped trial fails, even if all claims hold`() {
    let held = Fixture.judgement(.held, Evidence(left: 0, trials: 2, met: 2))
    let broken = Fixture.results(
      [("a", [[1], []])], outcome: .broken(reason: "no figure for 'elapsed'"), judgements: [held])
    #expect(broken.document.hasFailed(strict: false))
    for outcome in [Outcome.hung, .trapped(signal: 4)] {
      let document = Fixture.results([("a", [[1], []])], outcome: outcome, judgements: [held]).document
      #expect(document.hasFailed(strict: false))
      #expect(JUnitReport.render([document], strict: false).contains("message=\"1 of 2 crashed or hung\""))
    }
    for outcome in [Outcome.unavailable(reason: "none"), .stopped(after: .seconds(1))] {
      #expect(
        !Fixture.results([("a", [[1], []])], outcome: outcome, judgements: [held]).document.hasFailed(strict: true))
    }
    #expect(
      SmokeReport.line(broken.content, strict: false, TextStyle()).contains(
        "  a        broken         1  50.0 %  forbidden\n"))
    #expect(SmokeReport.summary([broken.content], strict: false, TextStyle()) == "0 passed, 1 failed\n")
    let junit = JUnitReport.render([broken.document], strict: false)
    #expect(junit.contains("tests=\"2\" failures=\"0\" errors=\"1\""))
    #expect(junit.contains("<error type=\"broken\" message=\"1 of 2 broken\"/>"))
  }

  @Test func `the hgrm format has a distribution for each run`() {
    let distributions = PercentileReport.distributions([Fixture.pair.document])
    #expect(distributions.map(\.name) == ["slow-elapsed", "fast-elapsed"])
    let text = distributions[0].text
    #expect(text.hasPrefix("#[fixture slow elapsed in ns]\n"))
    // The plotter reads four numbers in each line. The values and the shares rise until all samples are counted.
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst().map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    #expect(rows.count > 10 && rows.allSatisfy { $0.count >= 3 })
    #expect(rows.map { $0[0] } == rows.map { $0[0] }.sorted() && rows.last?[2] == 120)
    let twice = PercentileReport.distributions([Fixture.pair.document, Fixture.pair.document]).map(\.name)
    #expect(twice.count == 4 && Set(twice).count == 4 && twice[0] == "fixture-run1-slow-elapsed", "\(twice)")
  }

  @Test func `the progress line shows the time left once it is known, and never zero`() {
    func line(_ done: Int, after seconds: Int = 10, width: Int = 80) -> String {
      ProgressLine.render(
        RunProgress(round: 3, done: done, total: 90, elapsed: .seconds(seconds)), label: "mutex",
        style: TextStyle(width: width))
    }
    #expect(line(0) == "────────────────────────  round 4, 0/90, 10 s  mutex")
    #expect(line(30) == "━━━━━━━━────────────────  round 4, 30/90, 10 s, about 20 s left  mutex")
    // The last trial may take a long time.
    #expect(line(89, after: 40) == "━━━━━━━━━━━━━━━━━━━━━━━─  round 4, 89/90, 40 s  mutex")
    #expect(line(30, width: 20).displayWidth <= 19)
  }

  @Test func `the progress line shows the precision and the time limit of a run with a precision`() {
    func line(_ reached: Double?, after seconds: Int, limit: Int? = 30) -> String {
      ProgressLine.render(
        RunProgress(
          round: 13, done: 500, total: 501, elapsed: .seconds(seconds), limit: limit.map { .seconds($0) },
          precision: (goal: 0.02, reached: reached)),
        label: "apply", style: TextStyle(width: 100))
    }
    #expect(
      line(0.061, after: 10) == "━━━━━━━━────────────────  round 14, ±6.1 %, goal ±2.0 %, 10 s of at most 30 s  apply")
    #expect(line(nil, after: 0) == "────────────────────────  round 14, goal ±2.0 %, 0 s of at most 30 s  apply")
    // After the limit, only the current round is finished. Without a limit, there is no share to draw.
    #expect(line(0.5, after: 31).hasPrefix("━━━━━━━━━━━━━━━━━━━━━━━━  round 14, ±50 %"))
    #expect(line(0.5, after: 31, limit: nil).hasSuffix("──  round 14, ±50 %, goal ±2.0 %, 31 s  apply"))
  }

  @Test func `a watched change is displayed in one line`() {
    func line(_ kind: PathEvent.Kind, _ before: Int?, _ after: Int?) -> String {
      WatchReport.line(
        PathEvent(time: 1_500_000_000, kind: kind, path: "notes.txt", size: after, previousSize: before),
        since: 300_000_000, TextStyle())
    }
    #expect(line(.replaced, 512, 530) == "   1.200 s  replaced  notes.txt  512 B -> 530 B\n")
    #expect(line(.attrib, 5, 5) == "   1.200 s  attrib    notes.txt\n")
    #expect(line(.deleted, 5, nil) == "   1.200 s  deleted   notes.txt\n")
  }

  @Test func `a scenario of a smoke run has one line if it passes, and a full report if it fails`() {
    let good = Fixture.results(
      [("a", [[1]])], judgements: [Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1))])
    #expect(
      SmokeReport.line(good.content, strict: false, TextStyle())
        == "✓ fixture                1 held  1 trial, 1.50 s\n")
    let partly = Fixture.results(
      [("a", [[1], [2]])],
      judgements: [
        Fixture.judgement(.unavailable, Evidence(trials: 0, reason: "a race without pauses needs 2 cores, there is 1"))
      ])
    #expect(
      SmokeReport.line(partly.content, strict: false, TextStyle(width: 60)) == """
        - fixture                1 unavailable  2 trials, 1.50 s
          - all.missed == 0: a race without pauses needs 2 cores,
            there is 1

        """)
    var lost = Fixture.results(
      [("a", [[1], []]), ("b", [[]])], outcome: .unavailable(reason: "another program killed it"),
      judgements: [Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1))])
    lost.warnings = [
      RunNote("not-measured", "a: another program killed it", runs: ["a"]),
      RunNote("not-measured", "b: no privilege", runs: ["b"]),
    ]
    #expect(
      SmokeReport.line(lost.content, strict: false, TextStyle()) == """
        ✓ fixture                1 held  3 trials, 1.50 s, 2 trials lost
          - a: another program killed it

        """)
    #expect(SmokeReport.line(Fixture.pair.content, strict: false, TextStyle()).contains("distribution of elapsed"))
    #expect(
      SmokeReport.summary([good, Fixture.pair].map(\.content), strict: false, TextStyle()) == "1 passed, 1 failed\n")
    var cut = good
    cut.earlyEnd = .interrupted
    #expect(SmokeReport.line(cut.content, strict: false, TextStyle()).contains("cut short, 1 held"))
    let name = cut.experiment.name
    #expect(
      SmokeReport.summary([good, cut, partly].map(\.content), notRun: ["x"], strict: false, TextStyle())
        == "1 passed, 0 failed, cut short: \(name), not judged: \(name), not run: x\n")
  }

  /// No format displays a figure that was not measured.
  @Test func `no format writes NaN, infinity or a negative zero`() throws {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<12 {
      let runs = (0..<Int.random(in: 0...3, using: &generator)).map { index in
        (
          variant: "way\(index)",
          trials: (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            (0..<[0, 1, 2, 40].randomElement(using: &generator)!).map { _ in
              [0, 1, 5, 1_000_000, .max].randomElement(using: &generator)! as UInt64
            }
          }
        )
      }
      let results = Fixture.results(runs, baseline: runs.first?.variant)
      let terminal = TerminalReport(TextStyle(width: 80)).render(results.content)
      let input = ReportInput([results.content], strict: true)
      let exports = try ReportInput.formats.flatMap { format in
        switch format.rendering {
        case .text(let render): [try render(input)]
        case .files(let render): try render(input).map(\.text)
        }
      }
      for text in [terminal] + exports {
        #expect(!text.contains(/\b(nan|inf|infinity)\b|-0[ \n]/), "\(text)")
      }
      #expect(terminal.split(separator: "\n").allSatisfy { String($0).displayWidth <= 80 }, "\(terminal)")
      _ = try decode(Document.self, [results])
    }
  }
}

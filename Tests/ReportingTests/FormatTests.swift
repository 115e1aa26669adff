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
        let rounds: [Double]
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
    try JSONDecoder().decode(type, from: Data(try ResultDocument.json(results).utf8))
  }

  @Test func `the document has what was measured and no more`() throws {
    let document = try decode(Document.self, [Fixture.pair])
    #expect(document.schema == "gcdlab.result/1")
    #expect(document.interrupted == nil)
    let elapsed = try #require(document.runs[0].metrics["elapsed"])
    #expect(elapsed.kind == "latency" && elapsed.unit == "ns" && elapsed.count == 120)
    #expect(elapsed.rounds.count == 6)
    #expect(elapsed.p99 != nil && elapsed.p99_9 == nil)  // 120 samples have a p99 and no p99.9.
    #expect(Int(elapsed.histogram.map { $0[1] }.reduce(0, +)) == 120)
    #expect(document.runs[0].metrics["rate"] == nil)
    #expect(document.claims[0].verdict == "violated" && document.claims[0].evidence.ratio == nil)
  }

  @Test func `several results are an array, and an interrupt is told`() throws {
    let cut = Fixture.results([("a", [[5]])], cut: .interrupted)
    let documents = try decode([Document].self, [Fixture.pair, cut])
    #expect(documents.map(\.interrupted) == [nil, true])
  }

  @Test func `a long histogram is thinned and keeps its count`() throws {
    let long = Fixture.results([("a", [(0..<3000).map { UInt64(1000 + 37 * $0) }])])
    let histogram = try #require(try decode(Document.self, [long]).runs[0].metrics["elapsed"]).histogram
    #expect(histogram.count <= 128)
    #expect(Int(histogram.map { $0[1] }.reduce(0, +)) == 3000)
    #expect(histogram.map { $0[0] } == histogram.map { $0[0] }.sorted())
  }

  @Test func `CSV has one row a statistic, quoted where it must be`() {
    let csv = CSVReport.render([Fixture.results([("a,\"b\"", [[10, 20]])])])
    let rows = csv.split(separator: "\r\n")
    #expect(rows[0] == "scenario,variant,point,metric,unit,statistic,value")
    #expect(rows[1] == "fixture,\"a,\"\"b\"\"\",,elapsed,ns,count,2")
    #expect(rows.contains("fixture,\"a,\"\"b\"\"\",,elapsed,ns,max,20"))
    #expect(!csv.contains("p99"))  // Two samples have none.
  }

  @Test func `Markdown escapes what would end a cell`() {
    let markdown = MarkdownReport.render(Fixture.results([("a|b", [[10, 20]])], baseline: nil))
    #expect(markdown.contains("| a\\|b"))
    #expect(markdown.contains("| variant "))
    let claims = MarkdownReport.render(Fixture.pair)
    #expect(claims.contains("| violated | Nothing is left out. | `all.missed == 0` |"))
  }

  @Test func `JUnit counts failures and skips, and escapes`() {
    let results = Fixture.results(
      [("a", [[1]])],
      judgements: [
        Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1)),
        Fixture.judgement(.violated, Evidence(left: 1, trials: 1, reason: "a < b & \"c\"")),
        Fixture.judgement(.refuted, Evidence(left: 1, right: 2, trials: 6)),
        Fixture.judgement(.inconclusive, Evidence(trials: 2)),
      ])
    let lenient = JUnitReport.render([results], strict: false)
    #expect(lenient.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\""))
    #expect(lenient.contains("a &lt; b &amp; &quot;c&quot;"))
    #expect(JUnitReport.render([results], strict: true).contains("failures=\"2\""))
  }

  @Test func `hgrm has a distribution a run`() {
    let distributions = PercentileReport.distributions([Fixture.pair])
    #expect(distributions.map(\.name) == ["slow-elapsed", "fast-elapsed"])
    let text = distributions[0].text
    #expect(text.hasPrefix("#[fixture slow elapsed in ns]\n"))
    // What the plotter reads: four numbers a line, value and share ascending up to all of them.
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst().map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    #expect(rows.count > 10 && rows.allSatisfy { $0.count >= 3 })
    #expect(rows.map { $0[0] } == rows.map { $0[0] }.sorted() && rows.last?[2] == 120)
    #expect(PercentileReport.distributions([Fixture.pair, Fixture.pair])[0].name == "fixture-slow-elapsed")
  }

  @Test func `progress tells the time left once it can`() {
    func line(_ done: Int, width: Int = 80) -> String {
      ProgressLine.render(done: done, total: 90, elapsed: 10, label: "round 4, mutex", style: TextStyle(width: width))
    }
    #expect(line(0) == "────────────────────────  0/90  round 4, mutex")
    #expect(line(30) == "━━━━━━━━────────────────  30/90  round 4, mutex  20 s left")
    #expect(line(30, width: 20).displayWidth <= 19)
  }

  @Test func `a watched change is a line`() {
    func line(_ kind: PathEvent.Kind, _ before: Int?, _ after: Int?) -> String {
      WatchReport.line(
        PathEvent(time: 1_500_000_000, kind: kind, path: "notes.txt", size: after, previousSize: before),
        since: 300_000_000, TextStyle())
    }
    #expect(line(.replaced, 512, 530) == "   1.200 s  replaced  notes.txt  512 B -> 530 B\n")
    #expect(line(.attrib, 5, 5) == "   1.200 s  attrib    notes.txt\n")
    #expect(line(.deleted, 5, nil) == "   1.200 s  deleted   notes.txt\n")
  }

  @Test func `smoke is a line where all is well, everything where not`() {
    let good = Fixture.results(
      [("a", [[1]])], judgements: [Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1))])
    #expect(
      SmokeReport.line(good, strict: false, TextStyle())
        == "✓ fixture                1 held  1 trial, 1.50 s\n")
    let partly = Fixture.results(
      [("a", [[1], [2]])],
      judgements: [
        Fixture.judgement(.unavailable, Evidence(trials: 0, reason: "a race without pauses needs 2 cores, there is 1"))
      ])
    #expect(
      SmokeReport.line(partly, strict: false, TextStyle(width: 60)) == """
        - fixture                1 unavailable  2 trials, 1.50 s
          - all.missed == 0: a race without pauses needs 2 cores,
            there is 1

        """)
    #expect(SmokeReport.line(Fixture.pair, strict: false, TextStyle()).contains("distribution of elapsed"))
    #expect(SmokeReport.summary([good, Fixture.pair], strict: false, TextStyle()) == "1 passed, 1 failed\n")
    var cut = good
    cut.cut = .interrupted
    #expect(SmokeReport.line(cut, strict: false, TextStyle()).contains("cut short, 1 held"))
    let name = cut.experiment.name
    #expect(
      SmokeReport.summary([good, cut, partly], notRun: ["x"], strict: false, TextStyle())
        == "1 passed, 0 failed, cut short: \(name), not judged: \(name), not run: x\n")
  }

  /// Whatever was measured, nothing unmeasured is shown.
  @Test func `no format shows what is no number`() throws {
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
      let texts = [
        TerminalReport(TextStyle(width: 80)).render(results), MarkdownReport.render(results),
        CSVReport.render([results]),
        try ResultDocument.json([results]),
        JUnitReport.render([results], strict: true),
      ]
      for text in texts.indices {
        for bad in ["nan", "inf ", "inf\"", ",inf", "-0 ", "-0\n"] {
          #expect(!texts[text].contains(bad), "\(texts[text])")
        }
      }
      #expect(texts[0].split(separator: "\n").allSatisfy { String($0).displayWidth <= 80 }, "\(texts[0])")
      _ = try decode(Document.self, [results])
    }
  }
}

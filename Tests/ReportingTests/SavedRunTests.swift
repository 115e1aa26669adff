import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests that the reports on a run are the same before and after it is saved and read.
@Suite struct SavedRunTests {
  private static let fractions = Fixture.made(
    [
      (
        "a",
        Fixture.rounds(7) { round in
          ["elapsed": (0..<50).map { Double(1000 + $0) / 7 }, "rate": [Double(10_000_000 + round) / 3]]
        }
      ), ("b", Fixture.rounds(7) { ["elapsed": [Double(2000 + $0) / 7], "each": [0.123_456_789]] }),
    ], baseline: "a")

  @Test(arguments: [Fixture.pair, AgreementTests.holes, fractions])
  func `a saved run has the same report in every format as the original run`(_ results: Results) throws {
    var results = results
    results.command = ["scenario", "fixture", "--set", "name=it's a run"]
    let live = results.content
    let json = try JSONReport.render([live.document])
    let saved = try ResultDocument.parse(Array(json.utf8), place: "saved").map { ReportContent($0) }
    #expect(saved.count == 1)
    for color in [true, false] {
      let report = TerminalReport(TextStyle(color: color))
      #expect(report.render(saved) == report.render([live]))
    }
    #expect(MarkdownReport.render(saved) == MarkdownReport.render([live]))
    #expect(HTMLReport.render(saved) == HTMLReport.render([live]))
    let documents = saved.map(\.document)
    #expect(CSVReport.render(documents) == CSVReport.render([live.document]))
    #expect(JUnitReport.render(documents, strict: true) == JUnitReport.render([live.document], strict: true))
    #expect(
      PercentileReport.distributions(documents).map(\.text)
        == PercentileReport.distributions([live.document]).map(\.text))
    #expect(try JSONReport.render(documents) == json)
  }

  @Test func `a rounded figure does not change when it is rounded again`() {
    var generator = SplitMix64(seed: 4)
    let scales: [Double] = [1e-9, 1e-3, 1, 1e4, 1e5, 1e9]
    for index in 0..<2000 {
      let scale = scales[index % scales.count]
      let value = Double.random(in: 0...1, using: &generator) * scale
      let once = Number(value).value
      #expect(Number(once).value == once)
      #expect(abs(once - value) <= max(abs(value) * 5e-6, 1e-12))
    }
    #expect(Number(0.1 + 0.2).value == 0.3 && Number(1_506_869).value == 1_506_869 && Number(-0.0).value.sign == .plus)
    #expect(Number(1234.56789).value == 1234.57)
  }

  @Test func `a document with another schema number is refused with the expected schema`() throws {
    let json = try JSONReport.render([Fixture.pair.document])
    let error = #expect(throws: InputError.self) {
      try ResultDocument.parse(
        Array(json.replacing("gcdlab.result/2", with: "gcdlab.result/1").utf8), place: "old.json")
    }
    #expect(
      error?.description
        == "old.json: schema 'gcdlab.result/1', expected 'gcdlab.result/2': not a result document of this lab")
  }

  @Test(arguments: [
    ("\"round\": 2,", "\"round\": 1,", "runs[0].metrics.elapsed.rounds[1].round: the rounds do not ascend from 1"),
    ("\"variant\": \"slow\"", "\"variant\": \"slower\"", "runs[0].variant: 'slower' is not a variant of the scenario"),
    ("\"completed\": 6", "\"completed\": -6", "runs[0].outcomes.completed: found -6, expected 0 to 1000000"),
  ])
  func `a document that contradicts itself is refused`(_ was: String, _ now: String, _ message: String) throws {
    let results = Fixture.made([("slow", Fixture.rounds(6) { ["elapsed": [Double($0)]] })])
    let json = try JSONReport.render([results.document])
    #expect(json.contains(was))
    let error = #expect(throws: InputError.self) {
      try ResultDocument.parse(Array(json.replacing(was, with: now, maxReplacements: 1).utf8), place: "x")
    }
    #expect(error?.description == "x: " + message)
  }
}

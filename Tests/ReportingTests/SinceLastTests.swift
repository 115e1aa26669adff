import Laboratory
import Testing

@testable import Reporting

/// Tests of the line about the changes since the last run of the same scenario.
@Suite struct SinceLastTests {
  private static func run(_ nanoseconds: UInt64, _ verdict: Verdict = .held, rounds: Int = 30) -> ResultDocument {
    let figures = (0..<rounds).map { _ in [nanoseconds, nanoseconds + 1] }
    return Fixture.results(
      [("a", figures)], judgements: [Fixture.judgement(verdict, Evidence(left: 0, trials: 1, met: 1))]
    ).document
  }

  @Test func `large changes since the last run are reported, and small changes are not`() {
    let line = ResultDiff.sinceLast(Self.run(1000), Self.run(1_000_000))
    #expect(
      line?.hasPrefix("since the last run (2026-11-21 01:02 UTC), figures: a elapsed ") == true
        && line?.contains("x slower [") == true,
      "\(line ?? "")"
    )
    #expect(
      ResultDiff.sinceLast(Self.run(1000), Self.run(1010))
        == "since the last run (2026-11-21 01:02 UTC), figures: no change that one pair of runs could detect; claims: the same verdicts"
    )
  }

  @Test func `a larger amount is described as more, not as slower`() throws {
    let json = try [1000, 1_000_000].map { try JSONReport.render([Self.run($0)]) }.map {
      $0.replacing("\"better\": \"lower\",", with: "\"amount\": true, \"better\": \"lower\",")
    }
    let runs = try json.map { try #require(try ResultDocument.parse(Array($0.utf8), place: "x").first) }
    let line = try #require(ResultDiff.sinceLast(runs[0], runs[1]))
    #expect(line.contains("x more [") && !line.contains("slower"), "\(line)")
  }

  @Test func `a change of a verdict since the last run is reported`() {
    let line = ResultDiff.sinceLast(Self.run(1000), Self.run(1000, .violated))
    #expect(
      line
        == "since the last run (2026-11-21 01:02 UTC), figures: no change that one pair of runs could detect; "
        + "claims: held then, violated now: Nothing is left out.")
  }

  @Test func `a run without figures has no line about the last run`() {
    let none = Fixture.results([]).document
    #expect(ResultDiff.sinceLast(none, none) == nil)
  }

  @Test func `runs with other settings are not compared`() {
    let last = Self.run(1000)
    #expect(ResultDiff.sinceLast(last, Fixture.results([], earlyEnd: .interrupted).document) == nil)
    #expect(ResultDiff.sinceLast(last, last) != nil)
    #expect(last.isOf(Fixture.machine))
  }
}

import LabTesting
import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct FindingTests {
  private func document(_ judgements: [(Verdict, low: Double, high: Double)]) -> ResultDocument {
    Fixture.results(
      [("a", [[10]])],
      judgements: judgements.map { verdict, low, high in
        let ratio = ConfidenceInterval(estimate: (low + high) / 2, low: low, high: high)
        return Fixture.judgement(verdict, Evidence(left: 1, right: 2, ratio: ratio, trials: 6, met: 6))
      }
    ).document
  }

  @Test func `what is refuted comes before what is supported, and then what is surely the most times`() throws {
    let found = try #require(
      Finding.strongest([
        document([(.supported, 90, 110), (.refuted, 2, 3)]),
        document([(.refuted, 0.1, 0.2), (.inconclusive, 0.9, 40), (.refuted, 1.5, 80)]),
      ]))
    #expect(found.claim.verdict == .refuted && found.claim.evidence.high?.value == 0.2)
    #expect(found.text(TextStyle(width: 40)).contains("fixture, "))
  }

  @Test func `where nothing was decided there is none`() {
    #expect(Finding.strongest([])?.scenario == nil)
    #expect(Finding.strongest([document([(.inconclusive, 0.5, 2), (.supported, 0.9, 1.1)])])?.scenario == nil)
  }
}

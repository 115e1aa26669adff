import LabTesting
import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct StrikingClaimTests {
  private func document(_ judgements: [(Verdict, low: Double, high: Double)]) -> ResultDocument {
    Fixture.results(
      [("a", [[10]])],
      judgements: judgements.map { verdict, low, high in
        let ratio = ConfidenceInterval(estimate: (low + high) / 2, low: low, high: high)
        return Fixture.judgement(verdict, Evidence(left: 1, right: 2, ratio: ratio, trials: 6, met: 6))
      }
    ).document
  }

  @Test func `the most striking claim is the refuted claim with the largest certain factor`() throws {
    let found = try #require(
      StrikingClaim.strongest(
        [
          document([(.supported, 90, 110), (.refuted, 2, 3)]),
          document([(.refuted, 0.1, 0.2), (.inconclusive, 0.9, 40), (.refuted, 1.5, 80)]),
        ], by: nil))
    #expect(found.claim.verdict == .refuted && found.claim.evidence.high?.value == 0.2)
    #expect(found.text(TextStyle(width: 40)).contains("fixture, "))
  }

  @Test func `a ratio that differs from the quotient of the figures has a remark`() {
    func text(_ ratio: Double) -> String? {
      let claim = Claim(
        says: "It is cheaper.", bears: [], kind: .performance,
        check: Check(text: "own.cost < lock.cost", left: .cores, relation: .less, right: .cores))
      let interval = ConfidenceInterval(estimate: ratio, low: 0.9 * ratio, high: 1.1 * ratio)
      let evidence = Evidence(left: 1, right: 2, ratio: interval, trials: 6, met: 6)
      return Fixture.results(
        [("a", [[10]])], judgements: [Judgement(claim: claim, verdict: .supported, evidence: evidence)]
      ).document.claims.first?.evidenceText
    }
    let remark = " (mean of the rounds' ratios)"
    #expect(text(0.5).map { $0.contains("2") && !$0.contains(remark) } == true, "\(text(0.5) ?? "")")
    #expect(text(0.3)?.contains(remark) == true, "\(text(0.3) ?? "")")
  }

  @Test func `runs without a decided claim have no striking claim`() {
    #expect(StrikingClaim.strongest([], by: nil)?.scenario == nil)
    #expect(
      StrikingClaim.strongest([document([(.inconclusive, 0.5, 2), (.supported, 0.9, 1.1)])], by: nil)?.scenario == nil)
  }

  @Test func `the most striking claim is one against a document, with the other figures on its sentence`() throws {
    let documents = try SourceDocuments(
      place: "documents.yml",
      yaml: """
        documents:
          - document: guide
            title: A guide
            sentences:
              - {id: guide.5, says: a queue is cheaper, said: usually, place: a heading, word: usually, conditions: [one]}
        """
    )
    func judgement(_ bears: [String], _ check: String, _ low: Double) -> Judgement {
      let claim = Claim(
        says: "It is cheaper.", bears: bears, kind: .performance,
        check: Check(text: check, left: .cores, relation: .less, right: .cores))
      let ratio = ConfidenceInterval(estimate: low * 1.1, low: low, high: low * 1.2)
      return Judgement(
        claim: claim, verdict: .refuted, evidence: Evidence(left: 2, right: 1, ratio: ratio, trials: 6, met: 6))
    }
    let document = Fixture.results(
      [("a", [[10]])],
      judgements: [
        judgement([], "own.cost < lock.cost", 90), judgement(["guide.5"], "swift.cost < lock.cost", 7),
        judgement(["guide.5"], "c.cost < lock.cost", 1.3), judgement(["guide.5"], "c.other < lock.other", 1.4),
      ]
    ).document
    let text = try #require(StrikingClaim.strongest([document], by: documents)).text(TextStyle(width: 120))
    #expect(text.hasPrefix("  ✗ guide.5 refuted: a queue is cheaper\n  cost: swift 2 vs lock 1"), "\(text)")
    #expect(text.contains("  cost: c 2 vs lock 1") && !text.contains("other: "))
  }
}

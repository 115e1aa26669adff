import LabTesting
import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests that a value which no run can have is refused with its place in the document.
@Suite struct InvariantTests {
  /// A document with a claim of each kind.
  private static let results: Results = {
    var results = Fixture.pair
    func judged(_ kind: Claim.Kind, _ verdict: Verdict, _ evidence: Evidence) -> Judgement {
      let claim = Claim(says: "\(kind)", kind: kind, check: Fixture.claim.check)
      return Judgement(claim: claim, verdict: verdict, evidence: evidence)
    }
    results.judgements = [
      judged(.guarantee, .held, Evidence(trials: 192, met: 192)),
      judged(.anomaly, .witnessed, Evidence(trials: 6, met: 2)),
      judged(
        .performance, .supported,
        Evidence(ratio: ConfidenceInterval(estimate: 0.5, low: 0.4, high: 0.6), trials: 6, met: 6)),
    ]
    return results
  }()

  private static func parse(_ document: JSONValue) throws {
    _ = try ResultDocument.parse(Array(document.text().utf8), place: "saved")
  }

  @Test(
    arguments: [
      ("machine.cores", .number(-1), "machine.cores: found -1, expected 1 to 1000000"),
      ("machine.memory", .number(-1), "machine.memory: found -1"),
      ("machine.floor", .number(-1), "machine.floor: found -1"),
      ("seconds", .number(-1), "seconds: found -1"),
      ("started", .text("yesterday"), "started: found 'yesterday', expected a time in UTC"),
      ("scenario.baseline", .text("none"), "scenario.baseline: 'none' is not a variant"),
      ("scenario.show", .list([.text("none")]), "scenario.show: 'none' is not a metric"),
      ("scenario.show", .list([.text("rate"), .text("rate")]), "scenario.show: 'rate' appears twice"),
      ("scenario.sweep", .list([.text("stride")]), "scenario.sweep: 'stride' is not a swept parameter"),
      ("scenario.variants.0.name", .text("fast"), "scenario.variants: 'fast' appears twice"),
      ("scenario.variants.0.role", .text("wrong"), "scenario.variants[0].role: found 'wrong', which is not a role"),
      (
        "scenario.variants.0.ends", .text("explodes"),
        "scenario.variants[0].ends: found 'explodes', which is not an end"
      ),
      ("runs.0.variant", .text("none"), "runs[0].variant: 'none' is not a variant of the scenario"),
      ("runs.0.variant", .text("fast"), "runs[1]: the variant has another run at this point"),
      ("runs.0.point", .object(["stride": .number(1)]), "runs[0].point: 'stride' is not swept"),
      ("runs.0.rounds", .number(-1), "runs[0].rounds: found -1"),
      ("runs.0.rounds", .number(7), "runs[0].outcomes: found 6 trials, expected one for each of 7 rounds"),
      ("runs.0.outcomes", .object(["vanished": .number(6)]), "runs[0].outcomes: 'vanished' is not an outcome"),
      (
        "runs.0.outcomes", .object(["completed": .number(7), "hung": .number(-1)]),
        "runs[0].outcomes.hung: found -1, expected 0 to 1000000"
      ),
      (
        "runs.0.outcomes", .object(["hung": .number(6)]),
        "runs[0].metrics.elapsed: found 6 rounds, but 0 trials can have a figure"
      ),
      ("runs.0.signals", .object(["5": .number(2)]), "runs[0].signals: found 2, but 0 trials trapped"),
      (
        "runs.0.metrics.elapsed.unit", .text("B"),
        "runs[0].metrics.elapsed: the kind, the unit or the better direction differs from scenario.metrics"
      ),
      ("runs.0.metrics.elapsed.count", .number(119), "count: found 119, but the histogram has 120 samples"),
      ("runs.0.metrics.elapsed.count", .number(-120), "count: found -120, but the histogram has 120 samples"),
      ("runs.0.metrics.elapsed.min", .number(30_000), "min: found 30000.0, but the histogram begins at "),
      ("runs.0.metrics.elapsed.min", .number(-1), "min: found -1.0, expected 0 or more"),
      ("runs.0.metrics.elapsed.max", .number(1), "max: found 1.0, but the histogram ends at "),
      ("runs.0.metrics.elapsed.p50", .number(1), "p50: found 1.0, which is out of order"),
      ("runs.0.metrics.elapsed.p90", .number(1), "p90: found 1.0, which is out of order"),
      ("runs.0.metrics.elapsed.p90", nil, "p90: expected if and only if there are 10 samples or more, found 120"),
      (
        "runs.0.metrics.elapsed.p99_9", .number(21_000),
        "p99_9: expected if and only if there are 1000 samples or more, found 120"
      ),
      ("runs.0.metrics.elapsed.mean", .number(1), "mean: found 1.0, but the mean of the histogram is "),
      ("runs.0.metrics.elapsed.total", .number(1), "total: found 1.0, but the sum of the histogram is "),
      ("runs.0.metrics.elapsed.stddev", .number(-1), "stddev: is negative"),
      ("runs.0.metrics.elapsed.stddev", nil, "stddev: expected if and only if there are 2 samples or more, found 120"),
      ("runs.0.metrics.elapsed.histogram", .list([]), "runs[0].metrics.elapsed.histogram: is empty"),
      (
        "runs.0.metrics.elapsed.histogram.1", .list([.number(1), .number(1)]),
        "runs[0].metrics.elapsed.histogram: the values do not ascend"
      ),
      ("runs.0.metrics.elapsed.rounds.0.round", .number(0), "rounds[0].round: the rounds do not ascend from 1"),
      (
        "runs.0.metrics.elapsed.rounds.5.round", .number(2e6), "rounds[5].round: found 2000000, expected 1 to 1000000"
      ),
      ("runs.0.metrics.elapsed.rounds.0.value", .number(1e9), "rounds[0].value: found 1000000000.0, expected "),
      ("runs.0.metrics.none", .object([:]), "runs[0].metrics.none"),
      (
        "claims.0.verdict", .text("supported"),
        "claims[0].verdict: found 'supported', expected for the kind guarantee: 'held', 'viol"
      ),
      (
        "claims.0.verdict", .text("inconclusive"),
        "claims[0].verdict: found 'inconclusive', expected for the kind guarantee: "
      ),
      (
        "claims.1.verdict", .text("held"),
        "claims[1].verdict: found 'held', expected for the kind anomaly: 'witnessed', 'not-w"
      ),
      (
        "claims.2.verdict", .text("violated"),
        "claims[2].verdict: found 'violated', expected for the kind performance: 'supported'"
      ),
      ("claims.0.evidence.met", .number(0), "claims[0].evidence.met: found 0 of 192 trials, which is not held"),
      ("claims.0.evidence.met", .number(191), "claims[0].evidence.met: found 191 of 192 trials, which is not held"),
      ("claims.0.evidence.met", .number(-5), "claims[0].evidence.met: found -5, expected 0 to 192"),
      ("claims.0.evidence.met", .number(193), "claims[0].evidence.met: found 193, expected 0 to 192"),
      ("claims.1.evidence.lost", .number(0), "claims[1].evidence.lost: found 0, expected 1 to "),
      (
        "claims.0.evidence.leftRange", .list([.number(5), .number(5)]),
        "claims[0].evidence.leftRange: expected two values, the smaller first"
      ),
      (
        "claims.0.evidence.rightRange", .list([.number(5)]),
        "claims[0].evidence.rightRange: expected two values, the smaller first"
      ),
      ("claims.0.evidence.trials", .number(-1), "claims[0].evidence.trials: found -1"),
      ("claims.0.verdict", .text("violated"), "claims[0].evidence.met: found 192 of 192 trials, which is not violated"),
      ("claims.1.evidence.met", .number(0), "claims[1].evidence.met: found 0 of 6 trials, which is not witnessed"),
      (
        "claims.1.verdict", .text("not-witnessed"), "claims[1].evidence.met: found 2 of 6 trials, which is not not-witn"
      ),
      ("claims.2.evidence.met", .number(0), "claims[2].evidence.met: found 0 of 6 trials, which is not supported"),
      ("claims.2.verdict", .text("refuted"), "claims[2].evidence.met: found 6 of 6 trials, which is not refuted"),
      ("claims.2.evidence.low", .number(0.7), "claims[2].evidence.ratio: low, ratio and high do not ascend"),
      ("claims.2.evidence.low", nil, "claims[2].evidence.ratio: expected low, ratio and high, or none of them"),
    ] as [(String, JSONValue?, String)])
  func `a value that no run can have is refused with its place`(_ path: String, _ value: JSONValue?, _ problem: String)
    throws
  {
    var document = try JSONValue(JSONReport.render([Self.results.document]))
    try Self.parse(document)
    document[at: path] = value
    let error = #expect(throws: InputError.self) { try Self.parse(document) }
    #expect(error?.description.hasPrefix("saved: ") == true && error?.description.contains(problem) == true, "\(error)")
  }

  @Test func `a check of any variant is met by one trial in each round`() throws {
    var document = try JSONValue(JSONReport.render([Self.results.document]))
    document[at: "claims.0.evidence.met"] = .number(96)
    #expect(throws: InputError.self) { try Self.parse(document) }
    for check in ["any.missed == 0", "2 > any[stride=1].missed"] {
      document[at: "claims.0.check"] = .text(check)
      try Self.parse(document)
    }
    for check in ["company.missed == 0", "many-any.missed == 0"] {
      document[at: "claims.0.check"] = .text(check)
      #expect(throws: InputError.self) { try Self.parse(document) }
    }
  }

  /// A run that is much slower than the best run takes part only in every fourth round.
  @Test func `the round numbers of a run can have gaps`() throws {
    var document = try JSONValue(JSONReport.render([Self.results.document]))
    document[at: "runs.0.metrics.elapsed.rounds.5.round"] = .number(17)
    try Self.parse(document)
  }

  @Test func `a byte order mark at the beginning of a document is ignored`() throws {
    let json = Array(try JSONReport.render([Self.results.document]).utf8)
    let both = Array(try JSONReport.render([Self.results.document, Self.results.document]).utf8)
    #expect(try ResultDocument.parse([0xef, 0xbb, 0xbf] + json, place: "saved").count == 1)
    #expect(try ResultDocument.parse([0xef, 0xbb, 0xbf] + both, place: "saved").count == 2)
  }
}

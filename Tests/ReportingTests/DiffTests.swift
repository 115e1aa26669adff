import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct DiffTests {
  private func document(_ runs: [(variant: String, rounds: [UInt64])], _ change: (inout Results) -> Void = { _ in })
    -> ResultDocument
  {
    var results = Fixture.results(runs.map { ($0.variant, $0.rounds.map { [$0] }) })
    change(&results)
    return ResultDocument(results)
  }

  private let steady: [UInt64] = [1000, 1010, 990, 1005, 995, 1002]

  private func scaled(_ factor: Double) -> [UInt64] { steady.map { UInt64(Double($0) * factor) } }

  @Test func `a change needs the interval to exclude none`() throws {
    let old = document([("same", steady), ("slower", steady), ("faster", steady), ("few", [1000, 1000])])
    let new = document([
      ("same", steady.reversed()), ("slower", scaled(1.3)), ("faster", scaled(0.5)), ("few", [9000, 9000]),
    ])
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    #expect(diff.rows.map(\.change) == [.none, .worse, .better, .worse])
    #expect(diff.rows.map { $0.isWorse(byMoreThan: 0.1) } == [false, true, false, true])
    #expect(!diff.rows[1].isWorse(byMoreThan: 0.4))
    // One run a side tells great changes only, and of few rounds nothing.
    let single = try ResultDiff(old: [old], new: [new])
    #expect(single.rows.map(\.change) == [.unknown, .unknown, .better, .unknown])
    #expect(single.rows[0].reason == "one run a side: give several, by --old and --new")
    #expect(single.rows[3].reason == "2 rounds: 6 or more are needed a side")
    // Above the limit, and yet the rounds do not exclude that nothing changed.
    let wild = document([("same", [500, 3000, 700, 2500, 900, 1800])])
    #expect(try !ResultDiff(old: [old], new: [wild]).rows[0].isWorse(byMoreThan: 0.1))
  }

  @Test func `equal counts are equal, of others without a ratio nothing is said`() throws {
    let old = document([("a", steady)])
    #expect(try ResultDiff(old: [old], new: [old], metrics: ["missed"]).rows.map(\.change) == [.unknown])
    let diff = try ResultDiff(old: [old], new: [old], metrics: ["all"])
    #expect(diff.rows.map(\.metric) == ["elapsed", "missed"])
  }

  @Test func `missing and new rows are listed`() throws {
    let diff = try ResultDiff(
      old: [document([("a", steady), ("b", steady)])], new: [document([("b", steady), ("c", steady)])])
    #expect(diff.missing == ["fixture a elapsed"] && diff.added == ["fixture c elapsed"])
    let text = DiffReport(diff, gate: nil).text(TextStyle())
    #expect(text.contains("missing now\n  • fixture a elapsed") && text.contains("new\n  • fixture c elapsed"))
  }

  @Test func `another machine, and other verdicts, are said`() throws {
    let old = document([("a", steady)]) {
      $0.judgements = [Judgement(claim: Fixture.claim, verdict: .held, evidence: Evidence(trials: 1))]
    }
    var results = Fixture.results([("a", [[5]])])
    results.judgements = [Judgement(claim: Fixture.claim, verdict: .violated, evidence: Evidence(trials: 1))]
    var machine = Fixture.machine
    machine.cpu = "Other CPU"
    machine.cores = 64
    let moved = Results(
      experiment: results.experiment, machine: machine, seed: 1, started: "", cut: .interrupted, runs: results.runs,
      judgements: results.judgements)
    let diff = try ResultDiff(old: [old], new: [ResultDocument(moved)])
    #expect(
      diff.cautions == [
        "another processor: Test CPU before, Other CPU now", "another number of cores: 2 before, 64 now",
        "one side was interrupted",
      ])
    #expect(diff.verdicts.map(\.new) == [.violated])
  }

  @Test func `an unknown metric is refused with the nearest`() {
    let error = #expect(throws: InputError.self) {
      try ResultDiff(old: [document([("a", steady)])], new: [document([("a", steady)])], metrics: ["elapsd"])
    }
    #expect(
      error?.description
        == "--metric: unknown metric 'elapsd'; did you mean 'elapsed'? (known: each, elapsed, missed, rate, or all)")
  }

  @Test func `the table tells what the change is`() throws {
    let old = document([("slower", steady)]), new = document([("slower", scaled(1.3))])
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    let report = DiffReport(diff, gate: Gate(diff, failAbove: 0.1))
    let expected = """
      fixture: elapsed
        variant      old      new                       change
        slower   1.00 us  1.30 us  +30.0 % [+21.5 % … +39.0 %]  worse: above the limit

      worse
        • fixture slower elapsed became worse by more than 10 %

      summary
        • worse than is allowed: see above
        • in brackets the interval of the change, 95 % for the whole table; a run is
          one observation, however many rounds it has, and there are 3 a side

      """
    #expect(report.text(TextStyle()) == expected)
    #expect(report.markdown.contains("| slower "))
    #expect(report.csv.contains("fixture,slower,elapsed,ns,"))
  }
}

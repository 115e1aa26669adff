import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct TerminalReportTests {
  @Test func `the list of scenarios ends with a first command for a newcomer`() {
    let list = ScenarioList.render([], on: Fixture.machine, beginWith: "one", TextStyle(width: 80))
    #expect(list.hasSuffix("New here? Begin with `gcdlab scenario one`, which takes a few seconds.\n"), "\(list)")
  }

  private func render(_ results: Results, width: Int = 80, color: Bool = false, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, color: color, unicode: unicode)).render(results.content)
  }

  @Test func `a report at 80 columns has the expected text`() {
    #expect(
      render(Fixture.pair) == """
        fixture  A fixture
        1 claim: 1 violated

        claims
          ✗ violated  Nothing is left out.
                      all.missed == 0: found 5: fast in round 6; held in 10 of 12 trials

        elapsed  the whole loop
          variant      min      p50      p90      p99      max              vs slow
          slow     20.0 us  20.9 us  21.7 us  21.9 us  21.9 us
          fast     10.0 us  10.5 us  10.9 us  11.0 us  11.0 us  2.00x faster ±0.0 %
          ±: simultaneous 99 % confidence intervals of the ratios of paired rounds,
          whose mean can differ from the quotient of the medians
          at stride 1

        medians over the trials
          variant  missed
          slow       2.50
          fast       2.50
          missed: left out

        distribution of elapsed  log scale
          slow                                                                ▆▆█▆█▇▆█▃
                                                                                  ╵p50╵
          fast   ▃▆█▆█▇▆█▆
                     ╵p50╵
                 └10 us                                                       └20 us

        warnings
          • a word of care

        Test CPU, 2 cores, 6 rounds in 1.50 s, seed 7

        1 claim: 1 violated

        """)
  }

  @Test func `a report begins with the verdicts and the conclusion, and a long report ends with them`() {
    let held = Fixture.judgement(.held, Evidence(left: 0, trials: 1, met: 1))
    let failed = Fixture.judgement(.violated, Evidence(left: 1, trials: 1, reason: "a in round 1"))
    var results = Fixture.results([("a", [[1000]])], judgements: [held, failed, held])
    results.findings = [RunNote(Conclusion.kind, "Do this.")]
    let lines = render(results).split(separator: "\n").map(String.init)
    #expect(lines[1...2] == ["3 claims: 1 violated, 2 held", "Do this."])
    #expect(!lines.suffix(2).contains("Do this."))
    results.findings.append(RunNote("other", "something else"))
    results.warnings = (0..<20).map { RunNote("other", "a word of care, number \($0)") }
    let long = render(results).split(separator: "\n").map(String.init)
    #expect(long.suffix(2) == ["3 claims: 1 violated, 2 held", "Do this."])
    #expect(long.contains("  • something else") && !long.contains("  • Do this."))
    for text in [MarkdownReport.render(results.content), HTMLReport.render([results.content])] {
      #expect(text.contains("Do this.") && text.contains("2 held"))
      #expect(
        text.firstRange(of: "Do this.")?.lowerBound ?? text.endIndex < text.firstRange(of: "1000")?.lowerBound
          ?? text.endIndex)
    }
  }

  @Test func `a short report mentions what it leaves out, and the detailed report contains it`() {
    let names = (0..<9).map { "a-metric-of-many-\($0)" }
    let rounds = Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": [1], "rate": [2]] }
    let results = Fixture.made([("a-way-with-a-name-that-is-long", rounds), (names.joined(), rounds)])
    let short = render(results, width: 60)
    let long = TerminalReport(TextStyle(width: 60), details: true).render(results.content)
    #expect(short.contains("--details shows") && !long.contains("--details shows"))
    #expect(long.contains("rate") && long.count > short.count)
  }

  @Test func `only the detailed report has the evidence of a guarantee that held`() {
    var results = Fixture.pair
    let held = Fixture.judgement(.held, Evidence(left: 0, trials: 12, met: 12))
    results.judgements = [held]
    #expect(render(results).contains("all.missed == 0") || !render(results).contains("see --details"))
    results.judgements = Array(repeating: held, count: 4)
    let (short, long) = (
      render(results), TerminalReport(TextStyle(width: 80), details: true).render(results.content)
    )
    #expect(short.contains("\n  4 held: see --details\n") && !short.contains("all 12 trials"))
    #expect(long.contains("all.missed == 0") && long.contains("all 12 trials"))
  }

  @Test func `a report too long for a screen leaves out the other metrics, and keeps the outcomes`() throws {
    let outcomes: [Double] = (0..<80).map { $0 % 4 == 3 ? 2 : 1 }
    let one = Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": [1], "rate": [2]] }
    let several = Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": outcomes, "rate": [2]] }
    let few = Fixture.made([("a", one), ("b", several)])
    var many = few
    let failed = Fixture.judgement(.violated, Evidence(left: 5, trials: 6, met: 4, reason: "b in round 2"))
    many.judgements = Array(repeating: failed, count: 40)
    #expect(render(few).contains("  variant  missed  rate\n"))
    let lines = render(many).split(separator: "\n").map(String.init)
    let heading = try #require(lines.firstIndex { $0.hasPrefix("outcomes  ") })
    #expect(
      lines[(heading + 1)...(heading + 3)] == [
        "  variant  outcome   count   share  expectation", "  b        missed 1    360  75.0 %  forbidden",
        "  b        missed 2    120  25.0 %  forbidden",
      ])
    #expect(!lines.contains("  variant  missed  rate") && lines.contains { $0.hasPrefix("--details shows ") })
    let long = TerminalReport(TextStyle(width: 80), details: true).render(many.content)
    #expect(long.contains("  variant  missed  rate\n") && !long.contains("--details shows"))
  }

  @Test(arguments: [
    ("a.missed <= 1", Claim.Kind.guarantee, ["allowed", "forbidden"]),
    ("all.missed <= 1", .guarantee, ["allowed", "forbidden"]),
    ("a.missed > 1", .anomaly, ["allowed", "anomaly"]), ("other.missed > 1", .anomaly, ["", ""]),
    ("a.missed.max > 1", .anomaly, ["", ""]),
  ])
  func `the claims on a metric determine the expectation for each outcome`(
    _ check: String, _ kind: Claim.Kind, _ words: [String]
  )
    throws
  {
    let outcomes: [Double] = (0..<80).map { $0 % 4 == 3 ? 2 : 1 }
    var results = Fixture.made([("a", Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": outcomes] })])
    let claim = Claim(
      says: "So it is.", kind: kind, check: Check(text: check, left: .cores, relation: .less, right: .cores))
    results.judgements = [Judgement(claim: claim, verdict: .unavailable, evidence: Evidence())]
    let table = try #require(results.content.tables.last { $0.title == "outcomes" })
    #expect(table.rows.compactMap(\.cells.last?.text) == words)
    #expect(table.rows.map(\.needsCare) == words.map { $0 == "forbidden" })
  }

  @Test func `a value is an anomaly of a broken variant unless a variant without violated guarantees has it`() throws {
    func trials(_ values: [Double]) -> [Fixture.Samples] {
      Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": (0..<80).map { values[$0 % values.count] }] }
    }
    let made = Fixture.made([("a", trials([1, 2])), ("b", trials([1, 2])), ("c", trials([1]))])
    var experiment = made.experiment
    experiment.variants[1] = Variant("b", .broken, "a mistake") { _ in }
    func words(_ verdict: Verdict) throws -> [String] {
      let claim = Claim(
        says: "It is quick.", kind: .guarantee,
        check: Check(text: "a.elapsed < 1us", left: .cores, relation: .less, right: .cores))
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs,
        judgements: [Judgement(claim: claim, verdict: verdict, evidence: Evidence(trials: 6, met: 5))])
      let table = try #require(results.content.tables.last { $0.title == "outcomes" })
      return table.rows.compactMap(\.cells.last?.text)
    }
    #expect(try words(.held) == ["", "", "allowed", "allowed"])
    #expect(try words(.violated) == ["", "", "allowed", "anomaly"])
  }

  @Test(arguments: [true, false])
  func `a headline with one column shares a table with the other metrics, unless it has ratios`(_ hasRatios: Bool) {
    let rounds = Fixture.rounds(6) { round in ["elapsed": [1000], "missed": [3], "rate": [Double(2 + round % 2)]] }
    let made = Fixture.made([("a", rounds), ("b", rounds)], baseline: hasRatios ? "a" : nil)
    var experiment = made.experiment
    experiment.show = ["rate", "missed", "elapsed"]
    let results = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: made.runs)
    let tables = results.content.tables
    let names = tables.map { $0.headings.map(\.title) }
    if hasRatios {
      #expect(names == [["variant", "median", "vs a"], ["variant", "missed", "elapsed"]])
    } else {
      #expect(names == [["variant", "rate", "missed", "elapsed"]])
      #expect(tables[0].title == "rate" && tables[0].note == "loops a second; median over the trials")
      #expect(tables[0].rows.first?.cells.map(\.text) == ["a", "2.50 /s", "3", "1 us"])
    }
  }

  @Test(arguments: [(20, 2), (1, 0)])
  func `a metric with few values in many samples has outcomes, and a range in the tables`(_ times: Int, _ outcomes: Int)
  {
    let counts: [Double] = (0..<4 * times).map { $0 % 4 == 3 ? 2 : 1 }
    let rounds = Fixture.rounds(6) { _ in ["elapsed": [1000], "missed": counts] }
    let tables = Fixture.made([("a", rounds)]).content.tables
    let figures = tables.first { $0.title == nil }
    #expect(figures?.rows.first?.cells.map(\.text) == ["a", "1 … 2"])
    #expect(figures?.note == "medians over the trials; low … high: the range of all samples")
    #expect((tables.first { $0.title == "outcomes" }?.rows.count ?? 0) == outcomes)
  }

  @Test func `each of many settings has a column, and each variant has a row`() throws {
    let results = try Fixture.compared(
      [("stride", [1, 2, 4, 8]), ("threads", [1, 2, 3, 4, 5])], isComparison: false
    ) { variant, _, values in
      variant == "plain" ? 500 : Double(1000 * (values["stride"] ?? 0) + (values["threads"] ?? 0))
    }
    let lines = render(results, width: 300).split(separator: "\n").map(String.init)
    let heading = try #require(lines.firstIndex { $0.contains("1/1") && $0.contains("8/5") })
    #expect(lines[heading - 1] == "elapsed  the whole loop; medians over the trials, by stride/threads")
    // One variant ignores the stride, so its figure is in each column.
    #expect(lines[heading + 1].hasPrefix("  plain") && lines[heading + 2].hasPrefix("  apply"))
    #expect(lines[heading + 1].split(separator: " ns").count == 20)
    // A table with so many columns does not fit. The report names what it omits, and the details contain it.
    #expect(render(results, width: 80).contains("--details shows"))
    let long = TerminalReport(TextStyle(width: 120), details: true).render(results.content)
    #expect(long.split(separator: "\n").count { $0.hasPrefix("  apply") } >= 20)
  }

  @Test func `a hang that a claim expects needs no care, and another hang does`() {
    func needCare(_ verdict: Verdict) -> [Bool]? {
      let check = Check(text: "a.hung == 1", left: .cores, relation: .equal, right: .cores)
      let judgement = Judgement(
        claim: Claim(says: "It hangs.", kind: .anomaly, check: check), verdict: verdict, evidence: Evidence(trials: 1))
      let results = Fixture.results([("a", [[]])], outcome: .hung, judgements: [judgement])
      return results.content.tables.last { $0.title == "outcomes" }?.rows.map(\.needsCare)
    }
    #expect(needCare(.witnessed) == [false] && needCare(.notWitnessed) == [true])
  }

  @Test func `a wider terminal shows wider distributions and the same words`() {
    let narrow = render(Fixture.pair)
    let wide = render(Fixture.pair, width: 160)
    #expect(wide.split(separator: "\n").map(\.count).max() ?? 0 > 100)
    #expect(narrow.filter { $0 == "█" }.count < wide.filter { $0 != " " }.count)
    for word in ["2.00x faster", "seed 7", "violated", "a word of care"] {
      #expect(narrow.contains(word) && wide.contains(word))
    }
  }

  @Test func `a coloured report has the same text as a report without colours`() {
    let colored = render(Fixture.pair, color: true)
    #expect(colored.contains("\u{1b}[32mfaster\u{1b}[0m"))
    #expect(colored.contains("\u{1b}[31;1m✗ violated"))
    #expect(stripped(colored) == render(Fixture.pair))
  }

  private func stripped(_ text: String) -> String {
    var plain = ""
    var inCode = false
    for character in text {
      if character == "\u{1b}" {
        inCode = true
      } else if !inCode {
        plain.append(character)
      } else if character == "m" {
        inCode = false
      }
    }
    return plain
  }

  @Test func `a report without Unicode is ASCII`() {
    let plain = render(Fixture.pair, unicode: false)
    #expect(plain.allSatisfy { $0.isASCII })
    #expect(plain.contains("x violated"))
  }

  @Test(arguments: [1, 5, 20, 40, 59, 60, 79, 80, 120, 300])
  func `a report can be rendered at any width, and fits into 80 columns or more`(_ width: Int) {
    let lines = render(Fixture.pair, width: width).split(separator: "\n")
    if width >= 80 { #expect(lines.allSatisfy { String($0).displayWidth <= width }) }
    #expect(lines.count > 10)
  }

  @Test func `wide and combining characters keep the columns aligned`() {
    let results = Fixture.results([
      ("队列", [[10_000, 20_000]]), ("e\u{301}te\u{301}", [[10_000, 20_000]]), ("a🙂b", [[1, 2]]),
    ])
    let lines = render(results).split(separator: "\n").map(String.init)
    let start = lines.firstIndex { $0.contains("variant") } ?? 0
    // Right-aligned figures end in the same column.
    let widths = Set(lines[start...(start + 3)].map(\.displayWidth))
    #expect(widths.count == 1, "\(lines[start...(start + 3)])")
  }

  @Test func `a report shows hung and trapped trials and an interruption`() {
    let hung = render(Fixture.results([("stuck", [[], []]), ("fine", [[1000]])], outcome: .hung))
    #expect(
      hung.contains("  variant  outcome  count    share  expectation\n  stuck    hung         2  100.0 %  forbidden\n"))
    let trapped = render(Fixture.results([("crash", [[]])], outcome: .trapped(signal: 4)))
    #expect(trapped.contains("  crash    SIGILL       1  100.0 %  forbidden\n"))
    let interrupted = render(Fixture.results([], earlyEnd: .interrupted, warnings: ["interrupted"]))
    #expect(interrupted.contains("interrupted"))
  }

  @Test func `figures near the noise floor are marked`() {
    let output = render(Fixture.results([("quick", [[60, 70, 80]])]))
    #expect(output.contains("70 ns~") || output.contains("70.0 ns~"))
    #expect(output.contains("~ within twice the noise floor of 45 ns"))
    #expect(!render(Fixture.pair).contains("~"))
  }

  @Test(arguments: [(0.08, true), (0.1, false)])
  func `the noise floor is divided by the number of operations that are timed together`(
    _ each: Double, _ isMarked: Bool
  ) throws {
    let base = Fixture.results([("quick", [[1]])])
    var experiment = base.experiment
    experiment.show = ["each"]
    var observation = Observation()
    observation.record("each", each, batch: 1000)
    let run = VariantRun(
      variant: experiment.variants[0], point: Point(), parameters: ["stride": .integer(1000)],
      trials: [TrialRecord(round: 0, outcome: .completed, observation: observation)])
    let results = Results(
      experiment: experiment, machine: Fixture.machine, seed: 7, started: "2026-11-21T01:02:03Z", runs: [run])
    let output = render(results)
    #expect(output.contains(" ns~") == isMarked)
    #expect(
      output.contains("~ within twice the noise floor of 45 ns, divided by the operations of a batch") == isMarked)
    let json = try JSONReport.render([results.document])
    #expect(json.contains("\"floor\": 0.045"))
    let page = HTMLReport.render(try ResultDocument.parse(Array(json.utf8), place: "own").map { ReportContent($0) })
    #expect(page.contains("~ within twice the noise floor") == isMarked)
  }

  @Test(arguments: [(0.4, true), (0.5, false)])
  func `the empty timing loop is the noise floor in every format, if it was measured`(
    _ each: Double, _ isMarked: Bool
  ) throws {
    let base = Fixture.results([("quick", [[1]])])
    var experiment = base.experiment
    experiment.show = ["each"]
    var observation = Observation()
    observation.record("each", each, batch: 1000)
    observation.recordFloor("each", 0.2)
    let run = VariantRun(
      variant: experiment.variants[0], point: Point(), parameters: ["stride": .integer(1000)],
      trials: [TrialRecord(round: 0, outcome: .completed, observation: observation)])
    let results = Results(
      experiment: experiment, machine: Fixture.machine, seed: 7, started: "2026-11-21T01:02:03Z", runs: [run])
    let json = try JSONReport.render([results.document])
    #expect(json.contains("\"floor\": 0.2") && json.contains("\"yardstick\": 0.2"))
    let saved = try ResultDocument.parse(Array(json.utf8), place: "own").map { ReportContent($0) }
    let markdown = saved.map { MarkdownReport.render($0) }.joined()
    // The heading on a terminal is short.
    for (report, tellsMachine) in [(render(results), false), (HTMLReport.render(saved), true), (markdown, true)] {
      // The text may be wrapped at any place.
      let text = report.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(text.contains(/empty timing loop 0\.20* ns \(each\)/) == tellsMachine)
      #expect(text.contains("~ less than twice what the empty timing loop costs: 0.2") == isMarked)
    }
  }

  /// Returns evidence of different figures, none of which is their median.
  private static func ranged(
    _ least: Double, _ most: Double, trials: Int, met: Int = 0, reason: String? = nil
  ) -> Evidence {
    var evidence = Evidence(left: (least + most) / 2, right: 0, trials: trials, met: met, reason: reason)
    evidence.leftRange = least...most
    return evidence
  }

  @Test(arguments: [
    (Verdict.held, Evidence(left: 0, trials: 90, met: 90), "0 in all 90 trials"),
    (.held, Evidence(left: 0, trials: 1, met: 1), "0 in the one trial"),
    (
      .violated, Evidence(left: 3, trials: 9, met: 8, reason: "a in round 2"),
      "found 3: a in round 2; held in 8 of 9 trials"
    ),
    (.violated, Evidence(trials: 2, met: 1, reason: "a hung in round 1"), "a hung in round 1; held in 1 of 2 trials"),
    (.witnessed, Evidence(left: 7, trials: 10, met: 4), "in 4 of 10 trials"),
    (.notWitnessed, Evidence(left: 0, trials: 10), "in none of 10 trials, 0 missed"),
    (.notWitnessed, Self.ranged(0, 3, trials: 10), "in none of 10 trials, 0 to 3 missed"),
    (.held, Self.ranged(4, 100, trials: 20, met: 20), "4 to 100 in all 20 trials"),
    (
      .violated, Self.ranged(4, 100, trials: 9, met: 7, reason: "a in round 2"),
      "found 4 to 100: a in round 2; held in 7 of 9 trials"
    ),
    (.refuted, Self.ranged(1, 4, trials: 6), "missed: 1 to 4 where 0 is claimed, 6 rounds"),
    (.witnessed, Evidence(left: 7, trials: 8, met: 8, lost: 2), "in 8 of 8 trials, 2 more lost"),
    (
      .supported,
      Evidence(
        left: 1000, right: 2000, unit: .nanoseconds, ratio: ConfidenceInterval(estimate: 0.5, low: 0.25, high: 0.75),
        trials: 10),
      "missed: 1 us, as claimed, 10 rounds"
    ),
    (.refuted, Evidence(left: 1, right: 0, trials: 6), "missed: 1 where 0 is claimed, 6 rounds"),
    (.inconclusive, Evidence(left: 1, right: 1, trials: 2, reason: "too few"), "missed: 1 vs 1; too few"),
    (
      .inconclusive,
      Evidence(
        left: 1100, right: 1000, unit: .nanoseconds, ratio: ConfidenceInterval(estimate: 0.99, low: 0.5, high: 2),
        trials: 10),
      "missed: 1.10 us vs 1 us: too noisy to tell, 10 rounds"
    ),
    (.unavailable, Evidence(reason: "no cores"), "no cores"),
  ])
  func `every verdict has evidence, with a range if the figures differ`(
    _ verdict: Verdict, _ evidence: Evidence, _ text: String
  ) {
    #expect(ClaimFacts(Fixture.judgement(verdict, evidence)).evidenceText == text)
  }

  @Test(arguments: [
    (
      "apply[stride=64].elapsed < apply[stride=1].elapsed",
      "elapsed: apply[stride=64] 1 us vs apply[stride=1] 2 us: 2.00x faster"
    ),
    ("apply[work=1us].elapsed < loop[work=1us].elapsed", "elapsed: apply 1 us vs loop 2 us: 2.00x faster"),
    ("apply.elapsed < apply.wait.p99", "elapsed 1 us vs wait.p99 2 us: 2.00x faster"),
    ("apply.elapsed < 0.5 * loop.elapsed", "elapsed: apply 1 us, below the limit of 2 us (0.5 * loop) by 50 %"),
    ("apply.elapsed < 2us", "elapsed: 1 us, below the limit of 2 us by 50 %"),
  ])
  func `the evidence names the two sides of a ratio by their difference`(_ check: String, _ start: String) {
    let claim = Claim(
      says: "So it is.", kind: .performance,
      check: Check(text: check, left: .cores, relation: .less, right: .cores))
    let evidence = Evidence(
      left: 1000, right: 2000, unit: .nanoseconds, ratio: ConfidenceInterval(estimate: 0.5, low: 0.4, high: 0.6),
      trials: 10)
    let text = ClaimFacts(Judgement(claim: claim, verdict: .supported, evidence: evidence)).evidenceText
    #expect(text.hasPrefix(start), "\(text)")
  }

  @Test(arguments: [
    ("pool.tasks <= pool.queues", "tasks 2 vs queues 3"), ("pool.tasks <= many.tasks", "tasks: pool 2 vs many 3"),
    ("pool.tasks <= cores", "2"),
  ])
  func `the evidence of a guarantee that compares two figures has both figures`(_ check: String, _ sides: String) {
    let claim = Claim(
      says: "So it is.", kind: .guarantee, check: Check(text: check, left: .cores, relation: .atMost, right: .cores))
    func text(_ verdict: Verdict, _ met: Int) -> String {
      let evidence = Evidence(left: 2, right: 3, trials: 6, met: met, reason: "a in round 1")
      return ClaimFacts(Judgement(claim: claim, verdict: verdict, evidence: evidence)).evidenceText
    }
    #expect(text(.held, 6) == "\(sides) in all 6 trials")
    #expect(text(.violated, 5) == "found \(sides): a in round 1; held in 5 of 6 trials")
  }

  @Test func `the evidence of a witnessed count includes the name of its metric`() {
    let claim = Claim(
      says: "So it is.", kind: .anomaly,
      check: Check(text: "racy.duplicates > 0", left: .cores, relation: .greater, right: .cores))
    func text(_ met: Int) -> String {
      ClaimFacts(Judgement(claim: claim, verdict: .witnessed, evidence: Evidence(left: 30_968, trials: 10, met: met)))
        .evidenceText
    }
    #expect(text(10) == "in all 10 trials, 30,968 duplicates")
    #expect(text(4) == "in 4 of 10 trials; there 30,968 duplicates")
  }

  @Test func `texts are wrapped and measured in terminal cells`() {
    #expect("aa 队列 bb".wrapped(to: 7) == ["aa 队列", "bb"])
    #expect("within 40 us, or 2 s.".wrapped(to: 10) == ["within", "40 us, or", "2 s."])
    #expect("in 4 settings".wrapped(to: 6) == ["in 4", "settings"])
    #expect("队列🙂e\u{301}".displayWidth == 7)
    #expect("队列".clipped(to: 3, TextStyle()) == "队…")
    #expect("ab".clipped(to: 2, TextStyle(unicode: false)) == "ab")
    #expect("✓ ▁█".displayWidth == 4)
  }

  @Test(arguments: [
    (ColorChoice.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
    (.auto, true, ["NO_COLOR": ""], true), (.auto, false, ["CLICOLOR_FORCE": "1"], true),
    (.auto, false, ["CLICOLOR_FORCE": "0"], false), (.auto, true, ["TERM": "dumb"], false),
    (.auto, false, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false), (.always, false, ["NO_COLOR": "1"], true),
    (.never, true, ["CLICOLOR_FORCE": "1"], false),
  ])
  func `the use of colour depends on the option, the environment and the terminal, in this order`(
    _ choice: ColorChoice, _ isTerminal: Bool, _ variables: [String: String], _ isOn: Bool
  ) {
    let environment = ["TERM": "xterm"].merging(variables) { $1 }
    #expect(choice.isOn(isTerminal: isTerminal) { environment[$0] } == isOn)
  }

  @Test(arguments: [(Int.min, 1), (0, 1), (80, 80), (10_000_000, TextStyle.widest), (Int.max, TextStyle.widest)])
  func `a width out of range is replaced by the nearest valid width`(_ asked: Int, _ width: Int) {
    #expect(TextStyle(width: asked).width == width)
  }
}

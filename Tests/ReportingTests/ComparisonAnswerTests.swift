import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the answer of a comparison with one group of runs.
@Suite struct ComparisonAnswerTests {
  /// Returns the answer for the given figures of `apply` at some strides, and of `plain` if it has figures.
  private func answer(
    _ strides: [Int] = [1, 4, 16, 64], plain: Double? = nil, role: Variant.Role = .documented, rounds: Int = 6,
    noise: Double = 0.0002, baseline: String? = nil, _ apply: (Int) -> Double?
  ) throws -> String {
    let results = try Fixture.compared([("stride", strides)], rounds: rounds, baseline: baseline, plain: role) {
      variant, round, values in
      let mean = variant == "plain" ? plain : apply(values["stride"] ?? 0)
      return mean.map { $0 * (1 + noise * Double((round * 7 + (values["stride"] ?? 0)) % 5)) }
    }
    let says = try #require(results.content.conclusion)
    let stopped =
      " Not measured, since a trial took too long: plain. Make the trials smaller (--quick or --set), or allow longer "
      + "ones (--trial-time, and --time)."
    #expect(says.contains(stopped) == (plain == nil), "\(says)")
    #expect(says.hasSuffix(Self.conditions), "\(says)")
    return says.replacing(stopped, with: "").replacing(Self.conditions, with: "")
  }

  private static let conditions = " Measured at work 15 ns, threads 1."

  @Test func `the answer names the range of good settings and the worst setting`()
    throws
  {
    func time(_ stride: Int) -> Double { stride == 1 ? 50_000 : stride == 4 ? 12_000 : 10_000 }
    // The answer names one setting, and the settings near it with the largest possible difference.
    func near(_ answer: String) -> String { answer.replacing(#/within \d+\.\d % of/#, with: "near") }
    #expect(
      near(try answer { time($0) })
        == "Use stride 16 or 64 (near the best). Lowest mean: stride 16, 10.0 us. Next: stride 4, 1.20x slower. Stride 1 is 5.00x slower."
    )
    let upTo = near(try answer { time(64 / $0) })
    #expect(upTo.hasPrefix("Use stride 1 or 4 (near the best). Lowest mean: stride "), "\(upTo)")
    #expect(upTo.hasSuffix(", 10.0 us. Next: stride 16, 1.20x slower. Stride 64 is 5.00x slower."), "\(upTo)")
    #expect(
      near(try answer { $0 == 4 || $0 == 16 ? 10_000 : 30_000 }).hasPrefix(
        "Use stride 4 or 16 (near the best). Lowest mean: stride "))
    #expect(
      near(try answer([1, 4, 16, 64, 256]) { [4, 64, 256].contains($0) ? 10_000 : 30_000 }).hasPrefix(
        "Use stride 4, 64 or 256 (near the best). Lowest mean: stride "))
    // More than three settings are a range, whose ends were tried.
    #expect(
      near(try answer([1, 4, 16, 64, 256]) { $0 == 1 ? 30_000 : 10_000 }).hasPrefix(
        "Use stride 4 to 256 (near the best). Lowest mean: stride "))
  }

  @Test func `the answer names a single best setting, or any setting if none differs`() throws {
    #expect(
      try answer { $0 == 4 ? 10_000 : 20_000 }.hasPrefix("Stride 4 is fastest, 10.0 us. All others are at least "))
    let flat = try answer([1, 4, 16, 64]) { _ in 10_000 }
    #expect(
      flat.contains(
        /^Use any tried stride from 1 to 64 \(within \d\.\d % of the best\)\. Lowest mean: stride \d+, 10\.0 us\.$/),
      "\(flat)")
  }

  @Test func `a yardstick is not the best if other runs are compared, and the answer says how much better it is`()
    throws
  {
    func says(_ plain: Double, _ strides: [Int] = [1, 4, 16, 64]) throws -> String {
      try answer(strides, plain: plain, role: .yardstick) { $0 == 1 ? 10_000 : 20_000 }
    }
    let faster = try says(5000)
    #expect(
      faster.hasPrefix(
        "Stride 1 is fastest, 10.0 us. All others are at least 2.00x slower. Yardstick, only for comparison: plain (2.00x faster)."
      ), "\(faster)")
    #expect(try says(50_000).contains("Yardstick, only for comparison: plain (5.00x slower)."))
    // Nothing has a ratio to 0.
    #expect(try says(0).contains("Yardstick, only for comparison: plain."))
    // A yardstick is compared with the only other run.
    let only = try says(5000, [1])
    #expect(only.hasPrefix("Fastest: plain, 5.00 us. apply with stride 1 is 2.00x slower."), "\(only)")
    #expect(!only.contains("ardstick"), "\(only)")
    // A program that uses the baseline can keep it.
    let baseline = try answer(plain: 5000, role: .yardstick, baseline: "plain") { $0 == 1 ? 10_000 : 20_000 }
    #expect(baseline.hasPrefix("Fastest: plain, 5.00 us."), "\(baseline)")
  }

  @Test func `with a baseline, the answer begins with the runs that are better and worse than it`() throws {
    func says(_ plain: Double) throws -> [String] {
      try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain") { variant, values in
        variant == "plain" ? plain : values["stride"] == 4 ? 3000 : values["stride"] == 1 ? 9000 : 40_000
      }.content.conclusions
    }
    let better = try says(18_000)
    #expect(
      better.starts(with: [
        "Compared with plain, faster: apply with stride 4 (6.00x), apply with stride 1 (2.00x); slower: apply with stride 16 (2.22x).",
        "Fastest: apply with stride 4, 3.05 us.",
      ]), "\(better)")
    #expect(
      better.contains(
        "Apart from the comparison with plain, ratios here are to the best mean, and in the table to plain."))
    // Both references are the same.
    #expect(try !says(1000).contains { $0.hasPrefix("Compared with") || $0.hasPrefix("Apart from") })
    let alike = try says(3000)
    #expect(!alike.contains("No run certainly differs from plain."), "\(alike)")
  }

  @Test func `a report of several groups begins with what to use, also beside a baseline`() throws {
    let content = try Fixture.compared([("work", [10, 20]), ("stride", [1, 4])], baseline: "plain") { variant, values in
      variant == "plain" ? 9000 : values["stride"] == 4 ? 3000 : 40_000
    }.content
    #expect(
      content.decision.map(\.text) == [
        "Compared with plain, faster everywhere: apply with stride 4; slower everywhere: apply with stride 1.",
        "Compared with each other: apply with stride 4 is fastest at both values of work; the means of plain are up to 3.00x slower.",
      ], "\(content.decision.map(\.text))")
    #expect(Array(content.conclusions.prefix(2)) == content.decision.map(\.text))
  }

  @Test func `the answer about the user's own program precedes the best setting`() throws {
    var results = try Fixture.compared([("stride", [1, 4])]) { variant, values in
      variant == "plain" ? nil : values["stride"] == 4 ? 10_000 : 20_000
    }
    results.findings.append(RunNote(Conclusion.ownAnswer, "For your loop: use stride 7.", runs: []))
    let lines = results.content.conclusions
    #expect(lines.first == "For your loop: use stride 7.", "\(lines)")
    #expect(lines[1].hasPrefix("For the measured program: stride 4 is fastest, "), "\(lines)")
    #expect(results.content.decision.map(\.text) == Array(lines.prefix(2)))
    // JSON has the same sentences in the same order.
    let findings = results.content.document.findings
    #expect(findings.map(\.says) == lines)
    #expect(findings.map(\.kind).prefix(3) == [Conclusion.ownAnswer, Conclusion.kind, Conclusion.explanation])
  }

  @Test func `the answer names the variants, the best variant first`() throws {
    let both = try answer(plain: 10_000) { $0 == 1 ? 50_000 : $0 == 4 ? 12_000 : 10_000 }
    #expect(
      both.contains(
        /^Fastest: plain and apply \(stride 16 or 64\); within \d\.\d % of the best\. Lowest mean: .*10\.0 us\./),
      "\(both)")
    #expect(both.contains("plain") && both.contains("apply (stride 16 or 64)"), "\(both)")
    #expect(
      both.hasSuffix(
        "Slowest: apply with stride 1, 5.00x slower."
      ),
      "\(both)")
  }

  @Test func `the answer recommends the runs that are nearly alike, and names a noisier run apart from them`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])], rounds: 20) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: round.isMultiple(of: 2) ? 4000 : 40_000
      case 4: round.isMultiple(of: 3) ? 8500 : 11_300
      default: 10_000 + Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(/^Use stride 4 or 16: which is best is undecided \(at most 1\d % apart\)\./), "\(says)")
    #expect(
      says.contains(/Undecided, with a larger possible difference \(at most \d\.\dx apart\): stride 1\./), "\(says)")
  }

  @Test func `the answer names runs that are too noisy to rank, and the time that would decide`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 90_000 + Double(round)
      case 4: round.isMultiple(of: 2) ? 4000 : 90_000
      default: 10_000 + Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.hasPrefix(
        "Undecided (too noisy): stride 4 or 16. Lowest mean (may be chance): stride 16, 10.0 us. "), "\(says)")
    #expect(
      says.contains(
        /To decide, compare these alone \(stride=4,16 --variant apply --time \d+s\), or give it more time \(--time \d+s\)\./
      ),
      "\(says)")
    // No row of a table is marked as the best.
    let cells = try #require(results.content.tables.first).rows.compactMap { $0.cells.last?.text }
    #expect(cells.contains("lowest mean ?") && !cells.contains { $0.contains(Signs.best) }, "\(cells)")
    #expect(!says.contains(" leads ") && !says.contains(" best, "), "\(says)")
  }

  /// The ranges of the slowest settings overlap, so none of them can be called the slowest.
  @Test func `the answer names the setting with the highest mean if the slowest setting is uncertain`() throws {
    let says = try answer(noise: 0.005) { $0 == 1 ? 1000 : $0 == 4 ? 5000 : 20_000 + Double($0) }
    #expect(says.contains(/Highest mean: stride 64, 20\.\dx slower/), "\(says)")
    let wide = try answer(noise: 0.02) { $0 == 1 ? 1000 : $0 == 4 ? 5000 : 20_000 + Double($0) }
    #expect(wide.contains(/Highest mean: stride 64, 1\d\.\dx to 2\d\.\dx slower/), "\(wide)")
    let apart = try answer { Double(1000 * $0) }
    #expect(apart.hasSuffix("Stride 64 is 64.0x slower."), "\(apart)")
  }

  @Test func `a setting that is certainly faster than the slowest one is not among the slowest`() throws {
    // The best setting varies so much that the intervals of the others overlap.
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 1000 + 1000 * Double(round % 3)
      case 4: 20_000 + 10 * Double(round % 2)
      default: 40_000 + 10 * Double(round % 2)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains(" Stride 16 is ") && !says.contains("Stride 4 or 16"), "\(says)")
  }

  @Test func `settings whose figures are all 0 are equal, although they have no ratio`() throws {
    let says = try answer(plain: 0) { $0 == 64 ? 10_000 : 0 }
    #expect(says.hasPrefix("Fastest: plain and apply (stride 1, 4 or 16); no difference found. "), "\(says)")
  }

  @Test func `a setting is not called the best if all others have too few rounds`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 8) { variant, round, values in
      variant == "plain" || values["stride"] == 4 && round > 2 ? nil : 10_000 * Double(values["stride"] ?? 1)
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.hasPrefix("Stride 1 has the best mean so far. Too few rounds to rank: stride 4. To decide, "), "\(says)")
  }

  @Test func `a time in a document can be far longer than a run`() {
    #expect(Budget.enough(for: 1e20) == 1_000_000_000)
  }

  @Test func `if only the best setting is left, the others are not listed as the slowest`() throws {
    let says = try answer([1, 4, 16, 64, 256]) { $0 == 1 ? 10_000 : 40_000 }
    #expect(says.contains(/All others are at least 3\.9\dx slower\./), "\(says)")
  }

  @Test func `a setting is not called the slowest if an undecided one may be as slow`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": 10_000 + Double(round)
      case 1: 10_010 + Double(round)
      case 4: [9_000, 17_000, 9_500, 16_000, 9_000, 18_000][round]
      default: 14_000 + 10 * Double(round)
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains("Undecided: apply with stride 4. Highest mean: apply with stride 64, 1.40x slower."),
      "\(says)")
    #expect(!says.contains("Slowest"), "\(says)")
  }

  @Test func `a ratio of a mean between two states is an average`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 40) { variant, round, values in
      guard variant == "apply" else { return nil }
      return values["stride"] == 1 ? 10_000 + Double(round) : round % 5 < 2 ? 10_500 + Double(round) : 90_000
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains("Stride 4 is on average "), "\(says)")
  }

  @Test func `the answer mentions that the best setting is the largest or the smallest that was tried`() throws {
    #expect(try answer { 64_000 / Double($0) }.hasPrefix("Stride 64 is fastest, 1.00 us, the largest stride tried."))
    #expect(
      try answer([4, 16, 64]) { 250 * Double($0) }.hasPrefix("Stride 4 is fastest, 1.00 us, the smallest stride tried.")
    )
    // A single setting on several numbers of cores has no range.
    let one = try Fixture.compared([("stride", [64]), ("cores", [1, 2])]) { variant, values in
      variant == "apply" ? 1000 / Double(values["cores"] ?? 1) : 9000
    }.content.conclusions
    #expect(one.contains { $0.contains("stride 64") } && !one.contains { $0.contains("tried") }, "\(one)")
    // There is no smaller stride than 1.
    #expect(try answer { 1000 * Double($0) }.hasPrefix("Stride 1 is fastest, 1.00 us. "))
    // Larger strides have the same effect as 1,024, so that a larger sweep would show nothing.
    let alike = try answer([1, 4, 16, 1024]) { $0 == 1024 ? 1000 : 9000 }
    #expect(alike.hasPrefix("Stride 1024 is fastest, 1.00 us. "), "\(alike)")
  }

  /// The answer and the table rank means. A reader must learn that a best mean is worse in most rounds.
  @Test func `the answer says in which share of the rounds the best setting is better, if that is seldom`() throws {
    func says(_ fast: Int) throws -> String {
      let results = try Fixture.compared([("stride", [1, 4])], rounds: 30) { variant, round, values in
        guard variant == "apply" else { return nil }
        return values["stride"] == 1 ? 1000 + Double(round % 3) : round % 10 < fast ? 100 : 1100
      }
      return try #require(results.content.conclusion)
    }
    let (seldom, usually) = (try says(6), try says(9))
    #expect(seldom.contains("slower, but only in 60 % of the rounds."), "\(seldom)")
    #expect(!usually.contains("but only in"), "\(usually)")
  }

  @Test func `the answer names the second-best setting`() throws {
    let says = try answer { $0 == 16 ? 10_000 : $0 == 4 ? 11_000 : 50_000 }
    #expect(
      says.contains("Stride 16 is fastest, 10.0 us. Next: stride 4, 1.10x slower. Highest mean: stride "), "\(says)")
    // The sentence on the worst setting says the same.
    #expect(try !answer([1, 4]) { $0 == 1 ? 10_000 : 50_000 }.contains("Next"))
  }

  /// Medians rank the runs. A user would not expect a run with the best median to have the worst slow samples.
  @Test func `the answer mentions slow samples of the best run if those of another run are much faster`() throws {
    func says(slow: Double) throws -> String {
      let made = Fixture.made([
        (
          "one",
          Fixture.rounds(6) { round in
            ["elapsed": Array(repeating: 1000 + Double(round), count: 97) + [slow, slow, slow]]
          }
        ),
        ("two", Fixture.rounds(6) { round in ["elapsed": Array(repeating: 2000 + Double(round), count: 100)] }),
      ])
      var experiment = made.experiment
      (experiment.show, experiment.isComparison) = (["elapsed"], true)
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
      return try #require(results.content.conclusion)
    }
    #expect(try says(slow: 1000) == "Fastest: one, 1.00 us. two is 2.00x slower. Measured at stride 1.")
    let slow = try says(slow: 90_000)
    #expect(
      slow.contains(/But the p99 of elapsed is 90 us with one, and 2\.0\d us with two\. Measured at stride 1\.$/),
      "\(slow)")
  }

  /// A variant that alternates between a fast and a slow state can have the worse mean and win most rounds.
  @Test func `a variant that is faster in most rounds is not called slower`() throws {
    let made = Fixture.made([
      ("steady", Fixture.rounds(60) { round in ["elapsed": [1000 + Double(round % 7)]] }),
      ("alternating", Fixture.rounds(60) { round in ["elapsed": [round % 5 < 3 ? 900 : 2000 + Double(round % 7)]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isComparison) = (["elapsed"], true)
    let content = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs
    ).content
    let says = try #require(content.conclusion)
    #expect(
      says.contains(
        /^Undecided( \(at most [0-9.]+ % apart\))?: all\. Lowest mean: steady, 1\.00 us, beside alternating, 1\.24 us \(900 ns in 60 % of the rounds, 2\.00 us in the others\), but alternating is faster in 60 % of the rounds\. More time may not decide: alternating alternates between two states\. Measured/
      ),
      "\(says)")
    let cells = content.tables.flatMap(\.rows).flatMap { $0.cells.map(\.text) }
    #expect(
      cells.contains { $0.hasPrefix("undecided: better in 60 % of the rounds") }
        && !cells.contains { $0.contains("slower") }, "\(cells)")
  }

  @Test func `the answer says which of two equal settings is faster in most rounds`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 50_000
      case 4: 10_000
      // Faster in two thirds of the rounds, and slower on average.
      default: round.isMultiple(of: 3) ? 10_060 : 9_990
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains("Lowest mean: stride 4, 10.0 us, but stride 16 is faster in 67 % of the rounds."), "\(says)")
    let variants = try Fixture.compared([("stride", [4])]) { variant, round, values in
      variant == "plain" ? 10_000 : round.isMultiple(of: 3) ? 10_060 : 9_990
    }
    let other = try #require(variants.content.conclusion)
    #expect(
      other.contains(
        /Lowest mean: plain, 10\.0 us, but apply with stride 4 is faster in 67 % of the rounds\./),
      "\(other)")
  }

  @Test func `if every other setting may be as bad as the worst, the answer names none of them`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, round, values in
      switch values["stride"] {
      case _ where variant == "plain": nil
      // The interval of stride 1 is wide, and contains those of strides 4 and 16.
      case 1: 30_000 + 30_000 * Double(round % 3)
      case 4: 40_000 + 10 * Double(round % 2)
      case 16: 45_000 + 10 * Double(round % 2)
      default: 10_000
      }
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains(/All others are at least 1\.\d+x slower\./), "\(says)")
  }

  @Test func `settings that are certainly within a few percent of the best count as good`() throws {
    let says = try answer([1, 4, 16], noise: 0.001) { $0 == 1 ? 10_000 : $0 == 4 ? 10_300 : 12_000 }
    #expect(says.contains(/^Use stride 1 or 4 \(within 3\.\d % of the best\)\. Lowest mean: stride 1,/), "\(says)")
    #expect(says.contains("Stride 16 is 1.2"), "\(says)")
  }

  /// A few slow rounds change the mean and not the median. The displayed figures are those that are ranked.
  @Test func `the ranked figure is in the table, in the plot and in the answer`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      if variant == "plain" { return nil }
      return values["stride"] == 1 ? (round < 3 ? 2000 : 8000 + Double(round)) : values["stride"] == 4 ? 1000 : 40_000
    }
    let content = results.content
    let table = try #require(content.tables.first)
    let column = try #require(table.headings.firstIndex { $0.title == "mean" })
    let row = try #require(table.rows.first { $0.cells[1].text == "1" && $0.cells[0].text == "apply" })
    #expect(row.cells[column].text == "4.00 us", "\(row.cells.map(\.text))")
    let curve = try #require(content.sweeps.first)
    #expect(curve.series.first { $0.label == "apply" }?.points.first.flatMap { $0 }?.text == "4.00 us")
    #expect(
      curve.figures == "means over the rounds" && HTMLReport.render([content]).contains("apply, stride=1: 4.00 us"))
    #expect(
      content.footnotes(content.tables).first == "mean: the geometric mean of the rounds, by which the runs are ranked")
  }

  @Test func `a narrow terminal keeps the marks and mentions that columns are hidden`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])], samples: 40) { variant, round, values in
      variant == "plain" ? nil : Double(values["stride"] == 4 ? 1000 : 9000) + Double(round)
    }
    let narrow = TerminalReport(TextStyle(width: 40)).render(results.content).split(separator: "\n").map(String.init)
    #expect(narrow.contains { $0.hasPrefix("  apply") && $0.hasSuffix("● best") }, "\(narrow)")
    #expect(narrow.contains { $0.hasSuffix("mean p50   vs best") || $0.hasSuffix("vs best") }, "\(narrow)")
    #expect(narrow.allSatisfy { $0.displayWidth <= 40 })
    let named = TerminalReport(TextStyle(width: 20)).render(results.content)
    #expect(named.contains("● best") && named.contains("--details shows all"), "\(named)")
    let page = HTMLReport.render([results.content])
    #expect(page.contains("<th class=\"room\">p50</th>") && page.contains("Columns hidden on a narrow screen: "))
  }

  @Test func `the answer suggests a comparison of the undecided variants alone if others are decided`() throws {
    func says(_ third: Double) throws -> String {
      let made = Fixture.made([
        ("one", Fixture.rounds(6) { round in ["elapsed": [10_000 + 3000 * Double(round % 3)]] }),
        ("two", Fixture.rounds(6) { round in ["elapsed": [10_000 + 3000 * Double((round + 1) % 3)]] }),
        ("three", Fixture.rounds(6) { round in ["elapsed": [third + 3000 * Double((round + 2) % 3)]] }),
      ])
      var experiment = made.experiment
      (experiment.show, experiment.isComparison) = (["elapsed"], true)
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
      return try #require(results.content.conclusion)
    }
    let apart = try says(90_000)
    #expect(apart.contains("To decide, compare these alone (--variant one --variant two --time 10s), or "), "\(apart)")
    // If all variants are undecided, no variant is omitted.
    let together = try says(10_000)
    #expect(!together.contains("--variant"), "\(together)")
  }

  /// Stride 4 is slightly faster in the rounds of both strides, and may be much faster. Stride 1 has the best mean,
  /// since two more rounds of stride 1 are fast.
  @Test func `a setting that may be much better than the best mean is not within a few percent of the best`() throws {
    let results = try Fixture.compared([("stride", [1, 4])], rounds: 12) { variant, round, values in
      if variant == "plain" { return nil }
      if values["stride"] == 1 { return round < 10 ? 10_000 : 4000 }
      return round < 10 ? round.isMultiple(of: 2) ? 10_700 : 8700 : nil
    }
    let says = try #require(results.content.conclusion)
    #expect(says.hasPrefix("Use stride 1 or 4: which is best is undecided (at most "), "\(says)")
    #expect(says.contains("Lowest mean (may be chance): stride 1") && !says.contains("within"), "\(says)")
  }

  /// Means of times and of speed-ups agree with each other. A median of the speed-ups would not.
  @Test func `rates beside a ranked mean are means`() throws {
    let made = Fixture.made([
      ("one", Fixture.rounds(8) { round in ["elapsed": [round < 3 ? 1000 : 4000], "rate": [round < 3 ? 4 : 1]] }),
      ("two", Fixture.rounds(8) { round in ["elapsed": [8000 + Double(round)], "rate": [0.5]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isComparison) = (["elapsed", "rate"], true)
    let content = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs
    ).content
    let text = content.tables.flatMap(\.rows).flatMap { $0.cells.map(\.text) }
    // The geometric mean of three rates of 4 and five rates of 1 is 1.68. The median is 1.
    #expect(text.contains { $0.hasPrefix("1.68") }, "\(text)")
    #expect(content.tables.contains { $0.note.contains("geometric means of the rounds: rate") })
  }

  @Test func `the answer says how much time gives a setting enough rounds`() throws {
    let results = try Fixture.compared([("stride", [1])], rounds: 6) { variant, round, _ in
      variant == "plain" ? round < 3 ? 5000 : nil : 1000
    }
    let says = try #require(results.content.conclusion)
    #expect(says.contains("oo few rounds to rank: plain"), "\(says)")
    #expect(says.contains(/To decide, give it more time \(--time \d+s\)\./), "\(says)")
  }

  @Test func `the answer after too few rounds mentions how many are needed`() throws {
    #expect(
      try answer(rounds: 3) { $0 == 4 ? 10_000 : 20_000 }
        == "Stride 4 has the best mean so far. 6 rounds are needed to rank the settings: --time 3s should give "
        + "them, or --quick, whose trials are smaller.")
  }

  @Test func `an undecided answer names all runs that are certainly slower than the best mean`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16, 64])], rounds: 12) { variant, round, values in
      let noise = 1 + 0.002 * Double(round)
      return switch values["stride"] {
      case _ where variant == "plain": nil
      case 1: 1000 * (round.isMultiple(of: 2) ? 1.2 : 1)
      case 4: 1000 * (round.isMultiple(of: 2) ? 1 : 1.2)
      case 16: 4000 * noise
      default: 9000 * noise
      }
    }.content.conclusions
    #expect(says.contains("Certainly slower: stride 16 or 64 (3.7x to 8.3x)."), "\(says)")
  }

  @Test func `the answer has the second metric of each run that may be the best, and leaves out runs without it`()
    throws
  {
    let times: [(String, Double, Double?)] = [
      ("one", 1000, 5), ("two", 1001, nil), ("three", 1002, 5), ("four", 3000, 7), ("five", 4000, nil),
    ]
    var results = Fixture.made(
      times.map { name, time, rate in
        (
          name,
          Fixture.rounds(8) { round in
            ["elapsed": [time + Double(round)]].merging(rate.map { ["rate": [$0]] } ?? [:]) { $1 }
          }
        )
      })
    var experiment = results.experiment
    (experiment.show, experiment.isComparison) = (["elapsed", "rate"], true)
    results = Results(
      experiment: experiment, machine: results.machine, seed: 1, started: results.started, runs: results.runs)
    let says = results.content.conclusions
    #expect(
      says.contains { $0.hasPrefix("Rate (") && $0.hasSuffix("): 5.00 /s (one and three), 7.00 /s (four).") }, "\(says)"
    )
  }

  @Test func `the answer names the fastest of the variants without a flaw`() throws {
    let made = Fixture.made([
      ("wild", Fixture.rounds(6) { round in ["missed": [33], "elapsed": [1000 + Double(round % 2)]] }),
      ("safe", Fixture.rounds(6) { round in ["missed": [0], "elapsed": [10_000 + Double(round % 3)]] }),
      ("slow", Fixture.rounds(6) { round in ["missed": [0], "elapsed": [40_000 + Double(round % 2)]] }),
    ])
    var experiment = made.experiment
    (experiment.show, experiment.isComparison) = (["missed", "elapsed"], true)
    let results = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, runs: made.runs)
    let json = try JSONReport.render([results.document]).replacing("\"neither\"", with: "\"lower\"")
    let document = try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first)
    #expect(
      ReportContent(document).conclusion
        == "No `missed`, except: wild. Fastest: safe, 10.0 us. slow is 4.00x slower. Measured at stride 1.")
    // The answer does not depend on which of the two metrics is the headline.
    let flipped = json.replacing(/"show": \[\s*"missed",\s*"elapsed"\s*\]/, with: #""show": ["elapsed", "missed"]"#)
    #expect(flipped != json)
    let content = ReportContent(try #require(try ResultDocument.parse(Array(flipped.utf8), place: "own").first))
    #expect(content.conclusion == ReportContent(document).conclusion)
    let rows = try #require(content.tables.first).rows.map { $0.cells.map(\.text) }
    #expect(
      rows.map(\.last) == ["33 missed", "● best mean", rows[2].last] && rows[2].last?.hasPrefix("4.00x slower") == true,
      "\(rows)")
  }

  /// Returns the content of a comparison in which some runs of `apply` miss something, and all trials of `plain` are
  /// stopped.
  private func flawed(
    _ sweeps: [(name: String, values: [Int])], isCondition: Bool = false,
    command: [String] = [], hasPlain: Bool = false, time: (_ stride: Int) -> Double = { _ in 1000 },
    misses: (_ stride: Int, _ work: Int) -> Bool
  ) throws -> ReportContent {
    let made = try Fixture.compared(sweeps) { variant, _ in variant == "plain" ? nil : 1000 }
    let runs = made.runs.map { run in
      guard run.variant.name == "apply" else { return run }
      var run = run
      let (stride, work) = (run.parameters["stride"]?.integer ?? 0, run.parameters["work"]?.integer ?? 0)
      run.trials = (0..<6).map { round in
        let figures = ["elapsed": [time(stride) + Double(round)], "missed": [misses(stride, work) ? 3.0 : 0]]
        return TrialRecord(round: round, outcome: .completed, observation: Fixture.observation(figures))
      }
      return run
    }.filter { hasPlain || $0.variant.name == "apply" }
    var experiment = made.experiment
    experiment.show = ["elapsed", "missed"]
    var results = Results(
      experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: runs)
    results.command = command
    let json = try JSONReport.render([results.document]).replacing("\"neither\"", with: "\"lower\"")
      .replacing(/"problem": \[/, with: isCondition ? "\"conditions\": [\"work\"],\n\"problem\": [" : "\"problem\": [")
    return ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first))
  }

  @Test func `a flaw that was not counted for every run is not said to be absent`() throws {
    func first(_ misses: Bool) throws -> String? {
      try flawed([("stride", [1, 4])], hasPlain: true) { stride, _ in misses && stride == 4 }.conclusions.first
    }
    #expect(try first(false) == "No `missed` at any setting that was measured; not measured: plain.")
    let some = try first(true)
    #expect(
      some
        == "No `missed`, except: stride 4; not measured: plain; the limit is between stride 1 and 4; for what is in between, sweep stride=1..4 --variant apply."
    )
  }

  @Test func `the others of a secondary metric are all runs with a figure of it, or those that are ranked`() throws {
    /// Returns the sentence about `rate` if a run without `elapsed` has a figure of it, or none.
    func says(_ idle: Double?) throws -> String? {
      let rates = ["best": 1.0, "next": 20, "last": 40]
      var runs = [("best", 1000.0), ("next", 4000), ("last", 9000)].map { name, time in
        (variant: name, trials: Fixture.rounds(6) { ["elapsed": [time + Double($0)], "rate": [rates[name] ?? 1]] })
      }
      runs.append(("idle", Fixture.rounds(6) { _ in idle.map { ["rate": [$0]] } }))
      let made = Fixture.made(runs)
      var experiment = made.experiment
      (experiment.isComparison, experiment.show) = (true, ["elapsed", "rate"])
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: made.runs)
      return results.content.conclusions.first { $0.hasPrefix("Rate (") }
    }
    let (whole, part) = (try says(nil), try says(2))
    #expect(whole?.hasSuffix("1 /s (best), 20.0 /s to 40 /s (the others).") == true, "\(whole ?? "")")
    #expect(
      part?.hasSuffix("1 /s (best), 20.0 /s to 40 /s (the others that are ranked); not ranked: 2 /s (idle).") == true,
      "\(part ?? "")")
  }

  @Test func `the decision has the secondary metric if it tells equally good runs apart`() throws {
    func decision(_ rate: Double) throws -> [String] {
      let made = Fixture.made(
        [("left", rate), ("right", 10)].map { name, rate in
          (variant: name, trials: Fixture.rounds(6) { ["elapsed": [1000 + Double($0)], "rate": [rate]] })
        })
      var experiment = made.experiment
      (experiment.isComparison, experiment.show) = (true, ["elapsed", "rate"])
      return Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: made.runs
      ).content.decision.map(\.text)
    }
    let apart = try decision(30)
    #expect(apart.last == "The best differ in `rate`: 10.0 /s (right), 30.0 /s (left).", "\(apart)")
    #expect(try decision(15).count == 1)
  }

  @Test func `the decision begins with the fact that nothing gains if every speed-up is below 1`() throws {
    func decision(_ speedUp: Double) throws -> [String] {
      let made = Fixture.made(
        [("left", 0.7), ("right", speedUp)].map { name, rate in
          (variant: name, trials: Fixture.rounds(6) { ["elapsed": [1000 / rate + Double($0)], "rate": [rate]] })
        })
      var experiment = made.experiment
      (experiment.isComparison, experiment.show) = (true, ["elapsed", "rate"])
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: made.runs)
      let json = try JSONReport.render([results.document]).replacing(/"rate"/, with: "\"speedup\"")
        .replacing(/"kind": "speedup"/, with: "\"kind\": \"rate\"")
      return ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first))
        .decision.map(\.text)
    }
    let (loss, gain) = (try decision(0.9), try decision(1.8))
    #expect(loss.first == "Nothing gains: `speedup` is below 1 at every ranked setting (loops a second).", "\(loss)")
    #expect(loss.count == gain.count + 1 && loss.last?.hasPrefix("Fastest: right") == true, "\(loss) \(gain)")
  }

  @Test func `a saved comparison without a decision keeps its answer, and does not get it twice`() throws {
    let content = try Fixture.compared([("stride", [1, 4])]) { _, _ in nil }.content
    #expect(content.conclusions.count == 1 && content.decision.isEmpty, "\(content.conclusions)")
    let json = try JSONReport.render([content.document])
    let saved = ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first))
    #expect(saved.conclusions == content.conclusions)
  }

  @Test func `of two worse runs, no sentence is said twice`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, values in
      guard variant == "apply" else { return nil }
      return [1: 11_000.0, 4: 2200, 16: 1000, 64: 1002][values["stride"] ?? 1]
    }.content.conclusions
    #expect(
      says.count == Set(says).count && says.count { $0.contains("tride 4 ") || $0.contains("stride 4,") } == 1,
      "\(says)")
  }

  @Test func `an undecided run that varies more than a worse one is said to be so`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16])], rounds: 12) { variant, round, values in
      guard variant == "apply" else { return nil }
      let steady = 1000 + Double(round % 3)
      return switch values["stride"] {
      case 1: steady
      case 4: 1.1 * steady
      default: [1.6, 0.8, 1.6, 0.8, 1.7, 0.85][round % 6] * steady
      }
    }.content.conclusions
    #expect(
      says.contains("Stride 16 is undecided because it varies more than stride 4, whose mean is better."), "\(says)")
  }

  @Test func `a command at the end of a sentence has lines of its own in a terminal`() throws {
    let style = TextStyle(width: 40)
    #expect(
      style.wrapped(Line("To decide, try `gcdlab compare apply-stride stride=1,4 --time 30s`.")) == [
        "To decide, try:", "  gcdlab compare apply-stride \\", "    stride=1,4 --time 30s",
      ])
    // An option stays beside its value.
    #expect(
      style.command("gcdlab compare locks work=10us --variant mutex", indent: 2) == [
        "  gcdlab compare locks work=10us \\", "    --variant mutex",
      ])
    #expect(
      style.wrapped(Line("A full run may say more: `gcdlab list`.")) == ["A full run may say more:", "  gcdlab list"])
    #expect(style.wrapped(Line("Use `apply`.")) == ["Use `apply`."])
  }

  @Test func `a setting with a flaw in one group is recommended in no group`() throws {
    let content = try flawed([("work", [10, 1000]), ("stride", [1, 4, 16])], time: { 16_000 / Double($0) }) {
      stride, work in stride == 16 && work == 1000
    }
    let says = content.conclusions
    #expect(
      says.first
        == "No `missed`, except: stride 16; not ranked, since the setting has missed at another work: stride 16 at work 10 "
        + "ns; the limit is between stride 4 and 16; for what is in between, sweep stride=4..16."
        && says.dropFirst().first == "Stride 4 is fastest at both values of work.", "\(says)")
    let table = try #require(content.briefTables.first { $0.isGrid })
    #expect(table.rows.map { $0.cells.last?.text } == ["(0.250x)", "3 missed"], "\(table)")
    #expect(
      content.footnotes([table]).contains("(in parentheses): has missed at another work, and is not ranked"))
  }

  @Test func `a setting with a flaw under one condition may be good under another`() throws {
    let content = try flawed(
      [("work", [10, 1000]), ("stride", [1, 4, 16])], isCondition: true, time: { 16_000 / Double($0) }
    ) {
      stride, work in stride == 16 && work == 1000
    }
    let says = content.conclusions
    #expect(
      says.contains("Fastest: stride 16 at work 10 ns; stride 4 at work 1 us.")
        && !says.contains { $0.contains("not ranked") }, "\(says)")
  }

  @Test func `the answer names the best value of a swept parameter that does not affect the best variant`() throws {
    func says(_ plain: Double) throws -> [String] {
      try Fixture.compared([("stride", [1, 4, 16])], baseline: "plain") { variant, values in
        variant == "plain" ? plain : values["stride"] == 4 ? 3000 : 9000
      }.content.conclusions
    }
    let nearest = try says(1000)
    #expect(
      nearest.contains("Of the values of stride, apply with stride 4 comes nearest: 3.00x slower."), "\(nearest)")
    #expect(try !says(20_000).contains { $0.hasPrefix("Of the values") })
  }

  @Test func `the answer suggests no sweep between neighbouring numbers`() throws {
    let says = try flawed([("stride", [1, 2, 3])]) { stride, _ in stride == 3 }.conclusions
    #expect(says.first == "No `missed`, except: stride 3.", "\(says)")
  }

  @Test func `a plot omits the settings with a flaw`() throws {
    let content = try flawed([("stride", [1, 4, 16, 64])]) { stride, _ in stride >= 16 }
    let curve = try #require(content.sweeps.first { $0.metric.name == "elapsed" })
    #expect(curve.series.map { $0.values.map { $0 != nil } } == [[true, true, false, false]])
    #expect(curve.note == ", only settings without missed")
    let counts = try #require(content.sweeps.first { $0.metric.name == "missed" })
    #expect(counts.series.map { $0.values.map { $0 != nil } } == [[true, true, true, true]] && counts.note.isEmpty)
  }

  @Test func `the answer suggests a sweep between the last setting without a flaw and the first with one`() throws {
    let says = try flawed([("stride", [1, 4, 16, 64])]) { stride, _ in stride >= 16 }.conclusions
    #expect(
      says.first
        == "No `missed`, except: stride 16 or 64; the limit is between stride 4 and 16; for what is in between, sweep stride=4..16.",
      "\(says)")
  }

  @Test func `a run that is certainly almost as good as the best mean is recommended beside a noisy run`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      switch (variant, values["stride"]) {
      case ("plain", _): nil
      case (_, 1): 10_000 + Double(round)
      case (_, 4): 10_300 + Double(round)
      default: round.isMultiple(of: 2) ? 12_000 : 8800
      }
    }.content.conclusions
    #expect(
      says.starts(with: [
        "Use stride 1 or 4 (within 3.0 % of the best).", "Lowest mean: stride 1, 10.0 us.", "Undecided: stride 16.",
      ]),
      "\(says)")
  }

  @Test func `the groups with the same equally good runs stand together, in any order of the means`() throws {
    let says = try Fixture.compared([("work", [10, 100, 1000, 10_000])]) { variant, values in
      let isPlain = variant == "plain"
      return switch values["work"] {
      case 10: isPlain ? 1000 : 9000
      case 100: isPlain ? 1000 : 1002
      case 1000: isPlain ? 1002 : 1000
      default: isPlain ? 9000 : 1000
      }
    }.content.conclusions
    #expect(says.first?.contains("plain or apply at work 100 ns and 1 us") == true, "\(says)")
  }

  @Test func `a run with figures of 0 in some rounds is named as not ranked`() throws {
    let says = try Fixture.compared([("stride", [1, 4, 16])]) { variant, round, values in
      variant == "plain" ? nil : values["stride"] == 16 ? (round == 2 ? 0 : 9000) : values["stride"] == 4 ? 3000 : 1000
    }.content.conclusions
    #expect(
      says.contains("Not ranked, since `elapsed` is 0 in some rounds: apply with stride 16."), "\(says)")
  }

  @Test func `the command that finds a limit keeps the other sweeps of a grid`() throws {
    let says = try flawed(
      [("work", [10, 1000]), ("stride", [32, 36])], command: ["compare", "apply", "work=10,1000", "stride=32,36"]
    ) { stride, _ in stride == 36 }.conclusions
    #expect(
      says.first?.hasSuffix(
        "the limit is between stride 32 and 36; for what is in between, run `gcdlab compare apply work=10ns,1us stride=32..36`."
      ) == true, "\(says)")
    #expect(
      says.contains(
        "Stride 32 is the largest tried without `missed`: one nearer to the limit may be faster, but a program of your own "
          + "needs a margin."), "\(says)")
    // The axes of the next table are those of this one.
    let turned = try flawed(
      [("stride", [32, 36]), ("work", [10, 1000])], command: ["compare", "apply", "stride=32,36", "work=10,1000"]
    ) { stride, _ in stride == 36 }.conclusions
    #expect(turned.first?.hasSuffix("`gcdlab compare apply stride=32..36 work=10ns,1us`.") == true, "\(turned)")
  }

  @Test func `a margin is the largest setting without a flaw, unless a smaller one is as good`() throws {
    func margin(time: (_ stride: Int) -> Double) throws -> String? {
      try flawed([("stride", [16, 32, 64])], time: time) { stride, _ in stride == 64 }.decision.map(\.text).last
    }
    #expect(
      try margin { _ in 1000 }
        == "Stride 32 is the largest tried without `missed`: a program of your own needs a margin, and stride 16 is the best."
    )
    #expect(
      try margin { $0 == 16 ? 1020 : 1000 }?.contains(/needs a margin, and stride 16 is within \d\.\d % of the best\.$/)
        == true)
    #expect(try margin { $0 == 16 ? 2000 : 1000 }?.contains("one nearer to the limit may be faster") == true)
    #expect(try margin { $0 == 32 ? 2000 : 1000 }?.contains("margin") == false)
  }

  @Test func `of a grid, the answer has the speed-ups of the best settings`() throws {
    func says(_ works: [Int]) throws -> String? {
      let made = try Fixture.compared([("work", works), ("stride", [1, 4])]) { variant, _ in
        variant == "plain" ? nil : 1000
      }
      let runs = made.runs.filter { $0.variant.name == "apply" }.map { run in
        var run = run
        let (stride, work) = (run.parameters["stride"]?.integer ?? 0, run.parameters["work"]?.integer ?? 0)
        run.trials = (0..<6).map { round in
          let figures = ["elapsed": [Double(stride * 1000 + round)], "rate": [Double(work) / 10]]
          return TrialRecord(round: round, outcome: .completed, observation: Fixture.observation(figures))
        }
        return run
      }
      var experiment = made.experiment
      experiment.show = ["elapsed", "rate"]
      let results = Results(
        experiment: experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1, runs: runs)
      let json = try JSONReport.render([results.document]).replacing(/"rate"/, with: "\"speedup\"")
        .replacing(/"kind": "speedup"/, with: "\"kind\": \"rate\"")
      return ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first))
        .conclusions.first { $0.hasPrefix("Speedup") }
    }
    let few = try says([15, 18])
    #expect(
      few?.hasSuffix("): 1.50 /s (stride 1) at work 15 ns; 1.80 /s (stride 1) at work 18 ns.") == true, "\(few ?? "")")
    let many = try says([12, 15, 18, 20])
    #expect(many?.hasSuffix("): 1.20 /s to 2 /s at the lowest means.") == true, "\(many ?? "")")
  }

  @Test func `the answer says if only yardsticks were compared`() throws {
    func says(_ command: [String]) throws -> [String] {
      let made = try Fixture.compared([("stride", [1, 4])]) { variant, values in
        variant == "plain" ? nil : Double(1000 * (values["stride"] ?? 1))
      }
      var results = Results(
        experiment: made.experiment, machine: made.machine, seed: 7, started: made.started, seconds: 1,
        runs: made.runs.filter { $0.variant.name == "apply" })
      results.command = command
      let json = try JSONReport.render([results.document]).replacing(
        /"role": "[a-z]+"/, with: "\"role\": \"yardstick\"")
      return ReportContent(try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first)).conclusions
    }
    let yardstick =
      "apply is a yardstick of this scenario: without --variant, the variants that it is about are compared, too."
    let some = try says(["compare", "apply", "stride=1,4", "--variant", "apply"])
    #expect(some.contains(yardstick), "\(some)")
    let all = try says(["compare", "apply", "stride=1,4"])
    #expect(!all.contains(yardstick), "\(all)")
  }

  @Test func `the suggested sweep is one that the command accepts, however far apart the settings are`() throws {
    let far = [1, Int.max / 4, Int.max]
    let says = try flawed([("stride", far)]) { stride, _ in stride == Int.max }.conclusions
    #expect(says.first?.contains(/, sweep stride=\d+\.\.\d+:\+8000000000000000\./) == true, "\(says)")
    // The range of a duration needs a step.
    let timed = try flawed([("work", [1_000_000, 50_000_000]), ("stride", [1])], isCondition: true) { _, work in
      work > 1_000_000
    }.conclusions
    let sweep = try #require(timed.first?.firstMatch(of: /sweep (work=[^, ]+)\.$/)?.1, "\(timed)")
    #expect(sweep == "work=1ms..50ms:+6125us", "\(timed)")
  }

  @Test func `undecided settings that hardly differ are in the first sentence beside those as good as the best`() throws
  {
    let says = try Fixture.compared([("stride", [1, 4, 16])], rounds: 12) { variant, round, values in
      guard variant == "apply" else { return nil }
      return values["stride"] == 16 ? (round.isMultiple(of: 2) ? 1150 : 900) : 1000 + Double(round % 3)
    }.content.conclusions
    #expect(says.first?.hasPrefix("Use stride 1 or 4 (within 0.") == true, "\(says)")
    #expect(
      says.first?.contains(/of the best\); stride 16 may be as good \(at most 1\d % apart\)\.$/) == true, "\(says)")
  }

  @Test func `every format has the answer, including JSON and a report of a saved run`() throws {
    let results = try Fixture.compared([("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? nil : values["stride"] == 4 ? 10_000 : 50_000
    }
    let content = results.content
    let says = content.conclusions
    #expect(says.first?.hasPrefix("Stride 4 is fastest") == true && says.count > 1)
    let json = try JSONReport.render([content.document])
    for text in [json, MarkdownReport.render([content]), HTMLReport.render([content])] {
      for sentence in says { #expect(text.contains(sentence), "\(sentence)") }
    }
    let changed = json.replacing(try #require(says.first), with: "As it was.")
    let saved = try #require(try ResultDocument.parse(Array(changed.utf8), place: "own").first)
    #expect(ReportContent(saved).conclusions == ["As it was."] + says.dropFirst())
  }
}

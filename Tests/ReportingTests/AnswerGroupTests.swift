import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the answer of a comparison with several groups of runs.
@Suite struct AnswerGroupTests {
  @Test func `the answer about several groups compares the others with a baseline`() throws {
    let results = try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], baseline: "plain") {
      variant, values in
      Double((variant == "plain" ? 4000 : values["stride"] == 4 ? 1000 : 10_000) * (values["work"] == 10 ? 1 : 10))
    }
    #expect(
      results.content.conclusions.starts(with: [
        "Compared with plain, faster everywhere: apply with stride 4; slower everywhere: apply with stride 1.",
        "Compared with each other: apply with stride 4 is fastest at both values of work; the means of plain are up to 4.00x slower.",
        "- apply with stride 4: 4.00x faster than plain everywhere.",
        "- apply with stride 1: 2.50x slower than plain everywhere.",
      ]), "\(results.content.conclusions)")
    let partly = try Fixture.compared([("work", [10, 100, 1000]), ("stride", [1, 4])], rounds: 12, baseline: "plain") {
      variant, round, values in
      if variant == "plain" { return 4000 }
      if values["stride"] == 1 { return round.isMultiple(of: 2) ? 2000 : 8000 }
      return values["work"] == 10 ? 1000 : values["work"] == 100 ? 12_000 : 4000
    }.content.conclusions
    #expect(
      partly.starts(with: [
        "Compared with plain, faster somewhere, but slower elsewhere: apply with stride 4; no certain difference: apply with stride 1.",
        "Compared with each other: undecided at 2 of the 3 values of work (work 100 ns and 1 us); fastest: apply with stride 4 at work 10 ns; plain or apply (stride 1) (undecided) at work 100 ns; plain or apply (stride 4) at work 1 us.",
        "- apply with stride 4: 4.00x faster than plain at work 10 ns; 3.00x slower than plain at work 100 ns; no difference found at 1 of the 3 values of work.",
        "- apply with stride 1: undecided against plain at all 3 values of work.",
      ]), "\(partly)")
  }

  @Test func `a yardstick is better in at most as many groups as there are`() throws {
    let says = try Fixture.compared([("work", [10, 1000]), ("threads", [1, 2])], plain: .yardstick) { variant, _ in
      variant == "plain" ? 10 : 1000
    }.content.conclusions
    #expect(
      says.contains("Yardstick, only for comparison: plain (faster at both values of work)."), "\(says)")
  }

  @Test func `the settings of a yardstick beside a baseline are told apart`() throws {
    let says = try Fixture.compared(
      [("work", [10, 1000]), ("threads", [1, 2])], baseline: "apply", plain: .yardstick
    ) { variant, values in
      variant == "apply" ? 1000 : values["threads"] == 1 ? 10 : 100_000
    }.content.conclusions
    #expect(
      says.first
        == "Compared with apply, faster everywhere: plain with threads 1 (a yardstick); slower everywhere: plain with threads 2 (a yardstick).",
      "\(says)")
  }

  @Test func `a baseline without figures is compared with nothing`() throws {
    for sweep in [[("stride", [1, 4])], [("work", [10, 1000]), ("stride", [1, 4])]] {
      let says = try Fixture.compared(sweep, baseline: "plain") { variant, values in
        variant == "plain" ? nil : values["stride"] == 4 ? 1000 : 3000
      }.content.conclusions
      #expect(!says.contains { $0.contains("ompared with") || $0.contains("ratios below") }, "\(says)")
    }
  }

  @Test func `the verb after the name of a run follows the variant`() {
    #expect(RunNames.verb("2 cores") == "are" && RunNames.has("2 cores") == "have")
    #expect(RunNames.verb("mutex with 2 cores") == "is" && RunNames.has("1 core") == "has")
  }

  @Test func `a group with a single measured run is part of the first sentence`() throws {
    let part = try Fixture.compared([("work", [10, 100])]) { variant, values in
      variant == "plain" ? 50_000 : values["work"] == 10 ? 1000 : nil
    }.content.conclusions
    #expect(part.first == "Fastest: apply at work 10 ns; plain (the only one measured) at work 100 ns.", "\(part)")
    // At 1 us nothing was measured.
    let none = try Fixture.compared([("work", [10, 100, 1000])]) { variant, values in
      values["work"] == 1000 ? nil : variant == "plain" ? 50_000 : 1000
    }.content.conclusions
    #expect(
      none.first == "apply is fastest at all measured values of work; the means of plain are up to 50.0x slower.",
      "\(none)"
    )
  }

  @Test func `the first sentence counts the settings at which a run has the best mean`() throws {
    let says = try Fixture.compared(
      [("cores", [1, 2]), ("work", [10, 100, 1000]), ("stride", [1, 4, 16, 64])], rounds: 12
    ) {
      variant, round, values in
      guard variant == "apply", let work = values["work"], let stride = values["stride"] else { return 90_000 }
      let best = values["cores"] == 1 ? 1 : 64
      // Another stride is undecided beside the best stride, which differs with the work.
      let other = work == 10 ? 4 : work == 100 ? 16 : best
      guard stride == best || stride == other else { return 20_000 }
      return round.isMultiple(of: 2) == (stride == best) ? 1300 : 1000
    }.content.conclusions
    #expect(
      says.first
        == "apply is fastest everywhere; which stride is undecided at 4 of the 6 combinations: lowest mean: apply with stride 1 at 3, apply with stride 4 at 1, apply with "
        + "stride 16 at 1, others at 1 of the 6 combinations; the means of plain are up to 79x slower.", "\(says)")
  }

  @Test func `a run that is certainly worse than another candidate is no candidate`() throws {
    let says = try Fixture.compared([("work", [10, 100]), ("stride", [1, 4, 16])]) { variant, round, values in
      if variant == "plain" { return nil }
      // The best mean is that of a noisy run, which the rounds do not distinguish from either of the others.
      return switch values["stride"] {
      case 1: round.isMultiple(of: 2) ? 400 : 1600
      case 4: 1000 + Double(round)
      default: 1400 + Double(round)
      }
    }.content.conclusions
    #expect(
      says.first == "Undecided at both values of work; stride 1 has the lowest mean at both values of work.", "\(says)")
    #expect(
      says.contains(
        "- work 10 ns: stride 1 (800 ns) or stride 4 (1.3x), undecided (at most 8.4x apart); certainly worse than another of these: stride 16 (1.8x)."
      ),
      "\(says)")
  }

  @Test func `the first sentence counts a run with the best mean, and no other candidate`() throws {
    let good = [10: [1, 4], 20: [1, 16], 30: [1, 64], 40: [1], 50: [4]]
    let content = try Fixture.compared([("work", [10, 20, 30, 40, 50]), ("stride", [1, 4, 16, 64])], rounds: 12) {
      variant, round, values in
      guard variant == "apply", let work = values["work"], let stride = values["stride"] else { return 90_000 }
      guard good[work]?.contains(stride) == true else { return 4000 }
      return round.isMultiple(of: 2) == (stride == 1) ? 1300 : 1000
    }.content
    #expect(
      content.conclusions.first
        == "apply is fastest everywhere; which stride is undecided at 3 of the 5 values of work: lowest mean: apply with stride 1 at 4, apply with stride 4 at 1 of the 5 "
        + "values of work; the means of plain are up to 79x slower.",
      "\(content.conclusions)")
  }

  @Test func `the first sentence recommends no run that is far worse on average, even if it is undecided everywhere`()
    throws
  {
    let says = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16])], rounds: 12) {
      variant, round, values in
      if variant == "plain" { return 90_000 }
      switch values["stride"] {
      case 1: return round.isMultiple(of: 2) ? 1000 : 1100
      case 4: return round.isMultiple(of: 2) ? 1100 : 1000
      // Twice as fast in some rounds, and on average three times as slow.
      default: return round.isMultiple(of: 3) ? 500 : 6000
      }
    }.content.conclusions
    #expect(
      says.first
        == "apply is fastest everywhere; which stride is undecided at both values of work: apply with stride 1 has the lowest mean at both values of work; the means of plain are up to 86x slower.",
      "\(says)")
  }

  @Test func `a comparison suggests a command that decides it`() throws {
    var results = try Fixture.compared([("stride", [1, 4, 16])], rounds: 12) { variant, round, values in
      values["stride"] == 16 ? 90_000 : 10_000 * (round.isMultiple(of: 2) == (values["stride"] == 1) ? 1.3 : 1)
    }
    results.command = [
      "compare", "fixture", "threads=2", "stride=1,4,16", "--set", "work=15ns", "--time", "8s", "--variant", "apply",
    ]
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(
        /[Tt]o decide, try `gcdlab compare fixture threads=2 --set work=15ns --variant apply stride=1,4 --time \d+s`\./),
      "\(says)")
  }

  @Test func `too few rounds by --rounds are mended by --rounds, however the option is written`() throws {
    for option in [["--rounds", "3"], ["--rounds=3"]] {
      var results = try Fixture.compared([("stride", [1, 4])], rounds: 3) { _, values in values["stride"] == 1 ? 10 : 20
      }
      results.command = ["compare", "fixture", "stride=1,4"] + option
      let says = results.content.conclusions
      #expect(
        says.contains { $0.contains("needed to rank the settings (--rounds \(ConfidenceInterval.fewest))") }, "\(says)")
    }
  }

  @Test func `settings of one variant that are as good as each other are named together`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16, 64, 256])]) { variant, values in
      variant == "plain" ? 20_000 : values["stride"] == 1 ? 10_000 : 5000
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.hasPrefix(
        "apply with stride 4 to 256 is fastest, or within 10 % of the best, at both values of work; the means of plain are up to 4.00x slower."
      ))
    #expect(
      says.contains(
        "work 10 ns: apply with stride 4 to 256, within 0.1 % of the best; lowest mean: apply with stride 4 (5.08 us)"),
      "\(says)")
  }

  @Test func `the answer explains why no run is the best if each task has only one run`() throws {
    let both = try Fixture.compared([("work", [1000, 10])]) { _, values in Double(values["work"] ?? 1) }
    let alone = Results(
      experiment: both.experiment, machine: both.machine, seed: 1, started: both.started,
      runs: both.runs.filter { $0.variant.name == "apply" })
    let says = try #require(alone.content.conclusion)
    let cells = try #require(alone.content.tables.first).rows.flatMap { $0.cells.map(\.text) }
    #expect(says.hasPrefix("Not ranked: each work is a task of its own, "), "\(says)")
    #expect(!cells.contains { $0.contains("best mean") }, "\(cells)")
  }

  @Test func `each amount of work has an answer, in the order of the request`() throws {
    let grid = try Fixture.compared([("work", [1000, 10]), ("stride", [1, 4])]) { variant, values in
      // The best run of the first work is a run of the second variant.
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
        * ((variant == "plain") == (values["work"] == 10) ? 0.1 : 1)
    }
    let says = try #require(grid.content.conclusion)
    let first = try #require(says.firstRange(of: " work 1 us: apply with stride 4 (102 us)"))
    let second = try #require(says.firstRange(of: " work 10 ns: plain (3.05 us)"))
    #expect(first.lowerBound < second.lowerBound, "\(says)")
    #expect(
      grid.content.conclusions.first == "Fastest: apply with stride 4 at work 1 us; plain at work 10 ns.", "\(says)")
  }

  @Test func `the answer suggests a sweep that finds where a variant is no longer among the best`() throws {
    func says(_ works: [Int]) throws -> String {
      let grid = try Fixture.compared([("work", works), ("stride", [1])]) { variant, values in
        variant == "plain" ? 10_000 : values["work"] == works[0] ? 20_000 : 1000
      }
      return try #require(grid.content.conclusion)
    }
    let hint =
      "plain is best at work=10ns, but not at work=1us; sweep more values to find the change, as in "
      + "work=10ns..1us:x2."
    let found = try says([10, 1000])
    #expect(found.contains(hint), "\(found)")
    // At the second amount of work, no variant is certainly the best, so the change may begin after the first amount.
    let undecided = try Fixture.compared([("work", [10, 100, 10_000]), ("stride", [1])], rounds: 6) {
      variant, round, values in
      if variant == "plain" { return 10_000 }
      return values["work"] == 10 ? 20_000 : values["work"] == 100 ? round.isMultiple(of: 2) ? 14_000 : 7000 : 1000
    }
    let wide = try #require(undecided.content.conclusion)
    #expect(wide.contains("as in work=10ns..10us:x2."), "\(wide)")
    // Neither the values nor a multiple of them is computed.
    #expect(try says([1 << 61, Int.max]).contains("sweep more values"))
    // All values of the sweep were tried.
    #expect(try !says([10, 20, 40]).contains("sweep more values"))
    // There is no value between these two, so the change is found.
    let adjacent = try says([10, 11])
    #expect(adjacent.contains("plain is best at work=10ns, but not at work=11ns."), "\(adjacent)")
    #expect(!adjacent.contains("sweep more values"))
    // A sweep that doubles the values has no value between these two.
    #expect(try !says([10, 20]).contains("sweep more values"))
  }

  @Test func `a variant that remains the best with one of its settings does not stop being the best`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 64])]) { variant, values in
      if variant == "plain" { return 50_000 }
      return values["work"] == 1000 && values["stride"] == 1 ? 20_000 : 10_000
    }
    let says = try #require(grid.content.conclusion)
    #expect(says.contains("apply with stride 64") && !says.contains("but not at"), "\(says)")
  }

  /// At 100 ns and at 1 us, stride 4 is certainly the best. At 10 ns, it is undecided, with more or less noise.
  @Test func `a grid with an undecided place begins with what to use`() throws {
    func first(_ noise: Double) throws -> String {
      try Fixture.compared([("work", [10, 100, 1000]), ("stride", [1, 4])], rounds: 12) { variant, round, values in
        guard variant == "apply" else { return nil }
        let steady = 1000 + Double(round % 3)
        guard values["work"] == 10 else { return values["stride"] == 4 ? steady : 2 * steady }
        return values["stride"] == 4 ? steady : 1010 * (round.isMultiple(of: 2) ? 1 + noise : 1 / (1 + noise))
      }.content.conclusions.first ?? ""
    }
    let end = "undecided at 1 of the 3 values of work."
    let (little, much) = (try first(0.1), try first(0.5))
    #expect(
      little.contains(/^Use stride 4: nowhere more than \d+ % slower than the best, which is undecided/), "\(little)")
    #expect(much.hasPrefix("Stride 4 has the lowest mean") && much.contains("; which is best is "), "\(much)")
    #expect(little.hasSuffix(end) && much.hasSuffix(end), "\(little) \(much)")
  }

  @Test func `the advice names the tasks that more time may not decide`() throws {
    let grid = try Fixture.compared([("work", [10, 100, 1000]), ("stride", [1])], rounds: 12) {
      variant, round, values in
      let noise = values["work"] == 1000 ? 40 : 1.1
      return 10_000 * (round.isMultiple(of: 2) == (variant == "plain") ? noise : 1)
    }
    let says = try #require(grid.content.conclusion)
    #expect(
      says.contains(
        /At this noise, work=1us would probably stay undecided; to decide work=10ns and work=100ns, compare these alone \(work=10ns,100ns stride=1 --time \d+s\), or give it more time \(--time \d+s\)\./
      ),
      "\(says)")
  }

  @Test func `the first sentence says whether a setting is, or may be, the best at all values`() throws {
    /// Returns the first sentence for figures of `apply` at strides 1 and 4, at each amount of work.
    func first(_ figure: @escaping (_ work: Int, _ stride: Int, _ round: Int) -> Double) throws -> String? {
      try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], rounds: 12) { variant, round, values in
        variant == "plain" ? 90_000 : figure(values["work"] ?? 0, values["stride"] ?? 0, round)
      }.content.conclusions.first
    }
    let isBest = try first { _, stride, _ in stride == 4 ? 1000 : 3000 }
    #expect(
      isBest == "apply with stride 4 is fastest at both values of work; the means of plain are up to 90.0x slower.")
    // Without a difference there is a winner, but not alone.
    let isNear = try first { work, stride, round in
      work == 10 ? (stride == 4 ? 1000 : 3000) : 1000 + Double((round * 7 + stride) % 5)
    }
    #expect(
      isNear
        == "apply with stride 4 is fastest, or within 10 % of the best, at both values of work; the means of plain are up to 90.0x slower."
    )
    let mayBe = try first { work, stride, round in
      work == 10 ? (stride == 4 ? 1000 : 3000) : round.isMultiple(of: 2) == (stride == 4) ? 1000 : 1300
    }
    #expect(
      mayBe
        == "apply is fastest everywhere; which stride is undecided at 1 of the 2 values of work: apply with stride 4 has the lowest mean, or nearly so, at both values of work; the means of plain are up to 90.0x slower."
    )
    let isOpen = try first { _, stride, round in (round.isMultiple(of: 2) == (stride == 4)) ? 1000 : 1500 }
    #expect(
      isOpen
        == "apply is fastest everywhere; which stride is undecided at both values of work: apply with stride 1 has the lowest mean at both values of work; the means of plain are up to 73x slower."
    )
  }

  @Test func `the first sentence names a value alone if one setting is the best with it everywhere`() throws {
    let says = try Fixture.compared([("work", [10, 1000]), ("cores", [1, 2]), ("stride", [1, 4])]) {
      variant, values in
      if variant == "plain" { return nil }
      return (values["work"] == 10) == (values["stride"] == 4) ? 1000 : 3000
    }.content.conclusions.first
    #expect(
      says
        == "Fastest: stride 4 at work 10 ns; stride 1 at work 1 us.", "\(says ?? "")")
  }

  @Test func `the first sentence names no run that the table shows as more than 10 % slower`() throws {
    /// Returns the conclusions on strides. Strides 16 and 64 vary widely.
    func conclusions(_ second: Double) throws -> [String] {
      try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16, 64])], rounds: 20) { variant, round, values in
        let noise = Double((round * 7 + (values["stride"] ?? 0)) % 5)
        switch values["stride"] {
        case 4: return second * (1 + 0.004 * noise)
        case 16: return round.isMultiple(of: 2) ? 3000 : 90_000
        case 64: return round.isMultiple(of: 3) ? 3000 : 90_000
        default: return variant == "plain" ? 2000 + noise : 1000 * (1 + 0.004 * noise)
        }
      }.content.conclusions
    }
    // The noise of strides 16 and 64 says nothing about stride 4.
    let slower = try conclusions(1300)
    #expect(
      slower.first == "apply with stride 1 is fastest at both values of work.", "\(slower)")
    // Stride 4 is certainly slower, but by at most 10 %, as in an answer about one group.
    let near = try conclusions(1050)
    #expect(
      near.first == "apply with stride 1 or 4 is fastest, or within 10 % of the best, at both values of work.",
      "\(near)"
    )
    #expect(
      near.contains {
        $0.hasPrefix("- work 10 ns: apply with stride 1 (1.01 us) or apply with stride 4 (1.05x), within ")
      }, "\(near)")
  }

  @Test func `the other runs are compared with the best usable run, and not with a yardstick`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], plain: .yardstick) {
      variant, values in
      variant == "plain" ? 10 : values["stride"] == 4 ? 1300 : 1000
    }
    let says = results.content.conclusions
    #expect(says.contains("- work 10 ns: stride 1 (1.02 us); slower: stride 4 (1.30x)."), "\(says)")
    #expect(says.contains("Yardstick, only for comparison: plain (faster at both values of work)."), "\(says)")
    let table = try #require(results.content.tables.first { $0.isGrid })
    let plain = try #require(table.rows.first { $0.cells.contains { $0.text == "plain" } })
    #expect(plain.cells.suffix(2).allSatisfy { $0.text == "(0.0100x)" }, "\(table)")
  }

  @Test func `the worse runs of a variant at many settings are one item of a line`() throws {
    func line(_ strides: [Int]) throws -> String? {
      try Fixture.compared([("work", [10, 1000]), ("stride", strides)]) { variant, values in
        variant == "plain" ? 1000 : 2000 + Double(100 * (values["stride"] ?? 0))
      }.content.conclusions.first { $0.hasPrefix("- work 10 ns") }
    }
    #expect(
      try line([1, 2, 3])
        == "- work 10 ns: plain (1.02 us); slower: apply with stride 1 (2.10x), apply with stride 2 (2.20x), apply with stride 3 (2.30x)."
    )
    #expect(
      try line([1, 2, 3, 4])
        == "- work 10 ns: plain (1.02 us); slower: apply with any tried stride from 1 to 4 (2.10x to 2.40x).")
  }

  @Test func `a ratio in parentheses has the sign of its certainty`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], rounds: 12, plain: .yardstick) {
      variant, round, values in
      let noise = 1 + (values["work"] == 10 ? 0.01 : 0.5) * Double(round % 3)
      return variant == "plain" ? (values["work"] == 10 ? 990 : 700) * noise : values["stride"] == 4 ? 1300 : 1000
    }
    let plain = try #require(
      results.content.tables.first { $0.isGrid }?.rows.filter { $0.cells.contains { $0.text == "plain" } })
    let texts = plain.flatMap(\.cells).map(\.text).filter { $0.hasPrefix("(") }
    #expect(texts.contains { $0.hasSuffix("≈)") } && texts.contains { $0.hasSuffix("?)") }, "\(texts)")
  }

  @Test func `a run that is far worse on average is no candidate, even if it is noisy`() throws {
    let says = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])], rounds: 12) { variant, round, values in
      if variant == "plain" { return 90_000 }
      if values["work"] == 10 { return values["stride"] == 4 ? 1000 : 3000 }
      return values["stride"] == 4 || round.isMultiple(of: 2) ? 1000 : 30_000
    }.content.conclusions
    #expect(
      says.first
        == "apply is fastest everywhere; which stride is undecided at 1 of the 2 values of work: apply with stride 4 has the lowest mean at both values of work; the means of plain are up to 90.0x slower.",
      "\(says)")
  }

  @Test func `the answer is directly below the table, and a report also begins with the decision`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])]) { variant, values in
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000)) * (variant == "plain" ? 0.5 : 1)
    }
    let lines = TerminalReport(TextStyle()).render(results.content).split(separator: "\n").map(String.init)
    let first = "apply with stride 4 is fastest at both values of work."
    let place = try #require(lines.lastIndex(of: first), "\(lines)")
    #expect(lines[place - 1].contains("1.02 ms") && lines[place + 1].contains("work 10 ns: apply with stride 4"))
    let legend = try #require(lines.firstIndex(of: "legend"), "\(lines)")
    #expect(
      lines.last?.hasPrefix("Measured at ") == true && lines[legend..<place].contains { $0.contains("● best mean") })
    #expect(lines[..<legend].contains { $0.contains("rounds in") } && lines[1] == first, "\(lines)")
    let tall = try Fixture.compared([("work", Array(10...40)), ("stride", [1, 4])]) { variant, values in
      Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000)) * (variant == "plain" ? 0.5 : 1)
    }
    let long = TerminalReport(TextStyle()).render(tall.content).split(separator: "\n").map(String.init)
    let all = "apply with stride 4 is fastest at all values of work."
    #expect(long.indices.filter { long[$0] == all }.count == 2 && long[1] == all, "\(long)")
  }

  @Test func `each amount of work has a best setting of its own`() throws {
    let grid = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4, 16])]) { variant, values in
      variant == "plain" ? nil : Double((values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 3000))
    }
    let says = try #require(grid.content.conclusion)
    #expect(
      says.hasPrefix(
        "Stride 4 is fastest at both values of work. work 10 ns: stride 4 (10.2 us); slower: stride 1 (3.00x), stride 16"
      ),
      "\(says)")
    // With a single variant, only the settings change, and the lines name them.
    let changing = try Fixture.compared([("work", [10, 1000]), ("stride", [1, 4])]) { variant, values in
      variant == "plain" ? nil : (values["work"] == 10) == (values["stride"] == 4) ? 1000 : 3000
    }
    let other = try #require(changing.content.conclusion)
    #expect(
      other.hasPrefix("Fastest: stride 4 at work 10 ns; stride 1 at work 1 us.")
        && other.contains("work 10 ns: stride 4 (") && other.contains("work 1 us: stride 1 ("), "\(other)")
    #expect(!other.contains("best at"), "\(other)")
  }

  @Test
  func `the first sentence about many amounts joins those with the same best run, and says how much worse others are`()
    throws
  {
    func answer(_ works: Int, _ threads: [Int], _ time: @escaping (_ work: Int, _ threads: Int) -> Double) throws
      -> [String]
    {
      try Fixture.compared([("work", Array(1...works)), ("threads", threads)]) { variant, values in
        variant == "plain" ? 90_000 : time(values["work"] ?? 0, values["threads"] ?? 0)
      }.content.conclusions
    }
    let two = try answer(4, [10, 20]) { work, threads in (work < 3) == (threads == 20) ? 1000 : 1000 * Double(work + 1)
    }
    #expect(
      two.first
        == "Fastest: apply with threads 20 at work 1 ns and 2 ns; apply with threads 10 at work 3 ns and 4 ns; the means of plain are up to 90.0x slower.",
      "\(two)")
    #expect(
      two.contains(
        "- work 1 ns: apply with threads 20 (1.02 us), the largest number of threads tried; slower: apply with threads 10 "
          + "(2.00x), plain with threads 10 (90.0x), plain with threads 20 (90.0x)."), "\(two)")
    // Each amount has a best run of its own.
    let each = try answer(5, [1, 2, 3, 4, 5]) { work, threads in threads == work ? 1000 : 2000 }
    #expect(
      each.first
        == "Fastest: apply with threads 1 at 1, apply with threads 2 at 1, apply with threads 3 at 1, others "
        + "at 2 of the 5 values of work; the means of plain are up to 90.0x slower.",
      "\(each)")
    // A run that is nowhere far from the best is a choice.
    let pick = try answer(5, [1, 2, 3, 4, 5]) { work, threads in threads == work ? 1000 : threads == 3 ? 1400 : 5000 }
    #expect(
      pick.first
        == "Use apply with threads 3: its means are nowhere more than 1.40x slower than the best; fastest at 1 of the 5 "
        + "values of work; the means of plain are up to 90.0x slower.", "\(pick)")
  }
}

import Laboratory
import Testing

@testable import Reporting

/// Tests of the speed-up with more cores in reports.
@Suite struct SpeedUpTests {
  /// Returns results in which two cores make `apply` 1.9 times as fast, and do not make `plain` faster.
  private func swept(_ sweeps: [(name: String, values: [Int])], isComparison: Bool = true, rounds: Int = 6) throws
    -> Results
  {
    try Fixture.compared(sweeps, rounds: rounds, isComparison: isComparison) { variant, round, values in
      let cores = Double(values["cores"] ?? 1)
      return (variant == "apply" ? 20_000 / (1 + 0.9 * (cores - 1)) : 20_000)
        * (1 + 0.001 * Double(round * Int(cores) % 3))
    }
  }

  private func text(_ results: Results, width: Int = 80, unicode: Bool = true) -> String {
    TerminalReport(TextStyle(width: width, unicode: unicode)).render(results.content)
  }

  @Test func `the table has the speed-up and the efficiency with intervals`() throws {
    let table = try #require(try swept([("cores", [1, 2])]).content.speedUp?.table)
    #expect(table.title == "speed-up over 1 core")
    #expect(table.headings.map(\.title) == ["variant", "2 cores", "of ideal"])
    let apply = try #require(table.rows.first { $0.cells[0].text == "apply" })
    #expect(apply.cells[1].text.hasPrefix("1.90x ±"), "\(apply)")
    #expect(apply.cells[2].text.hasPrefix("95 % ["), "\(apply)")
    let plain = try #require(table.rows.first { $0.cells[0].text == "plain" })
    #expect(plain.cells[1].text.hasPrefix("1.00x ±"), "\(plain)")
    #expect(plain.cells[2].text.hasPrefix("50 % ["), "\(plain)")
  }

  @Test func `a speed-up over too few rounds has no interval`() throws {
    let table = try #require(try swept([("cores", [1, 2])], rounds: 2).content.speedUp?.table)
    let texts = table.rows.flatMap { $0.cells.map(\.text) }
    #expect(!texts.joined().contains("±") && !texts.joined().contains("["), "\(table)")
  }

  @Test func `every report shows the speed-up`() throws {
    let results = try swept([("cores", [1, 2, 4]), ("stride", [1, 4])])
    let shown = text(results)
    #expect(shown.contains("speed-up over 1 core"), "\(shown)")
    // Two points are no curve.
    let two = text(try swept([("cores", [1, 2]), ("stride", [1, 4])]))
    #expect(two.contains("speed-up over 1 core") && !two.contains("speed-up by cores"), "\(two)")
    #expect(shown.contains("speed-up by cores  ratios of paired rounds over 1 core"), "\(shown)")
    #expect(shown.contains("· ideal"))
    #expect(MarkdownReport.render(results.content).contains("speed-up over 1 core"))
    let page = HTMLReport.render([results.content])
    #expect(page.contains("speed-up by cores") && page.contains("ideal"))
    // A scenario that sweeps cores displays the speed-up, too.
    let scenario = text(try swept([("cores", [1, 2])], isComparison: false))
    #expect(scenario.contains("speed-up over 1 core"))
  }

  @Test func `the answer has the speed-up of each variant on the most cores`() throws {
    let says = try #require(try swept([("cores", [1, 2, 4])]).content.conclusion)
    #expect(says.contains(" Speed-up on 4 cores over 1 core: apply 3.70x and plain 1.00x."), "\(says)")
    // The answer about a single variant already compares its numbers of cores.
    let single = try Fixture.compared([("cores", [1, 2])]) { variant, round, values in
      variant == "apply" ? 20_000 / Double(values["cores"] ?? 1) + Double(round) : nil
    }
    let alone = try #require(single.content.conclusion)
    #expect(!alone.contains("Speed-up"), "\(alone)")
  }

  @Test func `an answer about variants that hardly gain from cores has the largest speed-up alone`() throws {
    let results = try Fixture.compared([("cores", [1, 2])]) { variant, values in
      variant == "apply" && values["cores"] == 2 ? 9600 : 10_000
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(" Speed-up on 2 cores over 1 core: none is certainly above 1.10x (the largest: apply 1.04x)."),
      "\(says)")
    #expect(results.content.speedUp?.table.headings.map(\.title) == ["variant", "2 cores"])
  }

  @Test func `an answer says which variants are slower on more cores`() throws {
    func says(_ onTwo: Double) throws -> String {
      try #require(
        try Fixture.compared([("cores", [1, 2])]) { variant, values in
          values["cores"] == 1 ? 10_000 : variant == "apply" ? onTwo : 40_000
        }.content.conclusion)
    }
    let gain = try says(5000)
    #expect(gain.contains(" Speed-up on 2 cores over 1 core: apply 2.00x and plain 0.250x."), "\(gain)")
    let loss = try says(10_000)
    #expect(
      loss.contains(
        " Speed-up on 2 cores over 1 core: none is certainly above 1.10x (the largest: apply 1.00x); certainly slower on more cores: plain."
      ), "\(loss)")
  }

  @Test(arguments: [[10, 1000], [1000, 10]])
  func `the speed-up of an answer is that of the largest amount of work`(_ works: [Int]) throws {
    let results = try Fixture.compared([("cores", [1, 2]), ("work", works)]) { variant, values in
      let gain = variant == "apply" && values["work"] == 1000 && values["cores"] == 2 ? 1.9 : 1
      return Double(values["work"] ?? 1) * 1000 / gain
    }
    let says = try #require(results.content.conclusion)
    #expect(
      says.contains(/Speed-up on 2 cores over 1 core at work 1 us: apply 1\.\d+x and plain [01]\.\d+x\./),
      "\(says)")
  }

  @Test func `the answer names numbers of cores as a person does`() throws {
    let results = try Fixture.compared([("cores", [1, 2])], rounds: 6) { variant, round, values in
      variant == "apply" ? (values["cores"] == 2 ? 10_000 : 20_000) + Double(round) : nil
    }
    let answer = try #require(results.content.conclusion)
    #expect(answer.hasPrefix("2 cores are fastest, 10.0 us."), "\(answer)")
    #expect(answer.contains("1 core is 2.00x slower."), "\(answer)")
  }

  @Test func `the plot has an ideal line from end to end`() throws {
    let lines = text(try swept([("cores", [1, 2, 3, 4])])).split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.contains("speed-up by cores") })
    let plot = lines[start...].drop { !$0.contains("┤") }.prefix(12)
    let dotted = plot.filter { $0.contains("·") }
    #expect(dotted.count >= 10, "\(plot)")
    // The ideal line reaches the top at the largest number of cores.
    #expect(plot.first?.hasSuffix("·") == true, "\(plot)")
    for line in text(try swept([("cores", [1, 2, 3, 4])]), unicode: false).split(separator: "\n") {
      #expect(line.allSatisfy { $0.isASCII }, "\(line)")
    }
  }

  @Test func `a run that does not sweep cores has no speed-up`() throws {
    let results = try swept([("stride", [1, 4])])
    #expect(results.content.speedUp == nil)
    #expect(!text(results).contains("speed-up"))
  }

  // MARK: The document

  @Test func `a document contains the cores to which trials were confined`() throws {
    var results = try swept([("cores", [1, 2])])
    var machine = results.machine
    for (cores, says) in [([0, 1], ", 2 cores,"), ([0], ", 1 of 2 cores,")] {
      machine.confinedTo = cores
      results = Results(
        experiment: results.experiment, machine: machine, seed: 1, started: results.started, seconds: 1,
        runs: results.runs)
      #expect(text(results).contains(says))
    }
    #expect(throws: Never.self) { try results.document.validate() }
    for bad in [[], [0, 0], [0, 1, 2], [-1]] {
      machine.confinedTo = bad
      let document = Results(
        experiment: results.experiment, machine: machine, seed: 1, started: results.started, seconds: 1,
        runs: results.runs
      ).document
      #expect(throws: InputError.self, "\(bad)") { try document.validate() }
    }
  }
}

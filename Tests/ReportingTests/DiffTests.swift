import LabTesting
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

  @Test func `a change is significant only if its interval excludes equality`() throws {
    let old = document([("same", steady), ("slower", steady), ("faster", steady), ("few", [1000, 1000])])
    let new = document([
      ("same", steady.reversed()), ("slower", scaled(1.3)), ("faster", scaled(0.5)), ("few", [9000, 9000]),
    ])
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    #expect(diff.rows.map(\.change) == [.none, .worse, .better, .worse])
    #expect(diff.rows.map { $0.isWorse(byMoreThan: 0.1) } == [false, true, false, true])
    #expect(!diff.rows[1].isWorse(byMoreThan: 0.4))
    // With one run on each side, only large changes are significant. With few rounds, no change is significant.
    let single = try ResultDiff(old: [old], new: [new])
    #expect(single.rows.map(\.change) == [.unknown, .unknown, .better, .unknown])
    #expect(
      single.rows[0].reason
        == "one run per side shows only large changes"
    )
    #expect(single.rows[3].reason == "2 rounds: 6 or more are needed per side")
    // The change is above the limit, but the rounds do not exclude that there is no change.
    let wild = document([("same", [500, 3000, 700, 2500, 900, 1800])])
    #expect(try !ResultDiff(old: [old], new: [wild]).rows[0].isWorse(byMoreThan: 0.1))
  }

  @Test func `a diff without a significant change shows the largest changes`() throws {
    let old = document([("a", steady), ("b", steady)])
    let new = document([("a", steady.reversed()), ("b", [500, 3000, 700, 2500, 900, 1800])])
    let text = DiffReport(try ResultDiff(old: [old], new: [new]), judgement: nil).text(TextStyle(width: 80))
    let lines = text.split(separator: "\n")
    let rows = lines.filter { $0.contains(" us  ") && $0.hasSuffix("]") }
    #expect(rows.count == 2 && rows.first?.hasPrefix("  b ") == true, "\(text)")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
  }

  @Test func `a diff suggests no fewer runs for a smaller change`() throws {
    let one = document([("a", steady)]) { $0.command = ["compare", "fixture", "--time", "8s"] }
    func runs(_ sought: Double) throws -> Int? {
      let diff = try ResultDiff(
        old: [one], new: [document([("a", steady.reversed())]) { $0.command = one.command }], seeking: sought)
      let text = DiffReport(diff, judgement: nil).text(TextStyle(width: 200))
      let runs = text.firstMatch(of: /make about (\d+) or more runs of each side/).flatMap { Int($0.1) }
      // The interval of a run of each side excludes a large change.
      #expect(runs != nil || text.contains("; changes of 50 % would already show in most figures"), "\(text)")
      return runs
    }
    #expect(try runs(0.5) == nil)
    let needed = try [0.15, 0.1, 0.05, 0.01].compactMap(runs)
    #expect(needed.count == 4 && needed == needed.sorted() && needed.last == ResultDiff.mostRunsNeeded, "\(needed)")
  }

  @Test func `a figure without a ratio is inconclusive, even if both sides are equal`() throws {
    let old = document([("a", steady)])
    #expect(try ResultDiff(old: [old], new: [old], metrics: ["missed"]).rows.map(\.change) == [.unknown])
    let diff = try ResultDiff(old: [old], new: [old], metrics: ["all"])
    #expect(diff.rows.map(\.metric) == ["elapsed", "missed"])
  }

  @Test func `a shorter processor time is described as less, not as faster`() throws {
    func run(_ time: Double) -> ResultDocument {
      let rounds = Fixture.rounds(30) { round in
        ["elapsed": [1000 + Double(round % 3)], "processor-time": [time + Double(round % 3)]]
      }
      return Fixture.made([("a", rounds)]).document
    }
    let diff = try ResultDiff(old: [run(4000)], new: [run(1000)], metrics: ["elapsed", "processor-time"])
    let said = diff.rows.map { row in row.ratio.map { $0.wording(row.meaning) } }
    #expect(said[1]?.hasPrefix("4.00x less [") == true && said[0]?.hasPrefix("1.00x [") == true, "\(said)")
  }

  @Test func `a diff lists missing and new rows`() throws {
    let diff = try ResultDiff(
      old: [document([("a", steady), ("b", steady)])], new: [document([("b", steady), ("c", steady)])])
    #expect(diff.missing.map(\.description) == ["fixture a elapsed"])
    #expect(diff.added.map(\.description) == ["fixture c elapsed"])
    let text = DiffReport(diff, judgement: nil).text(TextStyle())
    #expect(text.contains("missing now\n  • fixture a elapsed") && text.contains("new\n  • fixture c elapsed"))
  }

  @Test func `a diff mentions a different machine and changed verdicts`() throws {
    let old = document([("a", steady)]) {
      $0.judgements = [Judgement(claim: Fixture.claim, verdict: .held, evidence: Evidence(trials: 1))]
    }
    var results = Fixture.results([("a", [[5]])])
    results.judgements = [Judgement(claim: Fixture.claim, verdict: .violated, evidence: Evidence(trials: 1))]
    var machine = Fixture.machine
    machine.cpu = "Other CPU"
    machine.cores = 64
    let moved = Results(
      experiment: results.experiment, machine: machine, seed: 1, started: "", earlyEnd: .interrupted,
      runs: results.runs,
      judgements: results.judgements)
    let diff = try ResultDiff(old: [old], new: [ResultDocument(moved)])
    #expect(
      diff.otherCircumstances == [
        "another processor: Test CPU before, Other CPU now", "another number of cores: 2 before, 64 now",
      ] && diff.cautions == ["fixture: interrupted on the new side"])
    #expect(diff.verdicts.map(\.new.verdict) == [.violated])
  }

  @Test func `a diff mentions a run of another machine on either side, whichever its place is`() throws {
    let own = document([("a", steady)])
    var machine = Fixture.machine
    machine.cpu = "Other CPU"
    let results = Fixture.results([("a", [steady])])
    let other = ResultDocument(
      Results(experiment: results.experiment, machine: machine, seed: 1, started: "", runs: results.runs))
    let mixed = try ResultDiff(old: [own, other], new: [own])
    #expect(
      mixed.otherCircumstances == ["another processor: Test CPU and Other CPU before, Test CPU now"],
      "\(mixed.otherCircumstances)")
    #expect(try ResultDiff(old: [own, own], new: [own]).otherCircumstances.isEmpty)
  }

  @Test func `a metric that is named twice is compared once`() throws {
    let one = document([("a", steady)])
    let diff = try ResultDiff(old: [one], new: [one], metrics: ["elapsed", "elapsed"])
    #expect(diff.rows.map(\.runs.old) == [1])
  }

  @Test func `a figure that became worse under another load is named as not judged`() throws {
    let old = document([("a", steady)])
    let new = document([("a", scaled(3))]) { $0.warnings = [RunNote(RunNote.coresTaken, "they were busy")] }
    let judgement = DiffJudgement(try ResultDiff(old: [old, old], new: [new, new]), failAbove: 0.1)
    #expect(judgement.status == 2 && judgement.worse.isEmpty)
    #expect(judgement.undecided.contains { $0.hasPrefix("fixture a elapsed may be worse by more than 10 %") })
  }

  @Test func `other cores are other work, however they are given`() throws {
    func compared(_ cores: Int?) throws -> ResultDocument {
      let results = try Fixture.compared([("stride", [1, 4])]) { _, _ in cores == 1 ? 9000 : 1000 }
      guard let cores else { return ResultDocument(results) }
      let json = try JSONReport.render([results.document])
        .replacing("\"parameters\": {", with: "\"parameters\": {\"cores\": \(cores), ")
      return try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first)
    }
    let diff = try ResultDiff(old: [compared(nil)], new: [compared(1)])
    #expect(diff.otherSettings?.hasPrefix("other values of cores (2, 1)") == true, "\(diff.otherSettings ?? "")")
    #expect(diff.rows.allSatisfy { $0.change != .worse } && DiffJudgement(diff, failAbove: 0.1).status == 2)
    #expect(try ResultDiff(old: [compared(nil)], new: [compared(2)]).otherSettings == nil)
  }

  @Test func `figures match whether the cores are all by default or by a setting`() throws {
    func compared(_ cores: [Int]) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared((cores.isEmpty ? [] : [("cores", cores)]) + [("stride", [1, 4])]) { _, _ in 1000 })
    }
    let diff = try ResultDiff(old: [compared([])], new: [compared([1, 2])])
    let labels = diff.rows.map(\.label)
    #expect(labels.contains("apply[stride=4,cores=2]") && !labels.contains { $0.contains("cores=1") }, "\(labels)")
    // The cores are settings of the figures.
    #expect(!diff.otherCircumstances.contains { $0.contains("cores") }, "\(diff.otherCircumstances)")
  }

  @Test func `a changed verdict says in how many runs it stands`() throws {
    func run(_ verdict: Verdict) -> ResultDocument {
      document([("a", steady)]) {
        $0.judgements = [Judgement(claim: Fixture.claim, verdict: verdict, evidence: Evidence(trials: 1))]
      }
    }
    func changes(_ old: [Verdict], _ new: [Verdict]) throws -> [String] {
      let diff = try ResultDiff(old: old.map(run), new: new.map(run))
      return diff.verdicts.map { "\($0.old.text) to \($0.new.text)\($0.caution.map { ". \($0)" } ?? "")" }
    }
    let often = try changes([.inconclusive, .refuted, .inconclusive], [.inconclusive, .refuted, .refuted])
    let noise = "This may be noise, since not all runs decide alike."
    #expect(often == ["inconclusive in 2 of 3 runs to refuted in 2 of 3 runs. \(noise)"], "\(often)")
    #expect(try changes([.supported, .supported], [.refuted, .refuted]) == ["supported to refuted"])
    // A claim that failed once has failed.
    let failed = try changes([.held, .held, .held], [.held, .held, .violated])
    #expect(failed == ["held to violated in 1 of 3 runs. \(noise)"], "\(failed)")
    // Equally frequent verdicts are the same on both sides, in any order of the runs.
    #expect(try changes([.supported, .inconclusive], [.inconclusive, .supported]).isEmpty)
    let undecided = try changes([.supported, .supported], [.inconclusive, .inconclusive])
    #expect(
      undecided == ["supported to inconclusive. The new side does not decide, so it does not contradict the old one."],
      "\(undecided)")
    #expect(try changes([.inconclusive, .refuted, .refuted], [.inconclusive, .refuted, .refuted]).isEmpty)
  }

  @Test func `sides that are ranked by different metrics are compared by the metric of the old side`() throws {
    let old = Fixture.pair
    let new = Results(
      experiment: old.experiment.showing(first: "missed"), machine: old.machine, seed: 7, started: old.started,
      runs: old.runs)
    let diff = try ResultDiff(old: [ResultDocument(old)], new: [ResultDocument(new)])
    #expect(Set(diff.rows.map(\.metric)) == ["elapsed"] && diff.missing.isEmpty && diff.added.isEmpty)
  }

  @Test func `an unknown metric is refused with the nearest name`() {
    let error = #expect(throws: InputError.self) {
      try ResultDiff(old: [document([("a", steady)])], new: [document([("a", steady)])], metrics: ["elapsd"])
    }
    #expect(
      error?.description
        == "--metric: unknown metric 'elapsd'; did you mean 'elapsed'? (known: each, elapsed, missed, rate, all)")
  }

  @Test func `the table of a diff shows the size of a change and its interval`() throws {
    let old = document([("slower", steady)]), new = document([("slower", scaled(1.3))])
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    let report = DiffReport(diff, judgement: DiffJudgement(diff, failAbove: 0.1))
    let text = report.text(TextStyle(width: 120))
    #expect(
      text.hasPrefix(
        "old: 3 runs, 2026-11-21 01:02 UTC\nnew: 3 runs, 2026-11-21 01:02 UTC\ngate: failed: a change for the worse is above 10 %, or something failed (see regressed)\nfixture elapsed: 1 figure: above the limit\n\n"
      ))
    let words = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(
      words.contains("above the limit slower 1.00 us 1.30 us +30.0 % [+21.6 % … +38.9 %]"))
    #expect(
      words.contains("changed for the worse by +30.0 %, above 10 %")
        && words.contains("simultaneous 95 % confidence intervals"))
    for width in [40, 80] {
      for line in report.text(TextStyle(width: width)).split(separator: "\n") {
        #expect(String(line).displayWidth <= width, "\(line)")
      }
    }
    #expect(report.markdown.contains("| slower "))
    #expect(report.csv.contains("fixture,slower,elapsed,ns,"))
  }

  @Test func `the change and the ends of its interval have the same unit`() {
    #expect(Quantity.changes([1.345, 0.165, 11]) == ["1.35x", "0.165x", "11.0x"])
    #expect(Quantity.changes([1.345, 0.165, 10]) == ["+34.5 %", "-83.5 %", "+900.0 %"])
    #expect(Quantity.change(12.4) == "12.4x" && Quantity.change(1.031) == "+3.1 %")
  }

  @Test func `the counts of a diff are those of its rows, in the same words`() throws {
    let zero: [UInt64] = [0, 0, 0, 0, 0, 0], mostly: [UInt64] = [0, 1, 1, 1, 1, 2]
    let old = document([("slow", steady), ("slower", steady), ("as-before", steady), ("none", zero), ("some", mostly)])
    let new = document([
      ("slow", scaled(1.2)), ("slower", scaled(2)), ("as-before", steady.reversed()), ("none", zero), ("some", mostly),
    ])
    let diff = try ResultDiff(
      old: Array(repeating: old, count: 5), new: Array(repeating: new, count: 5))
    #expect(diff.rows[4].reason == "0 in some rounds, which therefore have no ratio")
    let text = DiffReport(diff, judgement: DiffJudgement(diff, failAbove: 0.5)).text(
      TextStyle(width: 120), details: true)
    let counts =
      "5 figures: 1 above the limit, 1 regressed, 1 with no change above 10 %, 1 the same, 1 inconclusive"
    #expect(text.contains("\nfixture elapsed: \(counts)\n"), "\(text)")
    for words in ["above the limit", "regressed", "no change above 10 %", "the same", "inconclusive"] {
      #expect(text.split(separator: "\n").count { $0.hasPrefix("  \(words) ") } == 1)
    }
    // The text names the compared statistic and the meaning of the brackets, and no heading contradicts it.
    let unwrapped = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(unwrapped.contains("old, new: median durations of the trials, averaged over rounds and runs by"))
    #expect(unwrapped.contains("runs per side: 5") && !text.contains("summary"))
    // If there is no room for the intervals, no text explains the missing brackets. With details, there is always room.
    let narrow = DiffReport(diff, judgement: nil).text(TextStyle(width: 50))
    #expect(!narrow.contains("[low") && narrow.contains("significant: by simultaneous 95 %"))
    let whole = DiffReport(diff, judgement: nil).text(TextStyle(width: 80), details: true)
    #expect(whole.contains("[low") && whole.contains("old, new: ") && whole.contains("  old"))
    let single = try ResultDiff(old: [old], new: [old])
    #expect(DiffReport(single, judgement: nil).text(TextStyle()).contains("5 figures: 1 the same, 4 inconclusive\n"))
    let one = [document([("a", steady), ("b", steady)])]
    #expect(
      DiffReport(try ResultDiff(old: one, new: one), judgement: nil).text(TextStyle()).contains(
        "2 figures: all inconclusive\n"))
  }

  @Test func `each changed figure has a line, the worst first, and a diff fits on two screens`() throws {
    let names = (0..<40).map { "way-\($0)" }
    let old = document(names.map { ($0, steady) } + [("fast", steady), ("slow", steady), ("slower", steady)])
    let new = document(
      names.map { ($0, steady) } + [("fast", scaled(0.5)), ("slow", scaled(2)), ("slower", scaled(4))])
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    let lines = DiffReport(diff, judgement: nil).text(TextStyle()).split(separator: "\n").map(String.init)
    #expect(lines[2] == "fixture elapsed: 43 figures: 2 regressed, 1 improved, 40 inconclusive")
    #expect(
      lines[4...6].map { $0.split(separator: " ")[0...1].joined(separator: " ") }
        == ["regressed slower", "regressed slow", "improved fast"])
    #expect(!lines.contains { $0.contains("way-7 ") } && lines.count < 24)
    #expect(DiffReport(diff, judgement: nil).text(TextStyle(), details: true).contains("way-7 "))
    // All figures have changed. The figures that do not fit are counted.
    let all = try ResultDiff(
      old: [old, old, old], new: Array(repeating: document(names.map { ($0, scaled(3)) }), count: 3))
    let long = DiffReport(all, judgement: nil).text(TextStyle())
    #expect(long.split(separator: "\n").count <= 48 && long.contains("and 20 more; see --details"), "\(long)")
  }

  @Test func `runs with different settings, or a quick run and a full run, are not compared`() throws {
    let full = document([("a", steady)]) { $0.command = ["scenario", "fixture"] }
    let quick = document([("a", steady)]) { $0.command = ["scenario", "fixture", "--quick"] }
    #expect(full.difference(from: full) == nil && quick.difference(from: quick) == nil)
    #expect(full.difference(from: quick) == "one of the two runs was --quick")
    #expect(ResultDiff.sinceLast(quick, full) == nil && ResultDiff.sinceLast(full, full) != nil)
    let other = document([("a", steady), ("b", steady)])
    #expect(full.difference(from: other) == "the two runs have different variants")
    func compared(_ strides: [Int]) throws -> ResultDocument {
      ResultDocument(try Fixture.compared([("stride", strides)]) { _, _ in 1000 })
    }
    #expect(
      try compared([1]).difference(from: try compared([1, 4])) == "the two runs have different settings (stride)")
    #expect(try compared([1, 4]).difference(from: try compared([4, 1])) == nil)
  }

  @Test func `a diff of two comparisons begins with their answers`() throws {
    func fastest(_ stride: Int, _ factor: Double = 1) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("stride", [1, 4])]) { name, values in
          name == "plain" ? nil : values["stride"] == stride ? 1000 * factor : 3000
        })
    }
    func text(_ old: ResultDocument, _ new: ResultDocument) throws -> String {
      DiffReport(try ResultDiff(old: [old], new: [new]), judgement: nil).text(TextStyle(width: 100))
    }
    let changed = try text(fastest(1), fastest(4))
    #expect(
      changed.contains("\nthe old choice: stride 1\nthe new choice: stride 4\n"), "\(changed)")
    // A side can choose what the other side has not tried.
    func strides(_ strides: [Int]) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("stride", strides)]) { name, values in
          name == "plain" ? nil : Double(9000 / (values["stride"] ?? 1))
        })
    }
    let other = try text(strides([1, 2, 4]), strides([1, 8]))
    #expect(
      other.contains(
        "\ntried on one side only: stride 2 and 4 (old), stride 8 (new)\nthe old choice: stride 4\nthe new choice: stride 8\n"
      ), "\(other)")
    #expect(!changed.contains("tried on one side only"))
    // The figure in the sentence is another one.
    let same = try text(fastest(4), fastest(4, 1.1))
    #expect(same.contains("\nthe same choice on both sides: stride 4\n"), "\(same)")
  }

  @Test func `two comparisons have the same choice if the same runs are as good, in any order of their means`() throws {
    func text(_ old: Results, _ new: Results) throws -> String {
      DiffReport(try ResultDiff(old: [old.document], new: [new.document]), judgement: nil).text(TextStyle(width: 100))
    }
    func equal(best: Int) throws -> Results {
      try Fixture.compared([("stride", [16, 64])]) { name, values in
        name == "plain" ? nil : values["stride"] == best ? 1000 : 1001
      }
    }
    let same = try text(equal(best: 16), equal(best: 64))
    #expect(same.contains("\nthe same choice on both sides: stride 16 or stride 64\n"), "\(same)")
    // The other variant was measured on one side only.
    func fastest(plain: Double?) throws -> Results {
      try Fixture.compared([("stride", [1, 4])]) { name, values in
        name == "plain" ? plain : values["stride"] == 4 ? 1000 : 3000
      }
    }
    let named = try text(fastest(plain: nil), fastest(plain: 9000))
    #expect(named.contains("\nthe same choice on both sides: apply with stride 4\n"), "\(named)")
  }

  @Test func `two grids have the same choice if they choose the same run, whatever is undecided`() throws {
    /// Returns a comparison in which stride 4 has the best mean, and is undecided at the given amounts of work.
    func compared(undecidedAt works: [Int], best: Int = 4) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], rounds: 12) { name, round, values in
          if name == "plain" { return nil }
          let isBest = values["stride"] == best
          guard works.contains(values["work"] ?? 0) else { return isBest ? 1000 : 3000 }
          return round.isMultiple(of: 2) == isBest ? 1000 : isBest ? 1400 : 1500
        })
    }
    func text(_ old: ResultDocument, _ new: ResultDocument) throws -> String {
      DiffReport(try ResultDiff(old: [old], new: [new]), judgement: nil).text(TextStyle(width: 200))
    }
    let same = try text(compared(undecidedAt: [10]), compared(undecidedAt: [10, 100]))
    #expect(
      same.contains(
        "\nthe same choice on both sides: stride 4 (not certain in both runs)\n"
      ) && !same.contains("candidates"), "\(same)")
    // Too few rounds rank nothing.
    let few = ResultDocument(
      try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])], rounds: 2) { name, _, values in
        name == "plain" ? nil : values["stride"] == 4 ? 1000 : 3000
      })
    let soFar = try text(few, few)
    #expect(soFar.contains("\nthe same choice on both sides: stride 4 (best mean so far)\n"), "\(soFar)")
    let other = try text(compared(undecidedAt: [10]), compared(undecidedAt: [10], best: 1))
    #expect(
      other.contains(
        "\nthe old choice: stride 4 (undecided at 1 of the 2 values of work)\nthe new choice: stride 1 (undecided at 1 of the 2 values of work)\n"
      ), "\(other)")
  }

  @Test func `a diff of several comparisons per side says in how many runs each answer stands`() throws {
    func fastest(_ stride: Int) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("work", [10, 100]), ("stride", [1, 4])]) { name, values in
          name == "plain" ? 9000 : values["stride"] == stride ? 1000 : 3000
        })
    }
    func text(_ old: [ResultDocument], _ new: [ResultDocument]) throws -> String {
      DiffReport(try ResultDiff(old: old, new: new), judgement: nil).text(TextStyle(width: 200))
    }
    let (one, four) = (try fastest(1), try fastest(4))
    let mixed = try text([one, four, one], [four, four])
    #expect(
      mixed.contains(
        """

        the old choice differs from run to run:
          • apply with stride 1 (in 2 of 3 runs)
          • apply with stride 4 (in 1 of 3 runs)
        the new choice in both runs: apply with stride 4

        """), "\(mixed)")
    #expect(
      mixed.contains(
        "work 10 ns: apply with stride 1 in 2 of 3 runs, apply with stride 4 in 1 → apply with stride 4 in 2 of 2 runs\n"
      ),
      "\(mixed)")
    #expect(mixed.contains(/variant +work +stride=1/), "\(mixed)")
    let different = try text([one, four], [four, four])
    #expect(
      different.contains(
        "\n  • apply with stride 1 (in 1 of 2 runs)\n  • apply with stride 4 (in 1 of 2 runs)\nthe new choice in both runs"
      ),
      "\(different)")
    let same = try text([four, four], [four])
    #expect(
      same.contains("\nthe same choice in all 3 runs: apply with stride 4\n") && !same.contains("candidates"),
      "\(same)")
  }

  @Test func `a diff of two comparisons names the settings at which the best differs`() throws {
    func fastest(_ strides: [Int: Int]) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("work", [10, 100, 1000]), ("stride", [1, 4])]) { name, values in
          name == "plain" ? nil : values["stride"] == strides[values["work"] ?? 0] ? 1000 : 3000
        })
    }
    func text(_ old: ResultDocument, _ new: ResultDocument) throws -> String {
      DiffReport(try ResultDiff(old: [old], new: [new]), judgement: nil).text(TextStyle(width: 200))
    }
    let (old, new) = (try fastest([10: 1, 100: 4, 1000: 4]), try fastest([10: 1, 100: 1, 1000: 4]))
    #expect(
      try text(old, new).contains(
        "\nthe same candidates for the best at 2 of the 3 settings; the others:\n  • work 100 ns: joined: stride 1; left: stride 4\n"
      ))
    let grid = try text(old, new).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(grid.contains("variant work stride=1 stride=4"), "\(grid)")
    #expect(grid.contains("apply 100ns -67 % [-77 % … -52 %] +200 % [+109 % … +330 %]"), "\(grid)")
    let narrow = DiffReport(try ResultDiff(old: [old], new: [new]), judgement: nil).text(TextStyle(width: 60))
      .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(narrow.contains("apply 100ns -67 % +200 %") && narrow.contains("apply 1us +0 %? +0 %?"), "\(narrow)")
    #expect(narrow.contains("intervals: [-30 % … +43 %]; --details shows each"), "\(narrow)")
    // The cells may have no intervals, so each significant change is a line as well.
    #expect(grid.contains { $0.hasPrefix("• regressed: work=100ns,stride=4 +200 % [+") }, "\(grid)")
    #expect(try !text(old, old).contains("candidates"))
  }

  @Test func `a grid of variants that read different parameters has a cell for every figure`() throws {
    let results = try Fixture.compared([("work", [10, 1000]), ("stride", [4, 64]), ("threads", [1, 2])]) { _, _ in 1000
    }
    let diff = try ResultDiff(old: [results.document], new: [results.document])
    let lines = try #require(DiffReport(diff, judgement: nil).grid(TextStyle(width: 200)))
    let cells = lines.joined().matches(of: /%/).count
    #expect(diff.rows.count > 8 && cells >= diff.rows.count, "\(lines.joined(separator: "\n"))")
  }

  @Test func `equal figures are the same, however many rounds there are`() throws {
    for rounds in [5, 6, 12] {
      let side = document([("a", Array(repeating: 2500, count: rounds))])
      let diff = try ResultDiff(old: [side], new: [side])
      #expect(diff.rows.map(\.change) == [.none] && diff.rows.map(\.isSame) == [true], "\(diff.rows)")
      #expect(DiffJudgement(diff, failAbove: 0.1).status == 0)
    }
  }

  @Test func `a parameter that a variant ignores is no other setting`() throws {
    let results = try Fixture.compared([("work", [10, 1000])]) { _, _ in 1000 }
    let ignored = Set(results.runs.flatMap { run in run.variant.ignores.map { [run.variant.name, $0] } })
    let document = results.document
    #expect(!ignored.isEmpty)
    for run in document.runs {
      #expect(run.parameters.keys.allSatisfy { !ignored.contains([run.variant, $0]) }, "\(run.parameters)")
    }
  }

  @Test func `a fixed setting of one comparison matches the same setting of a sweep`() throws {
    func compared(_ works: [Int]) throws -> ResultDocument {
      ResultDocument(
        try Fixture.compared([("work", works), ("stride", [1, 4])]) { name, _ in name == "plain" ? nil : 1000 })
    }
    let fixed = try Fixture.compared([("stride", [1, 4])]) { name, _ in name == "plain" ? nil : 1000 }
    let work = try #require(fixed.runs[0].parameters["work"]?.integer)
    let diff = try ResultDiff(old: [ResultDocument(fixed)], new: [try compared([work, 1000])])
    #expect(
      diff.rows.map(\.label) == ["apply[stride=1,work=\(work)ns]", "apply[stride=4,work=\(work)ns]"],
      "\(diff.rows.map(\.label))")
    #expect(diff.added.map(\.label) == ["apply[stride=1,work=1us]", "apply[stride=4,work=1us]"])
  }

  @Test func `more work is no regression`() throws {
    func run(_ threads: Int, _ time: Double) throws -> ResultDocument {
      let results = try Fixture.compared([("stride", [1, 4])]) { _, _ in time }
      let json = try JSONReport.render([ResultDocument(results)])
        .replacing(/"threads": 1\b/, with: "\"threads\": \(threads)")
      return try #require(try ResultDocument.parse(Array(json.utf8), place: "own").first)
    }
    let (old, new) = (try run(2, 1000), try run(4, 2000))
    let diff = try ResultDiff(old: [old, old, old], new: [new, new, new])
    #expect(diff.otherSettings == "other values of threads (2, 4) on the two sides")
    #expect(Set(diff.rows.map(\.change)) == [.different])
    let judgement = DiffJudgement(diff, failAbove: 0.1)
    #expect(judgement.status == 2 && judgement.undecided == ["other values of threads (2, 4) on the two sides"])
  }

  @Test func `other settings of one figure do not disarm the others`() throws {
    func run(_ threads: Int, _ time: Double) throws -> ResultDocument {
      let results = try Fixture.compared([("stride", [1, 4])]) { _, values in values["stride"] == 1 ? 1000 : time }
      let json = try JSONReport.render([ResultDocument(results)])
      var document = try JSONValue(json)
      for number in 0..<results.runs.count where results.runs[number].parameters["stride"]?.integer == 1 {
        document[at: "runs.\(number).parameters.threads"] = .number(Double(threads))
      }
      return try #require(try ResultDocument.parse(Array(document.text().utf8), place: "own").first)
    }
    let old = try (0..<5).map { _ in try run(1, 1000) }
    let new = try (0..<5).map { _ in try run(2, 3000) }
    let diff = try ResultDiff(old: old, new: new)
    let changes = Dictionary(uniqueKeysWithValues: diff.rows.map { ($0.label, $0.change) })
    #expect(changes["apply[stride=4]"] == .worse && diff.otherSettings != nil, "\(changes)")
    #expect(DiffJudgement(diff, failAbove: 0.1).status == 1)
  }

  @Test func `an inconclusive diff of two runs names the commands that judge smaller changes`() throws {
    func run(_ rounds: [UInt64]) -> ResultDocument {
      document([("a", rounds)]) { $0.command = ["compare", "fixture", "--time", "8s", "--export", "mine.json"] }
    }
    func text(_ old: [ResultDocument], _ new: [ResultDocument]) throws -> String {
      DiffReport(try ResultDiff(old: old, new: new), judgement: nil).text(TextStyle(width: 300))
    }
    let diff = try ResultDiff(old: [run(steady)], new: [run(steady.reversed())])
    let gated = DiffReport(diff, judgement: DiffJudgement(diff, failAbove: 0.125)).text(TextStyle(width: 300))
    #expect(gated.contains("gcdlab diff --old old-*.json --new new-*.json --fail-above 12.5%\n"), "\(gated)")
    let one = try text([run(steady)], [run(steady.reversed())])
    #expect(
      one.contains(
        """
        To judge changes of 15 % in most figures, make about 3 or more runs of each side (9 s in all), with your change between the two loops, and compare all of them:
          for i in $(seq 3); do gcdlab compare fixture --time 8s --export old-$i.json >/dev/null; done
          for i in $(seq 3); do gcdlab compare fixture --time 8s --export new-$i.json >/dev/null; done
          gcdlab diff --old old-*.json --new new-*.json

        """
      ), "\(one)"
    )
    // Sides with other commands can alternate.
    let other = document([("a", steady.reversed())]) {
      $0.command = ["compare", "fixture", "--time", "9s", "--export", "other.json"]
    }
    let apart = try text([run(steady)], [other])
    #expect(
      apart.contains(
        "  for i in $(seq 3); do gcdlab compare fixture --time 8s --export old-$i.json >/dev/null; gcdlab compare fixture --time 9s --export new-$i.json >/dev/null; done\n"
      ), "\(apart)")
    let noisy = [run(steady), run(scaled(1.3)), run(scaled(0.8))]
    let three = try text(noisy, noisy.reversed())
    #expect(
      three.contains(
        /make more runs, about \d+ of each side \(.+ in all\), with your change between the two loops, and compare them together with the others \(--old and --new\):\n  for i in \$\(seq 4 \d+\); do gcdlab compare fixture --time 8s --export old-\$i.json >\/dev\/null; done\n/
      ), "\(three)")
    // A side with enough runs needs no more.
    let uneven = try text([run(steady)], Array(repeating: noisy, count: 7).flatMap(\.self))
    #expect(uneven.contains("$(seq 2 ") && uneven.contains("old-$i") && !uneven.contains("new-$i"), "\(uneven)")
    // A report with details has the commands, too, and they name the metric.
    let named = try ResultDiff(old: [run(steady)], new: [run(steady.reversed())], metrics: ["elapsed"])
    let detailed = DiffReport(named, judgement: nil).text(TextStyle(width: 300), details: true)
    #expect(detailed.contains("gcdlab diff --old old-*.json --new new-*.json --metric elapsed\n"), "\(detailed)")
    // The runs of two binaries were not saved.
    let alternating = DiffReport(named, judgement: nil, alternating: "--against ./old -- fixture")
      .text(TextStyle(width: 300))
    #expect(
      alternating.contains(
        /alternate about \d+ or more runs of each side \(.+ in all\):\n  gcdlab diff --runs \d+ --against .\/old -- fixture\n/
      ),
      "\(alternating)")
    // A change that one run shows needs no such advice.
    let clear = try text([run(steady)], [run(scaled(0.2))])
    #expect(!clear.contains("To judge"), "\(clear)")
  }

  @Test func `a diff of sides with other settings names the comparison that varies them in one run`() throws {
    func run(
      _ threads: Int, _ time: Double, strides: [Int] = [1, 4], _ options: [String] = ["--set", "threads=7"]
    ) throws -> ResultDocument {
      var results = try Fixture.compared([("stride", strides)]) { _, _ in time }
      results.command = ["compare", "fixture"] + options
      var json = try JSONValue(try JSONReport.render([ResultDocument(results)]))
      for number in 0..<results.runs.count {
        json[at: "runs.\(number).parameters.threads"] = .number(Double(threads))
      }
      return try #require(try ResultDocument.parse(Array(json.text().utf8), place: "own").first)
    }
    let diff = try ResultDiff(old: [run(1, 1000)], new: [run(2, 1010)])
    #expect(diff.otherSettings == "other values of threads (1, 2) on the two sides")
    #expect(diff.comparison == "gcdlab compare fixture stride=1,4 threads=1,2")
    // Without a difference there is nothing to vary.
    #expect(try ResultDiff(old: [run(1, 1000)], new: [run(1, 1010)]).comparison == nil)
    // Shared options stay, and sides with other options or sweeps have no such command.
    let shared = ["--quick", "--set", "work=10ns"]
    #expect(
      try ResultDiff(old: [run(1, 1000, shared)], new: [run(2, 1010, shared)]).comparison
        == "gcdlab compare fixture stride=1,4 threads=1,2 --quick --set work=10ns")
    #expect(try ResultDiff(old: [run(1, 1000)], new: [run(2, 1010, shared)]).comparison == nil)
    #expect(try ResultDiff(old: [run(1, 1000)], new: [run(2, 1010, strides: [1, 16])]).comparison == nil)
  }

  @Test func `a diff of sides with other settings names the metric for a unit of work`() throws {
    func run(_ threads: Int) throws -> ResultDocument {
      let results = Fixture.made([("a", Fixture.rounds(6) { ["elapsed": [1000 + Double($0)], "rate": [5]] })])
      var json = try JSONValue(
        try JSONReport.render([ResultDocument(results)]).replacing(/"rate"/, with: "\"per-loop\"")
          .replacing(/"kind": "per-loop"/, with: "\"kind\": \"rate\""))
      json[at: "runs.0.parameters.stride"] = .number(Double(threads))
      return try #require(try ResultDocument.parse(Array(json.text().utf8), place: "own").first)
    }
    func first(_ metrics: [String]) throws -> String? {
      try ResultDiff(old: [run(1)], new: [run(2)], metrics: metrics).metricPerUnit
    }
    #expect(try first([]) == "per-loop" && first(["elapsed"]) == nil)
    #expect(try ResultDiff(old: [run(1)], new: [run(1)]).metricPerUnit == nil)
  }

  @Test func `a diff cautions that another calibration alone shifts the times of work`() throws {
    func run(_ speed: Double) throws -> ResultDocument {
      var json = try JSONValue(try JSONReport.render([document([("a", steady)])]))
      json[at: "machine.work.stepsPerMicrosecond"] = .number(speed)
      return try #require(try ResultDocument.parse(Array(json.text().utf8), place: "own").first)
    }
    func cautions(_ old: Double, _ new: Double) throws -> [String] {
      try ResultDiff(old: [run(old)], new: [run(new)]).cautions
    }
    #expect(try cautions(500, 515).isEmpty)
    #expect(
      try cautions(530, 498).first?.hasPrefix(
        "calibrated work has 6 % fewer steps on the new side, since the calibration before its runs found a slower processor; "
      ) == true)
    #expect(try cautions(530, 498).first?.contains("times of work are about 6 % lower on the new side") == true)
    #expect(try cautions(498, 530).first?.contains("6 % more steps on the new side") == true)
    #expect(try cautions(498, 530).first?.contains("6 % higher on the new side") == true)
  }

  @Test func `figures that differ only in their settings are missing in one line`() throws {
    func compared(_ strides: [Int]) throws -> ResultDocument {
      ResultDocument(try Fixture.compared([("stride", strides)]) { _, _ in 1000 })
    }
    let text = DiffReport(try ResultDiff(old: [compared(Array(1...9))], new: [compared([1])]), judgement: nil)
      .text(TextStyle(width: 200))
    #expect(
      text.contains(
        "  • fixture apply elapsed at 8 settings: stride=2; stride=3; stride=4; stride=5; stride=6; and 3 more\n"),
      "\(text)")
  }

  @Test func `a changed verdict of a comparison is not a change`() throws {
    func verdict(_ verdict: Verdict, isComparison: Bool) -> ResultDocument {
      let judgement = Fixture.judgement(verdict, Evidence(trials: 6, met: 6))
      var measured = Fixture.results([("a", steady.map { [$0] })], judgements: [judgement])
      guard isComparison else { return ResultDocument(measured) }
      var experiment = measured.experiment
      experiment.isComparison = true
      measured = Results(
        experiment: experiment, machine: measured.machine, seed: 7, started: measured.started, runs: measured.runs,
        judgements: [judgement])
      return ResultDocument(measured)
    }
    func changes(isComparison: Bool) throws -> Int {
      let sides = [Verdict.unavailable, .supported].map { [verdict($0, isComparison: isComparison)] }
      return try ResultDiff(old: sides[0], new: sides[1]).verdicts.count
    }
    #expect(try changes(isComparison: false) == 1)
    #expect(try changes(isComparison: true) == 0)
  }
}

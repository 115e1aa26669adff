import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Laboratory
@testable import Patterns

@Suite struct ApplyStrideTests {
  private static let variants = ApplyStride().variants.map(\.name)
  private static let grouped = ["async-group", "task-group"]
  private static let blockwise = [
    "apply", "apply-queue", "apply-serial", "apply-serial-in-block", "async-group", "task-group",
  ]

  static func settings(
    iterations: Int = 1000, stride: Int = 7, balance: ApplyStride.Balance = .uniform
  ) -> [String: ParameterValue] {
    [
      "iterations": .integer(iterations), "stride": .integer(stride), "work": .integer(3),
      "balance": .text(balance.rawValue),
    ]
  }

  private static func attempt(
    _ variant: String, _ settings: [String: ParameterValue] = settings(), cores: Int = 2
  ) async throws -> Attempt {
    try await Attempt(variant, of: ApplyStride(), files: Catalogue.files, settings, cores: cores)
  }

  // MARK: The promises of the variants

  @Test(arguments: variants, [(1000, 7), (1000, 1000), (3, 64), (1, 1), (64, 64)])
  func `every variant runs each index once, with any remainder`(_ variant: String, _ size: (Int, Int)) async throws {
    for balance in ApplyStride.Balance.allCases {
      let attempt = try await Self.attempt(
        variant, Self.settings(iterations: size.0, stride: size.1, balance: balance))
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
      // A claim on all variants requires that all of them run, and a group does not run with too many blocks.
      let isClaimed = size.1 == 64 || !Self.grouped.contains(variant)
      #expect(attempt.verdicts.count >= (isClaimed ? Self.blockwise.contains(variant) ? 3 : 2 : 0))
    }
  }

  @Test(arguments: variants)
  func `a variant reads exactly the settings that it does not declare as ignored`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant)
    let described = try PatternDescription(ApplyStride())
    let ignored = try #require(described.variant(variant)).ignores
    #expect(attempt.trial.reads == Set(described.parameters.map(\.name)).subtracting(ignored))
  }

  @Test(arguments: blockwise)
  func `the metric blocks is the number of blocks that ran`(_ variant: String) async throws {
    // The setting is fixed or swept.
    func settings(stride: Int) -> [String: ParameterValue] {
      var settings = Self.settings(iterations: 1000, stride: stride)
      if variant.hasPrefix("apply-serial") { settings["short-stride"] = .integer(stride) }
      return settings
    }
    #expect(try await Self.attempt(variant, settings(stride: 7)).total("blocks") == 143)  // 1000 = 142 * 7 + 6.
    #expect(try await Self.attempt(variant, settings(stride: 2000)).total("blocks") == 1)
  }

  @Test func `a loop without blocks has one part for each thread`() async throws {
    #expect(try await Self.attempt("serial-loop").total("blocks") == 1)
    #expect(try await Self.attempt("threads").total("blocks") == 2)
    let three = Self.settings().merging(["threads": .integer(3)]) { $1 }
    #expect(try await Self.attempt("threads", three).total("blocks") == 3)
  }

  @Test(arguments: ["async-group", "task-group"])
  func `a trial with too many blocks for a group is unavailable`(_ variant: String) async throws {
    let few = Self.settings().merging(["group-blocks": .integer(142)]) { $1 }
    let outcome = try await Self.attempt(variant, few).trial.outcome
    #expect(outcome == .unavailable(reason: "more than 142 blocks; raise group-blocks to run them"))
  }

  @Test(arguments: variants) func `every variant works on one core`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant, cores: 1)
    #expect(attempt.trial.outcome == .completed && attempt.isNone(otherThan: .held))
  }

  @Test(arguments: ["apply-serial", "apply-serial-in-block"])
  func `a serial queue runs all blocks on one thread`(_ variant: String) async throws {
    let shares = try await Self.attempt(variant).trial.observation.samples("share")
    #expect(shares == .values([100]))
  }

  @Test(arguments: ["apply-short", "after-idle"])
  func `a trial of a short loop records only its speedup and its wrong indices`(_ variant: String) async throws {
    let settings: [String: ParameterValue] = [
      "short": .integer(500), "short-stride": .integer(7), "work": .integer(3), "idle": .integer(1000),
    ]
    let attempt = try await Self.attempt(variant, settings)
    #expect(attempt.trial.outcome == .completed)
    #expect(Set(attempt.trial.observation.metrics.keys) == ["speedup", "missed", "repeated"])
  }

  // MARK: Broken bodies

  private static let pattern = ApplyStride()

  /// Executes the document's listing without its second loop.
  private static func withoutRest(_ trial: Trial) throws { try withoutRest(trial, stride: nil) }

  private static func withoutRest(_ trial: Trial, stride: Int?) throws {
    try pattern.measureBlocks(trial, stride: stride) { loop, count, stride in
      DispatchQueue.concurrentPerform(iterations: count / stride) { idx in
        loop.run(idx * stride..<(idx + 1) * stride)
      }
    }
  }

  /// Executes blocks whose ranges overlap by one index.
  private static func overlapping(_ trial: Trial) throws {
    try pattern.measureBlocks(trial) { loop, count, stride in
      DispatchQueue.concurrentPerform(iterations: count / stride) { idx in
        // Overlapping blocks run one after the other, since the test is not about their race.
        lock.withLock { _ in loop.run(idx * stride..<min((idx + 1) * stride + 1, count)) }
      }
      loop.run(count - count % stride..<count)
    }
  }
  private static let lock = Mutex(())

  /// Executes a loop that does not wait for the last block.
  private static func withoutWaiting(_ trial: Trial) throws {
    let never = DispatchSemaphore(value: 0)
    try pattern.measureBlocks(trial) { loop, count, stride in
      let group = DispatchGroup()
      for j in Swift.stride(from: 0, to: count - stride, by: stride) {
        DispatchQueue.global().async(group: group) { loop.run(j..<j + stride) }
      }
      group.wait()
      try SystemThread {
        never.wait()
        loop.run(count - stride..<count)
      }.detach()
    }
  }

  /// Executes half of the loop on a new thread, and the other half on the calling thread.
  private static func onTwoThreads(_ trial: Trial) throws {
    try pattern.measureBlocks(trial, stride: trial[pattern.shortStride]) { loop, count, _ in
      let half = count / 2
      try SystemThread { loop.run(0..<half) }.join()
      loop.run(half..<count)
    }
  }

  /// Executes a loop that ignores its stride.
  private static func oneByOne(_ trial: Trial) throws {
    try pattern.measureBlocks(trial) { loop, count, _ in
      DispatchQueue.concurrentPerform(iterations: count) { idx in loop.run(idx..<idx + 1) }
    }
  }

  static var reds: [Red] {
    [
      Red("all[stride=64].missed == 0", "apply", of: pattern, settings(stride: 64), withoutRest),
      Red("all[stride=64].repeated == 0", "apply", of: pattern, settings(stride: 64), overlapping),
      Red("all[stride=64].unfinished == 0", "async-group", of: pattern, settings(stride: 64), withoutWaiting),
    ]
      + ["apply-serial", "apply-serial-in-block"].flatMap { variant in
        [
          Red("\(variant).share.min == 100%", variant, of: pattern, settings(), onTwoThreads),
          Red("\(variant).missed == 0", variant, of: pattern, settings()) { trial in
            try withoutRest(trial, stride: trial[pattern.shortStride])
          },
        ]
      }
      + ["apply", "apply-queue"].flatMap { variant in
        [
          Red("\(variant).missed == 0", variant, of: pattern, settings(), withoutRest),
          Red("\(variant).repeated == 0", variant, of: pattern, settings(), overlapping),
          Red("\(variant).unfinished == 0", variant, of: pattern, settings(), withoutWaiting),
          Red("\(variant).hundred-by-four == 25", variant, of: pattern, settings(), oneByOne),
        ]
      }
  }

  @Test func `a variant that returns early is detected even if its blocks are fast`() async throws {
    let loop = StridedLoop(count: 100, stride: 4)
    let late = LateBlock(of: 25)
    let group = DispatchGroup()
    loop.watched(by: late) { loop in
      for j in Swift.stride(from: 0, to: 100, by: 4) {
        DispatchQueue.global().async(group: group) { loop.run(j..<j + 4) }
      }
      while late.blocks < 25 {}
    }
    late.loopIsOver()
    group.wait()
    #expect(late.blocks == 25)
    loop.deallocate()
  }

  // MARK: Swept values that refer to a setting

  @Test func `the longest stride is as long as the loop, whatever its length`() throws {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [ApplyStride()])
    let experiment = try library.experiment(ApplyStride.name)
    let claim = try #require(experiment.claims.first { $0.check.text.contains("stride=iterations") })
    let longest = try #require(claim.check.references.first)
    for (setting, iterations) in [(nil, 160_000), ("iterations=400000", 400_000), ("iterations=64", 64)] {
      let changed = try experiment.applying(Overrides(settings: setting.map { [$0] } ?? []))
      let runs = Plan(changed, budget: .quick, seed: 1).runs.filter { $0.variant.name == "apply" }
      let strides = runs.compactMap { $0.point["stride"] }
      #expect(strides.last == .integer(iterations) || iterations == 64, "\(strides)")
      #expect(Set(strides).count == strides.count)
      #expect(runs.filter { longest.means($0, on: .test) }.map(\.parameters["stride"]) == [.integer(iterations)])
    }
  }

  @Test func `a swept value cannot refer to a setting of another kind or to a swept setting`() {
    let pattern = ApplyStride()
    func failure(_ sweep: String) -> String? {
      let yaml = "scenario: mine\npattern: apply-stride\ntitle: A title\nsweep: \(sweep)\n"
      return #expect(throws: InputError.self) {
        try ScenarioReader(place: "mine.yml", patterns: [pattern]).experiment(from: yaml)
      }?.description
    }
    #expect(failure("{stride: [1, work]}")?.contains("stride: ") == true)
    #expect(
      failure("{iterations: [10, 100], stride: [1, iterations]}")?
        .contains("'stride' has the value of 'iterations', which is swept itself") == true)
  }

  // MARK: Findings

  private func cost(_ stride: Int, _ elapsed: Double, of iterations: Int = 1_000_000) -> StrideModel.Cost {
    StrideModel.Cost(stride: stride, blocks: Double((iterations + stride - 1) / stride), elapsed: elapsed)
  }

  @Test func `the cost model recovers the work, the overhead and the tail from the times`() throws {
    let costs = [1, 4, 16, 64, 256, 1024].map { stride in
      let blocks = (1_000_000 + stride - 1) / stride
      return cost(stride, 8e6 + 25 * Double(blocks) + 300 * Double(stride))
    }
    let model = try #require(StrideModel(fitting: costs))
    #expect(abs(model.fit.work / 8e6 - 1) < 0.001)
    #expect(abs(model.fit.overhead / 25 - 1) < 0.001)
    #expect(abs(model.fit.tail / 300 - 1) < 0.01)
    #expect(model.fit.worst.error < 0.001)
    #expect(
      model.formula.contains(/^t = (8|7\.99|8\.00) ms \+ blocks x 25(\.0)? ns \+ stride x (299|300|301) ns$/),
      "\(model.formula)")
    let says = model.sentence(for: "apply", after: 25)
    #expect(says.hasPrefix("cost model of apply: t = ") && says.contains("ns the cost of each block, "), "\(says)")
    #expect(says.contains(/at most (0|0\.1\d*) % from the mean of each stride\)$/), "\(says)")
  }

  @Test func `the cost model includes contention`() throws {
    let costs = [1, 4, 16, 64, 256, 1024].map { stride in
      let blocks = 1e6 / Double(stride)
      return StrideModel.Cost(
        stride: stride, blocks: blocks, elapsed: 8e6 + 10 * blocks + 30 * blocks / Double(stride))
    }
    let model = try #require(StrideModel(fitting: costs))
    let fit = model.fit
    #expect(abs(fit.overhead / 10 - 1) < 0.01 && abs(fit.contention / 30 - 1) < 0.01 && fit.worst.error < 0.001)
    #expect(model.formula.contains(/^t = \S+ ms \+ blocks x \(\S+ ns \+ \S+ ns \/ stride\)$/), "\(model.formula)")
  }

  @Test func `a cost model that does not fit is reported, and a model requires four strides`() throws {
    let erratic = [cost(1, 5e6), cost(4, 50e6), cost(16, 4e6), cost(64, 60e6), cost(256, 5e6)]
    func says(_ costs: [StrideModel.Cost]) throws -> String {
      try #require(StrideModel(fitting: costs)).sentence(for: "apply", after: 25)
    }
    let none = try says(erratic)
    #expect(
      none.contains(/^no cost model fits apply: the best one misses stride \d+ by \d/), "\(none)")
    #expect(none.hasSuffix(", where 5 % is allowed"), "\(none)")
    // The means fit, but the rounds vary so much that the fit may be chance.
    let chance = [1, 4, 16, 64, 256].map { stride in
      let elapsed = 4e6 + 40e6 / Double(stride)
      var cost = cost(stride, elapsed)
      cost.rounds = Dictionary(
        uniqueKeysWithValues: (0..<6).map { round in
          (round, elapsed * (1 + Double((round * 5 + stride * 3) % 7 - 3) / 4))
        })
      return cost
    }
    #expect(
      try says(chance)
        == "the rounds do not decide whether a cost model fits apply; --rounds 100 may decide")
    #expect(StrideModel(fitting: Array(erratic.prefix(3))) == nil)
  }

  @Test func `a cost model that misses the smallest or the largest stride does not fit`() throws {
    func model(_ factor: (Int) -> Double) throws -> StrideModel {
      try #require(
        StrideModel(fitting: [1, 4, 16, 64, 256, 1024, 4096].map { cost($0, (8e6 + 300 * Double($0)) * factor($0)) }))
    }
    #expect(try model { _ in 1 }.fits)
    #expect(try !model { $0 == 1 ? 0.8 : 1 }.fits)
    #expect(try !model { $0 == 4096 ? 0.6 : 1 }.fits)
  }

  private func results(
    _ sweep: [(name: String, values: [Int])], set settings: [String] = []
  ) throws -> Results {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [ApplyStride()])
    var experiment = try library.experiment(ApplyStride.name).applying(Overrides(settings: settings))
    experiment = try experiment.sweeping(sweep.map { Sweep($0.name, $0.values.map { .integer($0) }) })
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      guard case .integer(let stride)? = runs[index].parameters["stride"] else { continue }
      var observation = Observation()
      observation.record("elapsed", 8e6 + 25 * 1e6 / Double(stride))
      observation.record("blocks", 1_000_000 / stride)
      runs[index].trials = [TrialRecord(round: 0, outcome: .completed, observation: observation)]
    }
    return Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
  }

  @Test func `each combination of the other swept parameters has findings of its own`() throws {
    let findings = ApplyStride().findings(in: try results([("stride", [1, 4]), ("work", [15, 50])]))
    let best = findings.first { $0.says.hasPrefix("task-group[work=50ns] has its best mean at stride 4") }
    #expect(best?.kind == "best-stride" && best?.runs == ["task-group[stride=4,work=50ns]"])
  }

  /// Returns the findings of a comparison of strides with these settings.
  ///
  /// - Parameters:
  ///   - other: another swept parameter.
  ///   - lacks: a closure that returns whether the trial at a stride in a round reports that it found no second core.
  ///   - time: a closure that returns a factor of the time of a variant at a stride.
  private func findings(
    _ settings: [String], strides: [Int] = [1, 16, 64, 256, 1024, 4096], cores: [Int] = [], also other: String? = nil,
    variants: [String] = ["apply"], rounds: Int = 6, machine: Machine = .test,
    lacks: (_ stride: Int, _ round: Int) -> Bool = { _, _ in false },
    time: (_ variant: String, _ stride: Int) -> Double = { _, _ in 1 }
  ) throws -> [RunNote] {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: [ApplyStride()])
    var experiment = try library.experiment(ApplyStride.name).applying(
      Overrides(settings: ["iterations=1M"] + settings, variants: variants)
    ).sweeping(
      [Sweep("stride", strides.map { .integer($0) })]
        + (cores.isEmpty ? [] : [Sweep("cores", cores.map { .integer($0) })])
        + (other.map { [Sweep($0, [.integer(1), .integer(2)])] } ?? []))
    experiment.isComparison = true
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      guard case .integer(let stride)? = runs[index].parameters["stride"] else { continue }
      let blocks = Double((1_000_000 + stride - 1) / stride)
      runs[index].trials = (0..<rounds).map { round in
        var observation = Observation()
        let isAlone = lacks(stride, round)
        let shared = 2 / Double(isAlone ? 1 : runs[index].cores ?? Machine.test.cores)
        let elapsed =
          shared * (8e6 + 25 * blocks) * (1 + 0.002 * Double((round + index) % 3))
          * time(runs[index].variant.name, stride)
        observation.record("elapsed", elapsed)
        observation.record("speedup", 16e6 / elapsed)
        observation.record("blocks", Int(blocks))
        return TrialRecord(
          round: round, outcome: .completed, observation: observation, shortages: isAlone ? [Cores.second] : [])
      }
    }
    return ApplyStride().findings(
      in: Results(experiment: experiment, machine: machine, seed: 1, started: "", runs: runs))
  }

  /// Returns the advice among some findings.
  private func advice(_ findings: [RunNote]) -> String? {
    findings.first { $0.kind == Conclusion.advice || $0.kind == Conclusion.ownAnswer }?.says
  }

  /// A block adds 25 ns to the loop's time, 0.16 % at stride 1024 and 0.04 % at stride 4096.
  @Test func `a comparison of strides ends in the blocks of the best strides`() throws {
    let plain = advice(try findings([]))
    #expect(
      plain
        == "Stride 64 to 4096 makes 245 to 15,625 blocks with 1.02 us to 65.5 us of work each, since an iteration of the plain loop took 16 ns."
    )
    let one = advice(try findings([], time: { _, stride in stride == 64 ? 0.3 : 0.9 }))
    #expect(
      one
        == "Stride 64 makes 15,625 blocks with 1.02 us of work each, since an iteration of the plain loop took 16.0 ns."
    )
  }

  @Test func `a comparison without a cost model says what the blocks of the smallest stride cost`() throws {
    // A loop at stride 16 takes twice the time that a model would allow.
    let notes = try findings([], time: { _, stride in stride == 16 ? 2 : 1 }).filter { $0.kind == "cost-model" }
    #expect(
      notes.first?.says.contains(
        /^no cost model fits apply: .+ is allowed; stride 1 takes 2\d\.\d ms longer than stride \d+, 2\d\.\d ns for each of its further blocks$/
      ) == true, "\(notes)")
  }

  @Test func `only strides next to the best stride are in the advice`() throws {
    let says = advice(try findings([], time: { _, stride in stride == 256 ? 1.5 : stride == 4096 ? 0.99 : 1 }))
    #expect(says?.hasPrefix("Stride 1024 to 4096 makes ") == true, "\(says ?? "")")
  }

  @Test func `if the rounds do not decide which stride is the best, only the user's own loop gets a stride`() throws {
    // The trials at each stride alternate between two states, so no ratio is certain.
    func undecided(_ settings: [String]) throws -> String? {
      var calls = 0
      return advice(
        try findings(
          settings, strides: [64, 256, 1024, 4096],
          time: { _, _ in
            calls += 1
            return calls % 4 == 0 ? 5 : 1
          }))
    }
    #expect(try undecided([]) == nil)
    let says = try undecided(["my-iteration=160ns"])
    #expect(
      says?.hasPrefix("By the best mean so far, since the rounds do not decide: for your loop of ") == true
        && says?.contains(": use stride ") == true, "\(says ?? "")")
  }

  @Test func `few rounds decide no stride for the user's own loop, and a single stride is not compared`() throws {
    let few = advice(try findings(["my-iteration=160ns"], rounds: 3))
    #expect(few?.hasPrefix("By the best mean so far, since the rounds do not decide: for your loop of ") == true)
    let one = advice(try findings(["my-iteration=160ns"], strides: [64]))
    #expect(one == "No stride for your loop: to get one, compare several strides.")
  }

  @Test func `there is no stride to advise if a variant without strides is best`() throws {
    func best(_ settings: [String]) throws -> String? {
      advice(
        try findings(
          settings, variants: ["serial-loop", "apply"], time: { variant, _ in variant == "serial-loop" ? 0.3 : 1 }))
    }
    #expect(try best([]) == nil)
    #expect(try best(["my-iteration=160ns"]) == "No stride for your loop: serial-loop, without strides, is best.")
  }

  @Test func `the advice is for each number of cores`() throws {
    let both = try findings([], cores: [1, 2]).filter { $0.kind == Conclusion.advice }.map(\.says)
    #expect(both.count == 2, "\(both)")
    #expect(both.first?.hasPrefix("With 1 core: stride ") == true, "\(both)")
    #expect(both.last?.hasPrefix("With 2 cores: stride ") == true, "\(both)")
    // Blocks on one core do not contend, so their cost has another model.
    let formulas = try findings([], cores: [1]).filter { $0.kind == "cost-model" }.map(\.says)
    #expect(formulas == ["no cost formula for apply[cores=1]: the trials had only one core"])
    let findings = ApplyStride().findings(in: try results([("cores", [1, 2]), ("stride", [1, 4])]))
    #expect(findings.contains { $0.says.hasPrefix("apply[cores=1] has its best mean at stride 4") }, "\(findings)")
  }

  @Test func `the advice is for the user's own loop if its settings are given`() throws {
    // The best blocks have 1.02 us of work or more, and there are 244 of them or more.
    let own = advice(try findings(["my-iteration=160ns", "my-iterations=100k"]))
    #expect(
      own
        == "For your loop of 100,000 iterations of 160 ns: use stride 7 to 408, which is at least 1.02 us of work in a "
        + "block, and at least 245 blocks, as in the best measured loops (stride 64 to 4096, 16 ns an iteration).")
    let short = advice(try findings(["my-iteration=1ns", "my-iterations=10"]))
    #expect(
      short
        == "For your loop of 10 iterations of 1 ns, 10 ns in all: too short for at least 1.02 us of work in a block, and "
        + "at least 245 blocks; a plain loop may be as fast.")
    let swept = try findings(["my-iteration=160ns"], also: "work")
    #expect(advice(swept) == "No stride for your loop: to get one, sweep only stride, or stride and cores.")
  }

  @Test func `the cost model uses only the trials that had a second core`() throws {
    let some = try findings([], rounds: 12) { _, round in round.isMultiple(of: 2) }
    let model = try #require(some.first { $0.kind == "cost-model" })
    #expect(model.says.hasSuffix("; from the 36 of 72 trials that had a second core"), "\(model)")
    let few = try findings([], rounds: 12) { stride, round in stride == 64 && round > 4 }
    let reason = "5 of 12 trials at stride 64 had a second core, and 6 are needed at each stride"
    #expect(few.map(\.says).contains("no cost formula for apply: \(reason)"), "\(few)")
  }

  @Test func `the findings of a comparison contain the reason for a missing cost formula`() throws {
    let three = try findings([], strides: [1, 16, 64]).map(\.says)
    #expect(!three.contains { $0.hasPrefix("no cost formula") }, "\(three)")
    let one = try findings([], machine: Machine.test.confined(to: 1))
    #expect(one.map(\.says).contains("no cost formula for apply: the trials had only one core"), "\(one)")
  }
}

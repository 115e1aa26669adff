import LabTesting
import Measurement
import Platform
import Testing

@testable import Laboratory

/// Tests of the parameter that every pattern has: the number of cores to which a trial is confined.
@Suite struct CoresTests {
  /// A pattern with two variants, one of which requires two cores.
  private struct Needy: Pattern {
    static let name = "needy"
    let elapsed = Metric.count("elapsed", "how many")
    var variants: [Variant] {
      Variant("one", .documented, "needs one") { _ in }
      Variant("two", .documented, "needs two", needs: [.cores(2)]) { _ in }
    }
  }

  private func experiment(
    _ cores: [ParameterValue], claims: [String] = []
  ) throws -> Experiment {
    let pattern = try PatternDescription(Needy())
    return Experiment(
      name: "needy", pattern: pattern, title: "t", source: "s", variants: pattern.variants,
      sweep: [Sweep("cores", cores)], show: ["elapsed"],
      claims: try claims.map {
        Claim(says: $0, kind: .guarantee, check: try Check(parsing: $0, on: pattern, variants: pattern.variants))
      })
  }

  // MARK: The setting

  @Test func `a run without the setting cores has no number of cores`() {
    let plan = Plan(FakePattern.experiment(), budget: .quick, seed: 1)
    #expect(plan.runs.allSatisfy { $0.cores == nil && $0.parameters["cores"] == nil })
    #expect(plan.experiment.parameters["cores"] == nil)
  }

  @Test func `the value all is the number of all cores, and an equal value is not repeated`() throws {
    func cores(of count: Int) throws -> [Int?] {
      let swept = try experiment([.integer(1), .integer(2), .text("all")])
      return Plan(swept, budget: .quick, seed: 1, cores: count).runs.filter { $0.variant.name == "one" }.map(\.cores)
    }
    #expect(try cores(of: 2) == [1, 2])
    #expect(try cores(of: 8) == [1, 2, 8])
    let set = try FakePattern.experiment().applying(Overrides(cores: "all"))
    #expect(Plan(set, budget: .quick, seed: 1, cores: 8).runs.map(\.cores) == [8, 8, 8])
  }

  @Test func `the command line and a scenario file can set and sweep cores like any other parameter`() throws {
    let own = FakePattern.experiment()
    #expect(try own.applying(Overrides(cores: "1")).parameters["cores"] == .integer(1))
    #expect(try own.applying(Overrides(settings: ["cores=2"])).parameters["cores"] == .integer(2))
    #expect(try SweepParser(own.pattern).sweep("cores=1..4").values == (1...4).map(ParameterValue.integer))
    #expect(try SweepParser(own.pattern).sweep("cores=1,all").values == [.integer(1), .text("all")])
    let file = """
      scenario: mine
      pattern: fake
      title: t
      sweep: {cores: [1, 2, all], stride: [1, 8]}
      claims:
        - says: Two are faster.
          of: lesson
          kind: performance
          check: "apply[cores=all,stride=8].elapsed < apply[cores=1,stride=8].elapsed"
      """
    let read = try ScenarioReader(place: "mine.yml", patterns: [FakePattern()]).experiment(from: file)
    #expect(read.sweep.first == Sweep("cores", [.integer(1), .integer(2), .text("all")]))
    let replaced = try read.applying(Overrides(cores: "1"))
    #expect(replaced.sweep.map(\.name) == ["stride"] && replaced.parameters["cores"] == .integer(1))
  }

  @Test(arguments: ["0", "-1", "x", "1.5", "", "1ms", "99999999999999999999", "ALL"])
  func `a value that is not a number of cores is refused`(_ text: String) throws {
    let message = "cores: found '\(text)', expected a whole number of 1 or more, or all"
    let flag = #expect(throws: InputError.self) { try FakePattern.experiment().applying(Overrides(cores: text)) }
    #expect(flag?.description == "--cores: \(message)")
    let sweep = #expect(throws: InputError.self) { try SweepParser(FakePattern.described).sweep("cores=2,\(text)") }
    #expect(sweep?.description == message)
    let file = "scenario: mine\npattern: fake\ntitle: t\nparameters: {cores: '\(text)'}\n"
    let read = #expect(throws: InputError.self) {
      try ScenarioReader(place: "mine.yml", patterns: [FakePattern()]).experiment(from: file)
    }
    #expect(read?.description.contains(message) == true)
  }

  @Test func `a pattern that declares a parameter named cores is refused`() {
    struct Own: Pattern {
      static let name = "own"
      let cores = Parameter.count("cores", 1...8, default: 1, "its own")
      var variants: [Variant] { Variant("one", .documented, "a way") { _ in } }
    }
    let error = #expect(throws: InputError.self) { try PatternDescription(Own()) }
    #expect(error?.description.contains("'cores' is reserved for the lab's own setting") == true)
  }

  // MARK: The machine that a trial sees

  @Test func `a confined machine has fewer cores, and its pool is as wide as before`() {
    var machine = Machine.test
    machine.cores = 4
    machine.confinedTo = [0, 2, 1]
    let confined = machine.confined(to: 2)
    #expect(confined.cores == 2 && confined.poolWidth == 4 && confined.confinedTo == [0, 2])
    #expect(machine.confined(to: nil) == machine && machine.confined(to: 4) == machine)
    #expect(machine.usedCores == 3 && Machine.test.usedCores == 2)
  }

  @Test func `the cores that a variant needs are compared with the cores of the trial`() throws {
    let plan = Plan(try experiment([.integer(1), .integer(2), .integer(8)]), budget: .quick, seed: 1)
    var machine = Machine.test
    machine.confinedTo = [0, 1]
    func obstacles(_ variant: String) -> [String?] {
      plan.runs.filter { $0.variant.name == variant }.map { plan.experiment.pattern.obstacle(to: $0, on: machine) }
    }
    #expect(obstacles("one") == [nil, nil, "8 cores are requested; there are 2"])
    #expect(
      obstacles("two") == [
        "2 cores are needed; the run is confined to 1", nil, "8 cores are requested; there are 2",
      ])
  }

  @Test func `a system that cannot confine processes can run only trials on all cores`() throws {
    let plan = Plan(try experiment([.integer(1), .integer(2)]), budget: .quick, seed: 1)
    var machine = Machine.test
    machine.os = "Darwin"
    #expect(
      plan.runs.prefix(2).map { plan.experiment.pattern.obstacle(to: $0, on: machine) }
        == ["Darwin has no call that confines a process to some of its cores", nil])
  }

  // MARK: A run

  /// A worker script that reports its arguments and the request that it received.
  private static let mirror = """
    case "$request" in *'"cores":1'*) cores=1;; *'"cores":2'*) cores=2;; esac
    case "$request" in *confinedTo*) said=confined;; *) said=free;; esac
    echo '{"broken":"'"$*: cores $cores, $said"'"}'
    """

  @Test(.enabled(if: Host.cores >= 2 && Confinement.isPossible, "processes cannot be confined to one of several cores"))
  func `a worker receives its cores in the arguments and in the request`() async throws {
    let results = try await run(
      Plan(try experiment([.integer(1), .integer(2), .integer(8)]), budget: Budget(rounds: 1), seed: 1),
      byWorker: Self.mirror)
    let inTurn = Confinement.coresInTurn.prefix(2).map { $0 }
    #expect(results.machine.confinedTo == inTurn)
    #expect(
      results.runs.map { $0.trials[0].outcome } == [
        .broken(reason: "worker \(inTurn[0]): cores 1, confined"),
        .broken(reason: "worker \(inTurn[0]),\(inTurn[1]): cores 2, confined"),
        .unavailable(reason: "8 cores are requested; there are 2"),
        .unavailable(reason: "2 cores are needed; the run is confined to 1"),
        .broken(reason: "worker \(inTurn[0]),\(inTurn[1]): cores 2, confined"),
        .unavailable(reason: "8 cores are requested; there are 2"),
      ])
  }

  @Test func `a worker without the setting cores is not confined`() async throws {
    let results = try await run(
      Plan(FakePattern.experiment(), budget: Budget(rounds: 1), seed: 1), byWorker: Self.mirror)
    #expect(results.runs.allSatisfy { $0.trials[0].outcome == .broken(reason: "worker: cores 2, free") })
    #expect(results.machine.confinedTo == nil)
  }

  @Test(.enabled(if: Host.cores >= 2, "there is only one core"))
  func `a shortage that trials on one core found is not passed on to trials on two cores`() async throws {
    let worker = """
      case "$request" in *shortages*) told=2;; *) told=1;; esac
      case "$request" in *'"cores":1'*) lacks=',"shortages":["a second core"]';; *) lacks=;; esac
      echo '{"observation":{"values":{"elapsed":['$told']},"histograms":{}}'"$lacks"'}'
      """
    let plan = Plan(try experiment([.integer(1), .integer(2)]), budget: Budget(rounds: 6), seed: 1)
    let results = try await run(plan, byWorker: worker)
    let metric = try #require(plan.experiment.headline)
    let told = results.runs.map { run in run.trials.count { $0.figure(metric) == 2 } }
    #expect(told == [3, 0, 0, 0], "three of six found out, the others on one core were told")
  }

  // MARK: Judging

  private func judged(_ cores: [ParameterValue], _ claims: [String]) throws -> [Judgement] {
    let plan = Plan(try experiment(cores, claims: claims), budget: .quick, seed: 1, cores: 2)
    var machine = Machine.test
    machine.confinedTo = [0, 1]
    var results = Results(experiment: plan.experiment, machine: machine, seed: 1, started: "", runs: plan.runs)
    for index in results.runs.indices {
      let run = results.runs[index]
      var observation = Observation()
      observation.record("elapsed", Double(run.cores ?? 0))
      let obstacle = plan.experiment.pattern.obstacle(to: run, on: results.machine)
      results.runs[index].trials = (0..<6).map { round in
        TrialRecord(
          round: round, outcome: obstacle.map { .unavailable(reason: $0) } ?? .completed,
          observation: obstacle == nil ? observation : Observation())
      }
    }
    return Judge(results).judgements()
  }

  @Test func `the word cores in a check is the number of cores of each trial`() throws {
    // The figure of each trial is the number of its cores.
    #expect(try judged([.integer(1), .integer(2)], ["one.elapsed == cores"]).map(\.verdict) == [.held])
    #expect(try judged([.integer(1), .integer(2)], ["one.elapsed == 2"]).map(\.verdict) == [.violated])
  }

  @Test func `a check can name a point by a number of cores or by the word all`() throws {
    let checks = ["one[cores=1].elapsed == 1", "one[cores=all].elapsed == 2", "one[cores=2].elapsed == 1"]
    #expect(try judged([.integer(1), .text("all")], checks).map(\.verdict) == [.held, .held, .violated])
    let one = try judged([.integer(1)], ["one[cores=all].elapsed == 2"])
    #expect(one.map(\.verdict) == [.unavailable] && one[0].isExcused)
  }

  @Test func `a claim on a variant that needs more cores is unavailable with the reason, and excused`() throws {
    let judgements = try judged([.integer(1)], ["two.elapsed == 1", "all.elapsed == 1"])
    #expect(judgements.map(\.verdict) == [.unavailable, .held])
    #expect(judgements[0].isExcused)
    #expect(judgements[0].evidence.reason == "2 cores are needed; the run is confined to 1")
    // On two cores, the claim can be judged.
    #expect(try judged([.integer(1), .integer(2)], ["two.elapsed == 2"]).map(\.verdict) == [.held])
  }

  // MARK: Comparing

  @Test func `each number of cores has a best run of its own`() {
    func groups(_ sweep: [String], _ problem: [String] = []) -> [String] {
      Comparison.Policy(baseline: nil, seeksBest: true, sweep: sweep, problem: problem).groupParameters
    }
    #expect(groups(["cores", "stride"]) == ["cores"] && groups(["stride", "cores"]) == ["cores"])
    #expect(groups(["cores"]) == [] && groups(["stride"]) == [])
    #expect(groups(["work", "stride", "cores"]) == ["cores"] && groups(["work", "stride"]) == [])
    #expect(groups(["work", "cores", "stride"], ["work"]) == ["cores", "work"])
  }
}

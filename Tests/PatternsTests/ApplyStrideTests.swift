import Laboratory
import Measurement
import Testing

@testable import Patterns

@Suite struct ApplyStrideTests {
  private let pattern = ApplyStride()

  private func trial(_ variant: String, iterations: Int = 1000, stride: Int = 7, balance: String = "uniform") -> Trial {
    pattern.trial(
      variant,
      ["iterations": .integer(iterations), "stride": .integer(stride), "work": .integer(3), "balance": .text(balance)])
  }

  private func verdicts(_ variant: String, _ observation: Observation) throws -> [Verdict] {
    let verdicts = try ScenarioVerdicts(pattern).verdicts(.guarantee, variant, observation)
    return verdicts.sorted { $0.key < $1.key }.map(\.value)
  }

  @Test(arguments: ApplyStride.Way.allCases.map(\.rawValue), [(1000, 7), (1000, 1000), (3, 64), (1, 1), (64, 64)])
  func `every way visits every index once, whatever the remainder`(_ variant: String, _ size: (Int, Int)) async throws {
    for balance in ["uniform", "ramp", "random"] {
      let trial = trial(variant, iterations: size.0, stride: size.1, balance: balance)
      let observation = try await onOwnThread { [pattern] in try pattern.run(trial) }
      #expect(observation.samples("missed")?.summary?.total == 0)
      #expect(observation.samples("repeated")?.summary?.total == 0)
      #expect(try verdicts(variant, observation) == [.held, .held])
      #expect(Set(observation.metrics.keys).isSubset(of: Set(pattern.metrics.map(\.name))))
    }
  }

  @Test func `a loop that leaves out the last block is caught`() throws {
    let observation = try pattern.measure(StridedLoop(trial("apply"))) { loop, _ in
      for block in 0..<(loop.blocks - 1) { loop.body(loop.range(ofBlock: block)) }
    }
    #expect(observation.samples("missed")?.summary?.total == 18)  // 1000 = 142 * 7 + 6, three loops.
    #expect(try verdicts("apply", observation) == [.violated, .held])
  }

  @Test func `a loop that runs a block twice is caught`() throws {
    let observation = try pattern.measure(StridedLoop(trial("apply"))) { loop, _ in
      loop.body(0..<loop.iterations)
      loop.body(loop.range(ofBlock: 3))
    }
    #expect(observation.samples("repeated")?.summary?.total == 21)  // Three loops.
    #expect(try verdicts("apply", observation) == [.held, .violated])
  }

  @Test func `blocks are what the loop is cut into`() throws {
    func blocks(_ variant: String) throws -> Double? {
      try pattern.run(trial(variant)).samples("blocks")?.summary?.total
    }
    #expect(try blocks("apply") == 143)
    #expect(try blocks("serial-loop") == 1)
  }

  @Test func `too many blocks for a group are unavailable, not endless`() {
    #expect(throws: TrialFailure.self) { try pattern.run(trial("task-group", iterations: 1_000_000, stride: 1)) }
  }

  @Test func `the model finds what a cost was made of`() throws {
    let n = 1_000_000
    let costs = [1, 4, 16, 64, 256, 1024].map { stride -> StrideModel.Cost in
      let blocks = Double((n + stride - 1) / stride)
      return .init(stride: stride, blocks: blocks, elapsed: 8e6 + 25 * blocks + 300 * Double(stride), speedup: nil)
    }
    let model = try #require(StrideModel(fitting: costs))
    #expect(abs(model.work / 8e6 - 1) < 0.001)
    #expect(abs(model.overhead / 25 - 1) < 0.001)
    #expect(abs(model.tail / 300 - 1) < 0.01)
    #expect(model.worst.error < 0.001)
    #expect(model.stride(forOverhead: 0.01) == 313)  // 25 ns * 1e6 / (1 % of 8 ms).
  }

  @Test func `the model knows contention`() throws {
    let costs = [1, 4, 16, 64, 256, 1024].map { stride -> StrideModel.Cost in
      let blocks = 1e6 / Double(stride)
      return .init(
        stride: stride, blocks: blocks, elapsed: 8e6 + 10 * blocks + 30 * blocks / Double(stride), speedup: nil)
    }
    let model = try #require(StrideModel(fitting: costs))
    #expect(abs(model.overhead / 10 - 1) < 0.01 && abs(model.contention / 30 - 1) < 0.01 && model.worst.error < 0.001)
    // 10 / s + 30 / s^2 of a million is 1 % of 8 ms at 127.9.
    #expect(model.stride(forOverhead: 0.01) == 128)
    #expect(
      model.sentence(for: "apply", overhead: 0.01).contains("for at most 1 % overhead take stride 128 or more"))
  }

  @Test func `each combination of what else is swept has a model of its own`() throws {
    let experiment = try ScenarioVerdicts(ApplyStride()).experiment.sweeping([
      ("stride", [1, 4].map { .integer($0) }), ("work", [15, 50].map { .integer($0) }),
    ])
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      var observation = Observation()
      observation.record("elapsed", Double(1000 + index))
      observation.record("blocks", 10)
      runs[index].trials = [TrialRecord(round: 0, outcome: .completed, observation: observation)]
    }
    let results = Results(
      experiment: experiment, machine: ScenarioVerdicts.machine, seed: 1, started: "", runs: runs)
    #expect(StrideModel.costs(of: "apply", in: results).map(\.label) == ["apply[work=15ns]", "apply[work=50ns]"])
    #expect(
      ApplyStride().findings(in: results).contains { $0.says.hasPrefix("task-group[work=50ns] is fastest at stride") })
  }

  @Test func `the model says when it does not fit, and wants four strides`() throws {
    func cost(_ stride: Int, _ elapsed: Double) -> StrideModel.Cost {
      .init(stride: stride, blocks: 1e6 / Double(stride), elapsed: elapsed, speedup: nil)
    }
    let erratic = [cost(1, 5e6), cost(4, 50e6), cost(16, 4e6), cost(64, 60e6), cost(256, 5e6)]
    #expect(
      try #require(StrideModel(fitting: erratic)).sentence(for: "apply", overhead: 0.01).contains(
        "no simple cost model fits"))
    #expect(StrideModel(fitting: Array(erratic.prefix(3))) == nil)
  }
}

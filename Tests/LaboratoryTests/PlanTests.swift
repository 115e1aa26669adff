import LabTesting
import Testing

@testable import Laboratory

@Suite struct PlanTests {
  private let plan = Plan(
    FakePattern.experiment(sweep: [
      Sweep("stride", [.integer(1), .integer(8)]), Sweep("work", [.integer(10), .integer(20)]),
    ]),
    budget: Budget(rounds: 2), seed: 7)

  @Test func `a plan runs every variant at every point that affects it`() {
    // The loop ignores the stride, so it has two points, and each of the other variants has four.
    #expect(plan.runs.map(\.label).filter { $0.hasPrefix("loop") } == ["loop[work=10ns]", "loop[work=20ns]"])
    #expect(plan.runs.count { $0.variant.name == "apply" } == 4)
    #expect(plan.runs.count == 10)
  }

  @Test func `every run has a value for each parameter`() {
    for run in plan.runs { #expect(Set(run.parameters.keys) == ["stride", "work", "chunk", "balance"]) }
    #expect(plan.runs.last?.parameters["stride"] == .integer(8))
    #expect(plan.runs.last?.parameters["balance"] == .text("uniform"))
  }

  @Test func `the seed determines the order of the runs`() {
    let again = Plan(plan.experiment, budget: plan.budget, seed: 7)
    let other = Plan(plan.experiment, budget: plan.budget, seed: 8)
    #expect(plan.order(ofRound: 0) == again.order(ofRound: 0))
    #expect(plan.order(ofRound: 0).sorted() == Array(0..<10))
    #expect(plan.order(ofRound: 0) != plan.order(ofRound: 1))
    #expect(plan.order(ofRound: 0) != other.order(ofRound: 0))
  }

  @Test func `a setting replaces the sweep of its parameter`() throws {
    let changed = try plan.experiment.applying(Overrides(settings: ["stride=32"], variants: ["apply"]))
    #expect(changed.sweep.map(\.name) == ["work"])
    #expect(changed.parameters["stride"] == .integer(32))
    #expect(changed.variants.map(\.name) == ["apply"])
    #expect(changed.baseline == nil)  // The loop is not part of it any more.
    let asked = try plan.experiment.applying(Overrides(variants: ["apply"], baseline: "loop"))
    #expect(asked.baseline == "loop" && asked.variants.map(\.name) == ["loop", "apply"])
  }

  @Test(arguments: [
    (
      ["strid=1"], [],
      "--set: unknown parameter 'strid' of fake; did you mean 'stride'? (known: stride, work, chunk, balance, cores)"
    ),
    (["stride"], [], "--set: found 'stride', expected NAME=VALUE as in stride=16"),
    (
      ["stride=1,4,16"], [],
      "--set: stride: found 3 values, but a run has one; to compare the values: compare fake stride=1,4,16"
    ),
    (["stride=1ms"], [], "--set: stride: found '1ms', expected a count such as 64, 1_000 or 200k"),
    (["balance=rump"], [], "--set: balance: 'rump' is not one of uniform, ramp; did you mean 'ramp'?"),
    ([], ["aply"], "--variant: unknown variant 'aply' of fake; did you mean 'apply'? (known: loop, apply, broken)"),
  ])
  func `unknown or invalid settings and unknown variants are refused`(
    _ settings: [String], _ variants: [String], _ message: String
  ) {
    let error = #expect(throws: InputError.self) {
      try plan.experiment.applying(Overrides(settings: settings, variants: variants))
    }
    #expect(error?.description == message)
  }
}

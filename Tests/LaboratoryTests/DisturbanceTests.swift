import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of a run's warnings about other programs, the hypervisor and missing cores.
@Suite struct DisturbanceTests {
  @Test(arguments: [
    // A run tolerates the loss of half of one core on two cores, and the loss of 10 % of 64 cores.
    (0.0, 0.0, 2, ""), (0.06, 0, 2, "stolen-time"), (0, 0.2, 2, "busy-machine"), (0, 0.26, 2, "cores-taken"),
    (0.26, 0, 2, "cores-taken"), (0, 0.09, 64, ""), (0, 0.11, 64, "cores-taken"),
    // A run on one core has no further core that others could take.
    (0, 0.9, 1, "busy-machine"),
  ])
  func `the kind of warning depends on the share of the cores that was lost to others`(
    _ stolen: Double, _ others: Double, _ cores: Int, _ kind: String
  ) {
    let warnings = DisturbanceWatch.warnings(stolen: stolen, others: others, of: cores)
    #expect(warnings.map(\.kind) == (kind.isEmpty ? [] : [kind]))
  }

  @Test func `the warning begins with the number of trials that did not find a second core`() {
    let warnings = DisturbanceWatch.warnings(stolen: 0, others: 0.5, of: 2, shortages: (88, 108))
    #expect(
      warnings.map(\.says) == [
        "the cores were busy: 88 of 108 trials found no second core, and other programs took 50 % of the time of 2 "
          + "cores", "the comparisons of this run hold for one core only",
      ])
    let some = DisturbanceWatch.warnings(stolen: 0, others: 0, of: 2, shortages: (20, 108)).map(\.says)
    #expect(some.count == 1 && some.allSatisfy { !$0.contains("one core only") }, "\(some)")
    #expect(DisturbanceWatch.warnings(stolen: 0, others: 0, of: 2, shortages: (1, 108)).isEmpty)
  }

  @Test func `trials on one core do not count among the trials that may lack a second core`() {
    let loop = Variant("loop", .yardstick, "a way") { _ in }
    let runs = [1, 2].map { cores in
      let trials = (0..<10).map { round in
        TrialRecord(round: round, outcome: .completed, shortages: cores > 1 && round < 3 ? [Cores.second] : [])
      }
      return VariantRun(variant: loop, point: Point(), parameters: [Cores.name: .integer(cores)], trials: trials)
    }
    #expect(DisturbanceWatch.shortagesOfCore(runs) == (3, 10))
  }

  private func results(_ machine: Machine, _ warnings: [RunNote] = []) throws -> Results {
    let pattern = try PatternDescription(Fake())
    let experiment = Experiment(
      name: "fake", pattern: pattern, title: "", source: "", variants: pattern.variants, show: ["elapsed"])
    return Results(experiment: experiment, machine: machine, seed: 1, started: "", runs: [], warnings: warnings)
  }

  private struct Fake: Pattern {
    static let name = "fake"
    let elapsed = Metric.latency("elapsed", missingIf: "a test leaves it out", "a time")
    var variants: [Variant] { Variant("loop", .yardstick, "a way") { _ in } }
  }

  @Test func `the gain of more cores is shown only for several cores that no other program took`() throws {
    #expect(try results(.test).showsGainOfCores)
    #expect(try results(.test, [RunNote("busy-machine", "a little")]).showsGainOfCores)
    #expect(try !results(.test, [RunNote(RunNote.coresTaken, "they were busy")]).showsGainOfCores)
    #expect(try !results(Machine.test.confined(to: 1)).showsGainOfCores)
  }
}

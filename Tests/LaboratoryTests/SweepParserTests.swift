import LabTesting
import Testing

@testable import Laboratory

@Suite struct SweepParserTests {
  private let parser = SweepParser(FakePattern.described)

  @Test(arguments: [
    ("stride=1,4,16", [1, 4, 16]), ("stride=1..4", [1, 2, 3, 4]),
    ("stride=1..4096:x4", [1, 4, 16, 64, 256, 1024, 4096]),
    ("stride=1..10:x1.5", [1, 2, 3, 5, 8]), ("stride=10..100:+30", [10, 40, 70, 100]),
    ("stride=1..3,64", [1, 2, 3, 64]),
    ("work=10ns..1us:x10", [10, 100, 1000]), ("work=0ns..30ns:+10ns", [0, 10, 20, 30]),
    ("chunk=1KiB..3KiB:+1KiB", [1024, 2048, 3072]),
    ("stride=7..7", [7]),
  ])
  func `lists and ranges are parsed`(_ text: String, _ values: [Int]) throws {
    #expect(try parser.sweep(text).values == values.map(ParameterValue.integer))
  }

  @Test func `a list of words is parsed`() throws {
    let sweep = try parser.sweep("balance=uniform,ramp")
    #expect(sweep.name == "balance" && sweep.values == [.text("uniform"), .text("ramp")])
  }

  @Test(arguments: [
    ("stride", "found 'stride', expected NAME=VALUES as in stride=16,64,256; a range is 1..64:x4"),
    ("=1", "found '=1', expected NAME=VALUES as in stride=16,64,256; a range is 1..64:x4"),
    (
      "strid=1",
      "unknown parameter 'strid' of fake; did you mean 'stride'? (known: stride, work, chunk, balance, cores)"
    ),
    ("stride=", "stride: found '', expected a count such as 64, 1_000 or 200k"),
    ("stride=1,,2", "stride: found '', expected a count such as 64, 1_000 or 200k"),
    ("stride=1,2,1", "stride: 1 appears twice in 'stride=1,2,1'"),
    ("stride=8..1", "stride: the range '8..1' ends before it begins"),
    ("stride=1..x4", "stride: the range '1..x4' has no end: write 1..END:x4"),
    ("stride=1..:x4", "stride: the range '1..:x4' has no end: write 1..END:x4"),
    ("work=10ns..", "work: the range '10ns..' has no end: write 10ns..END"),
    ("stride=1..9999", "stride: 9999 is out of range; expected 1 to 4096"),
    ("stride=1..4096", "stride: the range '1..4096' has more than 1000 values; give it a larger step"),
    ("stride=1..8:x1", "stride: 'x1' is not a step: ':x2' doubles from value to value, ':+1' adds"),
    ("stride=1..8:+0", "stride: '+0' is not a step: ':x2' doubles from value to value, ':+1' adds"),
    ("stride=1..8:", "stride: '' is not a step: ':x2' doubles from value to value, ':+1' adds"),
    ("stride=1..8:xinf", "stride: 'xinf' is not a step: ':x2' doubles from value to value, ':+1' adds"),
    ("stride=1..8:+1ms", "stride: '+1ms' is not a step: ':x2' doubles from value to value, ':+1' adds"),
    ("work=1ns..9ns", "work: the range '1ns..9ns' needs a step: ':x2' or ':+10ns'"),
    ("balance=uniform..ramp", "balance: 'uniform..ramp' is a range, but the values of this parameter are words"),
  ])
  func `an invalid sweep is refused with the reason`(_ text: String, _ message: String) {
    let error = #expect(throws: InputError.self) { try parser.sweep(text) }
    #expect(error?.description == message)
  }

  @Test func `a sweep replaces the sweep of the experiment`() throws {
    let experiment = FakePattern.experiment(sweep: [Sweep("work", [.integer(1)])])
    let changed = try experiment.sweeping([Sweep("stride", [.integer(1), .integer(2)])])
    #expect(changed.sweep.map(\.name) == ["stride"] && changed.isComparison)
  }

  private struct Locks: Pattern {
    static let name = "locks"
    let batch = Parameter.count("batch", 1...10, default: 1, "updates timed as one batch")
    let threads = Parameter.count("threads", 1...10, default: 2, "threads that contend")
    let alone = Metric.latency("alone", affectedBy: ["batch"], "one update by a thread alone")
    let blocked = Metric.latency("blocked", better: .neither, "how long threads were blocked")
    let lost = Metric.count("lost", better: .lower, "updates that were lost")
    let contended = Metric.latency("contended", "one update while all threads update")
    var variants: [Variant] { Variant("lock", .documented, "a lock") { _ in } }
  }

  @Test(arguments: [
    (["alone", "lost", "contended"], ["threads"], "contended"), (["alone", "lost", "contended"], ["batch"], "alone"),
    (["alone", "lost", "contended"], ["cores", "threads"], "contended"), (["alone", "contended"], [], "alone"),
    (["lost", "alone", "contended"], ["threads"], "contended"), (["lost", "alone"], ["batch"], "alone"),
    (["blocked", "alone", "contended"], ["threads"], "contended"), (["blocked", "lost"], [], "blocked"),
    // No shown metric can rank the settings, so the headline metric remains.
    (["alone", "lost"], ["threads"], "alone"), (["lost"], ["threads"], "lost"),
  ])
  func `a comparison ranks by the first shown metric that a swept parameter affects`(
    _ show: [String], _ swept: [String], _ metric: String
  ) throws {
    let pattern = try PatternDescription(Locks())
    let experiment = Experiment(
      name: "locks", pattern: pattern, title: "", source: "", variants: pattern.variants,
      sweep: swept.map { Sweep($0, [.integer(1), .integer(2)]) }, show: show)
    #expect(experiment.rankingMetric?.name == metric)
  }

  @Test func `sweeps that are repeated, without effect or too large are refused`() {
    let experiment = FakePattern.experiment()
    let twice = #expect(throws: InputError.self) {
      try experiment.sweeping([Sweep("stride", [.integer(1)]), Sweep("stride", [.integer(2)])])
    }
    #expect(twice?.description == "'stride' is swept twice")
    let idle = #expect(throws: InputError.self) {
      try experiment.applying(Overrides(variants: ["loop"])).sweeping([Sweep("stride", [.integer(1)])])
    }
    #expect(idle?.description == "'stride' changes nothing for loop, only for apply, broken")
    let large = (1...200).map { ParameterValue.integer($0) }
    let many = #expect(throws: InputError.self) {
      try experiment.sweeping([Sweep("stride", large), Sweep("work", large)])
    }
    #expect(many?.description == "80,200 combinations of settings and variants are too many; expected at most 10,000")
  }
}

import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of a pattern's declarations, and of the rule for which variants use them.
@Suite struct PatternDescriptionTests {
  private struct Sample: Pattern {
    static let name = "sample"
    let size = Parameter.count("size", 1...10, default: 3, "how many")
    let pause = Parameter.duration("pause", .zero ... .seconds(2), default: .milliseconds(25), "how long")
    let early = Metric.count("early", "too soon")
    let wait = Metric.latency("wait", "how long it waited")

    var variants: [Variant] {
      Variant("plain", .documented, "uses everything") { _ in }
      Variant("silent", .modern, "does not count", TrialProbe(reads: [pause], records: [wait])) { _ in }
    }
  }

  @Test func `a variant without a probe uses all declared parameters and metrics`() throws {
    let described = try PatternDescription(Sample())
    #expect(described.parameters.map(\.name) == ["size", "pause"])
    #expect(described.metrics.map(\.name) == ["early", "wait"])
    let variants = described.variants
    #expect(variants.map(\.name) == ["plain", "silent"])
    #expect(variants.map { $0.ignores.sorted() } == [[], ["size"]])
    #expect(variants.map { $0.records.map(\.name) } == [["early", "wait"], ["wait"]])
    #expect(variants[0].canRecord(Metric.outcomes[0]) && !variants[0].canRecord(Metric.timeToEnd))
  }

  private struct Probed: Pattern {
    static let name = "probed"
    let size = Parameter.count("size", 1...10, default: 3, "how many")
    let pause = Parameter.duration("pause", .zero ... .seconds(2), default: .milliseconds(25), "how long")
    let early = Metric.count("early", "too soon")
    let wait = Metric.latency("wait", "how long it waited")

    var counts: Probe<@Sendable (Int) -> Int> {
      Probe(reads: [size], records: [early], longest: { _ in .seconds(3) }) { trial, body in
        trial.record(early, body(trial[size]))
      }
    }
    var waits: TaskProbe { Probe(reads: [pause], records: [wait]) }

    var variants: [Variant] {
      Variant("counted", .documented, "counts", counts) { size in size * 2 }
      Variant("awaited", .modern, "waits", waits) { trial in
        await Task.yield()
        trial.record(wait, trial[pause])
      }
      Variant("counts-and-traps", .broken, "traps", counts, ends: .traps(within: .seconds(1))) { _ in fatalError() }
      Variant("traps", .broken, "traps", ends: .traps(within: .seconds(1))) { _ in fatalError() }
      Variant("whole", .documented, "uses everything") { _ in }
    }
  }

  @Test func `a variant uses the parameters and metrics of its probe, and a hazard has no metrics`() throws {
    let variants = try PatternDescription(Probed()).variants
    #expect(variants.map { $0.ignores.sorted() } == [["pause"], ["size"], ["pause"], ["pause", "size"], []])
    #expect(variants.map { $0.records.map(\.name) } == [["early"], ["wait"], [], [], ["early", "wait"]])
  }

  @Test func `a probe runs the body, records its result and determines the longest time`() async throws {
    let described = try PatternDescription(Probed())
    let counted = try #require(described.variant("counted"))
    let trial = Trial(variant: "counted", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 1)
    try counted.body(trial)
    #expect(trial.observation.samples("early")?.summary.map { $0.total } == 6)
    #expect(counted.longestTime(of: trial, in: described) == .seconds(3))
    let awaited = try #require(described.variant("awaited"))
    // The body is a task, for which the trial's thread waits. A thread of Swift's pool must not wait.
    try await onOwnThread { try awaited.body(trial) }
    #expect(trial.observation.samples("wait")?.summary.map { $0.total } == 25e6)
    #expect(awaited.longestTime(of: trial, in: described) == .milliseconds(25))
  }

  private struct Undeclared: Pattern {
    static let name = "undeclared"
    var reads: TrialProbe { Probe(reads: [Twice().size]) }
    var variants: [Variant] { Variant("one", .documented, "one", reads) { _ in } }
  }

  private struct Affected: Pattern {
    static let name = "affected"
    let early = Metric.latency("early", affectedBy: ["size"], "how long the first part took")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }

  private struct Twice: Pattern {
    static let name = "twice"
    let size = Parameter.count("size", 1...10, default: 3, "how many")
    let length = Parameter.count("size", 1...10, default: 3, "how many")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Reserved: Pattern {
    static let name = "reserved"
    let hung = Metric.count("hung", "what every trial has")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Loud: Pattern {
    static let name = "loud"
    let size = Parameter.count("Size", 1...10, default: 3, "how many")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Stranger: Pattern {
    static let name = "stranger"
    var variants: [Variant] { Variant("one", .documented, "one", TrialProbe(records: [Reserved().hung])) { _ in } }
  }
  private struct Greedy: Pattern {
    static let name = "greedy"
    var variants: [Variant] { Variant("all", .documented, "what checks say of every variant") { _ in } }
  }
  private struct Twins: Pattern {
    static let name = "twins"
    var variants: [Variant] {
      Variant("one", .documented, "one") { _ in }
      Variant("one", .documented, "another") { _ in }
    }
  }

  @Test(arguments: [
    (Twice() as any Pattern, "'size' is declared twice, first in line "),
    (Reserved(), "'hung' is a metric of every trial: choose another name"),
    (Undeclared(), "'size' is not declared by undeclared"),
    (Affected(), "'size' is not declared by affected"),
    (Loud(), "'Size' may have only a-z, 0-9 and '-'"), (Stranger(), "'hung' is not declared by stranger"),
    (Greedy(), "'all' is not a name for a variant"), (Twins(), "variant 'one' appears twice, also in line "),
  ])
  func `an error in a pattern's declarations has its file and its line`(_ pattern: any Pattern, _ message: String)
    throws
  {
    let error = try #require(throws: InputError.self) { try PatternDescription(pattern) }
    #expect(error.message.hasPrefix(message), "\(error)")
    #expect(error.place.hasPrefix("PatternDescriptionTests.swift:"), "\(error)")
  }

  @Test func `a parameter refuses a setting of another type or outside its range`() throws {
    let sample = Sample()
    #expect(try sample.size.value(nil) == 3)
    #expect(try sample.size.value(.integer(10)) == 10)
    #expect(try sample.pause.value(.integer(1_000_000)) == .milliseconds(1))
    for bad in [ParameterValue.integer(11), .integer(0), .text("3")] {
      let error = #expect(throws: InputError.self) { try sample.size.value(bad) }
      #expect(error?.description == "parameters.size: the value is not allowed; expected 1 to 10")
    }
  }
}

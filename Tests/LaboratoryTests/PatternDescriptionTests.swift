import LabTesting
import Testing

@testable import Laboratory

/// The declarations of a pattern, and the rule for which of them its variants use.
@Suite struct PatternDescriptionTests {
  private struct Sample: Pattern {
    static let name = "sample"
    let size = Setting.count("size", 1...10, default: 3, "how many")
    let pause = Setting.duration("pause", .zero ... .seconds(2), default: .milliseconds(25), "how long")
    let early = Metric.count("early", "too soon")
    let wait = Metric.latency("wait", "how long it waited")

    var variants: [Variant] {
      Variant("plain", .documented, "uses what is everyone's") { _ in }
      Variant("paused", .documented, "has a pause of its own", own: [pause]) { _ in }
      Variant("silent", .modern, "does not count", without: [early, size]) { _ in }
      Variant("waiting", .modern, "waits, and pauses too", own: [wait, pause]) { _ in }
    }
  }

  @Test func `a variant uses all declarations, except those that it excludes or that belong to others`() throws {
    let described = try PatternDescription(Sample())
    #expect(described.parameters.map(\.name) == ["size", "pause"])
    #expect(described.metrics.map(\.name) == ["early", "wait"])
    let variants = described.variants
    #expect(variants.map(\.name) == ["plain", "paused", "silent", "waiting"])
    #expect(variants.map { $0.ignores.sorted() } == [["pause"], [], ["pause", "size"], []])
    #expect(variants.map { $0.promises.map(\.name) } == [["early"], ["early"], [], ["early", "wait"]])
    #expect(variants[0].gives(Metric.outcomes[0]) && !variants[0].gives(Metric.timeToEnd))
  }

  private struct Twice: Pattern {
    static let name = "twice"
    let size = Setting.count("size", 1...10, default: 3, "how many")
    let length = Setting.count("size", 1...10, default: 3, "how many")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Reserved: Pattern {
    static let name = "reserved"
    let hung = Metric.count("hung", "what every trial has")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Loud: Pattern {
    static let name = "loud"
    let size = Setting.count("Size", 1...10, default: 3, "how many")
    var variants: [Variant] { Variant("one", .documented, "one") { _ in } }
  }
  private struct Stranger: Pattern {
    static let name = "stranger"
    var variants: [Variant] { Variant("one", .documented, "one", without: [Twice().size]) { _ in } }
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
    (Reserved(), "'hung' is measured of every trial"),
    (Loud(), "'Size' may have only a-z, 0-9 and '-'"), (Stranger(), "'size' is not declared by stranger"),
    (Greedy(), "'all' is not a name for a variant"), (Twins(), "variant 'one' appears twice, also in line "),
  ])
  func `an author's error names the file and the line`(_ pattern: any Pattern, _ message: String) throws {
    let error = try #require(throws: InputError.self) { try PatternDescription(pattern) }
    #expect(error.message.hasPrefix(message), "\(error)")
    #expect(error.place.hasPrefix("PatternDescriptionTests.swift:"), "\(error)")
  }

  @Test func `settings have types, and refuse other values`() throws {
    let sample = Sample()
    #expect(try sample.size.value(nil) == 3)
    #expect(try sample.size.value(.integer(10)) == 10)
    #expect(try sample.pause.value(.integer(1_000_000)) == .milliseconds(1))
    for bad in [ParameterValue.integer(11), .integer(0), .text("3")] {
      let error = #expect(throws: InputError.self) { try sample.size.value(bad) }
      #expect(error?.description == "parameters.size: a value that is not allowed (1 to 10)")
    }
  }
}

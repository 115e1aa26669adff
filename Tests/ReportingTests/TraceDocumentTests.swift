import LabTesting
import Laboratory
import Testing

@testable import Reporting

/// Tests of traces in result documents. A saved trace is displayed unchanged, and a value that no trial can have is
/// refused with its place.
@Suite struct TraceDocumentTests {
  private static let traced: Trace = {
    var trace = Trace.sample
    trace.variant = "fast"
    trace.accounts = []
    trace.gaps = [Trace.Gap(.calls, begin: 2_000_000, end: 2_500_000, lost: 17)]
    return trace
  }()

  private static func results(_ traces: [Trace]) -> Results {
    var results = Fixture.pair
    results.traces = traces
    return results
  }

  private static func saved(_ document: ResultDocument) throws -> ResultDocument {
    try #require(try ResultDocument.parse(Array(JSONReport.render([document]).utf8), place: "saved").first)
  }

  @Test func `a saved trace is read unchanged and has the same pictures`() throws {
    var stuck = Self.traced
    stuck.variant = "slow"
    stuck.point = "stride=4"
    stuck.end = .hung
    stuck.blocks[2].end = nil
    var trapped = Self.traced
    trapped.end = .trapped(signal: 5)
    trapped.missing = [Trace.Missing(.scheduler, why: "it may not")]
    let results = Self.results([Self.traced, stuck, trapped])
    let again = try Self.saved(results.document)
    #expect(ReportContent(again).traces.map(\.trace.lanes) == [Self.traced, stuck, trapped].map(\.lanes))
    #expect(ReportContent(again).traces.map(\.trace.blocks) == [Self.traced, stuck, trapped].map(\.blocks))
    #expect(ReportContent(again).traces.map(\.trace.end) == [.completed, .hung, .trapped(signal: 5)])
    #expect(ReportContent(again).traces.map(\.trace.label) == ["fast", "slow[stride=4]", "fast"])
    #expect(ReportContent(again).traces.allSatisfy { $0.note == nil })
    #expect(HTMLReport.render([ReportContent(again)]) == HTMLReport.render([results.content]))
    #expect(MarkdownReport.render(ReportContent(again)) == MarkdownReport.render(results.content))
    #expect(
      HTMLReport.render([ReportContent(again)]).contains("<figure class=\"trace\"><figcaption><b>slow[stride=4]</b>"))
    #expect(TerminalReport(TextStyle()).render(ReportContent(again)).contains("slow[stride=4]"))
    #expect(MarkdownReport.render(ReportContent(again)).contains("```text\n"))
  }

  @Test func `the page of a document without traces does not mention traces`() throws {
    #expect(try !JSONReport.render([Fixture.pair.document]).contains("traces"))
    #expect(!HTMLReport.render([Fixture.pair.content]).contains("trace"))
    #expect(Self.results([Self.traced]).document.verdictsAlone.traces == nil)
  }

  /// A trace that exceeds its share of a document.
  private static let long: Trace = {
    var long = traced
    long.gaps = []
    long.blocks = (0..<20_000).map { index in
      let begin = 1_000_000 + UInt64(index) * 100
      return Trace.Block(
        .apply, queue: 0, number: index + 1, submitted: 900_000, submitter: 0, lane: 2, begin: begin, end: begin + 90)
    }
    return long
  }()

  @Test(
    arguments: [
      (.hung, .text("hung"), "; the trial ended later: hung"),
      (.trapped(signal: 5), .text("trapped"), "; the trial ended later: trapped: SIGTRAP"),
    ] as [(Trace.End, JSONValue, String)])
  func `a document keeps the end of a trial whose record is cut`(_ end: Trace.End, _ saved: JSONValue, _ words: String)
    throws
  {
    var long = Self.long
    long.end = end
    let document = Self.results([long]).document
    #expect(try JSONValue(JSONReport.render([document]))[at: "traces.0.end"] == saved)
    let (trace, note) = try #require(ReportContent(try Self.saved(document)).traces.first)
    #expect(note?.hasSuffix(words) == true, "\(note ?? "")")
    // The kept part ends before the trial.
    #expect(trace.end == .completed)
  }

  @Test func `a document keeps the exact beginning of a long record and mentions the rest`() throws {
    let long = Self.long
    let document = Self.results([long, Self.traced]).document
    let json = try JSONReport.render([document])
    #expect(json.utf8.count < 2_000_000)
    let (trace, note) = try #require(ReportContent(try Self.saved(document)).traces.first)
    let kept = trace.blocks.count + trace.lanes.reduce(0) { $0 + $1.runs.count + $1.waits.count }
    #expect(kept == 5000 && trace.blocks == Array(long.blocks.prefix(trace.blocks.count)))
    #expect(trace.lanes.count == long.lanes.count && trace.lanes[3].begin <= trace.length)
    #expect(
      note
        == "the first 1.50 ms of 10 ms are kept, without \(20_000 - trace.blocks.count) blocks that were submitted by then "
        + "and began later")
    #expect(
      HTMLReport.render([ReportContent(document)]).contains("<p class=\"care\">the first 1.50 ms of 10 ms are kept"))
    #expect(ReportContent(document).traces[1].note == nil)
  }

  @Test(
    arguments: [
      ("variant", .text("none"), "traces[0].variant: 'none' is not a variant of the scenario"),
      ("length", .number(9e15), "traces[0].length: found 9e15"),
      ("length", .number(-1), "traces[0].length"),
      ("whole", .number(5), "traces[0].whole: not longer than the recorded part"),
      ("cores.0", .number(-1), "traces[0].cores: found -1"),
      ("lanes.0.begin", .number(-1), "traces[0].lanes[0].begin"),
      ("lanes.1.end", .number(11_000_000), "traces[0].lanes[1].end: found 11000000, after the end of the record"),
      ("lanes.2.runs.1.0", .number(2_000_000), "traces[0].lanes[2].runs[1]: begins before the previous run ends"),
      (
        "lanes.2.runs.0.1", .number(900_000),
        "traces[0].lanes[2].runs[0].end: found 900000, before 'begin' at 1000000"
      ),
      ("lanes.2.runs.0.3", .number(2), "traces[0].lanes[2].runs[0]: expected a core, and 1 if preempted"),
      ("lanes.2.runs.0", .list([.number(1)]), "traces[0].lanes[2].runs[0]: expected begin, end, core"),
      ("lanes.3.waits.0.end", .number(1), "traces[0].lanes[3].waits[0].end: found 1, before 'begin' at 3200000"),
      ("lanes.3.waits.0.queue", .number(2), "traces[0].lanes[3].waits[0].queue: found 2, but there are 2 queues"),
      ("lanes.3.waits.0.reason", .text("fun"), "traces[0].lanes[3].waits[0].reason"),
      ("blocks.0.queue", .number(-1), "traces[0].blocks[0].queue: found -1, but there are 2 queues"),
      ("blocks.0.lane", .number(4), "traces[0].blocks[0].lane: found 4, but there are 4 lanes"),
      ("blocks.0.submitter", .number(9), "traces[0].blocks[0].submitter: found 9, but there are 4 lanes"),
      ("blocks.0.begin", .number(600_000), "traces[0].blocks[0].begin: found 600000, before 'submitted' at 700000"),
      ("blocks.0.end", .number(1_000_000), "traces[0].blocks[0].end: found 1000000, before 'begin' at 1100000"),
      ("blocks.0.begin", nil, "traces[0].blocks[0].begin: expected a begin and a lane, or neither of them"),
      ("blocks.0.number", .number(0), "traces[0].blocks[0].number: found 0"),
      ("blocks.1.submitted", .number(1), "traces[0].blocks[1].submitted: not in order of submission"),
      ("blocks.3.end", .number(9_000_000), "traces[0].blocks[3].end: the block ended but never began"),
      ("gaps.0.end", .number(1), "traces[0].gaps[0].end: found 1, before 'begin' at 2000000"),
      ("gaps.0.lost", .number(-1), "traces[0].gaps[0].lost: found -1"),
    ] as [(String, JSONValue?, String)])
  func `a value that no trial can have is refused with its place`(
    _ path: String, _ value: JSONValue?, _ problem: String
  ) throws {
    var document = try JSONValue(JSONReport.render([Self.results([Self.traced]).document]))
    document[at: "traces.0.\(path)"] = value
    let error = #expect(throws: InputError.self) {
      try ResultDocument.parse(Array(document.text().utf8), place: "saved")
    }
    #expect(error?.description.contains(problem) == true, "\(error)")
  }
}

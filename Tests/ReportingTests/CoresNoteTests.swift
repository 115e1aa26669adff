import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests of the first line of an answer if the trials did not have several cores, and of the parts that are then
/// omitted.
@Suite struct CoresNoteTests {
  private static let says = "the cores were busy: other programs took 60 % of the time of 2 cores"

  private func swept(_ warnings: [RunNote]) throws -> Results {
    var results = try Fixture.compared([("cores", [1, 2])]) { variant, values in
      20_000 / Double(variant == "apply" ? values["cores"] ?? 1 : 1)
    }
    results.warnings = warnings
    return results
  }

  @Test func `the answer of a run with busy cores begins with a note on the cores and has no speed-up`() throws {
    let results = try swept([RunNote(RunNote.coresTaken, Self.says)])
    let lines = TerminalReport(TextStyle()).render(results.content).split(separator: "\n")
    // The answer of a comparison is below the facts about the run, and the decision above them.
    let notes = lines.indices.filter { lines[$0].hasPrefix("The cores were busy: other programs took 60 %") }
    let answer = try #require(notes.last)
    #expect(notes.first == 1)
    let command = try #require(lines.firstIndex { $0.contains(" rounds in ") })
    #expect(answer > command && lines[(answer + 1)...].contains { $0.contains("astest") }, "\(lines)")
    #expect(results.content.speedUp == nil && !lines.contains("warnings"))
    let page = HTMLReport.render([results.content])
    #expect(page.contains("<p class=\"care\">The cores were busy") && !page.contains("speed-up"))
    #expect(MarkdownReport.render(results.content).contains("**The cores were busy"))
    // A comparison among strides does not depend on the gain of several cores.
    var other = try Fixture.compared([("stride", [1, 4])]) { _, _ in 1000 }
    other.warnings = [RunNote(RunNote.coresTaken, Self.says)]
    let remedy = "intervals are wide, so repeat the run on a quiet machine before you choose"
    #expect(other.content.coresNote == "\(Self.says.capitalizedFirst); \(remedy).")
    // The gain of several cores is mentioned only in a run about cores.
    let about = try swept([RunNote(RunNote.coresTaken, Self.says)])
    #expect(
      about.content.coresNote == "\(Self.says.capitalizedFirst); this run cannot say how much several cores gain.")
    let quiet = try swept([RunNote("busy-machine", "a little")])
    #expect(quiet.content.coresNote == nil && quiet.content.speedUp != nil)
  }

  @Test func `the answer of a run on a single core begins with a note on the core`() throws {
    var results = try Fixture.compared([("stride", [1, 4])]) { _, _ in 1000 }
    #expect(results.content.coresNote == nil)
    results = Results(
      experiment: results.experiment, machine: results.machine.confined(to: 1), seed: 1, started: "",
      runs: results.runs)
    let lines = TerminalReport(TextStyle()).render(results.content).split(separator: "\n")
    let answer = try #require(lines.lastIndex { $0.hasPrefix("On one core no two threads run at the same time") })
    #expect(
      lines[answer...].contains { $0.contains("astest") } && lines[..<answer].contains { $0.contains(" rounds in ") },
      "\(lines)")
    #expect(results.content.coresNote == "On one core no two threads run at the same time.")
  }
}

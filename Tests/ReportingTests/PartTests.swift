import LabTesting
import Laboratory
import Testing

@testable import Reporting

/// Tests of the parts of a report, which are the same in all formats.
@Suite struct PartTests {
  private static var content: ReportContent {
    var results = Fixture.pair
    results.findings = [RunNote("seen", "a finding of the pattern")]
    return results.content
  }

  private static let formats: [(name: String, render: @Sendable (ReportContent) -> String)] = [
    ("terminal", { TerminalReport(TextStyle(width: 200), details: true).render($0) }),
    (
      "HTML",
      { content in
        // The style sheet of a page contains the names of parts, too.
        let page = HTMLReport.render([content])
        return page.firstRange(of: "<body>").map { String(page[$0.upperBound...]) } ?? page
      }
    ),
    ("Markdown", { MarkdownReport.render($0) }),
  ]

  @Test func `all formats have the parts in the same order`() throws {
    let content = Self.content
    let answer = try #require(content.counts?.phrases.last?.text)
    for format in Self.formats {
      let text = format.render(content)
      var rest = text[...]
      for words in [
        "A fixture", answer, "Nothing is left out.", "a finding of the pattern", "elapsed", "a word of care",
        "noise floor",
      ] {
        let place = try #require(rest.firstRange(of: words), "\(format.name) lacks \(words) after the part before it")
        rest = rest[place.upperBound...]
      }
    }
  }

  @Test func `all formats mention that nothing was measured`() {
    let content = Fixture.results([("a", [[]])], outcome: .unavailable(reason: "no threads")).content
    for format in Self.formats { #expect(format.render(content).contains("Nothing was measured."), "\(format.name)") }
  }

  @Test func `a report on a run without trials has no duration`() {
    let untried = Fixture.results([("a", [[]])], outcome: .unavailable(reason: "no threads")).content
    #expect(untried.briefFacts.contains("no trial was run"))
    #expect(!untried.briefFacts.contains { $0.contains("round") })
    #expect(Fixture.results([("a", [[1000]])]).content.briefFacts.contains { $0.hasPrefix("1 round in ") })
  }

  @Test func `a phrase keeps its colour in every format`() throws {
    let line = try #require(Line("2 claims: ", [("1 violated", .bad), ("1 held", .good)], separator: ", "))
    #expect(line.text == "2 claims: 1 violated, 1 held")
    #expect(MarkdownReport.text(line) == "2 claims: 1 violated, 1 held")
    #expect(
      HTMLReport.phrases(line).description
        == "2 claims: <span class=\"bad\">1 violated</span>, <span class=\"good\">1 held</span>")
    let colored = TextStyle(width: 80, color: true).wrapped(line).joined()
    #expect(colored.contains(SemanticColor.bad("1 violated", TextStyle(color: true))))
    #expect(Line("Documents: ", [], separator: "; ") == nil)
  }

  @Test func `a line that requires attention is bold in Markdown`() {
    #expect(MarkdownReport.text(Line("Take care.", .care)) == "**Take care.**")
    #expect(MarkdownReport.text(Line("gcdlab list", .quiet, isCode: true)) == "`gcdlab list`")
  }

  @Test func `a terminal without Unicode receives ASCII in every list item`() {
    let style = TextStyle(width: 40, unicode: false)
    #expect(style.item("a ± b … c ≥ d") == ["  - a +- b .. c >= d"])
  }

  @Test func `queues whose labels differ only in numbers share a letter if there are many queues`() {
    func key(_ count: Int) -> QueueKey {
      var trace = Trace.sample
      trace.queues = (0..<count).map { Trace.Queue(label: "worker-\($0)", kind: .serial) }
      trace.blocks = (0..<count).map { Trace.Block(.async, queue: $0, number: 1, submitted: 0, submitter: 0) }
      return QueueKey(trace)
    }
    #expect(key(8).groups.count == 8 && key(8).letter(of: 7) == "H")
    #expect(key(9).groups.count == 1 && key(9).groups[0].label == "worker" && key(9).letter(of: 7) == "A")
    #expect(key(9).letter(of: 9) == "?")
  }

  @Test func `the maximum of a step function in an interval includes the value at its beginning`() {
    let steps = StepFunction([(time: 10, by: 3), (time: 20, by: -2), (time: 30, by: 1), (time: 40, by: -2)])
    let most = [(0, 10), (10, 20), (15, 25), (20, 30), (25, 31), (40, 50)].map { steps.most(from: $0, to: $1) }
    #expect(most == [0, 3, 3, 1, 2, 0])
  }
}

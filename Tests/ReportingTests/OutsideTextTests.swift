import LabTesting
import Laboratory
import Measurement
import Platform
import Testing

@testable import Reporting

/// Tests that names and texts from outside are displayed as text and have no other effect.
@Suite struct OutsideTextTests {
  private static let name = "na\nFORGED\u{1b}[2Jme"
  private static let text = "te\u{9b}2J\u{1b}]0;xt\u{7}\r\u{202e}\u{7f} x\u{1b}[31mEVIL\u{1b}[0m"

  /// A lesson with the hostile text in each of its constructs.
  private static let lesson = """
    Plain \(text), **bold \(text)**, *stressed \(text)*, `code \(text)`.

    # Heading \(text)

    - item \(text)
    1. number \(text)

    ```
    code \(text)
    ```
    """

  /// Returns a copy of a plain document in which every text is replaced by the hostile text.
  private static func document() throws -> ResultDocument {
    var results = Fixture.results(
      [(name, [[10, 20], [30]]), ("@b", [[10, 20], [30]])], baseline: "@b",
      judgements: [
        Judgement(
          claim: Claim(
            says: text, bears: [name], kind: .guarantee,
            check: Check(text: name, left: .cores, relation: .equal, right: .cores)),
          verdict: .violated, evidence: Evidence(left: 1, trials: 1, reason: name))
      ], earlyEnd: .interrupted, warnings: [text])
    results.findings = [RunNote(Conclusion.kind, text), RunNote("finding", name)]
    results.command = ["scenario", name]
    let json = try JSONReport.render([results.document])
    // JSON writes control characters as escapes, and all other characters unchanged.
    let hostile = "te\\u001b[31mEVIL\\u0000\\u001b[2J\u{9b}\u{202e}\\r\\nFORGED"
    let changed = json.replacing("\"A fixture\"", with: "\"\(hostile)\"").replacing(
      "\"Nowhere at all\"", with: "\"\(hostile)\""
    ).replacing("\"fixture\"", with: "\"\(hostile)\"")
    return try #require(try ResultDocument.parse(Array(changed.utf8), place: "hostile").first)
  }

  private func expectHarmless(_ shown: String, _ style: TextStyle) {
    #expect(style.safe(shown) == shown, "not all of it was made safe in its place")
    #expect(!shown.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("FORGED") }, "\(shown)")
    // The only colours are those of the report itself.
    #expect(!shown.contains("\u{1b}[31mEVIL"))
    if !style.color { #expect(!shown.unicodeScalars.contains { $0.isHidden && $0 != "\n" }) }
  }

  @Test(arguments: [false, true])
  func `text from outside is harmless in a report, a smoke run, a comparison and a list`(
    _ color: Bool
  ) throws {
    let document = try Self.document()
    // The text is wide, so that no word begins a line only because the line is wrapped.
    let style = TextStyle(width: 1000, color: color)
    let content = ReportContent(document)
    expectHarmless(TerminalReport(style).render(content), style)
    expectHarmless(SmokeReport.line(content, strict: true, style), style)
    expectHarmless(SmokeReport.summary([content], notRun: [Self.name], strict: true, style), style)
    let diff = try ResultDiff(old: [document], new: [document], metrics: [])
    expectHarmless(DiffReport(diff, judgement: nil).text(style), style)
    let pattern = Fixture.described(Fixture.Wide())
    let experiment = Experiment(
      name: "fixture", pattern: pattern, title: Self.name, source: Self.text, lesson: Self.lesson,
      variants: pattern.variants, show: ["elapsed"])
    expectHarmless(Explanation.render(experiment, style), style)
    expectHarmless(
      ScenarioList.render([ScenarioOutline(experiment)], on: .test, beginWith: experiment.name, style), style)
    expectHarmless(
      ProgressLine.render(
        RunProgress(round: 0, done: 1, total: 2, elapsed: .seconds(1)), label: Self.name, style: style), style)
  }

  @Test(arguments: [false, true])
  func `text from outside is harmless in the documents and in the short table of settings`(
    _ color: Bool
  ) throws {
    let style = TextStyle(width: 1000, color: color)
    // Another lab may contain any documents.
    func written(_ text: String) -> String {
      "\""
        + text.unicodeScalars.map {
          "\\U" + String(repeating: "0", count: 8 - String($0.value, radix: 16).count)
            + String($0.value, radix: 16)
        }.joined() + "\""
    }
    let documents = try SourceDocuments(
      place: "documents.yml",
      yaml: """
        documents:
          - document: d
            title: \(written(Self.name))
            sentences:
              - { id: d.1, says: \(written(Self.text)), said: may, place: \(written(Self.name)), word: \(written(Self.text)), conditions: [\(written(Self.name))] }
              - { id: d.2, says: \(written(Self.name)), reason: \(written(Self.text)), place: \(written(Self.text)), word: so }
        """)
    let index = try SentenceIndex(documents, tried: [], results: [try Self.document()])
    expectHarmless(DocumentsReport(index).text(style), style)
    let markdown = DocumentsReport(index).markdown
    #expect(!markdown.unicodeScalars.contains { $0.isHidden && $0 != "\n" })
    #expect(!markdown.split(separator: "\n").contains { $0.hasPrefix("FORGED") })
    let page = HTMLReport.render([ReportContent(try Self.document())], sentences: index)
    #expect(!page.unicodeScalars.contains { $0.isHidden && $0 != "\n" })

    let many = try Fixture.compared([("stride", Array(1...20))], isComparison: false) { _, _, _ in 1 }
    let changed = try JSONReport.render([many.document]).replacing("\"apply\"", with: "\"te\\u001b[2J\\r\\nFORGED\"")
    let hostile = try #require(try ResultDocument.parse(Array(changed.utf8), place: "hostile").first)
    expectHarmless(TerminalReport(style).render(ReportContent(hostile)), style)
  }

  @Test func `text from outside is harmless in a watched change`() {
    let event = PathEvent(
      time: 0, kind: .created, path: "a\n   0.000 s  deleted   b\u{1b}[31m", size: 1, previousSize: nil)
    #expect(
      WatchReport.line(event, since: 0, TextStyle())
        == "   0.000 s  created   a\\n   0.000 s  deleted   b\\u{1b}[31m  1 B\n")
    #expect(
      WatchReport.line(dropped: 2, at: 5_000_000, since: 0, TextStyle())
        == "   0.005 s  overflow  the output is read too slowly: 2 changes are missing here\n")
  }

  @Test func `hidden characters and foreign escape codes are escaped when text is printed`() {
    let colorful = TextStyle(color: true), plain = TextStyle()
    let ours = [SemanticColor.heading, .quiet, .good, .bad, .care, .name].map { $0("x", colorful) }.joined(
      separator: "\n")
    #expect(colorful.safe(ours) == ours && ours.contains("\u{1b}["))
    #expect(!plain.safe(ours).contains("\u{1b}"))
    for code in ["[2J", "[38;5;1m", "[1;m", "[m", "]0;title\u{7}", "c", "[31", ""] {
      #expect(!colorful.safe("\u{1b}\(code)").contains("\u{1b}"), "\(code)")
    }
    #expect(plain.safe("a\tb\r\nc\rd\u{85}\u{2028}\u{2066}é") == "a\tb\r\nc\\rd\\u{85}\\u{2028}\\u{2066}é")
    #expect("a\nb\té\u{1b}".inLine == "a\\nb\\té\\u{1b}")
  }

  @Test func `text from outside is harmless in a listing of code`() {
    for style in [TextStyle(width: 1000), TextStyle(width: 1000, color: true)] {
      expectHarmless(CodeListing.highlighted("let a = b\(Self.text) // \(Self.text)", style) + "\n", style)
    }
  }

  /// Expects that a report contains neither hidden characters nor forged lines. In HTML, line breaks are spaces.
  private func expectNothingHidden(_ report: String, isHTML: Bool = false) {
    let report = report.replacing("\r\n", with: "\n")
    #expect(!report.unicodeScalars.contains { $0.isHidden && $0 != "\n" }, "\(report)")
    guard !isHTML else { return }
    #expect(!report.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("FORGED") }, "\(report)")
  }

  @Test(arguments: ReportInput.formats.map(\.name))
  func `text from outside is harmless in each format`(_ name: String) throws {
    let input = ReportInput([ReportContent(try Self.document())], strict: true)
    switch try #require(ReportInput.formats.first { $0.name == name }).rendering {
    case .text(let render): expectNothingHidden(try render(input), isHTML: name == "html")
    case .files(let render): for (_, text) in try render(input) { expectNothingHidden(text) }
    }
  }

  @Test func `text from outside is harmless in comparisons, and JSON keeps it unchanged`() throws {
    let document = try Self.document()
    let diff = DiffReport(try ResultDiff(old: [document], new: [document]), judgement: nil)
    for report in [try diff.json(), diff.csv] { expectNothingHidden(report) }
    // JSON is for programs, which read the original text.
    let again = try ResultDocument.parse(Array(try JSONReport.render([document]).utf8), place: "again")
    #expect(again.first?.warnings.map(\.says) == [Self.text])
  }

  @Test func `text from outside is harmless in Markdown`() throws {
    let markdown = MarkdownReport.render(ReportContent(try Self.document()))
    #expect(!markdown.unicodeScalars.contains { $0.isHidden && $0 != "\n" })
    #expect(!markdown.split(separator: "\n").contains { $0.hasPrefix("FORGED") })
    #expect(MarkdownReport.escape("![a](http://x/y.png)") == "![a]\\(http://x/y.png)")
    #expect(MarkdownReport.escape("[a]: <http://x>\r\n~~~") == "[a]\\: &lt;http://x> ~~~")
    #expect(MarkdownReport.escape(" ~~~") == " \\~~~")
    #expect(MarkdownReport.code("a\r\n\r\nb`\r") == "``a  b` ``")
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("\ta", "\\ta"), ("\ra", "\\ra"),
    ("=\"a\",b", "\"'=\"\"a\"\",b\""), ("a=1", "a=1"), ("-5", "-5"), ("-0.5", "-0.5"), ("", ""), ("a\nb", "a\\nb"),
    ("a\r\nb", "a\\r\\nb"), ("a\u{202e}\u{9b}\u{1b}\u{0}", "a\\u{202e}\\u{9b}\\u{1b}\\u{0}"),
  ])
  func `a CSV cell that would be a formula begins with an apostrophe`(_ cell: String, _ written: String) {
    #expect(CSVReport.table([[cell]]) == written + "\r\n")
  }

  @Test func `the file name of a distribution contains no directory`() {
    let results = Fixture.results([("../a\n", [[10]])])
    #expect(PercentileReport.distributions([results.document]).map(\.name) == ["..-a\\n-elapsed"])
  }
}

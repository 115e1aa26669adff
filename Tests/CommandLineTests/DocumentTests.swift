import LabTesting
import Patterns
import Platform
import Reporting
import Testing

/// Tests of real runs, their documents and the reports on these documents.
@Suite struct DocumentTests {
  private static let short = ["--set", "iterations=2000", "--variant", "serial-loop", "--variant", "apply"]

  @Test func `a comparison produces a valid document`() async throws {
    let ran = try await Binary.run(
      ["compare", "apply-stride", "stride=1,16", "--rounds", "2", "--time", "10min", "--format", "json"] + Self.short)
    let document = try JSONValue(ran.output)
    #expect(try JSONSchema.ofResults().violations(document) == [])
    #expect(document["scenario"]?["seeksBest"] == .bool(true))
  }

  @Test func `the schema refuses a document with values that no run can have`() async throws {
    let ran = try await Binary.run(["scenario", "apply-stride", "--rounds", "1", "--format", "json"] + Self.short)
    let valid = try JSONValue(ran.output)
    let breaks: [(String, JSONValue?)] = [
      ("schema", .text("gcdlab.result/1")), ("seed", nil), ("seconds", .number(-1)), ("runs", .object([:])),
      ("started", .text("yesterday")), ("surprise", .null), ("warnings", .list([.number(1)])),
      ("claims", .list([.object([:])])),
    ]
    for (key, value) in breaks {
      var broken = valid
      broken[key] = value
      #expect(try JSONSchema.ofResults().violations(broken) != [], "\(key)")
    }
  }

  @Test func `a saved run has the same report and exports as the original run`() async throws {
    let endings = ReportInput.formats.map(\.fileExtension)
    let live = try TemporaryFile("run.json"), later = try TemporaryFile("later.json")
    func exports(_ file: TemporaryFile, _ endings: some Sequence<String>) -> [String] {
      endings.flatMap { ["--export", file.path.dropLast(4) + $0] }
    }
    let ran = try await Binary.run(
      ["scenario", "apply-stride", "--rounds", "2", "--variant", "serial-loop", "--set", "iterations=2000"]
        + exports(live, endings))
    #expect(ran.status == 0, "\(ran.errors)")
    let report = try await Binary.run(["report", live.path] + exports(later, endings))
    #expect(report.status == 0 && report.errors == "" && report.output == ran.output, "\(report.errors)")
    for ending in endings {
      let text = try #require(readFile(live.path.dropLast(4) + ending), "\(ending)")
      #expect(text == readFile(later.path.dropLast(4) + ending), "\(ending)")
    }
    #expect(ran.output.contains("\ngcdlab scenario apply-stride --rounds 2 --variant serial-loop --set"))
    #expect(ran.output.contains("  2 rounds: too few for intervals (6 needed)\n"))
    let html = try #require(readFile(live.path.dropLast(4) + "html"))
    #expect(html.hasPrefix("<!doctype html>") && html.contains("<details>") && html.hasSuffix("</html>\n"))
    // The page is self-contained: it loads nothing.
    for word in ["http://", "https://", "<script", "<link", "src=", "url("] { #expect(!html.contains(word), "\(word)") }
    #expect(try await Binary.run(["report", live.path, "--color", "always"]).output.contains("\u{1b}["))
  }

  @Test func `the sentences of the documents are exported as a page, as Markdown and as JSON`() async throws {
    let files = try ["html", "md", "json"].map { try TemporaryFile("documents.\($0)", "") }
    let ran = try await Binary.run(["documents", "guide"] + files.flatMap { ["--export", $0.path] })
    #expect(ran.status == 0, "\(ran.errors)")
    let contents = files.map { readFile($0.path) ?? "" }
    #expect(contents[0].hasPrefix("<!doctype html>") && contents[0].contains("<th id=\"guide.5\">guide.5</th>"))
    #expect(contents[1].contains("| guide.5 ") && contents[2].contains("\"guide.5\""))
    let refused = try await Binary.run(["documents", "a.json", "b.json", "--export", files[0].path])
    #expect(refused.status == 64 && refused.errors.contains("gcdlab report FILE FILE --export"), "\(refused.errors)")
  }

  @Test func `several documents are reported one after the other`() async throws {
    let both = try TemporaryFile("both.json"), page = try TemporaryFile("page.html")
    let smoke = try await Binary.run([
      "smoke", "singleton-race", "file-monitor", "--time", "10min", "--format", "table", "--export", both.path,
    ])
    #expect(smoke.status == 0, "\(smoke.output)")
    let once = try await Binary.run(["report", both.path])
    let twice = try await Binary.run(["report", both.path, both.path])
    #expect(once.output.contains("\n\nfile-monitor  ") && twice.output == once.output + "\n" + once.output)
    let csv = try await Binary.run(["report", both.path, both.path, "--format", "csv"])
    #expect(csv.output.split(separator: "\r\n").count { $0.hasPrefix("scenario,variant,metric") } == 1)
    // With only `--html`, the page is the same as before.
    let only = try await Binary.run(["report", both.path, "--html", page.path])
    #expect(only.status == 0 && only.output == "" && readFile(page.path)?.hasPrefix("<!doctype html>") == true)
  }

  /// The formats that consist of one text, for each of their names in `--format`, with their file extension.
  private static let printed = ReportInput.formats.flatMap { format -> [(String, String)] in
    guard case .text = format.rendering else { return [] }
    return Set([format.name, format.fileExtension]).sorted().map { ($0, format.fileExtension) }
  }

  /// `--format` and `--export` use one list of formats, so they produce the same text.
  @Test(arguments: printed)
  func `a format prints the same text as it exports`(_ name: String, _ ending: String) async throws {
    let run = try TemporaryFile("run.json"), file = try TemporaryFile("run." + ending)
    _ = try await Binary.run(["scenario", "queue-order", "--rounds", "1", "--quick", "--export", run.path])
    let printed = try await Binary.run(["report", run.path, "--format", name, "--export", file.path])
    #expect(printed.output == readFile(file.path) && !printed.output.isEmpty, "\(printed.errors)")
  }

  /// `help` lists one spelling for each option. Older spellings are still accepted.
  @Test func `old spellings of options are still accepted`() async throws {
    #expect(try await Binary.run(["machine", "--json"]).output.hasPrefix("{"))
    #expect(try await Binary.run(["machine", "--format", "json"]).output.hasPrefix("{"))
    for command in ["machine", "smoke", "report", "scenario", "compare"] {
      let help = try await Binary.run([command, "--help"]).output
      #expect(!["--json", "--junit", "--html"].contains { help.contains($0) }, "\(command)")
    }
  }

  /// The findings of a pattern and the marks of the tables follow one rule, however close the settings are to each
  /// other.
  @Test func `the pattern and the table agree on the best mean`() async throws {
    // The answer of a comparison names the best setting, so that only the document contains the pattern's finding.
    let document = try TemporaryFile("best.json")
    let ran = try await Binary.run([
      "compare", "apply-stride", "stride=16,20,24,28,32", "--variant", "apply", "--set", "iterations=2000", "--rounds",
      "4", "--time", "10min", "--export", document.path,
    ])
    let written = try #require(readFile(document.path))
    let found = try #require(written.firstMatch(of: /apply has its best mean at stride (\d+)/)?.output.1)
    #expect(!ran.unwrapped.contains("has its best mean at stride"))
    let marked = try #require(ran.output.split(separator: "\n").first { $0.hasSuffix("● best mean so far") })
    let words: [Substring] = marked.split(separator: " ")
    #expect(words.first == "apply" && words.dropFirst().first == found, "\(ran.output)")
  }

  @Test(arguments: [
    ("", "not JSON, or cut off: the text does not end with '}' or ']'"),
    ("{\"schema\": \"gcdlab.result/2\"", "not JSON, or cut off: the text does not end with '}' or ']'"),
    ("<!doctype html>", "a page or XML; only a result document can be read, which --export FILE.json writes"),
    ("{not json}", "not JSON: The given data was not valid JSON."),
    ("[]", "an empty list of result documents"),
    ("{}", "no schema, expected 'gcdlab.result/2': not a result document of this lab"),
    (
      "{\"schema\": \"hyperfine/1\"}",
      "schema 'hyperfine/1', expected 'gcdlab.result/2': not a result document of this lab"
    ),
    ("{\"schema\": \"gcdlab.result/2\"}", "'tool' is missing"),
  ])
  func `a file that is not a document is refused`(_ text: String, _ message: String) async throws {
    let file = try TemporaryFile("bad.json", text)
    let page = try TemporaryFile("page.html", "before")
    let refused = try await Binary.run(["report", file.path, "--html", page.path])
    #expect(refused.status == 64)
    #expect(refused.errors == "gcdlab: \(file.path): \(message)\n")
    #expect(readFile(page.path) == "before")
    #expect(try await Binary.run(["diff", file.path, file.path]).status == 64)
  }

  @Test func `a comparison whose cells do not fit into the time is refused`() async throws {
    let refused = try await Binary.run([
      "compare", "apply-stride", "stride=1..64:x2", "--time", "50ms", "--variant", "apply", "--set", "work=100us",
      "--set", "iterations=2000",
    ])
    #expect(refused.status == 64)
    // A trial that exceeds its time limit is not repeated.
    #expect(refused.errors.contains(" trials do not fit into 50 ms: at "), "\(refused.errors)")
    // The run has the minimum number of rounds for an interval. A single variant does not need fewer.
    #expect(refused.errors.contains(" 6 rounds take ") && refused.errors.contains("fewer values, smaller trials"))
  }

  @Test func `a cell that exceeds its time is stopped, and the other cells continue`() async throws {
    let ran = try await Binary.run([
      "compare", "apply-stride", "work=0ns,500ms", "--variant", "serial-loop", "--variant", "threads", "--set",
      "iterations=400", "--set", "stride=100", "--rounds", "2", "--trial-time", "5s", "--time", "60min",
    ])
    #expect(ran.status == 0, "\(ran.errors)")
    // If a trial hardly received a core, it has not exceeded its time. The lab then reports this and does not stop the
    // cell.
    try ran.skipIfTooBusy()
    let lines = ran.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("500 ms") && $0.hasSuffix("stopped") }, "\(ran.output)")
    #expect(lines.contains { $0.contains("serial-loop    0 ns") && $0.hasSuffix("best mean so far") })
    #expect(ran.unwrapped.contains("stopped: a trial took longer than 5 s"))
  }
}

import Platform
import Testing

/// Real runs, their documents and what is made of them.
@Suite struct DocumentTests {
  private static let short = ["--set", "iterations=2000", "--variant", "serial-loop", "--variant", "apply"]

  private func schema() throws -> JSONSchema {
    let sources = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Sources"
    let text = try #require(readFile("\(sources)/Reporting/gcdlab.result-1.schema.json"))
    return JSONSchema(root: try JSONValue(text))
  }

  @Test func everyScenarioGivesAValidDocument() async throws {
    let ran = try await Binary.run(["smoke", "--time", "10min", "--format", "json"])
    guard case .list(let documents) = try JSONValue(ran.output) else { throw JSONSchemaTestError.notAList }
    #expect(documents.count >= 5)
    for document in documents { #expect(try schema().violations(document) == []) }
  }

  @Test func aComparisonGivesAValidDocumentToo() async throws {
    let ran = try await Binary.run(
      ["compare", "apply-stride", "stride=1,16", "--rounds", "2", "--time", "10min", "--format", "json"] + Self.short)
    let document = try JSONValue(ran.output)
    #expect(try schema().violations(document) == [])
    #expect(document["scenario"]?["seeksBest"] == .bool(true))
  }

  @Test func theSchemaRefusesWhatNoRunGives() async throws {
    let ran = try await Binary.run(["scenario", "apply-stride", "--rounds", "1", "--format", "json"] + Self.short)
    let valid = try JSONValue(ran.output)
    let breaks: [(String, JSONValue?)] = [
      ("schema", .text("gcdlab.result/2")), ("seed", nil), ("seconds", .number(-1)), ("runs", .object([:])),
      ("started", .text("yesterday")), ("surprise", .null), ("warnings", .list([.number(1)])),
      ("claims", .list([.object([:])])),
    ]
    for (key, value) in breaks {
      var broken = valid
      broken[key] = value
      #expect(try schema().violations(broken) != [], "\(key)")
    }
  }

  private enum JSONSchemaTestError: Error { case notAList }

  @Test func aPageIsMadeLaterFromTheDocument() async throws {
    let json = try TemporaryFile("run.json")
    let page = try TemporaryFile("run.html")
    let now = try TemporaryFile("now.html")
    let ran = try await Binary.run(
      ["scenario", "apply-stride", "--rounds", "2", "--export", json.path, "--export", now.path] + Self.short)
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(try await Binary.run(["report", json.path, "--html", page.path]).status == 0)
    let html = try #require(readFile(page.path))
    #expect(html == readFile(now.path))
    #expect(html.hasPrefix("<!doctype html>") && html.contains("<svg ") && html.hasSuffix("</html>\n"))
    // Self-contained: it asks for nothing.
    for word in ["http://", "https://", "<script", "<link", "src=", "url("] { #expect(!html.contains(word), "\(word)") }
  }

  /// The documents are real but for the figures of their rounds: what a machine measured just then is no test of diff.
  @Test func twoRunsAreCompared() async throws {
    func run(_ file: TemporaryFile, work: String, rounds: [Int]) async throws {
      let run = ["scenario", "apply-stride", "--rounds", "1", "--variant", "serial-loop", "--set", "iterations=2000"]
      #expect(try await Binary.run(run + ["--set", "work=\(work)", "--export", file.path]).status == 0)
      let document = try #require(readFile(file.path))
      try OutputFile(file.path).write(document.replacing(/"rounds" : \[[^\]]*\]/, with: "\"rounds\" : \(rounds)"))
    }
    let old = try TemporaryFile("old.json"), new = try TemporaryFile("new.json")
    try await run(old, work: "1us", rounds: [1000, 1010, 990, 1005, 995, 1002])
    try await run(new, work: "2us", rounds: [1900, 2010, 1990, 2005, 1995, 2002])
    let worse = try await Binary.run(["diff", old.path, new.path, "--fail-above", "10%"])
    #expect(worse.status == 1)
    #expect(worse.output.contains("worse: above the limit") && worse.output.contains("other values of work"))
    #expect(try await Binary.run(["diff", new.path, old.path, "--fail-above", "10%"]).status == 0)
    #expect(try await Binary.run(["diff", old.path, old.path, "--fail-above", "0%"]).status == 0)
    let document = try JSONValue(try await Binary.run(["diff", old.path, new.path, "--format", "json"]).output)
    #expect(document["schema"] == .text("gcdlab.diff/1"))
  }

  @Test(arguments: [
    ("", "not JSON, or cut off: it does not end with '}' or ']'"),
    ("{\"schema\": \"gcdlab.result/1\"", "not JSON, or cut off: it does not end with '}' or ']'"),
    ("{not json}", "not JSON: The given data was not valid JSON."),
    ("[]", "an empty list of result documents"),
    ("{}", "no schema, expected 'gcdlab.result/1': not a result document of this lab"),
    (
      "{\"schema\": \"hyperfine/1\"}",
      "schema 'hyperfine/1', expected 'gcdlab.result/1': not a result document of this lab"
    ),
    ("{\"schema\": \"gcdlab.result/1\"}", "'tool' is missing"),
  ])
  func whatIsNoDocumentIsRefused(_ text: String, _ message: String) async throws {
    let file = try TemporaryFile("bad.json", text)
    let page = try TemporaryFile("page.html", "before")
    let refused = try await Binary.run(["report", file.path, "--html", page.path])
    #expect(refused.status == 64)
    #expect(refused.errors == "gcdlab: \(file.path): \(message)\n")
    #expect(readFile(page.path) == "before")
    #expect(try await Binary.run(["diff", file.path, file.path]).status == 64)
  }

  @Test func aComparisonOfCellsThatCannotFitIsRefused() async throws {
    let refused = try await Binary.run([
      "compare", "apply-stride", "stride=1..64:x2", "--time", "50ms", "--variant", "apply", "--set", "work=100us",
      "--set", "iterations=2000",
    ])
    #expect(refused.status == 64)
    #expect(refused.errors.hasPrefix("gcdlab: 7 cells do not fit into 50 ms: at "), "\(refused.errors)")
  }

  @Test func aCellPastItsTimeIsStoppedAndTheRestGoesOn() async throws {
    let ran = try await Binary.run([
      "compare", "apply-stride", "work=0ns,500ms", "--variant", "serial-loop", "--set", "iterations=400", "--rounds",
      "2",
      "--trial-time", "5s", "--time", "60min",
    ])
    #expect(ran.status == 0, "\(ran.errors)")
    let lines = ran.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("500 ms") && $0.hasSuffix("stopped") }, "\(ran.output)")
    #expect(lines.contains { $0.contains("serial-loop    0 ns") && $0.hasSuffix("best") })
    #expect(ran.output.contains("stopped: a trial took longer than 5 s"))
  }
}

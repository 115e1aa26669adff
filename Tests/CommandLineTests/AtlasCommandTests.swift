import LabTesting
import Platform
import Testing

/// Tests of the command `atlas` with documents of several machines.
@Suite struct AtlasCommandTests {
  /// Creates documents of two runs, the second from a machine with more cores.
  private static func runs() async throws -> (one: TemporaryFile, many: TemporaryFile) {
    let one = try TemporaryFile("one.json"), many = try TemporaryFile("many.json")
    let ran = try await Binary.run([
      "scenario", "group-nesting", "--rounds", "1", "--format", "json", "--export", one.path,
    ])
    #expect(ran.status == 0, "\(ran.errors)")
    let text = try #require(readFile(one.path))
    let cores = try #require(text.firstMatch(of: /"cores": [0-9]+/))
    try OutputFile(many.path).write(text.replacing(cores.output, with: "\"cores\": 77"))
    return (one, many)
  }

  @Test func `documents of two machines become a page, a text and a list of sentences`() async throws {
    let (one, many) = try await Self.runs()
    let page = try TemporaryFile("atlas.html")
    let report = try await Binary.run(["report", "--side-by-side", one.path, many.path, "--export", page.path])
    #expect(report.status == 0 && report.errors == "", "\(report.errors)")
    #expect(report.unwrapped.contains("77 cores") && report.output.contains("group-nesting"))
    let html = try #require(readFile(page.path))
    #expect(html.contains("77 cores") && html.contains("2 machines side by side") && !html.contains("<script"))
    let sentences = try await Binary.run(["documents", one.path, many.path])
    #expect(sentences.status == 0 && sentences.unwrapped.contains("77 cores"))
    let guide = try await Binary.run(["documents", "groups", one.path, many.path, "--format", "json"])
    #expect(guide.output.contains("\"groups.1\"") && !guide.output.contains("\"guide.1\""))
    #expect(try JSONValue(guide.output)["schema"] == .text("gcdlab.atlas/1"))
  }

  @Test func `the option --html writes the page of several machines, and nothing is printed`() async throws {
    let (one, many) = try await Self.runs()
    let page = try TemporaryFile("a page")
    let report = try await Binary.run(["report", "--side-by-side", one.path, many.path, "--html", page.path])
    #expect(report.status == 0 && report.output == "" && report.errors == "", "\(report.errors)")
    #expect(try #require(readFile(page.path)).contains("2 machines side by side"))
  }

  @Test func `a single document as an argument gives the same verdicts as the option --results`() async throws {
    let (one, _) = try await Self.runs()
    let plain = try await Binary.run(["documents", one.path]),
      option = try await Binary.run(["documents", "--results", one.path])
    #expect(plain.status == 0 && plain.output == option.output && plain.output.contains("borne out"))
    let alone = try await Binary.run(["report", "--side-by-side", one.path])
    #expect(alone.status == 64 && alone.output == "")
    #expect(alone.errors.contains("an atlas needs the result documents of two or more runs"), "\(alone.errors)")
  }

  @Test func `an invalid document or format is refused without any output`() async throws {
    let (one, many) = try await Self.runs()
    let other = try TemporaryFile("other.json", "{}")
    let cases: [([String], String)] = [
      ([one.path, "/no/such.json"], "gcdlab: cannot read /no/such.json: No such file or directory\n"),
      (
        [one.path, other.path],
        "gcdlab: \(other.path): no schema, expected 'gcdlab.result/2': not a result document of this lab\n"
      ),
      (
        [one.path, many.path, "--export", "x.csv"],
        "gcdlab: --export: x.csv: no format for '.csv' (known: .html .md .json)\n"
      ),
      (
        [one.path, many.path, "--format", "csv"],
        "gcdlab: --format: found 'csv', expected table, json, markdown or html for machines side by side\n"
      ),
    ]
    for (arguments, message) in cases {
      let ran = try await Binary.run(["report", "--side-by-side"] + arguments)
      #expect(ran.status == 64 && ran.output == "" && ran.errors == message, "\(ran.errors)")
    }
  }
}

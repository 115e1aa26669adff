import Laboratory
import Testing

@testable import Reporting

@Suite struct RepeatedKeyTests {
  @Test(arguments: [
    (#"{"a": 1, "a": 1}"#, "a"), (#"{"a": {"b": 1, "c": [1, {"b": 2, "d": 3, "b": 2}]}}"#, "a.c[1].b"),
    (#"[{"a": 1}, {"a": 1, "b": [], "a": 2}]"#, "[1].a"),
    // The keys consist of the same characters in different notations.
    (#"{"a": 1, "\u0061": 1}"#, "a"), (#"{"a\"b": 1, "a\"b": 1}"#, "a\"b"),
  ])
  func `a repeated key is found with its path`(_ text: String, _ path: String) {
    #expect(RepeatedKey.path(in: Array(text.utf8)) == path)
  }

  @Test(arguments: [
    "{}", "[]", "1", #""a""#, #"{"a": "a", "b": "a"}"#, #"{"a": {"a": 1}, "b": {"a": 1}}"#, #"[{"a": 1}, {"a": 1}]"#,
    #"{"a": ["b", "b", {"b": "\\"}], "b": "\"a\":"}"#, "", "\"", "{\"a", "]]}", ",", #""\"#,
  ])
  func `texts without repeated keys have no path`(_ text: String) {
    #expect(RepeatedKey.path(in: Array(text.utf8)) == nil)
  }

  @Test func `a document with a repeated key is refused with its place`() throws {
    let json = try JSONReport.render([Fixture.pair.document])
    let seed = try #require(json.firstMatch(of: /"seed" *: *\d+,/)).output
    let twice = json.replacing(seed, with: "\(seed) \(seed)")
    let error = #expect(throws: InputError.self) { try ResultDocument.parse(Array(twice.utf8), place: "run.json") }
    #expect(error?.description == "run.json: seed: the key occurs twice in one object")
    #expect(throws: Never.self) { try ResultDocument.parse(Array(json.utf8), place: "run.json") }
  }
}

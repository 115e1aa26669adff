import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The last runs are kept, compared and graded, and nothing else is.
@Suite struct ArchiveTests {
  /// Runs the binary with a cache directory of its own.
  private static func run(_ arguments: String..., cache: String) async throws -> Binary.Finished {
    try await Binary.run(arguments, environment: Binary.environment.updating(["GCDLAB_CACHE": .init(cache)]))
  }

  /// A directory that is not there yet, and is removed afterwards.
  private static func withCache(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/gcdlab-test-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template)).withMemoryRebound(to: CChar.self, capacity: 1) {
      String(cString: $0)
    }
    let cache = "\(directory)/deep/cache"
    defer {
      for name in namesInDirectory(cache) ?? [] { unlink("\(cache)/\(name)") }
      for path in [cache, "\(directory)/deep", directory] { rmdir(path) }
    }
    try await body(cache)
  }

  private static let scenario = "block-capture"

  @Test func `a run is kept, compared with the next, and graded sentence by sentence`() async throws {
    try await Self.withCache { cache in
      let before = try await Self.run("documents", "guide", "--format", "json", cache: cache)
      #expect(before.status == 0 && !before.output.contains("held"))
      let first = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(first.status == 0 && !first.output.contains("since the last run"), "\(first.errors)")
      let nothing = try await Self.run("diff", cache: cache)
      #expect(nothing.status == 64 && nothing.errors.contains("no scenario was run twice here"))
      let second = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(second.output.contains("since the last run: nothing changed that one run each can tell"))
      #expect(
        namesInDirectory(cache)?.sorted() == ["before.json", "json", "verdicts.json"].map { "\(Self.scenario).\($0)" })
      let diff = try await Self.run("diff", cache: cache)
      #expect(diff.status == 0 && diff.output.contains(Self.scenario))
      let documents = try await Self.run("documents", "guide", "--format", "json", cache: cache)
      #expect(documents.output.contains("\"standing\" : \"borne out\"") && documents.output.contains("\"held\" : "))
    }
  }

  @Test(arguments: [["--no-save"], ["--set", "blocks=20"], ["--variant", "value"]])
  func `what is asked otherwise is not kept`(_ options: [String]) async throws {
    try await Self.withCache { cache in
      let finished = try await Binary.run(
        ["scenario", Self.scenario, "--quick", "--rounds", "1"] + options,
        environment: Binary.environment.updating(["GCDLAB_CACHE": .init(cache)]))
      #expect(finished.status == 0, "\(finished.errors)")
      #expect(namesInDirectory(cache) == nil)
    }
  }

  @Test func `a cache that cannot be written costs one warning`() async throws {
    let finished = try await Self.run(
      "scenario", Self.scenario, "queue-context", "--quick", "--rounds", "1", cache: "/proc/none/cache")
    #expect(finished.status == 0)
    #expect(finished.errors.split(separator: "\n").filter { $0.contains("is not kept") }.count == 1)
  }

  @Test func `what was cut off is no run that there was`() async throws {
    try await Self.withCache { cache in
      _ = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      try OutputFile("\(cache)/\(Self.scenario).json").write("{\"schema\": ")
      try OutputFile("\(cache)/\(Self.scenario).verdicts.json").write("{}")
      let again = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(again.status == 0 && again.errors == "" && !again.output.contains("since the last run"))
    }
  }
}

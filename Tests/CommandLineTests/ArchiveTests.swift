import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of the archive: only the last runs are saved, compared and used for the standings of sentences.
@Suite struct ArchiveTests {
  /// Runs the binary with a cache directory of its own.
  private static func run(_ arguments: String..., cache: String) async throws -> Binary.Finished {
    try await run(arguments, cache)
  }

  private static func run(_ arguments: [String], _ cache: String) async throws -> Binary.Finished {
    try await Binary.run(arguments, environment: Binary.environment.updating(["GCDLAB_CACHE": .init(cache)]))
  }

  /// Calls `body` with the path of a directory that does not exist yet, and removes the directory afterwards.
  private static func withCache(_ body: (String) async throws -> Void) async throws {
    var template = Array("\(ScratchDirectory.parent)/gcdlab-test-XXXXXX".utf8CString)
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

  @Test func `a run is saved, compared with the next run, and used for the standings of sentences`() async throws {
    try await Self.withCache { cache in
      let before = try await Self.run("documents", "guide", "--format", "json", cache: cache)
      #expect(before.status == 0 && !before.output.contains("held"))
      let first = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(first.status == 0 && !first.output.contains("since the last run"), "\(first.errors)")
      let nothing = try await Self.run("diff", cache: cache)
      #expect(nothing.status == 64 && nothing.errors.contains("no scenario has two runs with the same settings here"))
      let second = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(
        second.output.replacing("\n", with: " ").contains(
          /since the last run \(.{16} UTC\), figures: no change that one pair of runs could detect/))
      #expect(
        namesInDirectory(cache)?.sorted()
          == ["quick.before.json", "quick.json", "verdicts.json"].map { "\(Self.scenario).\($0)" })
      let diff = try await Self.run("diff", cache: cache)
      #expect(diff.status == 0 && diff.output.contains(Self.scenario))
      let kept = try await Self.run("report", cache: cache)
      #expect(
        kept.output.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "then") == """
          The runs that the lab kept, the latest first:
            gcdlab report \(Self.scenario).quick
                then UTC, gcdlab scenario \(Self.scenario) --quick --rounds 1
            gcdlab report \(Self.scenario).quick.before
                then UTC, gcdlab scenario \(Self.scenario) --quick --rounds 1

          """, "\(kept.output)")
      let former = try await Self.run("report", "\(Self.scenario).quick.before", "--format", "json", cache: cache)
      #expect(former.output == readFile("\(cache)/\(Self.scenario).quick.before.json"))
      let shown = try await Self.run("report", Self.scenario, "--format", "json", cache: cache)
      #expect(shown.status == 0 && shown.output == readFile("\(cache)/\(Self.scenario).quick.json"))
      let sentence = try await Self.run("explain", "guide.11", cache: cache)
      #expect(
        sentence.status == 0 && sentence.output.hasPrefix("guide.11  ") && sentence.output.contains("for it")
          && sentence.output.contains("gcdlab scenario \(Self.scenario)"), "\(sentence.output)\(sentence.errors)")
      #expect(try await Self.run("documents", "guide.11", cache: cache).output == sentence.output)
      let documents = try await Self.run("documents", "guide", "--format", "json", cache: cache)
      #expect(
        documents.output.contains("\"standing\" : \"borne out\"") && documents.output.contains("\"verdict\" : \"held\"")
      )
    }
  }

  @Test func `a full run is compared with the previous full run, despite a quick run in between`() async throws {
    try await Self.withCache { cache in
      let full = ["scenario", Self.scenario, "--rounds", "1", "--format", "json"]
      _ = try await Self.run(full, cache)
      _ = try await Self.run(full + ["--quick"], cache)
      let verdicts = try Self.document("\(cache)/\(Self.scenario).verdicts.json").text()
      #expect(!verdicts.contains("--quick"), "a quick run replaced the verdicts of a full run")
      let mixed = try await Self.run("diff", Self.scenario, cache: cache)
      #expect(mixed.status == 64 && mixed.errors.contains("one of the two runs was --quick"), "\(mixed.errors)")
      let again = try await Self.run(["scenario", Self.scenario, "--rounds", "1"], cache)
      #expect(again.output.contains("since the last run ("))
      let diff = try await Self.run("diff", Self.scenario, cache: cache)
      #expect(diff.status == 0 && diff.output.hasPrefix("old: 1 run, "), "\(diff.errors)")
      let other = try await Self.run("diff", "queue-context", cache: cache)
      #expect(
        other.status == 64 && other.errors.contains("queue-context has no two runs with the same settings here"),
        "\(other.errors)")
    }
  }

  @Test func `the last two full runs are compared, even if a quick run came after them`() async throws {
    try await Self.withCache { cache in
      let full = ["scenario", Self.scenario, "--rounds", "1", "--format", "json"]
      for run in [full, full, full + ["--quick"]] { _ = try await Self.run(run, cache) }
      let diff = try await Self.run("diff", Self.scenario, cache: cache)
      #expect(diff.status == 0 && diff.errors == "" && diff.output.hasPrefix("old: 1 run, "), "\(diff.errors)")
    }
  }

  @Test func `two comparable quick runs are compared although the full runs have different settings`() async throws {
    try await Self.withCache { cache in
      let full = ["compare", "apply-stride", "--rounds", "1", "--variant", "apply"]
      for arguments in [full + ["stride=64"], full + ["stride=128"], full + ["stride=64", "--quick"]] {
        #expect(try await Self.run(arguments, cache).status == 0)
      }
      #expect(try await Self.run("diff", "apply-stride", cache: cache).status == 64)
      #expect(try await Self.run(full + ["stride=64", "--quick"], cache).status == 0)
      let diff = try await Self.run("diff", "apply-stride", cache: cache)
      #expect(diff.status == 0 && diff.unwrapped.contains("1 figure"), "\(diff.output)\(diff.errors)")
    }
  }

  @Test func `two comparisons with the same settings are compared, and they count for no sentence`() async throws {
    try await Self.withCache { cache in
      let full = ["scenario", "fd-semaphore", "--quick", "--rounds", "1", "--format", "json"]
      let comparison = ["compare", "fd-semaphore", "limit=64,128", "--quick", "--rounds", "1", "--format", "json"]
      let other = ["compare", "fd-semaphore", "limit=64", "--quick", "--rounds", "1", "--format", "json"]
      for run in [full, comparison, comparison] {
        let finished = try await Self.run(run, cache)
        #expect(finished.status == 0, "\(finished.errors)")
      }
      #expect(
        namesInDirectory(cache)?.sorted()
          == ["compare.quick.before.json", "compare.quick.json", "quick.json", "verdicts.json"].map {
            "fd-semaphore.\($0)"
          })
      let diff = try await Self.run("diff", "fd-semaphore", cache: cache)
      #expect(diff.status == 0 && diff.output.contains("limit=128"), "\(diff.output)\(diff.errors)")
      _ = try await Self.run(other, cache)
      let mixed = try await Self.run("diff", "fd-semaphore", cache: cache)
      #expect(mixed.status == 64 && mixed.errors.contains("the two runs have different settings"), "\(mixed.errors)")
      // Three comparisons with different settings are kept.
      _ = try await Self.run(["compare", "fd-semaphore", "limit=128"] + other.dropFirst(3), cache)
      let list = try await Self.run("report", cache: cache)
      for ending in ["", ".before", ".older"] {
        #expect(list.output.contains("gcdlab report fd-semaphore.compare.quick\(ending)\n"), "\(list.output)")
      }
      let named = try await Self.run(
        "diff", "fd-semaphore.compare.quick.older", "fd-semaphore.compare.quick.older", cache: cache)
      #expect(
        named.status == 0 && named.errors.contains("both sides are the same runs"), "\(named.output)\(named.errors)")
      let unknown = try await Self.run("report", "fd-semaphore.compare.quick.oldr", cache: cache)
      #expect(
        unknown.status == 64 && unknown.errors.contains("did you mean 'fd-semaphore.compare.quick.older'?"),
        "\(unknown.errors)")
    }
  }

  @Test func `comparisons of different variants that alternate are each compared with the previous one`() async throws {
    try await Self.withCache { cache in
      let common = ["compare", "fd-semaphore", "limit=64,128", "--quick", "--rounds", "1", "--format", "json"]
      let (one, two) = (common + ["--variant", "semaphore"], common + ["--variant", "semaphore-at-submit"])
      for (number, run) in [one, two, one, two].enumerated() {
        #expect(try await Self.run(run, cache).status == 0)
        guard number > 1 else { continue }
        let diff = try await Self.run("diff", "fd-semaphore", cache: cache)
        #expect(diff.status == 0 && !diff.output.contains("missing now"), "\(diff.output)\(diff.errors)")
        #expect(diff.output.contains("semaphore-at-submit") == (run == two), "\(diff.output)")
      }
    }
  }

  @Test(arguments: [["--no-save"], ["--set", "blocks=20"], ["--variant", "value"]])
  func `a run with other settings or the option --no-save is not saved`(_ options: [String]) async throws {
    try await Self.withCache { cache in
      let finished = try await Binary.run(
        ["scenario", Self.scenario, "--quick", "--rounds", "1"] + options,
        environment: Binary.environment.updating(["GCDLAB_CACHE": .init(cache)]))
      #expect(finished.status == 0, "\(finished.errors)")
      #expect(namesInDirectory(cache) == nil)
    }
  }

  @Test func `a cache that cannot be written causes one warning`() async throws {
    let finished = try await Self.run(
      "scenario", Self.scenario, "queue-context", "--quick", "--rounds", "1", cache: "/proc/none/cache")
    #expect(finished.status == 0)
    #expect(finished.errors.split(separator: "\n").filter { $0.contains("is not kept") }.count == 1)
  }

  @Test func `an incomplete entry of the cache is ignored`() async throws {
    try await Self.withCache { cache in
      _ = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      try OutputFile("\(cache)/\(Self.scenario).quick.json").write("{\"schema\": ")
      try OutputFile("\(cache)/\(Self.scenario).verdicts.json").write("{}")
      let again = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
      #expect(again.status == 0 && again.errors == "" && !again.output.contains("since the last run"))
    }
  }

  /// Calls `body` with the path of a cache that contains two runs.
  private static func withRuns(_ body: (String) async throws -> Void) async throws {
    try await withCache { cache in
      for _ in 0..<2 { _ = try await run("scenario", scenario, "--quick", "--rounds", "1", cache: cache) }
      try await body(cache)
    }
  }

  private static func document(_ path: String) throws -> JSONValue { try JSONValue(try #require(readFile(path))) }

  @Test func `pipes and links in the cache are not read, and the next run replaces them`() async throws {
    try await Self.withRuns { cache in
      let precious = try TemporaryFile("precious", "precious")
      for ending in ["quick.json", "quick.before.json", "verdicts.json"] {
        let entry = "\(cache)/\(Self.scenario).\(ending)"
        for make in [{ mkfifo($0, 0o600) }, { symlink(precious.path, $0) }] as [(String) -> Int32] {
          unlink(entry)
          try #require(make(entry) == 0)
          let diff = try await Self.run("diff", cache: cache)
          let isFigures = ending != "verdicts.json"
          #expect(diff.status == (isFigures ? 64 : 0) && diff.errors.contains("is not compared: ") == isFigures)
          #expect(try await Self.run("documents", cache: cache).status == 0)
          // The saved run replaces the pipe or the link.
          let kept = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
          #expect(kept.status == 0 && kept.errors == "", "\(kept.errors)")
          #expect(readFile(precious.path) == "precious")
          _ = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache)
          #expect(try await Self.run("diff", cache: cache).status == 0)
        }
      }
    }
  }

  @Test func `an entry of the cache exists at every moment while another lab saves its run`() async throws {
    try await Self.withRuns { cache in
      let entry = "\(cache)/\(Self.scenario).quick.json"
      let labs = Task {
        for _ in 0..<5 { _ = try await Self.run("scenario", Self.scenario, "--quick", "--rounds", "1", cache: cache) }
      }
      let watch = Task {
        var looks = (all: 0, absent: 0)
        while !Task.isCancelled {
          looks.all += 1
          if access(entry, F_OK) != 0 { looks.absent += 1 }
          await Task.yield()
        }
        return looks
      }
      try await labs.value
      watch.cancel()
      let looks = await watch.value
      #expect(looks.all > 0 && looks.absent == 0, "\(looks)")
    }
  }

  @Test func `a run of another version counts for no sentence, and is compared with a remark`() async throws {
    try await Self.withRuns { cache in
      for ending in ["quick.before.json", "verdicts.json"] {
        let entry = "\(cache)/\(Self.scenario).\(ending)"
        var document = try Self.document(entry)
        document[at: "tool.version"] = .text("0.0.9")
        try OutputFile(entry).write(try document.text())
      }
      let documents = try await Self.run("documents", "guide", "--format", "json", cache: cache)
      #expect(documents.status == 0 && !documents.output.contains("\"verdict\" : \"held\""))
      let diff = try await Self.run("diff", cache: cache)
      #expect(diff.status == 0 && diff.unwrapped.contains("another version: gcdlab 0.0.9 before, "), "\(diff.output)")
    }
  }

  @Test func `diff refuses a saved run without trials or of another scenario, with the reason`() async throws {
    try await Self.withRuns { cache in
      let entry = "\(cache)/\(Self.scenario).quick.json"
      let document = try Self.document(entry)
      var empty = document
      empty["runs"] = .list([])
      empty["claims"] = .list([])
      try OutputFile(entry).write(try empty.text())
      let diff = try await Self.run("diff", cache: cache)
      #expect(diff.status == 64 && diff.errors.contains("one of its last two runs has no trials"), "\(diff.errors)")
      var other = document
      other[at: "scenario.name"] = .text("other")
      try OutputFile(entry).write(try other.text())
      let refused = try await Self.run("diff", cache: cache)
      #expect(refused.status == 64 && refused.errors.contains("not of \(Self.scenario)"), "\(refused.errors)")
    }
  }
}

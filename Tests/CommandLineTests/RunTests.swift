import FoundationEssentials
import Platform
import Reporting
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of short but complete runs of the binary.
@Suite struct RunTests {
  private struct Document: Decodable {
    struct Run: Decodable {
      struct Figures: Decodable {
        let count: Int
        struct Round: Decodable, Equatable {
          let round: Int
          let value: Double
        }
        let rounds: [Round]
      }
      let variant: String
      let rounds: Int
      let outcomes: [String: Int]
      let metrics: [String: Figures]
    }
    struct Claim: Decodable {
      let verdict: String
    }
    let schema: String
    let seed: Int
    let runs: [Run]
    let claims: [Claim]
  }

  private static let short = ["--set", "race-time=1ms", "--set", "batch=10", "--quiet"]

  @Test func `a scenario file can end in yaml, and compare says that its baseline is not used`() async throws {
    let file = try TemporaryFile(
      "mine.yaml",
      "scenario: mine\npattern: apply-stride\ntitle: t\nsource: s\nvariants: [serial-loop, apply]\nbaseline: serial-loop\n"
    )
    let run = try await Binary.run([file.path, "--quick", "--rounds", "1"])
    #expect(run.output.hasPrefix("mine "), "\(run.output)\(run.errors)")
    let says =
      "ratios are to the best mean, not to the baseline of \(file.path); --baseline serial-loop compares with it"
    let compared = try await Binary.run(["compare", file.path, "stride=64,256", "--quick", "--rounds", "1"])
    #expect(compared.errors.contains(says), "\(compared.errors)")
    let chosen = try await Binary.run(
      ["compare", file.path, "stride=64,256", "--quick", "--rounds", "1", "--baseline", "apply"])
    #expect(!chosen.errors.contains("not to the baseline"), "\(chosen.errors)")
  }

  @Test func `the document contains the runs with their rounds, outcomes and verdicts`() async throws {
    let finished = try await Binary.run(
      [
        "scenario", "singleton-race", "--variant", "dispatch-once", "--variant", "mutex", "--rounds", "2", "--seed",
        "5",
        "--format", "json",
      ] + Self.short)
    #expect(finished.status == 0)
    #expect(finished.errors == "")
    let document = try JSONDecoder().decode(Document.self, from: Data(finished.output.utf8))
    #expect(document.schema == "gcdlab.result/2")
    #expect(document.seed == 5)
    #expect(document.runs.map(\.variant) == ["dispatch-once", "mutex"])
    for run in document.runs {
      #expect(run.rounds == 2)
      #expect(run.outcomes == ["completed": 2])
      #expect(run.metrics["duplicates"]?.rounds == [.init(round: 1, value: 0), .init(round: 2, value: 0)])
    }
    // Claims on variants that did not run are unavailable, not passed.
    func count(_ verdict: String) -> Int { document.claims.count { $0.verdict == verdict } }
    #expect(count("held") == 2)
    // The claim that compares the two variants has too few rounds.
    #expect(count("inconclusive") == 1)
    #expect(count("unavailable") == document.claims.count - 3)
  }

  @Test func `output into a pipe has no colour unless the environment forces it`() async throws {
    let arguments = ["scenario", "singleton-race", "--variant", "mutex", "--rounds", "1"] + Self.short
    let plain = try await Binary.run(arguments)
    #expect(!plain.output.contains("\u{1b}"))
    let forced = try await Binary.run(arguments, environment: Binary.environment.updating(["CLICOLOR_FORCE": "1"]))
    #expect(forced.output.contains("\u{1b}["))
    let never = try await Binary.run(
      arguments + ["--color", "never"], environment: Binary.environment.updating(["CLICOLOR_FORCE": "1"]))
    #expect(!never.output.contains("\u{1b}"))
    let none = try await Binary.run(
      arguments, environment: Binary.environment.updating(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
    #expect(!none.output.contains("\u{1b}"))
  }

  @Test(arguments: [
    ("guarantee", "mutex.instances.max == 2", [], 1, "violated"),
    ("guarantee", "mutex.instances.max == 1", [], 0, "held"),
    ("anomaly", "mutex.duplicates > 0", [], 1, "not-witnessed"),
    ("performance", "mutex.hot-path > 10s", [], 0, "refuted"),
    ("performance", "mutex.hot-path > 10s", ["--strict"], 1, "refuted"),
    ("performance", "mutex.hot-path < 10s", ["--strict"], 0, "supported"),
  ])
  func `the exit status reflects the claims`(
    _ kind: String, _ check: String, _ flags: [String], _ status: Int, _ verdict: String
  ) async throws {
    let file = try TemporaryFile(
      "mine.yml",
      """
      scenario: mine
      pattern: singleton-race
      title: My own
      source: nowhere
      variants: [mutex]
      parameters: {race-time: 1ms, batch: 10}
      claims:
        - {says: It is so, kind: \(kind), check: \(check)}
      """)
    let finished = try await Binary.run(["scenario", file.path, "--rounds", "6"] + flags)
    #expect(finished.status == status)
    #expect(finished.output.contains(verdict))
  }

  @Test func `complete exports are written in every format`() async throws {
    let file = try TemporaryFile("r.json")
    let stem = file.path.dropLast(4)
    let endings = ReportInput.formats.map(\.fileExtension)
    let finished = try await Binary.run(
      ["scenario", "singleton-race", "--variant", "mutex", "--rounds", "1"] + Self.short
        + endings.flatMap { ["--export", stem + $0] })
    #expect(finished.status == 0)
    #expect(file.neighbours == endings.map { "r." + $0 }.sorted())
    let document = try JSONDecoder().decode(Document.self, from: Data(try readBytes(file.path, atMost: 1 << 26)))
    #expect(document.runs.count == 1)
    #expect(readFile(stem + "csv")?.hasPrefix("scenario,variant,metric,unit,statistic,value\r\n") == true)
    #expect(readFile(stem + "xml")?.contains("<testsuite name=\"singleton-race\"") == true)
  }

  @Test func `results that cannot be printed are an error`() async throws {
    // The redirection needs a shell.
    let full = try await Binary.shell("\"$0\" list > /dev/full")
    #expect(full.status == 2)
    #expect(full.errors == "gcdlab: cannot write: No space left on device\n")
    let closed = try await Binary.shell("{ \"$0\" explain singleton-race; echo $? >&2; } | true")
    // The lab prints no error. Its status is that of a closed pipe, or 0 if all output was written before the pipe was
    // closed.
    #expect(["141\n", "0\n"].contains(closed.errors), "\(closed.errors)")
  }

  @Test func `a smoke run that ends before its last scenario does not pass`() async throws {
    let smoke = try await Binary.run(["smoke", "singleton-race", "file-monitor", "--time", "1ms"])
    #expect(smoke.status == 2)
    #expect(smoke.output.hasSuffix("1 passed, 0 failed, not run: file-monitor\n"))
    #expect(smoke.errors == "gcdlab: file-monitor not run, since the time of 1ms was over; raise --time\n")
  }

  @Test func `smoke selects scenarios by name and by tag`() async throws {
    let smoke = try await Binary.run([
      "smoke", "--only", "loop", "--only", "once", "--skip", "apply-stride", "--time", "10min",
    ])
    #expect(smoke.status == 0)
    #expect(smoke.output.contains("singleton-race") && !smoke.output.contains("apply-stride"))
    let unknown = try await Binary.run(["smoke", "--only", "onse"])
    #expect(unknown.status == 64)
    #expect(unknown.errors == "gcdlab: --only: unknown name or tag 'onse'; did you mean 'once'?\n")
    #expect(try await Binary.run(["smoke", "--only", "once", "--skip", "once"]).status == 64)
  }

  @Test func `a smoke run of one scenario passes`() async throws {
    let finished = try await Binary.run(["smoke", "fd-semaphore", "--time", "10min"])
    #expect(finished.status == 0, "\(finished.output)")
    #expect(finished.output.hasSuffix("1 passed, 0 failed\n"))
  }

  @Test func `watch shows that a file was replaced by a rename, and watches the new file`() async throws {
    let file = try TemporaryFile("notes.txt", "one")
    let finished = try await Binary.converse(
      ["watch", file.path, "--count", "3"], until: "gcdlab: watching \(file.path); Ctrl-C ends it"
    ) { _ in
      // Editors save in this way: a new file is renamed over the old one. Then the new file is written.
      try OutputFile(file.path).write("two and more")
      let descriptor = open(file.path, O_WRONLY | O_APPEND)
      try writeAll("!", to: descriptor)
      close(descriptor)
      unlink(file.path)
    }
    let kinds = finished.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst(2).first ?? "" }
    // The write is reported as growth only if it occurred after the new file was examined.
    #expect(kinds == ["replaced", "extend", "deleted"] || kinds == ["replaced", "write", "deleted"])
    #expect(finished.errors.hasSuffix("gcdlab: 3 changes seen\n"))
    #expect(finished.status == 0)
  }

  @Test func `watch waits for a file that does not exist yet`() async throws {
    let file = try TemporaryFile("notes.txt")
    let finished = try await Binary.converse(
      ["watch", file.path, "--count", "2"], until: "gcdlab: \(file.path) does not exist yet; waiting for the file"
    ) { _ in
      try OutputFile(file.path).write("here")
      unlink(file.path)
    }
    let kinds = finished.output.split(separator: "\n").map { $0.split(separator: " ").dropFirst(2).first ?? "" }
    #expect(kinds == ["created", "deleted"])
    #expect(finished.status == 0)
  }
}

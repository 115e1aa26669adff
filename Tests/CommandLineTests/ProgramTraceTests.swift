import Foundation
import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What `gcdlab trace -- PROGRAM` does with programs that know nothing of the lab (`Tests/Programs`).
@Suite struct ProgramTraceTests {
  private static let programs = Binary.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()

  /// Records a program of `Tests/Programs`, without the runtime's own report of a crash.
  private static func record(_ options: [String] = [], _ program: String...) async throws -> Binary.Finished {
    try await Binary.run(
      ["trace"] + options + ["--", "\(programs)/\(program[0])"] + program.dropFirst(),
      environment: Binary.environment.updating(["SWIFT_BACKTRACE": "enable=no"]))
  }

  /// The lines on standard error in one.
  private static func said(_ finished: Binary.Finished) -> String {
    finished.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  // MARK: What is found

  @Test(arguments: [
    ("own-queue", "calls sync on \"hazards.own\"", "explain queue-deadlock"),
    ("pool", "waitForReply(_:)", "explain pool-starvation"), ("small", "addUp(_:of:)", "explain task-granularity"),
    ("job", "loadImage(_:)", "explain pool-starvation"), ("main", "A block on the main queue", "explain main-queue"),
  ])
  func `a hazard is diagnosed, with its place and its scenario`(
    _ hazard: String, _ place: String, _ scenario: String
  ) async throws {
    let said = Self.said(try await Self.record([], "hazards", hazard))
    #expect(said.contains("Certain: "), "\(said)")
    #expect(said.contains(place), "\(said)")
    #expect(said.contains(scenario), "\(said)")
  }

  @Test(arguments: ["own-queue", "abba", "pool", "small", "job", "main"])
  func `its cure is not`(_ hazard: String) async throws {
    let finished = try await Self.record(["--hang", "10min"], "hazards", hazard, "cured")
    #expect(finished.status == 0)
    #expect(finished.output == "done\n")
    #expect(!finished.errors.contains("Certain"), "\(finished.errors)")
  }

  @Test func `a program that hangs is interrupted, and its deadlock has been recorded`() async throws {
    let finished = try await Binary.converse(["trace", "--", "\(Self.programs)/hazards", "abba"], until: "stuck") {
      kill($0, SIGINT)
    }
    let said = Self.said(finished)
    #expect(said.contains("Certain: Deadlock: "), "\(said)")
    for word in ["\"hazards.journal\"", "\"hazards.accounts\"", "transferMoney", "ended by SIGINT"] {
      #expect(said.contains(word), "\(said)")
    }
    // The lab ends as the program has, by the signal.
    #expect(finished.status == -1)
  }

  @Test func `a record ends before the program if asked to`() async throws {
    let finished = try await Self.record(["--for", "1ms"], "known")
    #expect(finished.status == 0)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
  }

  // MARK: What is recorded

  @Test func `every block and wait of a known program is recorded`() async throws {
    let file = try TemporaryFile("known.json")
    let finished = try await Self.record(["--export", file.path], "known")
    #expect(finished.status == 0)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
    let events = try Self.events(of: file.path)
    func count(_ name: String, _ category: String) -> Int {
      events.count { ($0["name"] as? String)?.hasPrefix(name) ?? false && $0["cat"] as? String == category }
    }
    #expect(count("known.serial", "async") == 5)
    #expect(count("known.serial", "sync") == 3)
    #expect(count("known.serial", "after") == 1)
    #expect(count("known.concurrent", "async") == 5)
    #expect(count("global default", "apply") == 16)
    #expect(events.count { ($0["args"] as? [String: Any])?["barrier"] as? Bool ?? false } == 1)
    let sleeps = events.filter { $0["name"] as? String == "wait: sleep" }.compactMap { $0["dur"] as? Double }
    #expect(sleeps.count { $0 >= 3000 } >= 4 && sleeps.count == 5, "\(sleeps)")
    #expect(count("wait: group", "wait") <= 1 && count("wait: semaphore", "wait") <= 1)
    // Blocks of a serial queue run in the order of their submission.
    let order = events.filter {
      $0["cat"] as? String == "async" && ($0["name"] as? String)?.hasPrefix("known.s") ?? false
    }
    .sorted { $0["ts"] as? Double ?? 0 < $1["ts"] as? Double ?? 0 }.compactMap { $0["name"] as? String }
    #expect(order == (1...5).map { "known.serial \($0)" })
  }

  private static func events(of path: String) throws -> [[String: Any]] {
    let whole = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    return (whole?["traceEvents"] as? [[String: Any]])?.filter { $0["ph"] as? String == "X" } ?? []
  }

  @Test func `the rules of every trace hold`() async throws {
    let finished = try await Self.record(["--check"], "known")
    #expect(finished.errors.contains("kept        no two blocks of a serial queue overlap"), "\(finished.errors)")
    #expect(!finished.errors.contains("broken"), "\(finished.errors)")
  }

  // MARK: How it ends

  @Test(arguments: [("status", 5), ("_exit", 3), ("abort", -6), ("kill", -9), ("exec", 0)])
  func `the program's output and status stay its own, and the record survives`(_ end: String, _ status: Int)
    async throws
  {
    let finished = try await Self.record([], "known", end)
    #expect(finished.status == status)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
    #expect(finished.errors.contains("known.serial"), "\(finished.errors)")
  }

  @Test func `a program without Dispatch is run, with one line of what is missing`() async throws {
    let finished = try await Binary.run(["trace", "--", "sh", "-c", "echo out; exit 4"])
    // Where the scheduler may not be observed either, nothing is left to record.
    if finished.status == 64 { try skip("perf events are not allowed") }
    #expect(finished.status == 4)
    #expect(finished.output == "out\n")
    #expect(finished.errors.contains("gcdlab: sh does not load Dispatch"), "\(finished.errors)")
  }

  @Test func `the programs that it starts are recorded if asked to`() async throws {
    let finished = try await Binary.run(["trace", "--children", "--", "sh", "-c", "\(Self.programs)/known; exit 4"])
    #expect(finished.status == 4)
    #expect(finished.output == "counted 25, child 7, preloads\n")
    #expect(finished.errors.contains("known.serial"), "\(finished.errors)")
  }

  @Test(arguments: [
    (["trace", "--", "/nonexistent"], "cannot run /nonexistent: No such file or directory"),
    (["trace", "--", "/etc/passwd"], "cannot run /etc/passwd: Permission denied"),
    (["trace", "--", "no-such-program"], "cannot run no-such-program"),
    (["trace", "--for", "soon", "--", "true"], "--for"), (["trace", "--hang", "0ms", "--", "true"], "--hang"),
    (["trace", "--for", "1s", "apply-stride"], "--for"), (["trace", "--kill", "apply-stride"], "--kill"),
    (["trace", "apply-stride", "--", "true"], "a program is recorded as it is"), (["trace", "--"], "after --"),
    (["trace", "./known"], "trace -- ./known"),
  ])
  func `bad input is refused`(_ arguments: [String], _ words: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.status == 64, "\(finished.errors)")
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains(words), "\(finished.errors)")
  }
}

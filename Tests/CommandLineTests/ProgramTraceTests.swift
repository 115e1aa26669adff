import Foundation
import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of `gcdlab trace -- PROGRAM` with programs that contain no code of the lab (`Tests/Programs`).
@Suite struct ProgramTraceTests {
  private static let programs = Binary.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()

  /// Records a program of `Tests/Programs`, without the runtime's own report of a crash.
  private static func record(_ options: [String] = [], _ program: String...) async throws -> Binary.Finished {
    try await Binary.run(
      ["trace"] + options + ["--", "\(programs)/\(program[0])"] + program.dropFirst(),
      environment: Binary.environment.updating(["SWIFT_BACKTRACE": "enable=no"]))
  }

  /// Returns the standard error in one line.
  private static func said(_ finished: Binary.Finished) -> String {
    finished.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  // MARK: Diagnoses

  @Test(arguments: [
    ("own-queue", "calls sync on \"hazards.own\"", "explain queue-deadlock"),
    ("pool", "waitForReply(_:)", "explain pool-starvation"), ("small", "addUp(_:of:)", "explain task-granularity"),
    ("job", "loadImage(_:)", "explain blocking-bridge"), ("main", "A block on the main queue", "explain main-queue"),
    ("timers", "A block on the main queue", "explain main-queue"),
  ])
  func `a hazard in a program is diagnosed with its place and its scenario`(
    _ hazard: String, _ place: String, _ scenario: String
  ) async throws {
    let said = Self.said(try await Self.record([], "hazards", hazard))
    #expect(said.contains("Certain: "), "\(said)")
    #expect(said.contains(place), "\(said)")
    #expect(said.contains(scenario), "\(said)")
  }

  @Test func `waits that timed out are diagnosed, and marked in the record`() async throws {
    let file = try TemporaryFile("timeout.json")
    let said = Self.said(try await Self.record(["--export", file.path], "hazards", "timeout"))
    let found = /Certain: 4 waits timed out, the longest after [\d.]+ ms: main for (a semaphore|the group)\./
    #expect(said.contains(found), "\(said)")
    let waits = try Self.events(of: file.path).filter { ($0["args"] as? [String: Any])?["timedOut"] as? Bool == true }
    #expect(
      waits.compactMap { $0["name"] as? String }.sorted() == ["wait: group"]
        + Array(repeating: "wait: semaphore", count: 3))
  }

  @Test func `a diagnosis has the file and the line of the call if llvm-symbolizer is installed`() async throws {
    guard try await Binary.shell("command -v llvm-symbolizer").status == 0 else {
      try skip("llvm-symbolizer is not installed")
    }
    let said = Self.said(try await Self.record([], "hazards", "pool"))
    let found = try #require(said.firstMatch(of: /waitForReply\(_:\) \((Hazards\.swift):(\d+)\)/), "\(said)")
    let source = #filePath.replacing("CommandLineTests/ProgramTraceTests.swift", with: "Programs/hazards/\(found.1)")
    let line = try #require(Int(found.2))
    let code = try #require(readFile(source)).split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
    #expect(code.contains(".wait()"), "\(code)")
  }

  @Test(arguments: ["own-queue", "abba", "pool", "small", "job", "main", "timers", "timeout"])
  func `a program with the hazard removed has no certain diagnosis`(_ hazard: String) async throws {
    let finished = try await Self.record(["--hang", "10min"], "hazards", hazard, "cured")
    #expect(finished.status == 0)
    #expect(finished.output == "done\n")
    #expect(!finished.errors.contains("Certain"), "\(finished.errors)")
  }

  /// The rest of a task after `Task.sleep` is due later, and does not wait for a thread until then.
  @Test func `a sleeping task is not in the backlog`() async throws {
    let errors = try await Self.record([], "hazards", "sleep", "cured").errors
    let backlog = try #require(errors.firstMatch(of: /backlog +\|(.*)\|/)?.output.1)
    #expect(backlog.count { $0 == "." } >= 10, "\(errors)")
  }

  @Test func `the deadlock of a program that is interrupted is diagnosed`() async throws {
    let finished = try await Binary.converse(["trace", "--", "\(Self.programs)/hazards", "abba"], until: "stuck") {
      kill($0, SIGINT)
    }
    let said = Self.said(finished)
    #expect(said.contains("Certain: Deadlock: "), "\(said)")
    for word in ["\"hazards.journal\"", "\"hazards.accounts\"", "transferMoney", "ended by SIGINT"] {
      #expect(said.contains(word), "\(said)")
    }
    // The lab ends by the same signal as the program.
    #expect(finished.status == -1)
  }

  @Test func `the option --for ends a record without ending the program`() async throws {
    let finished = try await Self.record(["--for", "1ms"], "known")
    #expect(finished.status == 0)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
  }

  @Test func `the options --for and --kill end a program that hangs`() async throws {
    let finished = try await Self.record(["--for", "300ms", "--kill"], "hazards", "abba")
    #expect(finished.errors.contains("still running"), "\(finished.errors)")
    // The status of timeout(1): the lab ended the program, and not a signal the lab.
    #expect(finished.status == 124)
  }

  // MARK: The record

  @Test func `every block and wait of a known program is recorded`() async throws {
    let file = try TemporaryFile("known.json")
    let finished = try await Self.record(["--export", file.path], "known")
    #expect(finished.status == 0)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
    try Self.expectKnown(in: file)
  }

  /// Expects every block and every wait of the program `known` in an exported trace.
  private static func expectKnown(in file: TemporaryFile) throws {
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
    #expect(count("wait: group", "wait") <= 1)
    // Two waits with a time limit in each function of the C library. Dispatch waits for descriptors on its own thread.
    let main = events.first { ($0["args"] as? [String: Any])?["kind"] as? String == "main" }?["tid"] as? Int
    func waits(_ reason: String) -> Int {
      events.count { $0["tid"] as? Int == main && $0["name"] as? String == "wait: \(reason)" }
    }
    #expect(waits("descriptor") == 8)
    #expect(waits("condition") >= 2)
    // The third wait is for a dispatch semaphore, which may be signalled before.
    #expect((2...3).contains(waits("semaphore")), "\(waits("semaphore"))")
    #expect(count("wait: semaphore", "wait") == waits("semaphore"))
    // Blocks of a serial queue run in the order of their submission.
    let order = events.filter {
      $0["cat"] as? String == "async" && ($0["name"] as? String)?.hasPrefix("known.s") ?? false
    }
    .sorted { $0["ts"] as? Double ?? 0 < $1["ts"] as? Double ?? 0 }.compactMap { $0["name"] as? String }
    #expect(order == (1...5).map { "known.serial \($0)" })
  }

  @Test func `a static program is recorded only if it is linked with the recorder`() async throws {
    let file = try TemporaryFile("known.json")
    // The lab refuses a recorder below a directory with a space in its name, such as the directory of the tests.
    let script = """
      clang=$(command -v clang) && lld=$(command -v ld.lld) || exit 77
      folder=$(dirname "$(realpath "$clang")")/../lib/swift_static/linux
      [ -e "$folder/libdispatch.a" ] && [ -e "$(clang -print-file-name=libc.a)" ] || exit 77
      place=$(mktemp -d "$(dirname "$0")/static-XXXXXX") || exit 77
      trap 'rm -r "$place"' EXIT
      link() { clang -fuse-ld=lld -O -w '\(Self.source)' -static "$@" -L"$folder" -ldispatch -lBlocksRuntime -lstdc++; }
      flags=$("$0" trace --recorder "$place/recorder.o") || exit
      link $flags -o "$place/known" && link -o "$place/plain" || exit
      "$0" trace -- "$place/plain" > /dev/null || exit
      "$0" trace --export '\(file.path)' -- "$place/known"
      """
    let finished = try await Binary.shell(script)
    // The lab ends with 64 if the scheduler may not be observed either, since nothing is left to record of `plain`.
    if [64, 77].contains(finished.status) {
      try skip("there is no clang, no static library, or no record of switches")
    }
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
    #expect(finished.errors.contains("plain contains Dispatch, and no library can record"), "\(finished.errors)")
    #expect(finished.errors.contains("the program contains Dispatch, and is not linked"), "\(finished.errors)")
    #expect(!finished.errors.contains("has not loaded Dispatch"), "\(finished.errors)")
    // The picture contains the cores on which the threads of the program ran.
    #expect(finished.errors.split(separator: "plain process").last?.contains("\nbusy ") == true, "\(finished.errors)")
    #expect(!finished.errors.contains("known contains"), "\(finished.errors)")
    try Self.expectKnown(in: file)
  }

  private static let source = #filePath.replacing(
    "CommandLineTests/ProgramTraceTests.swift", with: "Programs/known/known.c")

  @Test func `a recorder whose path has a space is refused`() async throws {
    let file = try TemporaryFile("a recorder.o")
    let finished = try await Binary.run(["trace", "--recorder", file.path])
    #expect(finished.status == 64)
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains("splits the flags at spaces"), "\(finished.errors)")
  }

  private static func events(of path: String) throws -> [[String: Any]] {
    let whole = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any]
    return (whole?["traceEvents"] as? [[String: Any]])?.filter { $0["ph"] as? String == "X" } ?? []
  }

  @Test func `the trace of a program keeps every rule`() async throws {
    let finished = try await Self.record(["--check"], "known")
    #expect(finished.errors.contains("kept        no two blocks of a serial queue overlap"), "\(finished.errors)")
    #expect(!finished.errors.contains("broken"), "\(finished.errors)")
  }

  // MARK: The end of the program

  @Test(arguments: [("status", 5), ("_exit", 3), ("abort", -6), ("kill", -9), ("exec", 0)])
  func `a recorded program has its own output and status, and its record survives any end`(_ end: String, _ status: Int)
    async throws
  {
    let finished = try await Self.record([], "known", end)
    #expect(finished.status == status)
    #expect(finished.output == "counted 25, child 7, preloads nothing\n")
    #expect(finished.errors.contains("known.serial"), "\(finished.errors)")
  }

  @Test func `a program without Dispatch runs, and the report mentions that it does not load Dispatch`() async throws {
    let finished = try await Binary.run(["trace", "--", "sh", "-c", "echo out; exit 4"])
    // If the scheduler may not be observed either, nothing is left to record.
    if finished.status == 64 { try skip("perf events are not allowed") }
    #expect(finished.status == 4)
    #expect(finished.output == "out\n")
    #expect(finished.errors.contains("gcdlab: sh does not load Dispatch"), "\(finished.errors)")
    #expect(finished.errors.contains("the program submitted nothing to Dispatch"), "\(finished.errors)")
  }

  @Test func `the option --children records the programs that a program starts`() async throws {
    let finished = try await Binary.run(["trace", "--children", "--", "sh", "-c", "\(Self.programs)/known; exit 4"])
    #expect(finished.status == 4)
    #expect(finished.output == "counted 25, child 7, preloads\n")
    #expect(finished.errors.contains("known.serial"), "\(finished.errors)")
  }

  @Test(arguments: [
    (["trace", "--", "/nonexistent"], "cannot run /nonexistent: No such file or directory"),
    (["trace", "--", "/etc/passwd"], "cannot run /etc/passwd: Permission denied"),
    (["trace", "--", "no-such-program"], "cannot run no-such-program"),
    (["trace", "--", "Package.swift"], "did you mean './Package.swift'?"),
    (["trace", "--for", "soon", "--", "true"], "--for"), (["trace", "--hang", "0ms", "--", "true"], "--hang"),
    (["trace", "--for", "1s", "apply-stride"], "--for"), (["trace", "--kill", "apply-stride"], "--kill"),
    (["trace", "apply-stride", "--", "true"], "a program is recorded as it is"), (["trace", "--"], "after --"),
    (["trace", "./known"], "trace -- ./known"), (["trace", "--recorder", "a.o", "--", "true"], "--recorder"),
  ])
  func `bad input is refused`(_ arguments: [String], _ words: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.status == 64, "\(finished.errors)")
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains(words), "\(finished.errors)")
  }
}

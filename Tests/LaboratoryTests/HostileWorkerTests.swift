import Platform
import LabTesting
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of workers that violate the protocol. Their trials are marked accordingly, the lab continues, and the figures
/// of the other variants are used.
@Suite struct HostileWorkerTests {
  private static let report = #"echo '{"observation":{"values":{"elapsed":[5]},"histograms":{}}}'"#

  /// Runs with a shell script as the worker: `apply` executes `what`, and the other variants report a correct figure.
  private func run(
    _ what: String, watchdog: Duration = .seconds(600), rounds: Int = 2, beside: Bool = true
  ) async throws -> Results {
    var experiment = FakePattern.experiment()
    if !beside { experiment.variants.removeAll { $0.name != "apply" } }
    let plan = Plan(experiment, budget: Budget(rounds: rounds, watchdog: watchdog), seed: 1)
    let script = """
      case $request in
        *'"variant":"apply"'*) \(what) ;;
        *) \(Self.report) ;;
      esac
      """
    return try await LaboratoryTests.run(plan, byWorker: script)
  }

  private func expect(_ results: Results, _ outcome: (Outcome) -> Bool) throws {
    for run in results.runs {
      let trials = run.trials
      #expect(!trials.isEmpty)
      if run.variant.name == "apply" {
        #expect(trials.allSatisfy { outcome($0.outcome) }, "\(trials.map(\.outcome))")
      } else {
        #expect(trials.allSatisfy { $0.outcome == .completed && $0.observation.samples("elapsed") == .values([5]) })
      }
    }
  }

  @Test(arguments: [
    ("exit 0", "the worker ended with no report"),
    ("echo oh no >&2; exit 3", "the worker ended with status 3, saying: oh no"),
    ("head -c 100000 /dev/urandom", "the worker ended with a report that cannot be read"),
    (#"printf '{"observation":{"values":'"#, "the worker ended with a report that cannot be read"),
    ("echo '{}'", "the worker reported nothing"), ("echo '[]'", "the worker ended with a report that cannot be read"),
    ("exec >&-", "the worker ended with no report"),
    ("exec <&- >&- 2>&-", "the worker ended with no report"),
    (
      #"echo '{"observation":{"values":{"elapsed":[1e999]},"histograms":{}}}'"#,
      "the worker ended with a report that cannot be read"
    ),
    (
      #"echo '{"observation":{"values":{"elapsed":[5],"missed":[]},"histograms":{}}}'"#,
      "the worker reported figures that no trial can measure"
    ),
    (
      #"echo '{"observation":{"values":{"elapsed":[5]},"histograms":{"missed":[]}}}'"#,
      "the worker reported figures that no trial can measure"
    ),
    ("cat /dev/zero", "the worker wrote more than 16 MiB"),
  ])
  func `a trial without a valid report is broken, with the reason`(_ what: String, _ reason: String) async throws {
    try expect(try await run(what)) {
      if case .broken(let found) = $0 { found.hasPrefix(reason) } else { false }
    }
  }

  @Test(arguments: [(SIGILL, "ILL"), (SIGSEGV, "SEGV"), (SIGABRT, "ABRT")])
  func `a trap is reported with its signal`(_ signal: Int32, _ name: String) async throws {
    try expect(try await run("kill -\(name) $$")) { $0 == .trapped(signal: Int(signal)) }
  }

  @Test(arguments: [(SIGKILL, "KILL"), (SIGTERM, "TERM"), (SIGXCPU, "XCPU")])
  func `a trial is unavailable if a signal from outside ended its worker`(_ signal: Int32, _ name: String) async throws
  {
    try expect(try await run("kill -\(name) $$")) {
      if case .unavailable(let reason) = $0 { reason.hasPrefix("signal \(signal) ended the worker") } else { false }
    }
  }

  @Test(arguments: [
    "sleep 1001", "printf '{'; sleep 1000", "exec >&-; sleep 1000", "exec <&- >&- 2>&-; sleep 1000",
    "yes >&2", "trap '' TERM INT; sleep 1000",
  ])
  func `a worker that does not end is killed`(_ what: String) async throws {
    // No correct workers run beside this one. If this process had no core, they would appear to hang, too.
    try expect(try await run(what, watchdog: .seconds(2), rounds: 1, beside: false)) { $0 == .hung }
  }

  @Test func `output of a worker besides its report is ignored`() async throws {
    try expect(try await run("head -c 50000000 /dev/zero >&2; \(Self.report)")) { $0 == .completed }
    try expect(try await run("\(Self.report); echo; echo")) { $0 == .completed }
  }

  @Test func `a child process that keeps a worker's pipes open is killed with the worker`() async throws {
    let note = "\(ScratchDirectory.parent)/gcdlab-test-child-\(getpid())"
    defer { unlink(note) }
    try expect(try await run("sleep 1000 & echo $! >> '\(note)'; \(Self.report)")) { $0 == .completed }
    let children = try #require(readFile(note)).split(separator: "\n").compactMap { pid_t($0) }
    #expect(children.count == 2)
    // The init process reaps these children later. A zombie counts as ended.
    for child in children {
      try await until("process \(child) is gone") {
        kill(child, 0) != 0 || readFile("/proc/\(child)/stat")?.contains(") Z") == true
      }
    }
  }

  @Test(arguments: ["kill -KILL $$", "exit 3", "sleep 1000"])
  func `the files of a worker are removed, but not the files behind its links`(_ end: String) async throws {
    let notes = "\(ScratchDirectory.parent)/gcdlab-test-scratch-\(UInt64.random(in: 0...UInt64.max))"
    let foreign = "\(notes)-foreign"
    defer {
      for path in [notes, "\(foreign)/mine"] { unlink(path) }
      rmdir(foreign)
    }
    try #require(mkdir(foreign, 0o700) == 0)
    try OutputFile("\(foreign)/mine").write("mine")
    let make = """
      scratch=${TMPDIR:-/tmp}/$(echo "$request" | sed 's/.*"scratch":"\\([^"]*\\)".*/\\1/')
      mkdir -p "$scratch/folder"; touch "$scratch/folder/file"; ln -s '\(foreign)' "$scratch/link"; echo "$scratch" >> '\(notes)'
      """
    _ = try await run("\(make.replacing("\n", with: ";")); \(end)", watchdog: .seconds(2), rounds: 1, beside: false)
    let made = try #require(readFile(notes)).split(separator: "\n").map(String.init)
    #expect(made.count == 1 && made[0].contains("/gcdlab-"))
    #expect(namesInDirectory(made[0]) == nil)
    #expect(readFile("\(foreign)/mine") == "mine")
  }

  @Test func `a worker whose program is replaced during the run is not started`() async throws {
    // The program is rewritten with another length.
    let results = try await run("\(Self.report); echo true >> \"$0\"", beside: false)
    let error = try #require(results.failure)
    #expect(error.description.contains("which was replaced"), "\(error)")
    #expect(results.runs.map { $0.trials.map(\.outcome) } == [[.completed]])
  }

  @Test func `a run fails without trials if the program of its workers is missing`() async throws {
    let plan = Plan(FakePattern.experiment(), budget: .quick, seed: 1)
    let results = try await Runner(ExecutableFile("/no/such/worker"), machine: .test).run(plan)
    #expect(results.failure != nil)
    #expect(results.runs.allSatisfy { $0.trials.isEmpty })
  }

  @Test func `trials that ended before the program of the workers was removed are kept`() async throws {
    let results = try await run("\(Self.report); rm \"$0\"", beside: false)
    let error = try #require(results.failure)
    #expect(error.description.contains("cannot run a worker"))
    #expect(results.runs.map { $0.trials.map(\.outcome) } == [[.completed]])
    #expect(results.warnings.first?.says == "\(error): results up to then are shown")
  }
}

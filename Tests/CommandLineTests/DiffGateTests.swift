import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of the statuses of `diff --fail-above`: 0 if the diff was judged and nothing became worse, 1 if something
/// became worse, 2 if the diff could not be judged.
///
/// The documents are from a real run, except for the figures of their rounds, so that no test depends on measured
/// figures.
@Suite struct DiffGateTests {
  /// A document of a real run, with one metric, and without warnings and claims.
  private static let real = Task {
    try await Binary.run([
      "scenario", "fd-semaphore", "--quick", "--rounds", "1", "--variant", "semaphore", "--format", "json",
    ]).output
  }

  /// Returns a document with these figures in its rounds, after `changes`.
  private static func run(
    _ rounds: [Double], claim: String? = nil, broken: Int = 0, metric: String = "elapsed",
    scenario: String = "fd-semaphore", warning: String? = nil, _ changes: [String: JSONValue?] = [:]
  ) async throws -> String {
    var document = try JSONValue(try await real.value)
    guard let first = document[at: "runs.0"], var samples = document[at: "runs.0.metrics.elapsed"] else {
      throw Unexpected()
    }
    document["runs"] = .list([first])
    let sorted = rounds.sorted(), count = Double(rounds.count), total = rounds.reduce(0, +)
    samples["rounds"] = .list(
      rounds.enumerated().map { .object(["round": .number(Double($0 + 1)), "value": .number($1)]) })
    samples["histogram"] = .list(
      Set(rounds).sorted().map { value in .list([.number(value), .number(Double(rounds.count { $0 == value }))]) })
    let figures: [String: Double?] = [
      "count": count, "min": sorted.first, "max": sorted.last, "p50": sorted.isEmpty ? nil : sorted[sorted.count / 2],
      "mean": total / max(count, 1), "total": total, "stddev": count > 1 ? 1 : nil,
    ]
    for (name, figure) in figures { samples[name] = figure.map(JSONValue.number) }
    document[at: "runs.0.metrics"] = .object(rounds.isEmpty ? [:] : [metric: samples])
    document[at: "runs.0.outcomes"] = .object(["completed": .number(count), "broken": .number(Double(broken))])
    document[at: "runs.0.rounds"] = .number(count + Double(broken))
    document[at: "scenario.show"] = .list([.text(metric)])
    document[at: "scenario.name"] = .text(scenario)
    document["warnings"] = .list(
      warning.map { [.object(["kind": .text("test"), "says": .text($0), "runs": .list([])])] } ?? [])
    document["claims"] = .list(claim.map { [claimed($0)] } ?? [])
    for (path, value) in changes { document[at: path] = value }
    return try document.text()
  }

  /// Returns a guarantee with a verdict.
  private static func claimed(_ verdict: String) -> JSONValue {
    .object([
      "says": .text("Nothing is left out."), "kind": .text("guarantee"), "check": .text("all.missed == 0"),
      "verdict": .text(verdict),
      "evidence": .object([
        "unit": .text(""), "trials": .number(verdict == "unavailable" ? 0 : 6),
        "met": .number(verdict == "held" ? 6 : 0), "reason": .text("why"),
      ]),
    ])
  }

  private struct Unexpected: Error {}

  /// Returns copies of runs with different seeds, since a side cannot have a run twice.
  private static func distinct(_ runs: [String]) -> [String] {
    runs.enumerated().map { $1.replacing(/"seed": ?\d+/, with: "\"seed\": \(1 + $0)") }
  }

  /// Compares runs on two sides, which are passed by --old and --new.
  private static func diff(_ old: [String], _ new: [String], _ options: [String] = []) async throws -> Binary.Finished {
    func files(_ name: String, _ runs: [String]) throws -> [TemporaryFile] {
      try (runs.count > 1 ? distinct(runs) : runs).map { try TemporaryFile(name, $0) }
    }
    let (before, after) = (try files("old.json", old), try files("new.json", new))
    return try await Binary.run(
      ["diff", "--old"] + before.map(\.path) + ["--new"] + after.map(\.path) + ["--fail-above", "10%"] + options)
  }

  private static let steady = [1000.0, 1010, 990, 1005, 995, 1002]

  @Test func `a diff of steady runs passes`() async throws {
    let run = try await Self.run(Self.steady, warning: "a neighbour was noisy")
    let runs = Array(repeating: run, count: 3)
    let fine = try await Self.diff(runs, runs)
    #expect(fine.status == 0, "\(fine.output)\(fine.errors)")
    #expect(fine.unwrapped.contains("nothing became worse by more than 10 %"))
    #expect(fine.errors.contains("both sides are the same runs"), "\(fine.errors)")
    // The warnings of the runs are included.
    #expect(
      fine.unwrapped.contains("old, fd-semaphore: a neighbour was noisy (and 2 more of this kind)"), "\(fine.output)")
    // A file with three runs counts as three runs.
    let one = "[\(Self.distinct(runs).joined(separator: ","))]"
    #expect(try await Self.diff([one], [one]).output == fine.output)
    let twice = "[\(run),\(run)]"
    let refused = try await Self.diff([twice], [run])
    #expect(refused.status == 64, "\(refused.output)")
    #expect(refused.errors.contains("has a run of fd-semaphore twice: give each run once"), "\(refused.errors)")
    let faster = try await Self.run(Self.steady.map { $0 / 3 })
    #expect(try await Self.diff([run], [faster]).status == 0)
  }

  @Test func `different runs that started in the same second and took equally long count as two runs`() async throws {
    let run = try await Self.run(Self.steady), next = try await Self.run(Self.steady.map { $0 + 1 })
    let accepted = try await Self.diff(["[\(run),\(next)]"], [run])
    #expect(accepted.status != 64 && accepted.output.contains("old: 2 runs"), "\(accepted.output)\(accepted.errors)")
    // Runs without figures may have equal documents.
    let empty = try await Self.run([])
    let unjudged = try await Self.diff(["[\(empty),\(empty)]"], [run])
    #expect(unjudged.status == 2, "\(unjudged.output)\(unjudged.errors)")
  }

  @Test func `a diff with a figure that became worse fails`() async throws {
    let old = try await Self.run(Self.steady), new = try await Self.run(Self.steady.map { $0 * 1.3 })
    let worse = try await Self.diff([old, old, old], [new, new, new])
    #expect(worse.status == 1 && worse.output.contains("above the limit"), "\(worse.output)")
    // If the difference exceeds the differences between runs, one run on each side is enough.
    let tenfold = try await Self.run(Self.steady.map { $0 * 10 })
    let files = [try TemporaryFile("old.json", old), try TemporaryFile("new.json", tenfold)]
    #expect(try await Binary.run(["diff"] + files.map(\.path) + ["--fail-above", "10%"]).status == 1)
  }

  @Test func `a diff with a violated guarantee or broken trials fails, even if its figures are steady`() async throws {
    let old = try await Self.run(Self.steady)
    let violated = try await Self.diff([old], [try await Self.run(Self.steady, claim: "violated")])
    #expect(
      violated.status == 1 && violated.unwrapped.contains("fd-semaphore, now violated: Nothing is left out."),
      "\(violated.output)")
    let broken = try await Self.diff([old], [try await Self.run(Self.steady, broken: 2)])
    #expect(broken.status == 1 && broken.unwrapped.contains("fd-semaphore: 2 broken trials"), "\(broken.output)")
  }

  /// The changes that an attack makes to the documents of the new side, as new values by path. Each run has six
  /// completed trials.
  private struct Attack: CustomTestStringConvertible {
    let testDescription: String
    let changes: [String: JSONValue?]
    let status: Int
    let words: String
  }

  private static func ended(_ end: String, _ ends: String = "completes") -> [String: JSONValue?] {
    [
      "runs.0.rounds": .number(8), "runs.0.outcomes": .object(["completed": .number(6), end: .number(2)]),
      "runs.0.signals": end == "trapped" ? .object(["5": .number(2)]) : nil,
      "scenario.variants": .list([
        .object([
          "name": .text("semaphore"), "role": .text("documented"), "says": .text("a way"), "ends": .text(ends),
        ])
      ]),
    ]
  }

  private static let attacks = [
    Attack(
      testDescription: "a guarantee that held is unavailable", changes: ["claims.0": claimed("unavailable")], status: 2,
      words: "fd-semaphore, held → unavailable in 3 of 3 runs, why: Nothing is left out."),
    Attack(
      testDescription: "a claim is missing", changes: ["claims": .list([])], status: 2,
      words: "fd-semaphore, claim missing on the new side in 3 of 3 runs: Nothing is left out."),
    Attack(
      testDescription: "trials hung", changes: ended("hung"), status: 1,
      words: "fd-semaphore semaphore: 6 of 24 trials hung"),
    Attack(
      testDescription: "trials trapped", changes: ended("trapped"), status: 1,
      words: "fd-semaphore semaphore: 6 of 24 trials trapped"),
    // The claims on a hazard judge its outcome.
    Attack(
      testDescription: "trials of a hazard trapped", changes: ended("trapped", "traps"), status: 0,
      words: "nothing became worse"),
    Attack(
      testDescription: "trials were stopped", changes: ended("stopped"), status: 2,
      words: "fd-semaphore semaphore: 6 of 24 trials were stopped"),
    Attack(
      testDescription: "trials were unavailable", changes: ended("unavailable"), status: 2,
      words: "fd-semaphore semaphore: 6 of 24 trials were unavailable"),
    Attack(
      testDescription: "an interrupted run", changes: ["interrupted": .bool(true)], status: 2,
      words: "fd-semaphore: interrupted on the new side, 3 runs"),
    Attack(
      testDescription: "another setting", changes: ["runs.0.parameters.limit": .number(7)], status: 2,
      words: "other values of limit (48, 7) on the two sides"),
    Attack(
      testDescription: "another version", changes: ["tool.version": .text("0.0.9")], status: 0,
      words: "before, gcdlab 0.0.9 now"),
    Attack(
      testDescription: "another unit", changes: measured("unit", "B"), status: 64,
      words: "not comparable: it is a latency in ns (better: lower) in one document and a latency in B (better: lower)"),
    Attack(
      testDescription: "another direction", changes: measured("better", "higher"), status: 64,
      words: "and a latency in ns (better: higher) in another"),
  ]

  /// Adds the other metric to the scenario.
  private static func measured(_ key: String, _ value: String) -> [String: JSONValue?] {
    [
      "runs.0.metrics.elapsed.\(key)": .text(value),
      "scenario.metrics": .list([
        .object([
          "name": .text("elapsed"), "kind": .text("latency"), "unit": .text(key == "unit" ? value : "ns"),
          "better": .text(key == "better" ? value : "lower"), "says": .text("the whole"),
        ])
      ]),
    ]
  }

  @Test(arguments: attacks) private func `steady figures do not hide a fault of the new side`(_ attack: Attack)
    async throws
  {
    let old = try await Self.run(Self.steady, claim: "held")
    let new = try await Self.run(Self.steady, claim: "held", attack.changes)
    let diff = try await Self.diff([old, old, old], [new, new, new])
    #expect(diff.status == attack.status, "\(diff.output)\(diff.errors)")
    #expect((diff.unwrapped + diff.errors).contains(attack.words), "\(diff.output)\(diff.errors)")
    // Faults on both sides are not a change, but they still fail the diff.
    let same = try await Self.diff([new, new, new], [new, new, new])
    let isWrong = attack.status == 1 || attack.changes["interrupted"] != nil
    #expect(same.status == (isWrong ? attack.status : 0), "\(same.output)\(same.errors)")
  }

  @Test func `a diff of a debug build and a release build does not pass`() async throws {
    let debug = try await Self.run(Self.steady, ["machine.optimised": .bool(false)])
    let released = try await Self.run(Self.steady, ["machine.optimised": .bool(true)])
    for (old, new) in [([debug], [released]), ([released], [debug]), ([debug, released], [debug, released])] {
      let diff = try await Self.diff(old + old, new + new)
      #expect(diff.status == 2 && diff.unwrapped.contains("built differently: "), "\(diff.output)\(diff.errors)")
    }
  }

  /// `gcdlab help` documents the same rule for refuted and inconclusive performance claims.
  @Test func `a refuted performance claim fails a run only with the option --strict`() async throws {
    for (verdict, strict) in [("refuted", 1), ("inconclusive", 0)] {
      var claim = Self.claimed("held")
      claim["kind"] = .text("performance")
      claim["verdict"] = .text(verdict)
      claim[at: "evidence.met"] = .number(0)
      let file = try TemporaryFile("run.json", try await Self.run(Self.steady, ["claims": .list([claim])]))
      let ran = try await Binary.run(["report", file.path])
      #expect(ran.status == 0, "\(verdict): \(ran.errors)")
      #expect(try await Binary.run(["report", file.path, "--strict"]).status == strict, "\(verdict)")
    }
  }

  @Test func `the report on a saved run has the exit status of the run`() async throws {
    for (claim, changes, status) in [
      ("held", [:], 0), ("violated", [:], 1), ("unavailable", [:], 2), ("held", ["interrupted": .bool(true)], 2),
      ("violated", ["interrupted": .bool(true)], 1),
    ] as [(String, [String: JSONValue?], Int)] {
      let file = try TemporaryFile("run.json", try await Self.run(Self.steady, claim: claim, changes))
      let page = try TemporaryFile("page.html")
      #expect(try await Binary.run(["report", file.path]).status == status, "\(claim)")
      #expect(try await Binary.run(["report", file.path, "--html", page.path]).status == status, "\(claim)")
      #expect(readFile(page.path)?.hasSuffix("</html>\n") == true)
    }
  }

  @Test(
    arguments: [
      ("few rounds", [10_000, 10_100, 9900], "3 rounds: 6 or more are needed per side"),
      ("a zero", [0, 0, 0, 0, 0, 0], "0 in some rounds, which therefore have no ratio"),
      ("one run a side", steady, "one run per side shows only large changes"),
      ("nothing measured", [], "fd-semaphore semaphore elapsed was not measured on the new side"),
    ] as [(String, [Double], String)])
  func `an inconclusive diff does not pass`(_ what: String, _ rounds: [Double], _ reason: String) async throws {
    let old = try await Self.run(Self.steady)
    let diff = try await Self.diff([old], [try await Self.run(rounds)])
    #expect(diff.status == 2 && diff.unwrapped.contains(reason), "\(what): \(diff.output)\(diff.errors)")
    // Without the option, the same diff passes.
    let files = [try TemporaryFile("old.json", old), try TemporaryFile("new.json", try await Self.run(rounds))]
    #expect(try await Binary.run(["diff"] + files.map(\.path)).status == 0)
  }

  @Test func `a diff does not pass if the sides have no common figure, or if one side lacks the metric`() async throws {
    let old = try await Self.run(Self.steady)
    let other = try await Self.diff([old], [try await Self.run(Self.steady, scenario: "another")])
    #expect(
      other.status == 2 && other.unwrapped.contains("no figure in common: give runs of the same"), "\(other.output)")
    // Without the option, two sides that cannot be compared are an error of the command line.
    let files = [
      try TemporaryFile("old.json", old),
      try TemporaryFile("new.json", try await Self.run(Self.steady, scenario: "another")),
    ]
    let refused = try await Binary.run(["diff"] + files.map(\.path))
    #expect(refused.status == 64 && refused.errors.contains("have no scenario in common: the old one has "))
    let metric = try await Self.diff([old], [try await Self.run(Self.steady, metric: "wait")])
    #expect(metric.status == 2 && metric.unwrapped.contains("elapsed was not measured on the new side"))
    let empty = try await Self.diff([old], ["[]"])
    #expect(empty.status == 64 && empty.errors.contains("an empty list of result documents"))
  }

  @Test func `a diff of figures that may be worse than the limit suggests more runs`() async throws {
    // The figures vary by 20 % from run to run.
    var runs: [String] = []
    for factor in [1, 1.2, 0.8, 1.1] { runs.append(try await Self.run(Self.steady.map { $0 * factor })) }
    let wild = try await Self.diff(Array(runs.prefix(2)), Array(runs.suffix(2)), ["--format", "json"])
    #expect(wild.status == 2)
    let document = try JSONValue(wild.output)
    #expect(document["schema"] == .text("gcdlab.diff/2") && document["gate"]?["status"] == .number(2))
    #expect(wild.unwrapped.contains("(runs per side: 2 and 2)"), "\(wild.output)")
  }

  @Test func `diff accepts only two documents, or documents for both --old and --new`() async throws {
    let one = try TemporaryFile("one.json", "")
    for arguments in [
      [one.path], ["a.json", "b.json", "c.json"], ["a.json", "--new", "b.json"], ["--old", "a.json"],
    ] {
      let refused = try await Binary.run(["diff"] + arguments)
      #expect(refused.status == 64 && refused.errors.contains("--old A.json"), "\(arguments): \(refused.errors)")
    }
    let half = try await Binary.run(["diff", "--old", "a.json"])
    #expect(half.errors.contains("--new is missing"), "\(half.errors)")
    let missing = try await Binary.run(["diff", "a.json"])
    #expect(missing.status == 64 && missing.errors.contains("cannot read a.json: No such file"), "\(missing.errors)")
  }

  @Test func `the labs that a diff started end if the diff is killed`() async throws {
    // Each run of ten thousand rounds would take hours. Ten minutes are enough for the busiest machine.
    let finished = try await Binary.shell(
      """
      "$0" diff --against "$0" -- fd-semaphore --rounds 10000 >/dev/null 2>&1 &
      lab=$!
      until other=$(pgrep -P $lab -f ' scenario '); do kill -0 $lab || exit 1; done
      until pgrep -P $other >/dev/null; do kill -0 $other || exit 1; done
      kill -9 $lab
      for i in $(seq 6000); do
        kill -0 $other 2>/dev/null || exec echo ended
        sleep 0.1
      done
      kill -9 $other
      """)
    #expect(finished.output == "ended\n", "\(finished.errors)")
  }

  @Test func `a diff against a binary has the requested number of runs on each side`() async throws {
    let ran = try await Binary.run([
      "diff", "--against", Binary.path, "--runs", "2", "--format", "json", "--fail-above", "1000%", "--",
      "fd-semaphore", "--quick", "--rounds", "3", "--variant", "semaphore", "--seed", "1",
    ])
    let document = try JSONValue(ran.output)
    guard case .list(let rows) = document["rows"] else { throw Unexpected() }
    #expect(rows.count == 1 && rows.first?["oldRuns"] == .number(2) && rows.first?["newRuns"] == .number(2))
    let missing = try await Binary.run(["diff", "--against", "/nowhere/gcdlab", "fd-semaphore"])
    #expect(missing.status == 2 && missing.errors.hasPrefix("gcdlab: /nowhere/gcdlab: "), "\(missing.errors)")
    #expect(try await Binary.run(["diff", "--against", Binary.path]).status == 64)
  }

  @Test func `the option --export, at any position among the arguments of a diff, exports the comparison`() async throws
  {
    let files = [
      try TemporaryFile("one.json", ""), try TemporaryFile("two.csv", ""), try TemporaryFile("three.html", ""),
    ]
    let ran = try await Binary.run([
      "diff", "--against", Binary.path, "--runs", "1", "--export", files[0].path, "--", "fd-semaphore", "--quick",
      "--rounds", "1", "--variant", "semaphore", "--export", files[1].path,
      "--export=\(files[2].path)",
    ])
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(readFile(files[0].path)?.contains("gcdlab.diff/2") == true)
    #expect(readFile(files[1].path)?.hasPrefix("scenario,run,metric,unit,old,new,") == true)
    #expect(readFile(files[2].path)?.contains("<th>semaphore</th>") == true)
    let refused = try await Binary.run(["diff", "--export", "\(ScratchDirectory.parent)/comparison.txt"])
    #expect(refused.status == 64 && refused.errors.contains("(known: .json .html .md .csv)"), "\(refused.errors)")
  }

  @Test func `a binary that runs for too long is killed with its children`() async throws {
    let script = try TemporaryFile("hangs", "#!/bin/sh\nsleep 1000 &\necho $! > \"$0.sleeper\"\nwait\n")
    try #require(chmod(script.path, 0o700) == 0)
    let diff = try await Binary.run(["diff", "--against", script.path, "--run-time", "1s", "--", "fd-semaphore"])
    #expect(diff.status == 2)
    #expect(diff.errors == "gcdlab: \(script.path): a run takes more than 1s; --run-time allows more\n")
    let sleeper = try #require(readFile("\(script.path).sleeper").flatMap { pid_t($0.dropLast()) })
    try await Binary.awaitEnd(of: sleeper)
    let refused = try await Binary.run(["diff", "--against", script.path, "--run-time", "soon", "--", "fd-semaphore"])
    #expect(refused.status == 64 && refused.errors.contains("--run-time: "), "\(refused.errors)")
  }

  @Test func `a scenario that runs several times prints several documents`() async throws {
    let ran = try await Binary.run([
      "scenario", "fd-semaphore", "--quick", "--rounds", "1", "--variant", "semaphore", "--runs", "2", "--format",
      "json",
    ])
    guard case .list(let documents) = try JSONValue(ran.output) else { throw Unexpected() }
    #expect(documents.count == 2)
    #expect(try await Binary.run(["scenario", "fd-semaphore", "--runs", "0"]).status == 64)
  }
}

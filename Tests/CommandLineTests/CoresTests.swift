import LabTesting
import Platform
import Testing

/// Tests of `--cores` with real workers.
@Suite struct CoresTests {
  private static func width(_ arguments: [String]) async throws -> JSONValue {
    let ran = try await Binary.run(
      ["scenario", "queue-width", "--variant", "apply", "--quick", "--rounds", "1", "--format", "json"] + arguments)
    return try JSONValue(ran.output)
  }

  @Test(.enabled(if: Confinement.isPossible && Host.cores >= 2, "processes cannot be confined to one of several cores"))
  func `a confined worker runs on its cores only, and Dispatch counts no other cores`() async throws {
    let one = try await Self.width(["--cores", "1"])
    #expect(one[at: "machine.confinedTo"] == .list([.number(Double(Confinement.coresInTurn[0]))]))
    #expect(one[at: "machine.cores"] == .number(Double(Host.cores)))
    #expect(one[at: "runs.0.parameters.cores"] == .number(1))
    #expect(one[at: "runs.0.metrics.cores-used.max"] == .number(1))
    // An apply begins one iteration for each core. If Dispatch had counted the cores before the worker was confined,
    // more iterations would begin.
    #expect(one[at: "runs.0.metrics.blocked-tasks.max"] == .number(1))
  }

  @Test func `the document of a run without the setting cores does not contain it`() async throws {
    let plain = try await Self.width([])
    #expect(plain[at: "runs.0.parameters.tasks"] != nil)
    #expect(plain[at: "machine.confinedTo"] == nil && plain[at: "runs.0.parameters.cores"] == nil)
  }

  @Test func `a sweep leaves out too many cores, and a run on only too many cores fails`() async throws {
    let none = try await Binary.run(["scenario", "queue-order", "--quick", "--rounds", "1", "--cores", "4096"])
    #expect(none.status == 2)
    #expect(none.errors.contains("4096 cores are requested"), "\(none.errors)")
    // A comparison judges no claim, and does not pass if it has measured nothing.
    let compared = try await Binary.run(["compare", "queue-order", "tasks=2,4", "--cores", "4096"])
    #expect(compared.status == 2)
    #expect(compared.errors.contains("nothing was measured: 4096 cores are requested"), "\(compared.errors)")
    let single = try await Binary.run(["compare", "queue-width", "cores=1,4096", "--variant", "apply", "--rounds", "1"])
    #expect(single.status == (Host.cores > 1 ? 64 : 0), "\(single.errors)")
    let some = try await Binary.run([
      "compare", "queue-width", Host.cores > 1 ? "cores=1,all,4096" : "cores=1,4096", "--variant", "apply", "--quick",
      "--rounds", "1",
    ])
    #expect(some.status == 0, "\(some.errors)")
    #expect(some.errors.contains("cores 4096 left out: this machine has \(Host.cores)"), "\(some.errors)")
    #expect(!some.output.contains("unavailable") && !some.output.contains("4096 cores"), "\(some.output)")
  }

  @Test func `a sweep leaves out settings with the same effect as a smaller setting`() async throws {
    let some = try await Binary.run([
      "compare", "fd-semaphore", "limit=64,128,256", "--variant", "semaphore", "--set", "tasks=50", "--rounds", "1",
    ])
    #expect(some.status == 0, "\(some.errors)")
    #expect(
      some.errors.contains(
        "limit 256 left out, as 128 does the same: from 100 on, the semaphore blocks none of 50 tasks"),
      "\(some.errors)")
    #expect(!some.output.contains(" 256 "), "\(some.output)")
    // The number of tasks is unknown.
    let all = try await Binary.run([
      "compare", "fd-semaphore", "limit=128,256", "tasks=10,20", "--variant", "semaphore", "--rounds", "1",
    ])
    #expect(all.status == 0 && !all.errors.contains("left out"), "\(all.errors)")
  }

  @Test(
    arguments: ["scenario queue-order", "smoke", "compare queue-order tasks=1,2", "trace queue-order"], ["0", "x"])
  func `a value that is not a number of cores is refused`(_ command: String, _ cores: String) async throws {
    let refused = try await Binary.run(command.split(separator: " ").map(String.init) + ["--cores", cores])
    #expect(refused.status == 64 && refused.output == "")
    #expect(
      refused.errors == "gcdlab: --cores: cores: found '\(cores)', expected a whole number of 1 or more, or all\n")
  }

  @Test func `cores that are both swept and set are refused`() async throws {
    let refused = try await Binary.run(["compare", "queue-order", "cores=1,2", "--cores", "1"])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("'cores' is swept, and set by --cores 1: leave one of them out"))
  }
}

import LabTesting
import Platform
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of variants that are expected to hang or to trap. Their trials end at the lab's time limit, and the outcome is
/// their result.
@Suite struct HazardTests {
  private struct Hazards: Pattern {
    static let name = "hazards"
    var variants: [Variant] {
      Variant("stuck", .broken, "stands still", ends: .hangs(within: .milliseconds(40))) { _ in }
      Variant("trap", .broken, "is stopped by the runtime", ends: .traps(within: .milliseconds(40))) { _ in }
    }
  }

  /// Runs a variant once, with a shell script instead of its worker.
  private func run(_ variant: String, _ script: String, watchdog: Duration = .seconds(600)) async throws -> TrialRecord
  {
    let described = try PatternDescription(Hazards())
    let experiment = Experiment(
      name: "hazards", pattern: described, title: "", source: "",
      variants: described.variants.filter { $0.name == variant }, show: ["time-to-end"])
    let plan = Plan(experiment, budget: Budget(rounds: 1, watchdog: watchdog), seed: 1)
    return try #require(try await LaboratoryTests.run(plan, byWorker: script).runs[0].trials.first)
  }

  private static let start = #"echo '{"time":1}'; "#

  @Test func `a worker that stands still past its time limit is reported as hung before the watchdog ends it`()
    async throws
  {
    let trial = try await run("stuck", Self.start + "exec sleep 1000")
    #expect(trial.outcome == .hung)
    // The time of a trial that hangs would be the lab's own limit.
    #expect(trial.figure(Metric.timeToEnd) == nil)
  }

  @Test func `a worker that still runs after its time limit may complete`() async throws {
    // The script is busy for longer than the variant's time limit. It counts its steps and does not read a clock.
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; "
    let trial = try await run("stuck", Self.start + busy + #"echo '{"observation":{"values":{},"histograms":{}}}'"#)
    #expect(trial.outcome == .completed)
  }

  @Test func `the watchdog ends a worker that never stands still`() async throws {
    let trial = try await run("stuck", Self.start + "while :; do :; done", watchdog: .seconds(1))
    // If the machine is too busy, the trial is reported as starved.
    if case .unavailable(let reason) = trial.outcome {
      #expect(reason.contains("of processor time"))
    } else {
      #expect(trial.outcome == .hung)
    }
  }

  @Test func `a trap is an outcome, and its trial has the time to the trap`() async throws {
    let trial = try await run("trap", Self.start + "kill -ILL $$")
    #expect(trial.outcome == .trapped(signal: Int(SIGILL)))
    #expect(trial.figure(Metric.timeToEnd) != nil)
  }

  /// For example, a variant that crashes with SIGSEGV does not show that Dispatch traps.
  @Test func `a fault is no trap`() async throws {
    let trial = try await run("trap", Self.start + "kill -SEGV $$")
    guard case .broken(let reason) = trial.outcome else {
      Issue.record("\(trial.outcome)")
      return
    }
    #expect(reason.hasPrefix("signal 11, a fault of the processor"))
  }

  @Test func `a trial that traps or hangs before its hazard is broken`() async throws {
    let trapped = try await run("trap", "kill -ILL $$")
    #expect(trapped.outcome == .broken(reason: "the trial trapped before it reached its hazard"))
    let hung = try await run("stuck", "exec sleep 1000", watchdog: .seconds(1))
    #expect(hung.outcome == .broken(reason: "the trial hung before it reached its hazard"))
  }

  @Test func `a trial that completes, although a trap is expected, has the outcome completed`() async throws {
    let trial = try await run("trap", Self.start + #"echo '{"observation":{"values":{},"histograms":{}}}'"#)
    #expect(trial.outcome == .completed)
    #expect(trial.figure(Metric.timeToEnd) == nil)
  }

  private struct Needy: Pattern {
    static let name = "needy"
    var variants: [Variant] {
      Variant("darwin", .documented, "only there", needs: [.darwin]) { _ in }
      Variant("many", .documented, "races", needs: [.cores(3)]) { _ in }
    }
  }

  @Test func `a variant that the machine does not support is unavailable with the reason, and no worker is started`()
    async throws
  {
    let described = try PatternDescription(Needy())
    let experiment = Experiment(
      name: "needy", pattern: described, title: "", source: "", variants: described.variants, show: [])
    let plan = Plan(experiment, budget: Budget(rounds: 1), seed: 1)
    let results = try await Runner(ExecutableFile("/no/such/worker"), machine: .test).run(plan)
    #expect(results.failure == nil)
    #expect(
      results.runs.map { $0.trials.map(\.outcome) } == [
        [.unavailable(reason: "only on Darwin; this system is Linux")],
        [.unavailable(reason: "3 cores are needed; there are 2")],
      ])
    #expect(described.implementation.obstacle(on: .test) == "only on Darwin; this system is Linux")
  }
}

import LabTesting
import Platform
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that missing figures never count as success. A trial that completes without its promised figures is broken,
/// and so is a trial whose body throws. A trial is unavailable only if the machine does not allow it.
@Suite struct SilenceTests {
  private struct Promising: Pattern {
    static let name = "promising"
    let size = Parameter.count("size", 1...10, default: 3, "how many")
    let pause = Parameter.count("pause", 1...10, default: 3, "how long")
    let early = Metric.count("early", "too soon")
    let late = Metric.count("late", "too late")
    let parked = Metric.count("parked", missingIf: "the system does not report it", "who sleeps")
    var variants: [Variant] {
      Variant("plain", .documented, "has one setting", TrialProbe(reads: [size], records: [early, parked])) { _ in }
      Variant("other", .documented, "has both", TrialProbe(reads: [size, pause], records: [late, parked])) { _ in }
    }
  }
  private static let pattern = Promising()

  private func outcome(_ body: @escaping @Sendable (Trial) throws -> Void) throws -> TrialRecord {
    let variant = try PatternDescription(Self.pattern).variants[0].running(body)
    let trial = Trial(variant: variant.name, work: Machine.test.work, cores: 2)
    return TrialRecord(of: variant, round: 0, trial.run(variant))
  }

  private func brokenReason(_ body: @escaping @Sendable (Trial) throws -> Void) throws -> String? {
    let record = try outcome(body)
    #expect(record.observation == Observation())
    if case .broken(let reason) = record.outcome { return reason } else { return nil }
  }

  @Test func `a trial without an optional figure completes`() throws {
    let record = try outcome { trial in trial.record(Self.pattern.early, trial[Self.pattern.size]) }
    #expect(record.outcome == .completed && record.reads == ["size"])
    #expect(record.observation.samples("early") == .values([3]))
  }

  @Test func `a completed trial without a figure that it promised is broken`() throws {
    #expect(try brokenReason { _ in } == "the trial completed, but did not record early")
  }

  @Test func `a trial that records a figure or reads a setting outside its probe is broken`() throws {
    let pattern = Self.pattern
    #expect(
      try brokenReason { trial in
        trial.record(pattern.early, 0)
        trial.record(pattern.late, 0)
      } == "the trial recorded late, which its probe does not list")
    #expect(
      try brokenReason { trial in trial.record(pattern.early, trial[pattern.pause]) }
        == "the trial read pause, which its probe does not list")
  }

  private struct Slip: Error, CustomStringConvertible { let description = "a slip" }

  @Test func `a trial whose body throws is broken, or unavailable if the machine is the reason`() throws {
    #expect(try brokenReason { _ in throw Slip() } == "a slip")
    #expect(try brokenReason { _ in throw SystemError(EINVAL, "do it") } == "cannot do it: Invalid argument")
    for code in [EMFILE, EAGAIN, ENOSPC, EFBIG, EPERM, ENOSYS] {
      guard case .unavailable = try outcome({ _ in throw SystemError(code, "do it") }).outcome else {
        Issue.record("\(SystemError(code, "do it"))")
        continue
      }
    }
    #expect(try outcome { _ in throw Unavailable("no cores") }.outcome == .unavailable(reason: "no cores"))
  }

  @Test func `a broken trial violates the guarantees about its variant`() throws {
    let experiment = FakePattern.experiment(claims: [try FakePattern.claim(.guarantee, "all.missed == 0")])
    var runs = Plan(experiment, budget: .smoke, seed: 1).runs
    for index in runs.indices {
      runs[index].trials = [TrialRecord(round: 0, outcome: .broken(reason: "it did not record missed"))]
    }
    let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
    #expect(Judge(results).judgements().map(\.verdict) == [.violated])
  }
}

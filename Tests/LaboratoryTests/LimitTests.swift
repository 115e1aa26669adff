import LabTesting
import Testing

@testable import Laboratory

/// Tests of the time limits that depend on a trial's settings. A resource that the machine does not provide is not a
/// fault of the variant.
@Suite struct LimitTests {
  private struct Slow: Pattern {
    static let name = "slow"
    let pause = Parameter.duration("pause", .zero ... .seconds(100), default: .seconds(10), "how long each takes")
    let times = Parameter.count("times", 1...1000, default: 100, "how often")
    var variants: [Variant] {
      Variant("once", .documented, "pauses once", TrialProbe(reads: [pause])) { _ in }
      Variant("often", .documented, "pauses often", often) { _ in }
      Variant("never", .documented, "does not pause", TrialProbe()) { _ in }
    }
    private var often: TrialProbe {
      Probe(reads: [pause, times], longest: { trial in trial[pause] * trial[times] })
    }
  }

  @Test func `the time limit of a trial depends on the settings that its variant reads`() throws {
    let described = try PatternDescription(Slow())
    func limit(_ variant: String, _ settings: [String: ParameterValue] = [:]) -> Duration? {
      let trial = Trial(variant: variant, parameters: settings, work: Machine.test.work, cores: 2)
      return described.variant(variant)?.limit(trial, of: described, least: .seconds(30))
    }
    #expect(limit("never") == .seconds(30))
    #expect(limit("once") == .seconds(130))
    #expect(limit("once", ["pause": .integer(100_000_000_000)]) == .seconds(1030))
    #expect(limit("often") == .seconds(10_030))
  }

  /// Returns the watchdog's verdict on a shell script that has exceeded its time.
  private func finding(_ script: String, _ limit: Duration) async throws -> TrialRecord {
    var experiment = FakePattern.experiment()
    experiment.variants.removeAll { $0.name != "apply" }
    experiment.parameters["work"] = .integer(0)
    let plan = Plan(experiment, budget: Budget(rounds: 1, watchdog: limit), seed: 1)
    return try #require(try await LaboratoryTests.run(plan, byWorker: script).runs[0].trials.first)
  }

  @Test func `a trial is unavailable, not hung, if another program stopped its worker`() async throws {
    let trial = try await finding("kill -STOP $$", .seconds(1))
    #expect(trial.outcome == .unavailable(reason: "another program had stopped the worker"))
  }

  @Test func `a worker that sleeps forever is reported as hung`() async throws {
    #expect(try await finding("exec sleep 1000", .seconds(1)).outcome == .hung)
  }
}

import Laboratory
import Patterns
import Platform
import Scenarios
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Every guarantee and anomaly of every scenario, broken in a real worker: the lab says so, every time.
///
/// Between the lab and its worker stands a saboteur. Where a pattern has a variant that lacks what is checked, the worker
/// is asked to run that one instead, so that the lab judges a real failure under the name of the variant that promises
/// better. Where it has none, the worker's report is falsified; the tests of those patterns break the mechanism itself.
@Suite struct EveryRedTests {
  /// What happens to a request and to a report on their way, in the language of sed.
  struct Sabotage {
    var request = ""
    var report = ""
  }

  private static func instead(of variant: String, _ other: String) -> Sabotage {
    Sabotage(request: "s/\"variant\":\"\(variant)\"/\"variant\":\"\(other)\"/")
  }
  /// Files held for a second: on any machine the pool starts more tasks meanwhile than there are descriptors.
  private static func unlimited(_ variant: String) -> Sabotage {
    Sabotage(request: instead(of: variant, "unlimited").request + ";s/\"hold\":[0-9]*/\"hold\":1000000000/")
  }
  private static func report(_ metric: String) -> Sabotage {
    Sabotage(report: "s/\"\(metric)\":\\[[0-9]*/\"\(metric)\":[7/")
  }

  private static let sabotages: [String: Sabotage] = [
    "check-then-act.duplicates > 0": instead(of: "check-then-act", "mutex"),
    "check-then-act-paused.duplicates >= 1": instead(of: "check-then-act-paused", "mutex"),
    "dispatch-once.instances.max == 1": instead(of: "dispatch-once", "check-then-act-paused"),
    "static-let.instances.max == 1": instead(of: "static-let", "check-then-act-paused"),
    "serial-queue.instances.max == 1": instead(of: "serial-queue", "check-then-act-paused"),
    "barrier.instances.max == 1": instead(of: "barrier", "check-then-act-paused"),
    "mutex.instances.max == 1": instead(of: "mutex", "check-then-act-paused"),
    "double-checked.instances.max == 1": instead(of: "double-checked", "check-then-act-paused"),
    "actor.instances.max == 1": instead(of: "actor", "check-then-act-paused"),
    "semaphore.failed-opens == 0": unlimited("semaphore"),
    "semaphore-at-submit.failed-opens == 0": unlimited("semaphore-at-submit"),
    "semaphore.over-limit == 0": unlimited("semaphore"),
    "semaphore-at-submit.over-limit == 0": unlimited("semaphore-at-submit"),
    "unlimited.failed-opens > 0": instead(of: "unlimited", "semaphore"),
    "source.kinds == 6": report("kinds"),
    "source.missed == 0": report("missed"),
    "source.lost-after-rename == 0": report("lost-after-rename"),
    "source.coalesced > 0": Sabotage(request: "s/\"burst\":[0-9]*/\"burst\":1/"),
    "all.missed == 0": report("missed"),
    "all.repeated == 0": report("repeated"),
    "all.early == 0": report("early"),
    "all.completions-off == 0": report("completions-off"),
    "wait-timeout.unreported == 0": report("unreported"),
    "wait-timeout.late-tasks == 0": report("late-tasks"),
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    let experiment: Experiment
    let claim: Claim
    var testDescription: String { "\(experiment.name): \(claim.check.text)" }
  }

  private static let cases: [Case] = {
    let library = ScenarioLibrary(embedded: EmbeddedScenarios.files, patterns: Registry.patterns)
    let experiments = (try? library.all().map { try $0.applying(Overrides(quick: true)) }) ?? []
    return experiments.flatMap { experiment in
      experiment.claims.filter { $0.kind != .performance }.map { Case(experiment: experiment, claim: $0) }
    }
  }()

  @Test func thereAreCases() { #expect(Self.cases.count == Self.sabotages.count) }

  @Test(arguments: cases)
  func aBrokenPromiseIsSeen(_ broken: Case) async throws {
    let sabotage = try #require(Self.sabotages[broken.claim.check.text], "no way to break this claim")
    // The pipeline waits for worker and report; what alters the request ends with the lab's end of it.
    let saboteur = try TemporaryFile(
      "worker",
      """
      #!/usr/bin/env bash
      set -o pipefail
      "\(Binary.path)" worker < <(exec sed -u '\(sabotage.request)') | sed '\(sabotage.report)'
      """)
    chmod(saboteur.path, 0o700)
    var experiment = broken.experiment
    let named = broken.claim.check.references.compactMap { reference -> String? in
      if case .variant(let name) = reference.scope { name } else { nil }
    }
    experiment.variants = experiment.variants.filter { named.isEmpty || named.contains($0.name) }
    let plan = Plan(experiment, budget: Budget(rounds: 2), seed: 1)
    let results = try await Runner(executable: saboteur.path, machine: .current()).run(plan)
    let judged = try #require(results.judgements.first { $0.claim.check == broken.claim.check })
    #expect(judged.verdict == (broken.claim.kind == .guarantee ? .violated : .notWitnessed), "\(judged.evidence)")
    #expect(judged.evidence.met == 0, "\(judged.evidence)")
  }
}

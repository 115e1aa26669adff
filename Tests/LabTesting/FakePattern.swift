import Laboratory

/// A pattern whose trials are invented by tests. It executes nothing.
public struct FakePattern: Pattern {
  /// The name of the pattern, `fake`.
  public static let name = "fake"

  /// The distributions of the work.
  public enum Balance: String, CaseIterable, Sendable {
    case uniform, ramp
  }
  let stride = Parameter.count("stride", 1...4096, default: 64, "how many at once")
  let work = Parameter.duration("work", .zero ... .seconds(1), default: .nanoseconds(50), "how long each")
  let chunk = Parameter.size("chunk", 1...1_048_576, default: 4096, "how large each")
  let balance = Parameter.choice("balance", default: Balance.uniform, "how it is spread")

  let elapsed = Metric.latency("elapsed", "how long it took")
  let missed = Metric.count("missed", missingIf: "a test leaves it out", "how many were left out")
  let rate = Metric.rate("rate", .perSecond, missingIf: "a test leaves it out", "how many a second")
  let blocks = Metric.count("blocks", missingIf: "a test leaves it out", "how many blocks")

  /// Creates the pattern, which has no settings.
  public init() {}

  /// The variants of the pattern, of which the first is a yardstick that ignores the stride.
  public var variants: [Variant] {
    Variant("loop", .yardstick, "the plain loop", TrialProbe(reads: [work, chunk, balance], records: figures)) { _ in }
    Variant(
      "apply", .documented, "the documented way",
      TrialProbe(reads: [stride, work, chunk, balance], records: figures + [blocks])
    ) { _ in }
    Variant(
      "broken", .broken, "the way the document warns of",
      TrialProbe(reads: [stride, work, chunk, balance], records: figures)
    ) { _ in }
  }

  private var figures: [any Declaration] { [elapsed, missed, rate] }
}

extension FakePattern {
  /// The description of the pattern.
  public static let described: PatternDescription = {
    do { return try PatternDescription(FakePattern()) } catch { fatalError("\(error)") }
  }()

  /// Returns an experiment on the pattern.
  public static func experiment(
    claims: [Claim] = [], sweep: [Sweep] = []
  ) -> Experiment {
    Experiment(
      name: "fake", pattern: described, title: "A fake", source: "nowhere", variants: described.variants, sweep: sweep,
      baseline: "loop", show: ["elapsed"], claims: claims)
  }

  /// Returns the results of a comparison for the best of `runs`.
  public static func comparison(_ runs: [VariantRun]) -> Results {
    var experiment = experiment()
    experiment.isComparison = true
    return Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
  }

  /// Returns a claim on the pattern.
  public static func claim(_ kind: Claim.Kind, _ check: String) throws -> Claim {
    Claim(
      says: "it is so", kind: kind, check: try Check(parsing: check, on: described, variants: described.variants))
  }
}

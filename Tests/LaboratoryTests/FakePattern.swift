@testable import Laboratory
import Measurement

/// A pattern that runs nothing: its trials are made up by the tests.
struct FakePattern: Pattern {
  let name = "fake"
  let parameters: [Parameter] = [
    .count("stride", 1...4096, default: 64, "how many at once"),
    .duration("work", 0...1_000_000_000, default: 50, "how long each"),
    .size("chunk", 1...1_048_576, default: 4096, "how large each"),
    .choice("balance", ["uniform", "ramp"], "how it is spread"),
  ]
  let variants: [Variant] = [
    Variant("loop", .yardstick, ignores: ["stride"], "the plain loop"),
    Variant("apply", .documented, "the documented way"),
    Variant("broken", .broken, "the way the document warns of"),
  ]
  let metrics: [Metric] = [
    Metric("elapsed", .latency, .nanoseconds, "how long it took"),
    Metric("missed", .count, .none, "how many were left out"),
    Metric("rate", .rate, .perSecond, "how many a second"),
  ]

  func run(_ trial: Trial) throws -> Observation { Observation() }

  static let machine = Machine(
    os: "Linux", kernel: "6.1", cpu: "Test CPU", cores: 2, memory: 1 << 30, swift: "6.3", optimised: true,
    descriptorLimit: 1024, threadLimit: nil, clockRead: 20, floor: 45, work: CalibratedWork(stepsPerMicrosecond: 700))

  static func experiment(claims: [Claim] = [], sweep: [(name: String, values: [ParameterValue])] = []) -> Experiment {
    let pattern = FakePattern()
    return Experiment(
      name: "fake", pattern: pattern, title: "A fake", source: "nowhere", variants: pattern.variants, sweep: sweep,
      baseline: "loop", show: ["elapsed"], claims: claims)
  }

  static func claim(_ kind: Claim.Kind, _ check: String) throws -> Claim {
    Claim(
      says: "it is so", kind: kind,
      check: try CheckParser.parse(check, pattern: FakePattern(), variants: FakePattern().variants))
  }
}

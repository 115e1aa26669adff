import Measurement
import Testing

@testable import Laboratory
@testable import Reporting

/// Tests that a run ends when the ratios in its tables are known, independently of other ratios.
@Suite struct SettlingTests {
  private static let precision = 0.02

  /// Returns for each round of a fixture whether the run would end, and whether every ratio in the tables is known
  /// within ``precision``.
  private func rounds(
    _ sweeps: [(name: String, values: [Int])], baseline: String?, most: Int = 60, noise: Double
  ) throws -> [(isOver: Bool, isKnown: Bool)] {
    let results = try Fixture.compared(sweeps, rounds: 0, baseline: baseline) { _, _, _ in nil }
    var generator = SplitMix64(seed: 5)
    let plan = Plan(results.experiment, budget: Budget(rounds: 6, precision: Self.precision), seed: 1)
    var pace = Pace(plan)
    var shown = results
    shown.runs = plan.runs
    return try (0..<most).map { round in
      let isOver = !pace.begin(round: round)
      let isKnown = isKnown(shown.content)
      for (index, run) in plan.runs.enumerated() {
        let work = run.parameters["work"].flatMap { if case .integer(let number) = $0 { Double(number) } else { nil } }
        // A row of the grid takes ten times as long as the row before it, and only long rows are noisy.
        let mean = (work ?? 10) * Double(100 + 10 * index)
        let spread = (work ?? 10) > 10 ? noise : noise / 10
        var observation = Observation()
        observation.record("elapsed", mean * (1 + spread * Double.random(in: -1...1, using: &generator)))
        let trial = TrialRecord(round: round, outcome: .completed, observation: observation)
        shown.runs[index].trials.append(trial)
        try pace.record(trial, of: index)
      }
      return (isOver, isKnown)
    }
  }

  private func isKnown(_ content: ReportContent) -> Bool {
    guard let contrasts = content.comparison?.contrasts.values, !contrasts.isEmpty else { return false }
    return contrasts.allSatisfy { contrast in
      contrast.interval.map { $0.high / $0.estimate - 1 <= Self.precision } ?? false
    }
  }

  @Test(
    arguments: [[("stride", [1, 4, 16])], [("work", [10, 1000]), ("stride", [1, 4, 16])]]
      as [[(name: String, values: [Int])]], [nil, "plain"])
  func `a comparison ends once all printed ratios have the requested precision`(
    _ sweeps: [(name: String, values: [Int])], _ baseline: String?
  ) throws {
    let rounds = try rounds(sweeps, baseline: baseline, noise: 0.02)
    // A run does not end before the minimum number of rounds, even if all ratios are known.
    for (round, state) in rounds.enumerated() where round >= 6 {
      #expect(state.isOver == state.isKnown, "round \(round)")
    }
    #expect(rounds.contains { $0.isOver } && rounds.dropFirst(6).contains { !$0.isOver })
  }
}

import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct MarginTests {
  @Test(
    arguments: [
      (50, 40, 60, .duration, "50.0x slower [40.0x … 60.0x]"),
      (0.02, 0.01, 0.04, .duration, "50.0x faster [25.0x … 100x]"),
      (50, 40, 60, .count, "50.0x more [40.0x … 60.0x]"), (0.02, 0.01, 0.04, .count, "50.0x fewer [25.0x … 100x]"),
      (0.02, 0.02, 0.02, .count, "50.0x fewer in every round"), (1, 1, 1, .count, "the same"),
      (0.5, 0.4, 0.6, .level, "2.00x lower [1.67x … 2.50x]"), (0.5, 0.4, 0.6, .amount, "2.00x less [1.67x … 2.50x]"),
    ] as [(Double, Double, Double, Metric.Meaning, String)])
  func `a ratio is displayed as a multiple above 1 with a word for its direction`(
    _ estimate: Double, _ low: Double, _ high: Double, _ meaning: Metric.Meaning, _ text: String
  ) {
    #expect(ConfidenceInterval(estimate: estimate, low: low, high: high).wording(meaning) == text)
  }

  @Test func `each end of an interval around 1 has its own direction`() {
    let faster = ConfidenceInterval(estimate: 0.87, low: 0.74, high: 1.03)
    #expect(faster.ends(.duration) == "[1.35x faster … 1.03x slower]")
    let slower = ConfidenceInterval(estimate: 1.3, low: 0.394, high: 4.31)
    #expect(slower.ends(.duration) == "[2.54x faster … 4.31x slower]")
  }

  @Test func `the ends of a wide interval are multiples above 1, the end nearer to 1 first`() {
    let slower = ConfidenceInterval(estimate: 15.7, low: 1.59, high: 155)
    #expect(slower.isWide && slower.range(.duration) == "1.59x to 155x slower")
    let fewer = ConfidenceInterval(estimate: 0.02, low: 0.01, high: 0.5)
    #expect(fewer.isWide && fewer.range(.count) == "2.00x to 100x fewer")
    #expect(!ConfidenceInterval(estimate: 4, low: 3.7, high: 4.3).isWide)
  }

  @Test(
    arguments: [
      (.latency, .nanoseconds, false, .duration, true), (.latency, .nanoseconds, true, .amount, false),
      (.count, .bytes, false, .amount, false), (.count, .none, false, .count, false),
      (.rate, .perSecond, false, .throughput, true), (.rate, .percent, false, .level, false),
      (.rate, .none, false, .level, false), (nil, .none, false, .count, false),
    ] as [(Metric.Kind?, Unit, Bool, Metric.Meaning, Bool)])
  func `the meaning of a figure depends on its kind, its unit and whether it is an amount`(
    _ kind: Metric.Kind?, _ unit: Unit, _ isAmount: Bool, _ meaning: Metric.Meaning, _ isSpeed: Bool
  ) {
    #expect(Metric.Meaning(kind, unit, isAmount: isAmount) == meaning)
    #expect(meaning.isSpeed == isSpeed)
  }
}

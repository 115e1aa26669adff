import Measurement
import Testing

@testable import Reporting

@Suite struct MarginTests {
  @Test(
    arguments: [
      (50, 40, 60, .times, "50.0x slower [40.0x … 60.0x]"), (0.02, 0.01, 0.04, .times, "50.0x faster [25.0x … 100x]"),
      (50, 40, 60, .counts, "50.0x more [40.0x … 60.0x]"), (0.02, 0.01, 0.04, .counts, "50.0x fewer [25.0x … 100x]"),
      (0.02, 0.02, 0.02, .counts, "50.0x fewer in every round"), (1, 1, 1, .counts, "the same"),
      (0.5, 0.4, 0.6, .levels, "2.00x lower [1.67x … 2.50x]"), (0.5, 0.4, 0.6, .amounts, "2.00x less [1.67x … 2.50x]"),
    ] as [(Double, Double, Double, RatioWords, String)])
  func `a ratio is a multiple above 1, in words`(
    _ estimate: Double, _ low: Double, _ high: Double, _ words: RatioWords, _ text: String
  ) {
    #expect(ConfidenceInterval(estimate: estimate, low: low, high: high).wording(words) == text)
  }

  @Test func `a rate without a unit is higher or lower, a count more or fewer`() {
    #expect(RatioWords(.rate, .none) == .levels && RatioWords(.count, .none) == .counts)
    #expect(RatioWords(.latency, .nanoseconds) == .times && RatioWords(nil, .none) == .counts)
  }
}

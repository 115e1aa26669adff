import Measurement
import Testing

@testable import Reporting

@Suite struct MarginTests {
  @Test(arguments: [
    (50, 40, 60, true, "50.0x slower [40.0x … 60.0x]"), (0.02, 0.01, 0.04, true, "50.0x faster [25.0x … 100x]"),
    (50, 40, 60, false, "50.0x more [40.0x … 60.0x]"), (0.02, 0.01, 0.04, false, "50.0x less [25.0x … 100x]"),
    (0.02, 0.02, 0.02, false, "50.0x less in every round"), (1, 1, 1, false, "the same"),
  ])
  func `a ratio is a multiple above 1, in words`(
    _ estimate: Double, _ low: Double, _ high: Double, _ ofTimes: Bool, _ text: String
  ) {
    #expect(ConfidenceInterval(estimate: estimate, low: low, high: high).wording(ofTimes: ofTimes) == text)
  }
}

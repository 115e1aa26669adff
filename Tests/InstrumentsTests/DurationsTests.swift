import Testing

@testable import Instruments

@Suite struct DurationsTests {
  @Test func `a histogram leaves out durations that were not measured`() {
    #expect(LatencyHistogram([1, nil, 3]).pairs == [[1, 1], [3, 1]])
  }
}

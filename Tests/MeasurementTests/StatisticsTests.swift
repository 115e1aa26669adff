import Testing

@testable import Measurement

@Suite struct StatisticsTests {
  @Test func `a summary of no values, or of values with a NaN, is nil`() {
    #expect(Summary([]) == nil)
    #expect(Summary(LatencyHistogram()) == nil)
    #expect(Summary([1, .nan]) == nil)
  }

  @Test func `a percentile needs enough samples`() throws {
    let nine = try #require(Summary((1...9).map(Double.init)))
    #expect(nine.p50 == 5 && nine.p90 == nil && nine.p99 == nil)
    let thousand = try #require(Summary((1...1000).map(Double.init)))
    #expect(thousand.p90 == 900.1)
    #expect(thousand.p999 != nil)
  }

  @Test func `the summary of a histogram agrees with that of its values`() throws {
    var histogram = LatencyHistogram()
    for value in 1...1000 { histogram.record(UInt64(value)) }
    let one = try #require(Summary(histogram))
    let other = try #require(Summary((1...1000).map(Double.init)))
    #expect(one.count == other.count && one.min == other.min && one.max == other.max && one.total == other.total)
    #expect(abs(one.p50 - other.p50) <= 1)
  }

  @Test func `a histogram counts a value of 0`() throws {
    var histogram = LatencyHistogram()
    histogram.record(0)
    histogram.record(4)
    #expect(try #require(Summary(histogram)).min == 0)
  }

  @Test func `a histogram is restored from its pairs, and malformed pairs are left out`() {
    var histogram = LatencyHistogram()
    for value in [0, 1, 5, 5, 1_000_003] as [UInt64] { histogram.record(value) }
    #expect(LatencyHistogram(pairs: histogram.pairs).pairs == histogram.pairs)
    #expect(LatencyHistogram(pairs: [[1], [2, 3, 4], [7, 2]]).count == 2)  // Malformed pairs are left out.
  }

  @Test func `a value above the range of a histogram is counted`() {
    var histogram = LatencyHistogram()
    histogram.record(.max)
    #expect(histogram.count == 1)
  }
}

import Measurement
import Testing

@Suite struct StatisticsTests {
  @Test func thereIsNoSummaryOfNothing() {
    #expect(Summary([]) == nil)
    #expect(Summary(LatencyHistogram()) == nil)
    #expect(Summary([1, .nan]) == nil)
  }

  @Test func aPercentileNeedsEnoughSamples() throws {
    let nine = try #require(Summary((1...9).map(Double.init)))
    #expect(nine.p50 == 5 && nine.p90 == nil && nine.p99 == nil)
    let thousand = try #require(Summary((1...1000).map(Double.init)))
    #expect(thousand.p90 == 900.1)
    #expect(thousand.p999 != nil)
  }

  @Test func histogramAndValuesAgree() throws {
    var histogram = LatencyHistogram()
    for value in 1...1000 { histogram.record(UInt64(value)) }
    let one = try #require(Summary(histogram))
    let other = try #require(Summary((1...1000).map(Double.init)))
    #expect(one.count == other.count && one.min == other.min && one.max == other.max && one.total == other.total)
    #expect(abs(one.p50 - other.p50) <= 1)
  }

  @Test func zeroIsAValue() throws {
    var histogram = LatencyHistogram()
    histogram.record(0)
    histogram.record(4)
    #expect(try #require(Summary(histogram)).min == 0)
  }

  @Test func pairsRestoreTheHistogram() {
    var histogram = LatencyHistogram()
    for value in [0, 1, 5, 5, 1_000_003] as [UInt64] { histogram.record(value) }
    #expect(LatencyHistogram(pairs: histogram.pairs).pairs == histogram.pairs)
    #expect(LatencyHistogram(pairs: [[1], [2, 3, 4], [7, 2]]).count == 2)  // Malformed pairs are left out.
  }

  @Test func valuesAboveTheRangeCountAsTheHighest() {
    var histogram = LatencyHistogram()
    histogram.record(.max)
    #expect(histogram.count == 1)
  }

  /// Two equal sides must rarely look different: at 99 % confidence, at most 5 % of the time for as few as 10 rounds,
  /// whatever the shape of the noise.
  @Test func equalSidesAreRarelyToldApart() throws {
    var generator = SplitMix64(seed: 42)
    func noise() -> Double {
      // Skewed like latencies: mostly near 1, sometimes several times that.
      let u = Double.random(in: 0.001..<1, using: &generator)
      return 1 + 0.05 * Double.random(in: -1...1, using: &generator) + (u < 0.1 ? 0.5 * u / 0.1 : 0)
    }
    var told = 0
    for trial in 0..<400 {
      let pairs = (0..<10).map { _ in (left: noise(), right: noise()) }
      let interval = try #require(ConfidenceInterval.ofRatio(pairs, seed: UInt64(trial)))
      if interval.low > 1 || interval.high < 1 { told += 1 }
    }
    #expect(told <= 20)
  }

  /// And a difference of 5 % under 2 % noise must be seen.
  @Test func aRealDifferenceIsSeen() throws {
    var generator = SplitMix64(seed: 43)
    var seen = 0
    for trial in 0..<200 {
      let pairs = (0..<10).map { _ in
        (
          left: 1.05 * (1 + Double.random(in: -0.02...0.02, using: &generator)),
          right: 1 + Double.random(in: -0.02...0.02, using: &generator)
        )
      }
      if try #require(ConfidenceInterval.ofRatio(pairs, seed: UInt64(trial))).low > 1 { seen += 1 }
    }
    #expect(seen >= 190)
  }

  @Test func fewPairsGiveNoInterval() {
    #expect(ConfidenceInterval.ofRatio([(1, 2), (1, 2), (1, 2), (1, 2)], seed: 1) == nil)
    #expect(ConfidenceInterval.ofRatio(Array(repeating: (0, 1), count: 10), seed: 1) == nil)
  }
}

import Testing

@testable import Measurement

@Suite struct SteadinessTests {
  private func steadiness(_ series: [String: [Double]]) -> Steadiness {
    Steadiness(
      series.sorted { $0.key < $1.key }.map { label, values in
        .init(label: label, figures: values.enumerated().map { (round: $0.offset, value: $0.element) })
      })
  }

  @Test func `steady rounds are settled, without outliers and without drift`() {
    let found = steadiness(["a": [10, 11, 10, 12, 11, 10, 11, 10], "b": [5, 5, 5, 5, 5, 5, 5, 5]])
    #expect(found.unsettled.isEmpty && found.outliers.isEmpty && found.drift == nil)
  }

  @Test func `an outlier is counted`() {
    let found = steadiness(["a": [10, 11, 10, 12, 11, 10, 11, 18], "b": [5, 5, 6, 5, 6, 5, 6, 5]])
    #expect(found.outliers.map(\.label) == ["a"] && found.outliers.map(\.count) == [1])
  }

  @Test func `rounds that vary widely are unsettled, and have no outliers`() {
    let found = steadiness(["a": [1, 30, 2, 40, 1, 35, 2, 50]])
    #expect(found.unsettled == ["a"] && found.outliers.isEmpty)
  }

  @Test func `a series with too few figures is ignored`() {
    let found = steadiness(["a": [1, 30, 2, 40, 1], "b": [10, 11, 10, 12, 18]])
    #expect(found.unsettled.isEmpty && found.bimodal.isEmpty && found.outliers.isEmpty)
  }

  @Test func `rounds with two states are bimodal, and neither unsettled nor outliers`() {
    let found = steadiness(["a": [1, 30, 1.1, 31, 1, 32, 1.1, 30, 31, 32], "b": [5, 5, 2, 5, 2, 5, 5, 5, 5, 5]])
    #expect(found.bimodal.map(\.label) == ["a", "b"] && found.bimodal.map(\.states.lower.count) == [4, 2])
    #expect(found.unsettled.isEmpty && found.outliers.isEmpty)
  }

  @Test func `a trend of all series is a drift`() throws {
    let rising = (0..<12).map { 100 + Double($0) }
    let drift = try #require(steadiness(["a": rising, "b": rising.map { 3 * $0 }]).drift)
    #expect(abs(drift - 109.5 / 101.5) < 0.001)
    #expect(steadiness(["a": rising.reversed()]).drift ?? 2 < 1)
    // One rising series beside two falling series is not a drift of the machine.
    #expect(steadiness(["a": rising, "b": rising.reversed(), "c": Array(repeating: 7, count: 12)]).drift == nil)
  }

  @Test func `random rounds rarely show a drift`() {
    var generator = SplitMix64(seed: 11)
    let drifts = (0..<1000).count { _ in
      steadiness(["a": (0..<10).map { _ in Double(generator.next() % 1000 + 1000) }]).drift != nil
    }
    #expect(drifts <= 5)
  }
}

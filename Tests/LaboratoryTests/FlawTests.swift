import LabTesting
import Measurement
import Testing

@testable import Laboratory

@Suite struct FlawTests {
  /// Returns a run at a setting of `stride` and `work`, whose rounds take about `time`.
  private func entry(_ stride: Int, work: Int = 1, time: Double) -> Comparison.Entry {
    Comparison.Entry(
      variant: "apply", point: ["stride": .integer(stride), "work": .integer(work)],
      figures: (0..<6).map { RoundFigure(round: $0, value: time + Double($0)) })
  }

  @Test func `a run with a flaw is not the reference of the others, however fast it is`() {
    let entries = [entry(1, time: 1000), entry(4, time: 3000), entry(16, time: 4000)]
    func best(_ counted: [Bool?]) -> Int? {
      var experiment = FakePattern.experiment()
      (experiment.isComparison, experiment.baseline) = (true, nil)
      return experiment.comparison(of: entries, areZero: [counted]).best
    }
    #expect(best([true, true, true]) == 0)
    #expect(best([false, true, true]) == 1)
    // Nothing was counted in the second run, so nothing is known against it.
    #expect(best([false, nil, true]) == 1)
    // A count that is 0 nowhere is no flaw.
    #expect(best([false, false, false]) == 0)
  }

  @Test func `a flaw at one amount of work excludes the same setting at another amount from the best`() {
    let entries = [
      entry(1, work: 1, time: 1000), entry(4, work: 1, time: 3000), entry(1, work: 2, time: 1000),
      entry(4, work: 2, time: 3000),
    ]
    let counted = [false, true, true, true]
    let flaws = Flaws(of: entries, areZero: counted, amounts: ["work"])
    #expect(flaws.flawed == [0] && flaws.flawedElsewhere == [2])
    let excluded = flaws.excluded(from: entries)
    #expect(excluded.map(\.figures.count) == [0, 6, 6, 6] && excluded.map(\.mayBeBest) == [true, true, false, true])
    // A setting that a program chooses may be the reason for the flaw.
    #expect(Flaws(of: entries, areZero: counted, amounts: []).flawedElsewhere.isEmpty)
  }
}

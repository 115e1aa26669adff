import Measurement
import Testing

@Suite struct RankingTests {
  @Test func `the typical value of rounds is their geometric mean, or their median if a round is 0`() {
    #expect(Ranking.typical([1, 100]).map { abs($0 - 10) < 1e-9 } == true)
    #expect(Ranking.typical([0, 5, 100]) == 5)
    #expect(Ranking.typical([]) == nil)
  }

  @Test(
    arguments: [
      (Ranking.lower, [3.0, 1, 2, 1], 1), (.higher, [3.0, 1, 3, 2], 0), (.lower, [nil, 4, nil], 1),
    ] as [(Ranking, [Double?], Int)])
  func `the best item is the first that no other item beats`(_ ranking: Ranking, _ figures: [Double?], _ best: Int) {
    #expect(ranking.best(figures.indices) { figures[$0] } == best)
  }

  @Test func `there is no best run if no run has a figure`() {
    #expect(Ranking.lower.best([1, 2]) { _ in nil } == nil)
    #expect(Ranking.higher.best([Int]()) { Double($0) } == nil)
  }
}

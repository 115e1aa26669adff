import Testing

@testable import Instruments

@Suite struct ExecutionCountsTests {
  @Test func `blocks that did not run exactly once are counted`() {
    let runs = ExecutionCounts(count: 4)
    #expect(runs.notOnce == 4 && runs.notRun == 4)
    #expect(runs.ran(0) == 1 && runs.ran(1) == 1 && runs.ran(1) == 2 && runs.ran(2) == 1)
    #expect(runs[1] == 2 && runs.notOnce == 2 && runs.notRun == 1)
  }
}

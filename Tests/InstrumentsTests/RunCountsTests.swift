import CDispatchSupport
import Testing

@testable import Instruments

@Suite struct RunCountsTests {
  @Test func `blocks that did not run exactly once are counted`() {
    let runs = ExecutionCounts(count: 4)
    #expect(runs.notOnce == 4 && runs.notRun == 4)
    #expect(runs.ran(0) == 1 && runs.ran(1) == 1 && runs.ran(1) == 2 && runs.ran(2) == 1)
    #expect(runs[1] == 2 && runs.notOnce == 2 && runs.notRun == 1)
  }

  @Test func `a histogram leaves out durations that were not measured`() {
    #expect(LatencyHistogram([1, nil, 3]).pairs == [[1, 1], [3, 1]])
  }

  @Test func `a deallocation observer reports its end, and a retained queue runs a block`() {
    let ends = ExecutionCounts(count: 2)
    do { _ = DeallocationObserver { ends.ran(0) } }
    let queue = RetainedQueue(created: gcdlab_dispatch_queue_create("held", nil))
    #expect(queue.runOne { ends.ran(1) })
    #expect(queue.runOne(within: .seconds(600)))
    queue.release()
    #expect(ends.notOnce == 0)
  }
}

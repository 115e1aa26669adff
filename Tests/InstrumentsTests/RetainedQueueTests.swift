import CDispatchSupport
import Testing

@testable import Instruments

@Suite struct RetainedQueueTests {
  @Test func `a retained queue runs a block, and waits for the end of the block`() {
    let ends = ExecutionCounts(count: 1)
    let queue = RetainedQueue(created: gcdlab_dispatch_queue_create("held", nil))
    #expect(queue.runOne { ends.ran(0) })
    #expect(queue.runOne(within: .seconds(600)))
    queue.release()
    #expect(ends.notOnce == 0)
  }

  @Test func `a deallocation observer runs its closure when it is freed, and not before`() {
    let ends = ExecutionCounts(count: 1)
    do {
      let observer = DeallocationObserver { ends.ran(0) }
      withExtendedLifetime(observer) { #expect(ends.notRun == 1) }
    }
    #expect(ends.notOnce == 0)
  }
}

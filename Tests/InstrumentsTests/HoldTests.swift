import Dispatch
import Synchronization
import Testing

@testable import Instruments

@Suite struct HoldTests {
  @Test func `a hold blocks only the next thread that arrives, until the release`() throws {
    let (hold, runs, queue) = (Hold(), ExecutionCounts(count: 3), DispatchQueue(label: "handler"))
    hold.waitIfSet()
    hold.holdNext()
    queue.async {
      runs.ran(0)
      hold.waitIfSet()
      runs.ran(1)
      hold.waitIfSet()
      runs.ran(2)
    }
    try hold.awaitHeld(within: .seconds(600), else: "nobody came")
    #expect(runs[0] == 1 && runs.notRun == 2)
    hold.release()
    queue.sync {}
    #expect(runs.notOnce == 0)
  }

  @Test func `a hold that is released before a thread arrives lets that thread pass`() {
    let hold = Hold()
    hold.holdNext()
    hold.release()
    hold.waitIfSet()
    #expect(throws: WaitTimeoutError.self) { try hold.awaitHeld(within: .zero, else: "nobody came") }
  }

  @Test func `a thread that arrives before the hold is set is not held`() {
    let hold = Hold()
    let isHeld = hold.catches()
    hold.holdNext()
    if isHeld { hold.stay() }
    #expect(!isHeld && hold.catches() && !hold.catches())
  }

  @Test func `a held queue runs no block until its release`() {
    let (queue, functions, runs) = (
      DispatchQueue(label: "queue"), FunctionQueue(label: "queue"), ExecutionCounts(count: 2)
    )
    let holds = [queue.hold(), functions.hold()]
    queue.async { runs.ran(0) }
    functions.async { runs.ran(1) }
    // Blocks of another queue begin meanwhile.
    for _ in 0..<10 {
      let hasRun = DispatchSemaphore(value: 0)
      DispatchQueue(label: "witness").async { hasRun.signal() }
      hasRun.wait()
    }
    #expect(runs.notRun == 2)
    for hold in holds { hold.release() }
    queue.drainSources()
    functions.drainSources()
    #expect(runs.notOnce == 0)
  }
}

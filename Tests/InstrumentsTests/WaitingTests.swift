import Dispatch
import Testing

@testable import Instruments

@Suite struct WaitingTests {
  @Test func `waiting for a signalled semaphore or an empty group succeeds`() throws {
    let (signal, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    signal.signal()
    #expect(signal.wait(within: .seconds(600)) && group.wait(within: .seconds(600)))
    signal.signal()
    try signal.wait(within: .seconds(600), else: "nothing came")
  }

  @Test func `waiting for a semaphore that is not signalled times out with an error`() {
    let signal = DispatchSemaphore(value: 0)
    #expect(!signal.wait(within: .zero))
    let error = #expect(throws: WaitTimeoutError.self) {
      try signal.wait(within: .milliseconds(1), else: "nothing came")
    }
    #expect(error?.description == "nothing came within 0.001 seconds")
  }

  @Test func `waiting for a group that is not empty times out`() {
    let group = DispatchGroup()
    group.enter()
    #expect(!group.wait(within: .zero))
    group.leave()
  }
}

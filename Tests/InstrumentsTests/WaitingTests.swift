import Dispatch
import Testing

@testable import Instruments

@Suite struct WaitingTests {
  @Test func `a thread that is signalled has not waited in vain`() throws {
    let (signal, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    signal.signal()
    #expect(signal.wait(within: .seconds(600)) && group.wait(within: .seconds(600)))
    signal.signal()
    try signal.wait(within: .seconds(600), else: "nothing came")
  }

  @Test func `a wait in vain is reported`() {
    let signal = DispatchSemaphore(value: 0)
    #expect(!signal.wait(within: .zero))
    let error = #expect(throws: WaitTimeoutError.self) {
      try signal.wait(within: .milliseconds(1), else: "nothing came")
    }
    #expect(error?.description == "nothing came within 0.001 seconds")
  }

  @Test func `a group that is not empty is waited for in vain`() {
    let group = DispatchGroup()
    group.enter()
    #expect(!group.wait(within: .zero))
    group.leave()
  }
}

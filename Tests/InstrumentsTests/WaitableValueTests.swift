import Dispatch
import Testing

@testable import Instruments

@Suite struct WaitableValueTests {
  private struct Seen: Sendable {
    var messages = 0
    var last: String?
  }

  @Test func `a wait ends when other threads have set the expected value`() {
    let seen = WaitableValue(Seen())
    for number in 0..<100 {
      DispatchQueue.global().async {
        seen.note { seen in
          seen.messages += 1
          seen.last = "\(number)"
        }
      }
    }
    #expect(seen.wait(within: .seconds(600)) { $0.messages == 100 })
    #expect(seen.messages == 100 && seen.last != nil && seen.now.messages == 100)
  }

  @Test func `a wait for a value that is never set ends at the timeout`() {
    let seen = WaitableValue(0)
    seen.note { $0 += 1 }
    #expect(!seen.wait(within: .zero) { $0 == 2 })
    #expect(seen.note { $0 + 1 } == 2)
  }

  @Test func `a wait returns the value that fulfilled its condition, not a later value`() {
    let seen = WaitableValue(0)
    let isAwaited = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      isAwaited.wait()
      for _ in 0..<100 { seen.note { $0 += 1 } }
    }
    let value = seen.value(within: .seconds(600)) { value in
      if value == 0 { isAwaited.signal() }
      return value >= 50
    }
    #expect(value == 50)
  }

  @Test func `a value that is set at the timeout of a wait does not end a later wait`() throws {
    let seen = WaitableValue(0)
    // The test uses a thread of its own, since other tests may block the threads of the pool.
    let noting = try WorkerThread()
    defer { noting.stop() }
    for round in 1...500 {
      let isNoted = DispatchSemaphore(value: 0)
      noting.run {
        seen.note { $0 = round }
        isNoted.signal()
      }
      let hasCome = seen.wait(within: .microseconds(round % 20)) { $0 == round }
      isNoted.wait()
      #expect(hasCome || seen.wait(within: .zero) { $0 == round })
      #expect(!seen.wait(within: .zero) { $0 == round + 1 })
    }
  }
}

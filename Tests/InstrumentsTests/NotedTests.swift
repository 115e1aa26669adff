import Dispatch
import Testing

@testable import Instruments

@Suite struct NotedTests {
  private struct Seen: Sendable {
    var messages = 0
    var last: String?
  }

  @Test func `what is noted elsewhere is waited for`() {
    let seen = Noted(Seen())
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

  @Test func `what does not come is not waited for beyond the patience`() {
    let seen = Noted(0)
    seen.note { $0 += 1 }
    #expect(!seen.wait(within: .zero) { $0 == 2 })
    #expect(seen.update { $0 + 1 } == 2)
  }
}

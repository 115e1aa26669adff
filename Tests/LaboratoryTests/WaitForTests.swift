import LabTesting
import Platform
import Testing

@testable import Laboratory

@Suite struct WaitForTests {
  @Test func `a thread outside every pool receives the result of an asynchronous body`() async throws {
    let result = try await onOwnThread {
      try waitFor {
        await Task.yield()
        return [Int?.none, 3]
      }
    }
    #expect(result == [nil, 3])
  }

  @Test func `a result of nil ends the wait`() async throws {
    let result = try await onOwnThread { try waitFor { () async -> Int? in nil } }
    #expect(result == nil)
  }
}

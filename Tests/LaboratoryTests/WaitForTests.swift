import LabTesting
import Platform
import Testing

@testable import Laboratory

@Suite struct WaitForTests {
  @Test func `gives the result to a thread outside every pool`() async throws {
    let result = try await onOwnThread {
      try waitFor {
        await Task.yield()
        return [Int?.none, 3]
      }
    }
    #expect(result == [nil, 3])
  }

  @Test func `waits for a result that is nil`() async throws {
    let result = try await onOwnThread { try waitFor { () async -> Int? in nil } }
    #expect(result == nil)
  }
}

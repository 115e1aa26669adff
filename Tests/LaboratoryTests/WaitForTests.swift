import LabTesting
import Platform
import Testing

@testable import Laboratory

@Suite struct WaitForTests {
  @Test func `the result is given to a thread outside every pool`() async throws {
    let result = try await onOwnThread {
      try waitFor {
        await Task.yield()
        return [Int?.none, 3]
      }
    }
    #expect(result == [nil, 3])
  }

  @Test func `a result that is nil is waited for`() async throws {
    let result = try await onOwnThread { try waitFor { () async -> Int? in nil } }
    #expect(result == nil)
  }
}

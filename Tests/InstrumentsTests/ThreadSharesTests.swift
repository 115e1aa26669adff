import LabTesting
import Testing

@testable import Instruments

@Suite struct ThreadSharesTests {
  @Test func `shares are added up for each thread`() async throws {
    let shares = ThreadShares()
    let threads = try await onOwnThread {
      shares.add(30)
      shares.add()
      // The threads run one after the other. The second thread reuses the memory of the first thread, and the shares
      // must distinguish the two threads.
      for amount in [10, 59] { try SystemThread { shares.add(amount) }.join() }
      return ThreadCensus.currentThread
    }
    #expect(shares.byThread.values.sorted() == [10, 31, 59])
    #expect(shares.byThread[threads] == 31)
    #expect(shares.percentages(of: 200) == [29.5, 15.5, 5])
    #expect(ThreadShares().percentages(of: 0).isEmpty)
  }
}

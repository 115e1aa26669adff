import LabTesting
import Synchronization
import Testing

@testable import Instruments

@Suite struct WorkerThreadTests {
  final class Log: Sendable {
    let runs = Mutex<[(index: Int, thread: Int)]>([])
  }

  @Test func `a worker thread runs all work in order before it stops`() async throws {
    let log = Log()
    let caller = try await onOwnThread {
      let thread = try WorkerThread()
      for index in 0..<100 {
        thread.run { log.runs.withLock { $0.append((index, ThreadCensus.currentThread)) } }
      }
      thread.stop()
      return ThreadCensus.currentThread
    }
    let runs = log.runs.withLock { $0 }
    #expect(runs.map(\.index) == Array(0..<100))
    #expect(Set(runs.map(\.thread)).count == 1 && runs.first?.thread != caller)
  }

  @Test func `a worker thread without work can be stopped`() async throws {
    try await onOwnThread { try WorkerThread().stop() }
  }
}

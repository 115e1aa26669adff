import LabTesting
import Testing

@testable import Platform

@Suite struct ThreadCensusTests {
  typealias Thread = ThreadCensus.Thread

  @Test func `the census lists only the pool threads that wait in a block`() {
    let census = ThreadCensus(threads: [
      Thread(id: 1, name: "gcdlab", sleep: .wait),
      Thread(id: 2, name: "oot.default-qos", sleep: .idle),
      Thread(id: 5, name: "-qos.overcommit", sleep: .wait),
      Thread(id: 4, name: "-qos.overcommit", sleep: .other),
      Thread(id: 3, name: "r-initiated-qos", sleep: .wait),
      Thread(id: 6, name: "oot.utility-qos", sleep: nil),
    ])
    #expect(census.parkedPoolThreads == [3, 5])
    #expect(ThreadCensus(threads: []).parkedPoolThreads.isEmpty)
  }

  #if os(Linux)
    /// The lines were read from the kernel for threads that were known to be in these calls.
    @Test(
      arguments: [
        ("running\n", nil),
        ("", nil),
        // sem_timedwait of an idle pool thread.
        ("202 0x7fe903eb81d0 0x189 0x0 0x7fe90311dd98 0x0 0xffffffff 0x7fe90311dcf0 0x7fe903cf2f16\n", .idle),
        // dispatch_group_wait, without and with a timeout.
        ("202 0x7fe8fc001bb4 0x80 0x0 0x0 0x0 0x7fe900000000 0x7fe90191ad58 0x7fe903d6e829\n", .wait),
        ("202 0x7fe8fc001bb4 0x80 0x0 0x7fe90211bc60 0x0 0x3fffffff00000000 0x7fe90211bc48 0x7fe903d6e829\n", .wait),
        // dispatch_semaphore_wait.
        ("202 0x7fe8fc001c10 0x189 0x0 0x0 0x0 0xffffffff 0x7fe900918c00 0x7fe903cf2f16\n", .wait),
        // epoll_wait of the event thread, and a thread that sleeps outside of any call of Dispatch.
        ("232 0x3 0x7fe90291cbc0 0x10 0xffffffff 0x0 0x7fe90291d660 0x7fe90291cb90 0x7fe903d75f36\n", .other),
        ("-1 0x7ffcc24c9a30 0x7fe903ca9301\n", .other),
      ] as [(String, ThreadCensus.Sleep?)])
    func `the census detects from the system call why a thread sleeps`(line: String, sleep: ThreadCensus.Sleep?) {
      #expect(ThreadCensus.Sleep(systemCall: line, futex: 202) == sleep)
    }

    @Test func `the census finds the calling thread, which does not wait`() throws {
      guard let census = ThreadCensus.taken() else { try skip("there is no /proc") }
      let caller = try #require(census.threads.first { $0.id == ThreadCensus.currentThread })
      #expect(caller.sleep != .wait && caller.sleep != .idle)
    }
  #endif
}

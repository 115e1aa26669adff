import Dispatch
import Synchronization
import LabTesting
import Testing

@testable import Platform

#if os(Linux)
  /// Other tests start threads, too, so each test runs in a process of its own.
  @Suite struct ThreadCountTests {
    @Test func `existing threads are counted`() async throws {
      if ThreadCensus.count() == nil { try skip("there is no /proc") }
      await #expect(processExitsWith: .success) {
        let before = try #require(ThreadCensus.count())
        let gate = DispatchSemaphore(value: 0)
        let threads = try (0..<10).map { _ in try SystemThread { gate.wait() } }
        #expect(try #require(ThreadCensus.count()) >= before + 10)
        // Both counts are equal. A thread of the test runner may begin or end in between.
        #expect((0..<100).contains { _ in ThreadCensus.count() == namesInDirectory("/proc/self/task")?.count })
        for _ in threads { gate.signal() }
        for thread in threads { thread.join() }
      }
    }

    @Test func `the numbers of the lab's threads are listed until the threads end`() async {
      await #expect(processExitsWith: .success) {
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let numbers = Mutex<Set<Int>>([])
        let threads = try (0..<10).map { _ in
          try SystemThread {
            numbers.withLock { _ = $0.insert(ThreadCensus.currentThread) }
            begun.signal()
            gate.wait()
          }
        }
        for _ in threads { begun.wait() }
        #expect(OwnThreads.numbers == numbers.withLock { $0 } && OwnThreads.most >= 10)
        for _ in threads { gate.signal() }
        for thread in threads { thread.join() }
        #expect(OwnThreads.numbers.isEmpty)
      }
    }

    @Test func `the threads that only test the capacity do not count towards the peak`() async {
      await #expect(processExitsWith: .success) {
        let before = OwnThreads.most
        try SystemThread.requireCapacity(for: 50)
        #expect(OwnThreads.most == before)
      }
    }

    @Test func `the count of pool threads does not include other threads`() async throws {
      if ThreadCensus.poolCount() == nil { try skip("the system does not report pool threads") }
      await #expect(processExitsWith: .success) {
        let before = try #require(ThreadCensus.poolCount())
        let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let mine = try (0..<10).map { _ in
          try SystemThread {
            begun.signal()
            gate.wait()
          }
        }
        for _ in mine { begun.wait() }
        let alone = try #require(ThreadCensus.poolCount())
        #expect(alone < before + 10, "\(before), then \(alone)")
        let all = DispatchGroup()
        for index in 0..<20 {
          DispatchQueue(label: "blocked.\(index)").async(group: all) {
            begun.signal()
            gate.wait()
          }
        }
        for _ in 0..<20 { begun.wait() }
        let both = try #require(ThreadCensus.poolCount())
        #expect(both >= 20 && both < before + 30, "\(before), then \(both)")
        let again = (0..<100).contains { _ in
          ThreadCensus.poolCount() == ThreadCensus.taken()?.threads.count { $0.isPoolThread }
        }
        #expect(again, "\(both)")
        for _ in 0..<30 { gate.signal() }
        all.wait()
        for thread in mine { thread.join() }
      }
    }
  }
#endif

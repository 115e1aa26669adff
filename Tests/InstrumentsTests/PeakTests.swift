import LabTesting
import Dispatch
import Synchronization
import Testing

@testable import Instruments

@Suite struct PeakTests {
  /// A count that the test sets, and that signals each sample.
  final class Level: Sendable {
    let value = Atomic<Int>(0)
    let looked = DispatchSemaphore(value: 0)

    func set(_ value: Int) { self.value.store(value, ordering: .sequentiallyConsistent) }

    func peak() -> Peak {
      Peak {
        defer { self.looked.signal() }
        return self.value.load(ordering: .sequentiallyConsistent)
      }
    }
  }

  @Test func `a peak is sampled while the body runs`() async throws {
    let level = Level()
    let peak = level.peak()
    let result = try await onOwnThread {
      try peak.during(every: .microseconds(10)) {
        level.set(7)
        // Any number of samples may have signalled before the rise. Of two further signals, the second is that of a
        // sample that began after the rise.
        while level.looked.wait(timeout: .now()) == .success {}
        for _ in 0..<2 { level.looked.wait() }
        level.set(1)
        return "done"
      }
    }
    #expect(result == "done" && peak.value == 7)
  }

  @Test func `a peak between two samples is missed, unless the body takes a sample`() async throws {
    for looks in [false, true] {
      let level = Level()
      let peak = level.peak()
      try await onOwnThread {
        // The second sample is due in an hour, and the end of the body does not wait for it.
        try peak.during(every: .seconds(3600)) {
          for _ in 0..<2 { level.looked.wait() }
          level.set(7)
          if looks { #expect(peak.sample() == 7) }
          level.set(1)
        }
      }
      #expect(peak.value == (looks ? 7 : 1))
    }
  }

  @Test func `a count that the system does not report has no peak`() async throws {
    let peak = Peak { nil }
    #expect(peak.sample() == nil)
    try await onOwnThread { try peak.during {} }
    #expect(peak.value == nil)
    #expect(Peak { 3 }.value == nil)
  }

  @Test func `an error that the body throws ends the sampling`() async {
    struct Failure: Error {}
    let peak = Peak { 3 }
    await #expect(throws: Failure.self) {
      try await onOwnThread { try peak.during(every: .seconds(3600)) { throw Failure() } }
    }
    #expect(peak.value == 3)
  }

  @Test func `the peak number of threads does not include the sampling thread`() async throws {
    if ThreadCensus.count() == nil { try skip("the system does not report threads") }
    await #expect(processExitsWith: .success) {
      let before = try #require(ThreadCensus.count())
      let peak = Peak.threads()
      try peak.during {
        // A thread of the test runner may begin or end between the two samples.
        #expect((0..<100).contains { _ in ThreadCensus.count().map { $0 - 1 } == Peak.threads().sample() })
        let gate = DispatchSemaphore(value: 0)
        let threads = try (0..<20).map { _ in try SystemThread { gate.wait() } }
        peak.sample()
        for _ in threads { gate.signal() }
        for thread in threads { thread.join() }
      }
      let most = try #require(peak.value)
      #expect(most >= before + 20 && most < before + 30)
    }
  }

  @Test func `the peak number of descriptors includes the descriptors that a task opens before its sample`() async {
    await #expect(processExitsWith: .success) {
      // The test runner and Dispatch have descriptors of their own, some of which are opened and closed at the
      // beginning.
      let isRight = (0..<1000).contains { _ in
        let peak = Peak.descriptors()
        guard let before = peak.sample() else { return false }
        DispatchQueue.concurrentPerform(iterations: 10) { _ in
          let opened = (0..<5).map { _ in dup(0) }
          peak.sample()
          for descriptor in opened { close(descriptor) }
        }
        return OpenDescriptors.count() == before && (before + 5...before + 50).contains(peak.value ?? 0)
      }
      #expect(isRight)
    }
  }
}

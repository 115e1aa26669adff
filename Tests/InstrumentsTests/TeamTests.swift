import LabTesting
import Synchronization
import Testing

@testable import Instruments

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct TeamTests {
  @Test func `each member of a team runs once, after all members have arrived`() throws {
    let (members, prepared) = (ExecutionCounts(count: 8), ExecutionCounts(count: 8))
    let early = Atomic(0)
    let effort = try Team.run(8, besides: 2) {
      prepared.ran($0)
    } _: { member in
      if prepared.notRun > 0 { early.add(1, ordering: .relaxed) }
      members.ran(member)
    }
    #expect(members.notOnce == 0 && prepared.notOnce == 0 && early.load(ordering: .relaxed) == 0)
    #expect(effort.nanoseconds > 0)
  }

  #if os(Linux)
    @Test func `threads of which one cannot be started end without having run`() async {
      await #expect(processExitsWith: .success) {
        let runs = Atomic(0)
        limitAddressSpace(to: try addressSpace() + 256 << 20)
        #expect(throws: SystemError(EAGAIN, "start a thread")) {
          try SystemThread.start(10_000) { _ in runs.add(1, ordering: .relaxed) }
        }
        #expect(runs.load(ordering: .relaxed) == 0)
        // The threads have ended, so their stacks are available again.
        for thread in try SystemThread.start(2, { _ in runs.add(1, ordering: .relaxed) }) { thread.join() }
        #expect(runs.load(ordering: .relaxed) == 2)
      }
    }
  #endif

  @Test func `a lack of threads makes a trial unavailable, and the reason contains the required number`() {
    let room = ThreadCapacity { _ in throw SystemError(EAGAIN, "start a thread") }
    let error = #expect(throws: Unavailable.self) { try room.require(3) }
    #expect(error?.description.hasPrefix("3 threads and some more are needed: cannot start a thread") == true)
  }
}

import Synchronization
import Testing

@testable import Instruments

@Suite struct TeamTests {
  @Test func `each member of a team runs once, after all members have arrived`() throws {
    let (members, prepared) = (RunCounts(count: 8), RunCounts(count: 8))
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

  @Test func `a lack of threads makes a trial unavailable, and the reason contains the required number`() {
    let room = ThreadCapacity { _ in throw SystemError(EAGAIN, "start a thread") }
    let error = #expect(throws: Unavailable.self) { try room.require(3) }
    #expect(error?.description.hasPrefix("3 threads and some more are needed: cannot start a thread") == true)
  }
}

import Dispatch
import LabTesting
import Testing

@testable import Instruments

@Suite struct PoolMeetingTests {
  @Test func `two blocks of the pool can meet repeatedly`() async throws {
    let isGivenUp = try await onOwnThread {
      var meeting = PoolMeeting(patience: TimedGateTests.never)
      for _ in 0..<3 { meeting.take() }
      return meeting.isGivenUp
    }
    #expect(!isGivenUp)
  }

  @Test func `a meeting waits only once for a block that does not begin in time`() async throws {
    let queue = DispatchQueue(label: "held")
    queue.suspend()
    let givenUp = try await onOwnThread {
      var (impatient, patient) = (PoolMeeting(queue: queue, patience: .zero), PoolMeeting(queue: queue))
      impatient.take()
      patient.take()
      // With this patience, a second wait would not return.
      patient.patience = TimedGateTests.never
      patient.take()
      return [impatient.isGivenUp, patient.isGivenUp]
    }
    queue.resume()
    // A block that begins too late ends, so the queue is free again.
    queue.sync {}
    #expect(givenUp == [true, true])
  }
}

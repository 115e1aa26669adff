import Testing

@testable import Instruments

@Suite struct MomentTests {
  /// A class with two moments, since `#expect` cannot copy a moment.
  final class Two: Sendable {
    let first = Moment()
    let second = Moment()

    var firstTime: UInt64? { first.time }
    var secondTime: UInt64? { second.time }
    var firstIsSet: Bool { first.isSet }
    var forth: UInt64? { second.since(first) }
    var back: UInt64? { first.since(second) }
  }

  @Test func `a moment that has not occurred has no time, and no distance from another moment`() {
    let two = Two()
    #expect(!two.firstIsSet && two.firstTime == nil && two.forth == nil)
    two.first.set()
    #expect(two.firstIsSet && two.forth == nil && two.back == nil)
    two.second.copy(two.first)
    #expect(two.forth == 0 && two.secondTime == two.firstTime)
  }

  @Test func `the distance of two moments is the time between them, or 0 in reverse order`() throws {
    let two = Two()
    two.first.set()
    let between = MonotonicClock.now()
    while MonotonicClock.now() == between {}
    two.second.set()
    let (first, second) = (try #require(two.firstTime), try #require(two.secondTime))
    #expect(first <= between && between < second)
    #expect(two.forth == second - first)
    #expect(two.back == 0)
  }
}

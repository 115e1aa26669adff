import Platform
import Testing

@Suite struct BacklogTests {
  @Test func `a backlog counts the elements beyond its limit, and accepts later elements after a take`() async {
    let backlog = Backlog<Int>(limit: 3)
    for number in 1...10 { backlog.add(number) }
    let first = backlog.take()
    #expect(first.elements == [1, 2, 3] && first.dropped == 7)
    backlog.add(11)
    backlog.end()
    // The stream yields once for any number of additions, and its value is not lost when the backlog ends.
    var rings = 0
    for await _ in backlog.signals { rings += 1 }
    #expect(rings == 1)
    let second = backlog.take()
    #expect(second.elements == [11] && second.dropped == 0)
  }
}

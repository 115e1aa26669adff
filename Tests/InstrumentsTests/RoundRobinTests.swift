import Testing

@testable import Instruments

@Suite struct RoundRobinTests {
  @Test func `indices are handed out in turn`() {
    let turns = RoundRobin(count: 3)
    #expect((0..<7).map { _ in turns.next() } == [0, 1, 2, 0, 1, 2, 0])
    let one = RoundRobin(count: 1)
    #expect((0..<3).map { _ in one.next() } == [0, 0, 0])
  }

  @Test(arguments: [1, 3, 7, 32])
  func `the counts of all indices differ by at most one, even in a race`(count: Int) async {
    let (turns, each) = (RoundRobin(count: count), 100_001)
    let given = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var given = [Int](repeating: 0, count: count)
          for _ in 0..<each { given[turns.next()] += 1 }
          return given
        }
      }
      return await group.reduce(into: [Int](repeating: 0, count: count)) { all, given in
        for index in all.indices { all[index] += given[index] }
      }
    }
    #expect(given.reduce(0, +) == 4 * each)
    #expect((given.max() ?? 0) - (given.min() ?? 0) <= 1)
    // No turn was assigned twice.
    #expect(turns.next() == 4 * each % count)
  }

  @Test func `turns continue where a 32-bit counter would overflow`() {
    let turns = RoundRobin(count: 3, turns: UInt64(UInt32.max))
    #expect((0..<3).map { _ in turns.next() } == [0, 1, 2])
    var narrow = UInt32.max
    let overflowing = (0..<3).map { _ in
      defer { narrow &+= 1 }
      return Int(narrow % 3)
    }
    #expect(overflowing == [0, 0, 1])
  }
}

import Testing

@testable import Platform

@Suite struct ConfinementTests {
  @Test(arguments: [
    // Four physical cores with two threads each, in both of Linux's orders: the siblings follow all first threads, or
    // each other.
    ([0, 1, 2, 3, 4, 5, 6, 7], [[0, 4], [1, 5], [2, 6], [3, 7]], [0, 1, 2, 3, 4, 5, 6, 7]),
    ([0, 1, 2, 3, 4, 5, 6, 7], [[0, 1], [2, 3], [4, 5], [6, 7]], [0, 2, 4, 6, 1, 3, 5, 7]),
    // A sibling that this process may not use does not count.
    ([1, 2, 3], [[0, 1], [2, 3]], [1, 2, 3]),
    ([0, 1, 5], [[0, 1], [4, 5]], [0, 5, 1]),
    // The siblings are not known.
    ([0, 1], [], [0, 1]),
  ])
  func `a core's further hardware threads are used last`(_ cores: [Int], _ physical: [[Int]], _ order: [Int]) {
    #expect(Confinement.inTurn(cores) { core in physical.first { $0.contains(core) } ?? [core] } == order)
  }

  @Test(arguments: [
    ("0\n", [0]), ("0-1\n", [0, 1]), ("0,32\n", [0, 32]), ("0-1,8-9", [0, 1, 8, 9]), ("", []), ("x", []), ("3-1", []),
  ])
  func `a list of cores from the kernel is parsed`(_ text: String, _ numbers: [Int]) {
    #expect(Confinement.numbers(in: text) == numbers)
  }

  @Test func `the order of cores contains each core that this process may use exactly once`() {
    #expect(Confinement.coresInTurn.sorted() == Host.coreNumbers.sorted())
    #expect(Confinement.argument([0, 2]) == "0,2")
  }

  @Test func `requiring cores to which the process is not confined throws an error`() {
    #expect(throws: Never.self) { try Confinement.requireOwn(Host.coreNumbers) }
    #expect(throws: SystemError.self) { try Confinement.requireOwn([Host.cores + 4096]) }
  }
}

import Testing

@testable import Patterns

@Suite struct BatchesTests {
  @Test func `runs one batch more than it reports`() async {
    var calls: UInt64 = 0
    let batches = Batches.time(of: 10, count: 5) { () -> UInt64 in
      calls += 1
      return calls
    }
    #expect(batches.count == 5 && calls == 60)

    calls = 0
    #expect(Batches.time(of: 3) { calls += 1 }.count == Batches.count)
    #expect(calls == 3 * UInt64(Batches.count + 1))

    let counter = Counter()
    #expect(await Batches.time(of: 4, count: 2) { await counter.next() }.count == 2)
    #expect(await counter.next() == 13)
  }

  @Test func `a batch is timed as a whole`() {
    // Monotonic, so more is surely not less: the empty one is a clock read, the other a hundred calls of the clock.
    let some = Batches.time(of: 100, count: 50) { SuspendingClock.now < .now ? 1 : 0 }
    let none = Batches.time(of: 0, count: 50) { 1 }
    #expect((some.min() ?? 0) > (none.min() ?? .max))
  }

  private actor Counter {
    private var calls = 0

    func next() -> Int {
      calls += 1
      return calls
    }
  }
}

import LabTesting
import Testing

@testable import Instruments

@Suite struct BatchesTests {
  @Test func `one more batch is executed than is reported`() async {
    var batches = 0
    #expect(Batches.times(of: { batches += 1 }, count: 5).count == 5)
    #expect(batches == 6)
    batches = 0
    #expect(Batches.times(of: { batches += 1 }).count == Batches.count)
    #expect(batches == Batches.count + 1)

    let counter = Counter()
    #expect(await Batches.times(of: { await counter.next() }, count: 2).count == 2)
    #expect(await counter.calls == 3)
  }

  @Test func `a batch is timed as a whole`() {
    // The clock is monotonic, so a longer time shows more work: the other batch reads the clock a hundred times, and
    // the empty batch does not.
    var later = 0
    let some = Batches.times(
      of: { Loop(100, on: SuspendingClock.now).each { if $0 < .now { later += 1 } } }, count: 50)
    let none = Batches.times(of: {}, count: 50)
    #expect((some.min() ?? 0) > (none.min() ?? .max))
    #expect(later == 100 * 51)
  }

  @Test func `a loop passes its subject to the operation the given number of times`() async {
    var seen: [String] = []
    Loop(3, on: "a").each { seen.append($0) }
    #expect(seen == ["a", "a", "a"])
    Loop(0, on: "a").each { seen.append($0) }
    #expect(seen.count == 3)

    let counter = Counter()
    await Loop(4, on: counter).each { await $0.next() }
    #expect(await counter.calls == 4)
  }

  @Test func `each piece is passed to the body once, in order`() {
    var seen: [Int] = []
    Pieces(1...4).each { seen.append($0) }
    Pieces([]).each { seen.append($0) }
    #expect(seen == [1, 2, 3, 4])
  }

  @Test func `the time of an empty loop is recorded separately from the values of the metric`() {
    let cost = Metric.latency("cost", "what it takes")
    let trial = Trial(variant: "any", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 1)
    let loop = Loop(10, on: 0)
    trial.time(cost, over: 10, nothing: { loop.each { _ in } }) { loop.each { _ in } }
    #expect(trial.observation.samples("cost")?.summary?.count == Batches.count)
    #expect(trial.observation.floor("cost") != nil)
    #expect(trial.observation.floor("other") == nil)

    trial.recordFloor(cost, [10, 30, 20], over: 10)
    #expect(trial.observation.floor("cost") == 2)
    trial.recordFloor(cost, [], over: 10)
    #expect(trial.observation.floor("cost") == 2)
  }

  private actor Counter {
    private(set) var calls = 0
    func next() { calls += 1 }
  }
}

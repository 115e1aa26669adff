import Dispatch
import Synchronization
import Testing

@testable import Instruments

@Suite struct SlotsTests {
  @Test(arguments: [false, true]) func `each owner writes its own slot`(padded: Bool) {
    let slots = Slots<UInt64>(count: 1000, padded: padded, of: 7)
    DispatchQueue.concurrentPerform(iterations: 999) { owner in
      for _ in 0..<10 { slots[owner] += UInt64(owner) }
    }
    let written: [UInt64] = (0..<999).map { 7 + 10 * $0 }
    #expect(slots.values == written + [7])
  }

  @Test func `padded slots share no cache line`() {
    func distance(_ slots: Slots<UInt32>) -> UInt {
      let first = withUnsafePointer(to: &slots[0]) { UInt(bitPattern: $0) }
      #expect(first % 128 == 0)
      return withUnsafePointer(to: &slots[1]) { UInt(bitPattern: $0) } - first
    }
    #expect(distance(Slots(count: 2, padded: true, of: 0)) == 128)
    #expect(distance(Slots(count: 2, of: 0)) == 4)
  }

  @Test func `several owners can share an atomic in a slot`() {
    let slots = Slots<Atomic<Int>>(count: 3, padded: true) { Atomic($0) }
    DispatchQueue.concurrentPerform(iterations: 300) { slots[$0 % 3].add(1, ordering: .relaxed) }
    #expect((0..<3).map { slots[$0].load(ordering: .relaxed) } == [100, 101, 102])
  }

  @Test func `an owner that measured nothing has no duration`() {
    let slots = Slots<UInt64?>(count: 3, of: nil)
    slots.time(1) {}
    #expect(slots[0] == nil && slots[1] != nil)
    #expect(slots.histogram.count == 1)
    #expect(Slots<UInt64?>(count: 0, of: nil).histogram.isEmpty)
  }

  /// The test of a release build fails without the check, since only a debug build executes `assert`.
  @Test(arguments: [-1, 2]) func `a wrong index ends the process`(_ index: Int) async {
    await #expect(processExitsWith: .failure) { [index = index as Int] in
      let slots = Slots<Int>(count: 2, of: 0)
      slots[index] = 1
    }
  }

  @Test func `an object in a slot is released with the slots`() {
    let gauge = Gauge()
    final class Token: Sendable {
      let gauge: Gauge
      init(_ gauge: Gauge) {
        self.gauge = gauge
        gauge.up()
      }
      deinit { gauge.down() }
    }
    do {
      let slots = Slots<Token>(count: 5) { _ in Token(gauge) }
      slots[0] = Token(gauge)
      #expect(gauge.now == 5)
    }
    #expect(gauge.now == 0)
  }
}

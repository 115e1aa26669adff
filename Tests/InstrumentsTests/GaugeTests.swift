import Testing

@testable import Instruments

@Suite struct GaugeTests {
  @Test func `a gauge remembers its peak`() {
    let gauge = Gauge()
    #expect(gauge.up() == 1)
    #expect(gauge.up() == 2)
    gauge.down()
    #expect(gauge.up() == 2)
    #expect(gauge.up() == 3)
    gauge.down()
    gauge.down()
    #expect(gauge.now == 1 && gauge.peak == 3)
  }

  @Test func `a gauge loses no change in a race`() async {
    let gauge = Gauge()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10_000 {
            gauge.up()
            gauge.down()
          }
        }
      }
    }
    #expect(gauge.now == 0 && (1...8).contains(gauge.peak))
  }
}

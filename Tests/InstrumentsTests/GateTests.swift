import Dispatch
import Testing

@testable import Instruments

@Suite struct GateTests {
  @Test func `holds blocks and tasks back until it is open`() async {
    let (gate, gauge) = (Gate(), Gauge())
    async let task: Void = {
      await gate.passed()
      gauge.up()
    }()
    gate.queue.async { gauge.up() }
    #expect(gauge.now == 0)
    gate.open()
    await task
    await withCheckedContinuation { done in gate.queue.async(flags: .barrier) { done.resume() } }
    #expect(gauge.now == 2)
  }

  @Test func `may be dropped unopened`() async {
    await #expect(processExitsWith: .success) { _ = Gate() }
  }
}

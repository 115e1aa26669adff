import Dispatch
import Testing

@testable import Instruments

@Suite struct GateTests {
  @Test func `a gate holds blocks and tasks back until it is open`() async {
    let (gate, gauge) = (Gate(), Gauge())
    async let task: Void = {
      await gate.wait()
      gauge.up()
    }()
    gate.queue.async { gauge.up() }
    // Blocks of another queue begin meanwhile.
    for _ in 0..<10 {
      await withCheckedContinuation { done in DispatchQueue(label: "witness").async { done.resume() } }
    }
    #expect(gauge.now == 0)
    gate.open()
    await task
    await withCheckedContinuation { done in gate.queue.async(flags: .barrier) { done.resume() } }
    #expect(gauge.now == 2)
  }

  @Test func `a gate can be released without being opened`() async {
    await #expect(processExitsWith: .success) { _ = Gate() }
  }
}

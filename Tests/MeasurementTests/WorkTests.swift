import Measurement
import Testing

@Suite struct WorkTests {
  /// The time must grow with the steps. Otherwise the compiler has removed the loop. A thousandfold difference in steps
  /// tolerates any disturbance.
  @Test func `the duration of the work grows with its steps`() {
    func fastest(_ steps: Int) -> UInt64 {
      (0..<5).map { seed in
        MonotonicClock.time { CalibratedWork.run(steps: steps, from: UInt64(seed)) }
      }.min() ?? 0
    }
    #expect(fastest(5_000_000) > 20 * fastest(5_000))
  }

  @Test func `every step of the work changes its result`() {
    #expect(CalibratedWork.spin(steps: 0, from: 5) == 5)
    #expect(CalibratedWork.spin(steps: 1, from: 5) != CalibratedWork.spin(steps: 2, from: 5))
    #expect(
      CalibratedWork.spin(steps: 7, from: CalibratedWork.spin(steps: 3, from: 1))
        == CalibratedWork.spin(steps: 10, from: 1))
  }

  @Test func `the number of steps is proportional to the requested time`() {
    let work = CalibratedWork(stepsPerMicrosecond: 700)
    #expect(work.steps(nanoseconds: 0) == 0)
    #expect(work.steps(nanoseconds: 1000) == 700)
  }

  @Test func `a seed determines the sequence of random numbers`() {
    var one = SplitMix64(seed: 1)
    // The reference values of the published generator for seed 1234567.
    var reference = SplitMix64(seed: 1_234_567)
    #expect(reference.next() == 6_457_827_717_110_365_317)
    #expect(reference.next() == 3_203_168_211_198_807_973)
    var again = SplitMix64(seed: 1)
    #expect(one.next() == again.next())
  }
}

import Measurement
import Testing

/// Tests of the sign test with its exact tail probabilities.
@Suite struct SignTestTests {
  @Test(arguments: [
    // 2 / 2^7 is 1.6 %, 2 / 2^8 is 0.8 %.
    (7, 7, false), (8, 8, true), (0, 8, true), (0, 7, false),
    // 2 * (1 + 10) / 2^10 is 2.1 %, 2 * (1 + 12) / 2^12 is 0.6 %.
    (9, 10, false), (11, 12, true), (1, 12, true), (15, 30, false), (0, 0, false), (3000, 3000, true),
    // Exactly half of many rounds is not significant. In 5000 rounds, the limit is 2.58 standard deviations of 35.
    (537, 1074, false), (538, 1075, false), (2500, 5000, false), (5000, 10_000, false), (2420, 5000, false),
    (2400, 5000, true), (2600, 5000, true),
  ])
  func `the sign test is significant below a probability of 1 %`(_ met: Int, _ rounds: Int, _ isSignificant: Bool) {
    #expect(SignTest.isSignificant(met, of: rounds) == isSignificant)
  }
}

import Laboratory
import Testing

@testable import Reporting

/// One line about what changed since the last run of the same scenario.
@Suite struct SinceLastTests {
  private static func run(_ nanoseconds: UInt64, _ verdict: Verdict = .held, rounds: Int = 30) -> ResultDocument {
    let figures = (0..<rounds).map { _ in [nanoseconds, nanoseconds + 1] }
    return Fixture.results(
      [("a", figures)], judgements: [Fixture.judgement(verdict, Evidence(left: 0, trials: 1, met: 1))]
    ).document
  }

  @Test func `great changes are told, small ones are not`() {
    let line = ResultDiff.sinceLast(Self.run(1000), Self.run(1_000_000))
    #expect(line?.hasPrefix("since the last run: a ") == true && line?.contains("x slower [") == true, "\(line ?? "")")
    #expect(
      ResultDiff.sinceLast(Self.run(1000), Self.run(1010))
        == "since the last run: no change that one run each could show")
  }

  @Test func `another verdict is told`() {
    let line = ResultDiff.sinceLast(Self.run(1000), Self.run(1000, .violated))
    #expect(line == "since the last run: Nothing is left out. (held then, violated now)")
  }

  @Test func `what was asked otherwise is not compared`() {
    let last = Self.run(1000)
    #expect(ResultDiff.sinceLast(last, Fixture.results([], cut: .interrupted).document) == nil)
    #expect(ResultDiff.sinceLast(last, last) != nil)
    #expect(last.isOf(Fixture.machine))
  }
}

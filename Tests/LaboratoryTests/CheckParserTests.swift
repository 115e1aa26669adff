import Measurement
import LabTesting
import Testing

@testable import Laboratory

@Suite struct CheckParserTests {
  private func parse(_ text: String) throws(InputError) -> Check {
    try CheckParser.parse(text, pattern: FakePattern.described, variants: FakePattern.described.variants)
  }

  @Test func `a check with a factor, settings, a percentile and a unit is parsed`() throws {
    let check = try parse("0.9 * apply[stride=64,balance=ramp].elapsed.p99.9 <= 2ms")
    let elapsed = try #require(FakePattern.described.metric("elapsed"))
    let reference = Check.Reference(
      scope: .variant("apply"), point: [Setting("stride", .integer(64)), Setting("balance", .text("ramp"))],
      metric: elapsed, statistic: .p999)
    #expect(check.left == .scaled(0.9, .reference(reference)))
    #expect(check.relation == .atMost)
    #expect(check.right == .quantity(2e6, .nanoseconds))
  }

  @Test func `the words all, any and cores, and a factor after a figure, are parsed`() throws {
    #expect(try parse("all.missed==0").left == .reference(.init(scope: .all, metric: FakePattern.described.metrics[1])))
    #expect(try parse("any.missed > cores").right == .cores)
    let elapsed = Check.Operand.reference(.init(scope: .variant("loop"), metric: FakePattern.described.metrics[0]))
    #expect(try parse("apply.elapsed < loop.elapsed * 2").right == .scaled(2, elapsed))
  }

  @Test func `two checks are equal if they differ only in spaces, and are different otherwise`() throws {
    let check = try #require(WrittenCheck("apply[stride=64].elapsed.p99 <= 2 * loop.elapsed"))
    #expect(check == WrittenCheck("apply[ stride = 64 ].elapsed.p99<=2*loop.elapsed"))
    #expect(check.relation == .atMost && check.figures.map(\.scope.name) == ["apply", "loop"])
    #expect(check.figures[0].metric == "elapsed" && check.figures[0].statistic == "p99")
    for other in ["apply[stride=64].elapsed.p99 < 2 * loop.elapsed", "apply.elapsed.p99 <= 2 * loop.elapsed"] {
      #expect(check != WrittenCheck(other))
    }
    #expect(WrittenCheck("apply is fast") == nil && WrittenCheck("") == nil)
  }

  @Test func `a check can name the outcome of trials`() throws {
    #expect(try parse("all.hung == 0").references.first?.metric.name == "hung")
  }

  @Test(arguments: [
    ("aply.elapsed < 1ms", "check 'aply.elapsed < 1ms': unknown variant 'aply'; did you mean 'apply'?"),
    ("apply.elapsd < 1ms", "check 'apply.elapsd < 1ms': unknown metric 'elapsd' of fake; did you mean 'elapsed'?"),
    (
      "apply[strid=1].elapsed < 1ms",
      "check 'apply[strid=1].elapsed < 1ms': unknown parameter 'strid'; did you mean 'stride'?"
    ),
    (
      "apply[stride=0].missed < 1",
      "check 'apply[stride=0].missed < 1': stride: 0 is out of range; expected 1 to 4096"
    ),
    (
      "apply.elapsed < 1lightyear",
      "check 'apply.elapsed < 1lightyear': unknown unit 'lightyear' "
        + "(known: ns, us, ms, s, min, B, KiB, MiB, GiB, /s, %, or none for a count)"
    ),
    (
      "apply.elapsed < 64KiB",
      "check 'apply.elapsed < 64KiB': the sides have different units, 'ns' and 'B'"
    ),
    ("apply.elapsed", "check 'apply.elapsed': expected one of < <= == != >= > at ''"),
    ("apply.elapsed < 1ms please", "check 'apply.elapsed < 1ms please': found 'please' after the check"),
    ("apply < 3", "check 'apply < 3': expected '.metric' after 'apply'"),
    (
      "apply[stride=4.elapsed < 3ms",
      "check 'apply[stride=4.elapsed < 3ms': '[' is not closed by ']'"
    ),
    (
      "apply[stride=4.elapsed < apply[stride=1].elapsed",
      "check 'apply[stride=4.elapsed < apply[stride=1].elapsed': '[' is not closed by ']'"
    ),
    ("", "check '': expected a number, 'cores' or variant.metric at ''"),
  ])
  func `an invalid check is refused with the reason`(_ text: String, _ message: String) {
    let error = #expect(throws: InputError.self) { try parse(text) }
    #expect(error?.description == message)
  }
}

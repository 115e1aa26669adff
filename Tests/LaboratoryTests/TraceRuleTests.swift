import LabTesting
import Testing

@testable import Laboratory

@Suite struct TraceRuleTests {
  @Test(arguments: TraceRule.allCases)
  func `the sample trace keeps every rule`(_ rule: TraceRule) {
    #expect(rule.compliance(of: .sample) == .kept)
  }

  @Test(arguments: TraceRule.allCases)
  func `an empty trace is not judged`(_ rule: TraceRule) {
    #expect(rule.compliance(of: Trace(scenario: "s", variant: "v", cores: [0], length: 0)) == .notJudged)
  }

  /// Each rule has a trace that breaks only this rule.
  @Test(arguments: TraceRule.allCases)
  func `each rule is broken by a trace that violates it`(_ rule: TraceRule) {
    var trace = Trace.sample
    switch rule {
    case .submittedFirst: trace.blocks[0].begin = 600_000
    case .serial:
      trace.blocks[1].lane = 3
      trace.blocks[1].begin = 3_900_000
    case .barrier:
      trace.blocks[3].lane = 2
      trace.blocks[3].begin = 9_000_000
      trace.blocks[3].end = 9_500_000
    case .onePlace:
      trace.lanes[2].runs[1].begin = 2_900_000
      trace.lanes[2].runs[1].core = 2
    case .oneThread: trace.lanes[3].runs[0].begin = 2_900_000
    case .accounts: trace.accounts[0].reported = 5_000_000
    case .closed: trace.lanes[0].waits[0].end = nil
    case .lossless: trace.gaps = [Trace.Gap(.calls, begin: 9_900_000, end: 10_000_000, lost: 3)]
    }
    for other in TraceRule.allCases {
      let compliance = other.compliance(of: trace)
      if other == rule {
        guard case .broken = compliance else {
          Issue.record("\(rule) is \(compliance)")
          continue
        }
      } else if rule != .lossless {
        #expect(compliance == .kept, "\(other)")
      }
    }
  }

  @Test func `the barrier rule also checks blocks that began before the barrier`() {
    var trace = Trace.sample
    trace.blocks[3].lane = 2
    trace.blocks[3].begin = 3_000_000
    trace.blocks[3].end = 3_200_000
    #expect(TraceRule.barrier.compliance(of: trace) != .kept)
  }

  @Test func `the recorded running time may exceed the reported time within a tolerance`() {
    var trace = Trace.sample
    trace.accounts[0].recorded = 2_500_000
    #expect(TraceRule.accounts.compliance(of: trace) == .kept)
    trace.accounts[0].recorded = 2_900_000
    #expect(TraceRule.accounts.compliance(of: trace) != .kept)
  }

  @Test func `only the recorded running time may include time that the hypervisor took`() {
    var trace = Trace.sample
    trace.stolenAtMost = 20_000_000
    trace.accounts[0].recorded = 20_000_000
    #expect(TraceRule.accounts.compliance(of: trace) == .kept)
    trace.accounts[0].recorded = 30_000_000
    #expect(TraceRule.accounts.compliance(of: trace) != .kept)
    trace.accounts[0].reported = 5_000_000
    trace.accounts[0].recorded = 2_000_000
    #expect(TraceRule.accounts.compliance(of: trace) != .kept)
  }

  @Test func `the rule for serial queues allows a block inside another block of the same thread`() {
    var trace = Trace.sample
    trace.blocks[1].begin = 2_000_000
    trace.blocks[1].end = 3_000_000
    #expect(TraceRule.serial.compliance(of: trace) == .kept)
  }
}

import Laboratory
import Platform
import Testing

@testable import Patterns

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A trial lowers the descriptor limit of its whole process, so each of these runs in one of its own.
@Suite struct FileDescriptorSemaphoreTests {
  /// The process inherits whatever the other tests have open just then: the limit leaves room for that.
  static var limit: Int { 48 + 2 * (1000 - DescriptorLimit.free(below: 1000)) }

  static func settings(limit: Int = limit, tasks: Int = 2 * limit, hold: Int = 1_000_000) -> [String: ParameterValue] {
    ["limit": .integer(limit), "tasks": .integer(tasks), "hold": .integer(hold)]
  }

  /// Long enough for the pool to start more tasks than there are descriptors, on any machine.
  static let longHold = 1_000_000_000

  static func verdicts(_ kind: Claim.Kind, _ variant: String, _ observation: Observation) throws -> [Verdict] {
    Array(try ScenarioVerdicts(FileDescriptorSemaphore()).verdicts(kind, variant, observation).values)
  }

  @Test func `the semaphore keeps its promises and the limit is given back`() async {
    await #expect(processExitsWith: .success) {
      let pattern = FileDescriptorSemaphore()
      let before = try DescriptorLimit.current()
      for variant in ["semaphore", "semaphore-at-submit", "queue-pool"] {
        let limit = Self.limit
        let observation = try pattern.run(pattern.trial(variant, Self.settings(limit: limit, tasks: 100)))
        #expect(try Self.verdicts(.guarantee, variant, observation).allSatisfy { $0 == .held }, "\(variant)")
        #expect(observation.total("failed-opens") == 0, "\(variant)")
        #expect((1...limit / 2).contains(try #require(observation.total("peak-open"))), "\(variant)")
        #expect(observation.metrics["wait"]?.summary?.count == (variant == "queue-pool" ? nil : 100), "\(variant)")
        #expect(observation.metrics["elapsed"] != nil)
        #expect(try DescriptorLimit.current() == before)
      }
    }
  }

  @Test func `without the semaphore opens fail`() async {
    await #expect(processExitsWith: .success) {
      let pattern = FileDescriptorSemaphore()
      let observation = try pattern.run(pattern.trial("unlimited", Self.settings(hold: Self.longHold)))
      #expect(try Self.verdicts(.anomaly, "unlimited", observation) == [.witnessed])
    }
  }

  @Test(arguments: ["semaphore", "semaphore-at-submit"])
  func `a semaphore with too many places breaks its promises`(variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let pattern = FileDescriptorSemaphore { $0 * 2 }
      let observation = try pattern.run(pattern.trial(variant, Self.settings(hold: Self.longHold)))
      #expect(try Self.verdicts(.guarantee, variant, observation) == [.violated, .violated])
    }
  }

  @Test func `enough places for the tasks: opens do not fail, and the anomaly is not witnessed`() async {
    await #expect(processExitsWith: .success) {
      let pattern = FileDescriptorSemaphore()
      let observation = try pattern.run(pattern.trial("unlimited", Self.settings(tasks: 4)))
      #expect(try Self.verdicts(.anomaly, "unlimited", observation) == [.notWitnessed])
    }
  }

  @Test func `too few free descriptors: says how many there are and what to set`() async {
    await #expect(processExitsWith: .success) {
      let pattern = FileDescriptorSemaphore()
      while DescriptorLimit.free(below: 48) > 8, dup(0) >= 0 {}
      let failure = #expect(throws: TrialFailure.self) {
        try pattern.run(pattern.trial("semaphore", Self.settings(limit: 48)))
      }
      let text = try #require(failure?.description)
      #expect(text.hasPrefix("24 of 48 descriptors must be free, ") && text.contains("set limit to at least "))
    }
  }

  @Test func `a hard limit that is too low: says what is needed and what there is`() async {
    await #expect(processExitsWith: .success) {
      let pattern = FileDescriptorSemaphore()
      let hard = try DescriptorLimit.current().hard
      guard hard < Int(Int32.max) else { return }  // There is no limit to go beyond.
      let failure = #expect(throws: TrialFailure.self) {
        try pattern.run(pattern.trial("semaphore", Self.settings(limit: hard + 1)))
      }
      #expect(
        failure?.description == "a limit of \(hard + 1) open descriptors is needed, this process may have \(hard)")
    }
  }
}

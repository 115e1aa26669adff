import Dispatch
import Laboratory
import Platform
import Testing

@testable import Patterns

@Suite struct GroupWaitVsNotifyTests {
  /// The main queue of a test process is nobody's promise to serve, so completions get a queue of their own.
  let pattern = GroupWaitVsNotify(completionQueue: DispatchQueue(label: "completions"))

  static let ways = ["wait", "wait-timeout", "notify", "semaphore", "task-group"]
  static let settings: [String: ParameterValue] = ["work": .integer(1000), "repeats": .integer(5)]

  func run(_ way: String, _ settings: [String: ParameterValue]) async throws -> Observation {
    try await onOwnThread { [pattern] in try pattern.run(pattern.trial(way, settings)) }
  }

  /// Measures a method of the test's own.
  func measure(_ way: String, gated: Bool = false, _ method: @escaping @Sendable (Download) -> Void) async throws
    -> Observation
  {
    try await onOwnThread { [pattern] in
      try pattern.measure(pattern.trial(way, Self.settings), gated: gated, method)
    }
  }

  func verdicts(_ variant: String, _ observation: Observation) throws -> [String: Verdict] {
    try ScenarioVerdicts(pattern).verdicts(.guarantee, variant, observation)
  }

  @Test(arguments: ways, ["pool", "thread"])
  func `every way completes once, after every task`(way: String, leaver: String) async throws {
    let settings = Self.settings.merging(["leaver": .text(leaver)]) { $1 }
    let observation = try await run(way, settings)
    #expect(try verdicts(way, observation).values.allSatisfy { $0 == .held })
    for latency in ["held", "call", "notice", "wake", "total"] {
      #expect(observation.metrics[latency]?.summary?.count == 5, "\(latency)")
    }
    #expect(observation.total("timeouts") == (way == "wait-timeout" ? 5 : nil))
  }

  @Test(arguments: ways) func `one task, and more tasks than cores`(way: String) async throws {
    for tasks in [1, 40] {
      let settings = Self.settings.merging(["tasks": .integer(tasks), "repeats": .integer(1)]) { $1 }
      #expect(try await run(way, settings).total("late-tasks") == 0)
    }
  }

  #if os(Linux)
    @Test func `wait parks a pool thread, notify and a task group park none`() async {
      // In a process of its own: other tests have pool threads, too.
      await #expect(processExitsWith: .success) {
        let tests = GroupWaitVsNotifyTests()
        guard ThreadCensus.taken() != nil else { return }
        for (way, parked) in [("notify", 0), ("task-group", 0), ("wait", 1), ("wait-timeout", 1), ("semaphore", 1)] {
          let observation = try await tests.run(way, Self.settings)
          #expect(observation.total("parked") == parked, "\(way)")
        }
      }
    }
  #endif

  // MARK: Methods that break a promise

  @Test func `a completion that does not wait for the tasks is early`() async throws {
    let observation = try await measure("notify", gated: true) { download in
      download.enterMethod()
      let group = DispatchGroup()
      download.start(in: group)
      download.completionQueue.sync { download.complete() }
      download.gate?.open()
      group.wait()
      download.leaveMethod()
    }
    #expect(observation.total("early") == 5)
    #expect(try verdicts("notify", observation)["all.early == 0"] == .violated)
  }

  @Test func `a completion that runs twice is counted`() async throws {
    let observation = try await measure("notify") { download in
      download.enterMethod()
      let group = DispatchGroup()
      download.start(in: group)
      group.notify(queue: download.completionQueue) {
        download.complete()
        download.complete()
      }
      download.leaveMethod()
    }
    #expect(try verdicts("notify", observation)["all.completions-off == 0"] == .violated)
  }

  @Test func `a wait that reports success with tasks unfinished is counted`() async throws {
    let observation = try await measure("wait-timeout", gated: true) { download in
      download.enterMethod()
      let group = DispatchGroup()
      download.start(in: group)
      download.waited(.success)
      group.notify(queue: download.completionQueue) { download.complete() }
      download.leaveMethod()
    }
    #expect(observation.total("unreported") == 5)
    #expect(try verdicts("wait-timeout", observation)["wait-timeout.unreported == 0"] == .violated)
  }

  @Test func `tasks that never finish are counted`() async throws {
    let observation = try await measure("wait-timeout") { download in
      download.enterMethod()
      download.completionQueue.async { download.complete() }
      download.leaveMethod()
    }
    #expect(observation.total("late-tasks") == 15)
    #expect(try verdicts("wait-timeout", observation)["wait-timeout.late-tasks == 0"] == .violated)
  }
}

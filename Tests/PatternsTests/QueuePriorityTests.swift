import CDispatchSupport
import Dispatch
import LabTesting
import Laboratory
import Testing

@testable import Patterns

@Suite(.serialized) struct QueuePriorityTests {
  static let pattern = QueuePriority()
  static let settings: [String: ParameterValue] = ["tasks": .integer(2), "work": .integer(10_000)]

  @Test(arguments: pattern.variants.map(\.name)) func `every class has its latencies`(_ variant: String) async throws {
    let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, Self.settings)
    if case .unavailable(let reason) = attempt.trial.outcome {
      #expect(reason.contains("nice values"))
      return
    }
    #expect(attempt.trial.outcome == .completed)
    let latencies = attempt.trial.observation.metrics.filter { $0.key.hasSuffix("-time") }
    let tells = try Niceness.ofClasses().tells
    #expect(latencies.count == (tells ? variant.hasSuffix("classes") ? 5 : 4 : 3))
    #expect(latencies.values.allSatisfy { $0.summary?.count == 2 })
    #expect(attempt.verdicts.values.allSatisfy { $0 == .held })
  }

  @Test func `classes that are alike are told as that, with their values`() {
    #expect(throws: Never.self) { try Niceness(values: [-2, -2, 0, 2, 10]).require() }
    let alike = Niceness(values: [0, 0, 19, 19, 19])
    #if os(Linux)
      #expect {
        try alike.require()
      } throws: { error in
        "\(error)".contains("19, 19, 19")
      }
    #endif
    #if os(Linux)
      // Without a privilege nothing is below 0.
      let unprivileged = Niceness(values: [0, 0, 0, 2, 10])
      #expect(throws: Never.self) { try unprivileged.require() }
      #expect(!unprivileged.tells && Niceness(values: [-2, -2, 0, 2, 10]).tells)
    #endif
    #expect(Niceness(values: [-2, -2, 0, 2, 10]).between == 1)
  }

  static var reds: [Red] {
    [
      // A getter that heeds no priority.
      Red("global-priorities.queues == 4", "global-priorities", of: pattern, settings) { trial in
        try pattern.begin(trial, pattern.priorityTime, niceness: Niceness(values: [0, 1, 2, 3, 4])) { _ in
          gcdlab_dispatch_get_global_queue(0, 0)
        }
      }
    ]
  }
}

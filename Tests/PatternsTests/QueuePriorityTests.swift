import CDispatchSupport
import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite(.serialized) struct QueuePriorityTests {
  static let pattern = QueuePriority()
  static let settings: [String: ParameterValue] = ["tasks": .integer(2), "work": .integer(10_000)]

  /// The variants that give up a permission permanently.
  static let unprivileged = ["thread-niceness-unprivileged", "thread-niceness-from-background"]

  @Test(arguments: pattern.variants.map(\.name).filter { !unprivileged.contains($0) })
  func `the latencies of every tested QoS class are recorded`(_ variant: String) async throws {
    let hasNoSettings = ["thread-niceness", "overtaking"].contains(variant)
    let settings = hasNoSettings ? [:] : Self.settings
    let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, settings)
    if case .unavailable(let reason) = attempt.trial.outcome {
      try #require(reason.contains("nice values"), "\(reason)")
      try skip(reason)
    }
    #expect(attempt.trial.outcome == .completed)
    let latencies = attempt.trial.observation.metrics.filter { $0.key.hasSuffix("-time") }
    let niceness = try ThreadPriorities.ofClasses()
    let isFive = variant.hasSuffix("classes") && niceness.distinguishes(QueuePriority.QoSClass.userInteractive)
    #expect(latencies.count == (hasNoSettings ? 0 : niceness.distinguishesDefault ? isFive ? 5 : 4 : 3))
    #expect(latencies.values.allSatisfy { $0.summary?.count == 2 })
    #expect(attempt.isNone(otherThan: .held, .witnessed), "\(attempt.verdicts)")
  }

  /// The test process has already used Dispatch. Only in a worker does a background block start all threads.
  @Test func `not all threads without permission to raise their priority have background priority`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(Self.unprivileged[0], of: Self.pattern, files: Catalogue.files)
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        #expect(attempt.trial.outcome == .completed)
        #expect(attempt.total("level-with-background") ?? 7 < 7)
        return
      }
      #expect(reason.contains("the nice value 0") || reason.contains("only on"))
    }
  }

  @Test func `QoS classes with equal nice values are reported with these values`() {
    #expect(throws: Never.self) { try ThreadPriorities(values: [-2, -2, 0, 2, 10]).require() }
    let alike = ThreadPriorities(values: [0, 0, 19, 19, 19])
    #expect {
      try alike.require()
    } throws: { error in
      "\(error)".contains("19, 19, 19")
    }
    // Without a privilege, no nice value is below 0.
    let unprivileged = ThreadPriorities(values: [0, 0, 0, 2, 10])
    #expect(throws: Never.self) { try unprivileged.require() }
    let privileged = ThreadPriorities(values: [-2, -2, 0, 2, 10])
    #expect(!unprivileged.distinguishesDefault && privileged.distinguishesDefault)
    #expect(throws: Never.self) { try privileged.requireAll() }
    #expect(throws: Unavailable.self) { try alike.requireAll() }
    #expect {
      try unprivileged.requireAll()
    } throws: { error in
      "\(error)".contains("0 and 0")
    }
    #expect([-2, -1, 0, 1, 2].map(privileged.isBetween) == [false, true, true, true, false])
    typealias QoSClass = QueuePriority.QoSClass
    #expect(QoSClass.allCases.filter(privileged.distinguishes) == Array(QoSClass.allCases.dropFirst()))
    #expect(QoSClass.allCases.allSatisfy(ThreadPriorities(values: [-4, -2, 0, 2, 10]).distinguishes))
  }

  static var reds: [Red] {
    let told = ThreadPriorities(values: [-2, -2, 0, 2, 10])
    /// Returns the same queue for every priority.
    @Sendable func heedsNone(_ identifier: some Any) -> UnsafeMutableRawPointer? {
      gcdlab_dispatch_get_global_queue(0, 0)
    }
    return [
      Red("global-priorities.queues == 4", "global-priorities", of: pattern, settings) { trial in
        try pattern.beginOnEveryQueue(niceness: told)(trial) { heedsNone($0) }
      },
      // All tasks are on one serial queue, so the last task begins last.
      Red("overtaking.overtaken > 0", "overtaking", of: pattern) { trial in
        let queue = FunctionQueue(label: "own")
        try withExtendedLifetime(queue) {
          try pattern.overtake(patience: .zero, [.high, .standard])(trial) { _ in queue.object }
        }
      },
      Red("thread-niceness.thread-priorities == 4", "thread-niceness", of: pattern) { trial in
        pattern.rank(trial) { heedsNone($0) }
        pattern.compare(trial, told, [DispatchQueue(label: "own")])
      },
      // A background block submits to the queues above default, and the trial's own thread to the default queue.
      Red("thread-niceness-unprivileged.level-with-default == 3", "thread-niceness-unprivileged", of: pattern) {
        trial in
        try pattern.giveUpPrivileges(trial) { queues in
          for queue in queues[3...] { queue.look() }
          DispatchQueue.global(qos: .background).async {
            for queue in queues[..<3] { queue.look() }
          }
        }
      },
      // The trial's own thread submits to the queues.
      Red(
        "thread-niceness-from-background.level-with-background == 7", "thread-niceness-from-background", of: pattern
      ) { trial in
        try pattern.giveUpPrivileges(trial) { queues in
          for queue in queues { queue.look() }
        }
      },
      // The queues have another QoS class.
      Red("thread-niceness.unspecified-between == 4", "thread-niceness", of: pattern) { trial in
        pattern.rank(trial) { gcdlab_dispatch_get_global_queue($0.identifier, 0) }
        pattern.compare(trial, told, (1...4).map { _ in DispatchQueue(label: "own", qos: .background) })
      },
    ]
  }
}

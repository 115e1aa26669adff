import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A test process does not serve the main queue, so another queue replaces it. Workers test which thread executes the
/// blocks, and the behaviour if no thread serves the queue (`PromiseTests`).
@Suite struct MainQueueTests {
  static var pattern: MainQueue {
    var pattern = MainQueue()
    pattern.mainQueue = DispatchQueue(label: "main")
    return pattern
  }
  static let ordered = ["dispatch-main", "main-loop"]
  static let hopping = ["async-hop", "nested-hop", "sync-hop", "continuation"]
  static let working = ["busy-main", "apply-on-main", "moved-off-main"]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue]) async throws -> Attempt {
    try await Attempt(variant, of: pattern, files: Catalogue.files, settings)
  }

  @Test(arguments: ordered) func `blocks run one at a time and in order`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant, ["blocks": .integer(50)])
    #expect(attempt.total("overlaps") == 0 && attempt.total("inversions") == 0 && attempt.total("out-of-turn") == 0)
    // The queue is not the main queue.
    #expect(attempt.total("off-main") == 200)
  }

  @Test(arguments: hopping) func `every hop reaches the main queue and returns`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant, ["hops": .integer(7)])
    #expect(attempt.trial.outcome == .completed)
    for metric in ["to-main", "back"] {
      #expect(attempt.trial.observation.samples(metric)?.summary?.count == 7)
    }
  }

  @Test(arguments: working) func `only work on the main queue delays an event`(_ variant: String)
    async throws
  {
    let attempt = try await Self.attempt(variant, ["events": .integer(3), "work": .integer(10_000)])
    #expect(attempt.total("delayed") == (variant == "moved-off-main" ? 0 : 3))
    #expect(attempt.trial.observation.samples("lateness")?.summary?.count == 3)
  }

  @Test func `each variant declares what serves the main queue`() {
    let variants = Self.pattern.variants
    #expect(variants.filter { $0.mainQueue == .body }.map(\.name) == Self.ordered + ["main-thread-ends"])
    #expect(variants.filter { $0.mainQueue == .nobody }.map(\.name) == ["not-drained", "sync-not-drained"])
  }

  // MARK: Broken bodies

  /// Executes blocks on a concurrent queue. The second block is submitted while the first block waits for it, and the
  /// blocks end in a different order.
  @Sendable private static func concurrently(_ trial: Trial) throws {
    var pattern = MainQueue()
    pattern.mainQueue = DispatchQueue(label: "main", attributes: .concurrent)
    let queue = pattern.mainQueue
    try pattern.send(trial, patience: .seconds(20)) { block in queue.async(group: block.all) { block.run() } }
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      let variant = String(check.prefix { $0 != "." })
      let settings: [String: ParameterValue] =
        ordered.contains(variant)
        ? ["blocks": .integer(20)]
        : variant.hasSuffix("drained")
          ? [:] : working.contains(variant) ? ["events": .integer(1)] : ["hops": .integer(2)]
      return Red(check, variant, of: pattern, settings, body)
    }
    /// Executes the work on a global queue, and submits the event to a queue other than the main queue.
    @Sendable func elsewhere(_ trial: Trial) throws {
      let queue = DispatchQueue(label: "elsewhere")
      try pattern.doWork(observedFor: .seconds(20))(trial) { work in
        DispatchQueue.global().async {
          work.submitEvent(to: queue)
          work.recordEnd()
          work.showResult()
        }
      }
    }
    return ordered.flatMap { variant in
      ["overlaps", "inversions", "out-of-turn"].map { red("\(variant).\($0) == 0", concurrently) }
    } + [
      // The blocks are never submitted, so they do not run.
      red("dispatch-main.off-main > 0") { trial in try pattern.send(trial) { _ in } },
      red("main-loop.off-main == 0") { trial in
        try pattern.send(trial) { block in pattern.mainQueue.async(group: block.all) { block.run() } }
      },
      red("sync-hop.off-main == 0") { trial in
        try pattern.hop(trial) { hop in
          hop.noteDeparture()
          DispatchQueue.global().sync { hop.noteArrival() }
          hop.noteReturn()
        }
      },
      red("main-actor.off-main == 0") { trial in
        try pattern.hopAsTask(trial) { hop in
          hop.noteDeparture()
          await Task.detached { hop.noteArrival() }.value
          hop.noteReturn()
        }
      },
      red("busy-main.delayed > 0", elsewhere),
      red("apply-on-main.delayed > 0", elsewhere),
      red("moved-off-main.delayed == 0") { trial in
        try pattern.doWork(observedFor: .milliseconds(1))(trial) { work in
          pattern.mainQueue.async {
            work.submitEvent(to: pattern.mainQueue)
            work.recordEnd()
            work.showResult()
          }
        }
      },
      // The main queue waits for the work on the global queue. The result still follows the event on the main queue.
      red("moved-off-main.delayed == 0") { trial in
        try pattern.doWork(observedFor: .milliseconds(1))(trial) { work in
          let hasEnded = DispatchSemaphore(value: 0)
          pattern.mainQueue.async { hasEnded.wait() }
          DispatchQueue.global().async {
            work.submitEvent(to: pattern.mainQueue)
            work.recordEnd()
            hasEnded.signal()
            pattern.mainQueue.async { work.showResult() }
          }
        }
      },
      red("not-drained.never-ran > 0") { trial in
        try pattern.awaitBlockOrStandstill(trial) { block in pattern.mainQueue.async { block.noteBegin() } }
      },
      // The block is never submitted.
      red("main-thread-ends.never-ran == 0") { trial in try pattern.awaitBlockOrStandstill(trial) { _ in } },
      red("sync-not-drained.hung == 1") { _ in pattern.mainQueue.sync {} },
    ]
  }
}

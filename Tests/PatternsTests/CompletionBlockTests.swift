import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

@Suite struct CompletionBlockTests {
  static let pattern = CompletionBlock()
  static let named = ["completion-queue", "caller-drops-queue", "caller-drops-queue-c"]

  @Test(arguments: pattern.variants.map(\.name), [1, 1000])
  func `every variant keeps its promises`(_ variant: String, _ numbers: Int) async throws {
    let attempt = try await Attempt(
      variant, of: Self.pattern, files: Catalogue.files, ["numbers": .integer(numbers), "calls": .integer(5)])
    #expect(attempt.brokenPromises == [])
    #expect(attempt.total("not-once") == 0)
    #expect(attempt.trial.observation.samples("round-trip")?.summary?.count == 5)
  }

  @Test func `a completion block that runs again after its caller has continued is counted`() async throws {
    let attempt = try await Attempt(
      "completion-queue", of: Self.pattern, files: Catalogue.files, ["calls": .integer(5)], body: Self.twiceLater)
    #expect(attempt.total("not-once") == 5)
    #expect(attempt.total("wrong-result") == 0 && attempt.total("wrong-queue") == 0)
  }

  @Test func `the warm-up counts in no metric`() async throws {
    let attempt = try await Attempt(
      "sync-return", of: Self.pattern, files: Catalogue.files, ["calls": .integer(5)],
      body: { trial in
        let isWarmUp = Atomic(true)
        try Self.pattern.measure(namesQueue: false)(trial) { call in
          if !isWarmUp.exchange(false, ordering: .relaxed) { call.noteResult(call.average()) }
        }
      })
    #expect(attempt.total("not-once") == 0)
  }

  // MARK: Broken bodies

  /// Calls the completion block a second time, 20 milliseconds after the first time.
  @Sendable private static func twiceLater(_ trial: Trial) throws {
    try pattern.measure(namesQueue: true)(trial) { call in
      let queue = call.makeQueue()
      queue.async { call.noteResult(call.average()) }
      queue.asyncAfter(deadline: .now() + .milliseconds(20)) { call.noteResult(call.average()) }
      call.awaitResult()
    }
  }

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern, ["calls": .integer(2)], body)
    }
    /// Averages one number too many.
    @Sendable func wrong(_ trial: Trial) throws {
      try pattern.measure(namesQueue: named.contains(trial.variant))(trial) { call in
        call.makeQueue().sync { call.noteResult(call.average() + 1) }
      }
    }
    /// Calls the completion block twice.
    @Sendable func twice(_ trial: Trial) throws {
      try pattern.measure(namesQueue: true)(trial) { call in
        let queue = call.makeQueue()
        for _ in 0..<2 { queue.sync { call.noteResult(call.average()) } }
      }
    }
    /// Calls the completion block on a global queue.
    @Sendable func elsewhere(_ trial: Trial) throws {
      try pattern.measure(namesQueue: true)(trial) { call in
        DispatchQueue.global().async { call.noteResult(call.average()) }
        call.awaitResult()
      }
    }
    return named.flatMap { variant in
      [
        red("\(variant).wrong-result == 0", wrong), red("\(variant).not-once == 0", twice),
        red("\(variant).not-once == 0", twiceLater), red("\(variant).wrong-queue == 0", elsewhere),
      ]
    } + [red("sync-return.wrong-result == 0", wrong), red("async-await.wrong-result == 0", wrong)]
  }
}

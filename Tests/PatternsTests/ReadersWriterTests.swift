import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct ReadersWriterTests {
  static let settings: [String: ParameterValue] = [
    "operations": .integer(100), "work": .integer(1000), "hold": .integer(1_000_000), "held-writes": .integer(2),
    "reads": .integer(90),
  ]
  static let guards = ["barrier", "serial", "pthread-rwlock", "mutex", "actor"]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(
      variant, of: ReadersWriter(), files: Catalogue.files, Self.settings.merging(settings) { $1 })
  }

  @Test(arguments: guards, [1, 50, 99])
  func `a guard prevents torn reads of a pair`(_ variant: String, _ reads: Int) async throws {
    let attempt = try await Self.attempt(variant, ["reads": .integer(reads), "threads": .integer(3)])
    #expect(attempt.trial.outcome == .completed)
    #expect(try attempt.verdict("\(variant).torn-reads == 0") == .held)
    let (reads, writes) = (
      attempt.trial.observation.samples("read-latency")?.summary,
      attempt.trial.observation.samples("write-latency")?.summary
    )
    #expect((reads?.count ?? 0) + (writes?.count ?? 0) == 300)
    #expect((writes?.count ?? 0) >= 3 && (reads?.count ?? 0) >= 3)
  }

  @Test(arguments: [2, 5])
  func `each write that is held halfway causes a torn read without a guard`(_ actors: Int) async throws {
    let attempt = try await Self.attempt("unprotected", ["threads": .integer(actors)])
    #expect(try attempt.verdict("unprotected.torn-reads > 0") == .witnessed)
    #expect((attempt.total("torn-reads") ?? 0) >= 2)
  }

  @Test func `two operations of a thread are one read and one write`() async throws {
    let attempt = try await Self.attempt("mutex", ["operations": .integer(2), "reads": .integer(99)])
    #expect(attempt.trial.observation.samples("read-latency")?.summary?.count == 2)
    #expect(attempt.trial.observation.samples("write-latency")?.summary?.count == 2)
  }

  // MARK: Broken bodies

  /// Locks only the writers, so that readers are not excluded.
  private static func guardsWritersOnly(_ trial: Trial) throws {
    let lock = Lock()
    try ReadersWriter().measure(trial) { pair in
      pair.read()
    } write: { pair in
      lock.mutex.withLock { _ in pair.write() }
    }
  }

  static var reds: [Red] {
    let pattern = ReadersWriter()
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      // The hold is long, so that the result does not depend on the load of the machine.
      Red(check, variant, of: pattern, Self.settings.merging(["hold": .integer(1_000_000_000)]) { $1 }, body)
    }
    return ["serial", "pthread-rwlock", "mutex"].map { variant in
      red("\(variant).torn-reads == 0", variant, guardsWritersOnly)
    } + [
      // A barrier on a global queue excludes no other block.
      red("barrier.torn-reads == 0", "barrier") { trial in
        try pattern.measure(trial) { pair in
          DispatchQueue.global().sync { pair.read() }
        } write: { pair in
          DispatchQueue.global().sync(flags: .barrier) { pair.write() }
        }
      },
      red("actor.torn-reads == 0", "actor") { trial in
        actor Writer {
          func write(_ pair: Pair) { pair.write() }
        }
        let owner = Writer()
        try pattern.measureTasks(trial) { pair in
          pair.read()
        } write: { pair in
          await owner.write(pair)
        }
      },
      red("unprotected.torn-reads > 0", "unprotected") { trial in
        let lock = Lock()
        try pattern.measure(trial, holdingUpTo: .milliseconds(10)) { pair in
          lock.mutex.withLock { _ in pair.read() }
        } write: { pair in
          lock.mutex.withLock { _ in pair.write() }
        }
      },
    ]
  }
}

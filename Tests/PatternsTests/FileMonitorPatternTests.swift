import Laboratory
import Platform
import Testing

@testable import Patterns

/// Serialised: a trial's scratch directory is named by its process.
@Suite(.serialized) struct FileMonitorPatternTests {
  private let pattern = FileMonitorPattern()

  private func trial(_ variant: String, deadline: Int = 60_000_000_000) -> Trial {
    pattern.trial(
      variant,
      [
        "changes": .integer(2), "burst": .integer(20), "poll-interval": .integer(500_000),
        "deadline": .integer(deadline),
      ])
  }

  private func verdicts(_ kind: Claim.Kind, _ observation: Observation) throws -> [Verdict] {
    let verdicts = try ScenarioVerdicts(pattern).verdicts(kind, "source", observation)
    return verdicts.sorted { $0.key < $1.key }.map(\.value)
  }

  @Test func `the source reports every kind and goes on behind a rename`() async throws {
    let trial = trial("source")
    let observation = try await onOwnThread { [pattern] in try pattern.run(trial) }
    #expect(try verdicts(.guarantee, observation) == [.held, .held, .held])
    #expect(try verdicts(.anomaly, observation) == [.witnessed])
    #expect(observation.samples("latency")?.summary?.count == 2 * FileChange.allCases.count)
    #expect(Set(observation.metrics.keys) == Set(pattern.metrics.map(\.name)))
  }

  /// A real monitor that keeps some changes to itself.
  private final class Deaf: FileMonitoring {
    private let monitor: FileMonitor

    convenience init(path: String, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError) {
      try self.init(path, to: { _ in false }, handler)
    }

    init(
      _ path: String, to hides: @escaping @Sendable (FileChange) -> Bool,
      _ handler: @escaping @Sendable (FileChange, UInt64) -> Void
    ) throws(SystemError) {
      monitor = try FileMonitor(path: path) { change, time in
        if !hides(change) { handler(change, time) }
      }
    }

    func cancel() { monitor.cancel() }
  }

  @Test(arguments: FileChange.allCases)
  func `a monitor deaf to a kind is caught`(_ kind: FileChange) async throws {
    let trial = trial("source", deadline: 2_000_000)
    let observation = try await onOwnThread { [pattern] in
      try pattern.measure(trial) { path, handler in try Deaf(path, to: { $0 == kind }, handler) }
    }
    #expect((observation.samples("kinds")?.summary?.total ?? 6) < 6)
    #expect((observation.samples("missed")?.summary?.total ?? 0) > 0)
    #expect(try verdicts(.guarantee, observation).contains(.violated))
  }

  @Test func `a monitor that ends with a rename is caught`() async throws {
    let trial = trial("source", deadline: 2_000_000)
    let observation = try await onOwnThread { [pattern] in
      try pattern.measure(trial) { path, handler in
        // Deaf to everything behind its first rename, as one that watches a name would be.
        let gone = RenameLatch()
        return try Deaf(path, to: { gone.isClosed(after: $0) }, handler)
      }
    }
    #expect((observation.samples("lost-after-rename")?.summary?.total ?? 0) > 0)
    #expect(try verdicts(.guarantee, observation).allSatisfy { $0 == .violated })
  }

  @Test func `events that all arrive show no coalescing`() throws {
    var observation = Observation()
    observation.record("coalesced", 0)
    #expect(try verdicts(.anomaly, observation) == [.notWitnessed])
    observation.record("coalesced", 3)
    #expect(try verdicts(.anomaly, observation) == [.witnessed])
  }

  @Test func `nothing is left behind`() async throws {
    let trial = trial("source")
    _ = try await onOwnThread { [pattern] in try pattern.run(trial) }
    let again = try ScratchDirectory()  // Would fail if the last one were still there.
    again.remove()
  }
}

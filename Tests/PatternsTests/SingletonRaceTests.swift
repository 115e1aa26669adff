import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

@Suite struct SingletonRaceTests {
  static let settings: [String: ParameterValue] = [
    "race-time": .integer(1_000_000), "slots": .integer(64), "pause": .integer(1_000_000), "paused-races": .integer(2),
    "batch": .integer(10),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(
      variant, of: SingletonRace(), files: Catalogue.files, Self.settings.merging(settings) { _, new in new })
  }

  @Test(arguments: ["dispatch-once", "serial-queue", "serial-queue-c", "barrier", "mutex", "double-checked"])
  func `every race with a guard creates one instance, which every caller receives`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant, ["threads": .integer(3)])
    #expect(attempt.trial.outcome == .completed)
    #expect(try attempt.verdict("\(variant).broken-races == 0") == .held)
    let instances = attempt.trial.observation.samples("instances")?.summary
    #expect(instances?.min == 1 && instances?.max == 1)
    #expect(attempt.total("duplicates") == 0 && attempt.total("mismatches") == 0)
    #expect((attempt.total("races") ?? 0) >= 2 + 64)
  }

  /// Swift's pool has as many threads as there are cores, and the race requires two.
  @Test(.enabled(if: Host.cores >= 2, "there is only one core")) func `an actor creates one instance in every race`()
    async throws
  {
    let attempt = try await Self.attempt("actor", ["threads": .integer(3)])
    #expect(try attempt.verdict("actor.broken-races == 0") == .held)
    #expect((attempt.total("races") ?? 0) >= 2 + 64)
  }

  @Test func `a static let is initialized once in each process`() async {
    await #expect(processExitsWith: .success) {
      let first = try await Self.attempt("static-let")
      #expect(try first.verdict("static-let.broken-races == 0") == .held)
      #expect(first.total("races") == 1)
      // The instance exists already. The test must detect a race that creates no instance.
      let second = try await Self.attempt("static-let")
      #expect(try second.verdict("static-let.broken-races == 0") == .violated)
    }
  }

  @Test(.enabled(if: Host.cores >= 2, "there is only one core"))
  func `a race without a guard creates several instances by chance`()
    async throws
  {
    let attempt = try await Self.attempt("check-then-act", ["patience": .integer(60_000_000_000)])
    #expect(try attempt.verdict("check-then-act.duplicates > 0") == .witnessed)
    #expect((attempt.total("broken-races") ?? 0) > 0)
  }

  @Test(arguments: [2, 5])
  func `a pause between check and creation causes one instance for every caller`(_ actors: Int) async throws {
    let attempt = try await Self.attempt("check-then-act-paused", ["threads": .integer(actors)])
    #expect(try attempt.verdict("check-then-act-paused.duplicates > 0") == .witnessed)
    #expect(attempt.total("paused-duplicate-share") == 100 && attempt.total("broken-races") == 2)
    #expect(attempt.total("duplicates") == 2 * (actors - 1))
  }

  @Test(arguments: [2, 5])
  func `a pause before the setup lets all other callers use a half-built instance`(_ actors: Int) async throws {
    let attempt = try await Self.attempt("half-built", ["threads": .integer(actors)])
    #expect(try attempt.verdict("half-built.half-built-uses > 0") == .witnessed)
    #expect(attempt.total("half-built-uses") == 2 * (actors - 1))
    // Each race created only one instance.
    #expect(attempt.total("broken-races") == 0)
  }

  @Test func `only the unguarded race without a pause and the actor require two cores`() throws {
    let description = try PatternDescription(SingletonRace())
    let machine = Machine.test
    let one = Machine(
      os: machine.os, kernel: machine.kernel, cpu: machine.cpu, cores: 1, memory: machine.memory, swift: machine.swift,
      optimised: true, descriptorLimit: 1024, threadLimit: nil, clockRead: 20, floor: 45, work: machine.work)
    let unable = description.variants.filter { description.implementation.obstacle(to: $0, on: one) != nil }.map(\.name)
    #expect(unable == ["check-then-act", "actor"])
    #expect(description.variants.allSatisfy { description.implementation.obstacle(to: $0, on: machine) == nil })
  }

  // MARK: Broken bodies

  /// Creates the instance without a guard.
  private static func unguarded(_ row: Row) {
    row.each { shared in
      if shared.manager == nil { shared.manager = shared.create() }
      return shared.manager
    }
  }

  /// Guards the creation, but returns the value that was read before the creation, so the creating caller returns no
  /// instance.
  private static func guardedTooLate(_ row: Row, _ lock: Lock) {
    row.each { shared in
      let found = shared.manager
      lock.mutex.withLock { _ in if shared.manager == nil { shared.manager = shared.create() } }
      return found
    }
  }

  /// Creates no instance, since the predicate states that one has been created.
  private static func neverCreated(_ row: Row) {
    row.each { shared in
      shared.predicate.pointee = ~0
      dispatchOnce(shared.predicate, shared) { context in
        guard let shared = context?.load(as: SharedManager.self) else { return }
        shared.manager = shared.create()
      }
      return shared.manager
    }
  }

  /// An actor that suspends between check and creation, where other calls can run.
  private actor Reentrant {
    func manager(_ shared: SharedManager) async -> PhotoManager? {
      if shared.manager == nil {
        await shared.pause()
        shared.manager = shared.create()
      }
      return shared.manager
    }
  }

  static var reds: [Red] {
    let pattern = SingletonRace()
    func red(
      _ check: String, _ variant: String, _ settings: [String: ParameterValue] = [:],
      _ body: @escaping @Sendable (Trial) throws -> Void
    ) -> Red {
      Red(check, variant, of: pattern, Self.settings.merging(settings) { _, new in new }, body)
    }
    // The pause ends as soon as the other callers continue. This limit is long, so that the pause does not end earlier
    // on a busy machine.
    let long: [String: ParameterValue] = ["pause": .integer(10_000_000_000)]
    let guards = ["dispatch-once", "serial-queue", "serial-queue-c", "barrier", "mutex", "double-checked"]
    return guards.flatMap { name in
      [
        red("\(name).broken-races == 0", name, long) { trial in try pattern.raceGuarded(trial, unguarded) },
        red("\(name).broken-races == 0", name) { trial in try pattern.raceGuarded(trial, neverCreated) },
        red("\(name).broken-races == 0", name) { trial in
          let lock = Lock()
          try pattern.raceGuarded(trial) { guardedTooLate($0, lock) }
        },
      ]
    } + [
      // The instance is a computed property instead of a static let.
      red("static-let.broken-races == 0", "static-let", long) { trial in
        enum Library {
          static var shared: PhotoManager? { SharedManager.asked?.create() }
        }
        try pattern.raceOnce(trial) { row in row.each { _ in Library.shared } }
      },
      red("actor.broken-races == 0", "actor", long) { trial in
        let library = Reentrant()
        try waitFor {
          try await pattern.raceGuarded(trial) { row in
            await row.each { shared in await library.manager(shared) }
          }
        }
      },
      red("check-then-act.duplicates > 0", "check-then-act", ["patience": .integer(0)]) { trial in
        let lock = Lock()
        // No thread counts as starved, so that the trial does not depend on the load of the machine.
        try pattern.raceUnguarded(trial, starved: 0) { row in
          row.each { shared in
            lock.mutex.withLock { _ in
              if shared.manager == nil { shared.manager = shared.create() }
              return shared.manager
            }
          }
        }
      },
      red("check-then-act-paused.duplicates > 0", "check-then-act-paused") { trial in
        let lock = Lock()
        try pattern.racePaused(before: .creation, atMost: .milliseconds(1))(trial) { row in
          row.each { shared in
            lock.mutex.withLock { _ in
              if shared.manager == nil {
                shared.pause()
                shared.manager = shared.create()
              }
              return shared.manager
            }
          }
        }
      },
      // Only a complete instance is published.
      red("half-built.half-built-uses > 0", "half-built") { trial in
        try pattern.racePaused(before: .setUp, atMost: .milliseconds(1))(trial) { row in
          row.each { shared in
            if shared.manager == nil {
              let manager = shared.create()
              shared.pause()
              manager.makePhotosArray()
              shared.manager = manager
            }
            return shared.manager
          }
        }
      },
    ]
  }
}

import Dispatch
import LabTesting
import Laboratory
import Platform
import Testing

@testable import Patterns

/// Whether all threads of a process sleep is asked, so each of these runs in one of its own.
@Suite struct QueuePoolPatternTests {
  private static let twenty: [String: ParameterValue] = ["tasks": .integer(20)]

  @Test(arguments: ["pool", "pool-of-class", "pool-targeting-global"])
  func `a pool keeps its promises`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      // The sets of the classes are made for the machine.
      let attempt = try await Attempt(
        variant, of: QueuePoolPattern(), files: Catalogue.files, Self.twenty, cores: Host.cores)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("off-size") == 0 && (attempt.total("uneven") ?? 2) <= 1)
      #expect(variant == "pool-of-class" || attempt.total("threads") == min(20, Host.cores, 32))
    }
  }

  @Test func `private queues have a thread each`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("private-queues", of: QueuePoolPattern(), files: Catalogue.files, Self.twenty)
      #expect(attempt.total("threads") == 20 && attempt.total("at-once") == 20)
    }
  }

  @Test(arguments: ["private-targeting-global", "private-concurrent", "global-concurrent", "task-group"])
  func `every task runs to its end`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueuePoolPattern(), files: Catalogue.files, Self.twenty)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.trial.observation.samples("wait")?.summary?.count == 20)
    }
  }

  @Test func `as many queues as cores, 1 to 32`() {
    #expect([-1, 0, 1, 2, 32, 33, 500].map(DispatchQueuePool.size(cores:)) == [1, 1, 1, 2, 32, 32, 32])
    #expect(DispatchQueuePool(name: "pool", queueCount: -1, .ofClass(.default)) == nil)
  }

  @Test func `too few threads: says so`() async throws {
    var pattern = QueuePoolPattern()
    pattern.looks.requireRoom = { _ in throw SystemError(11, "start a thread") }
    let attempt = try await Attempt("global-concurrent", of: pattern, files: Catalogue.files, Self.twenty)
    #expect(
      attempt.trial.outcome
        == .unavailable(reason: "20 threads and some more are needed: \(SystemError(11, "start a thread"))"))
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = QueuePoolPattern()
    // Longer than a thread has a core at a time, so that tasks overlap on few cores, too.
    let settings: [String: ParameterValue] = ["tasks": .integer(100), "work": .integer(5_000_000)]
    /// A pool of `count` queues that hands out the `next` of them, shared by who asks for a set if it is `shared`.
    func red(
      _ check: String, _ variant: String, queues count: Int = 2,
      next: (@Sendable (Int) -> Int)? = nil, settings: [String: ParameterValue] = twenty
    ) -> Red {
      Red(check, variant, of: pattern, settings) { trial in
        let queues = (0..<count).map { DispatchQueue(label: "queue.\($0)") }
        let turns = RoundRobin(count: count)
        let queue: @Sendable () -> DispatchQueue? = {
          let turn = turns.next()
          return queues[next?(turn) ?? turn]
        }
        // A set for each who asks, of any size.
        let make: @Sendable (Int) -> DispatchQueuePool? = { _ in
          DispatchQueuePool(name: "any", queueCount: 3, .ofClass(.default))
        }
        if variant == "pool-of-class" { try pattern.raceForSets(trial) { _ in make(3) } }
        try pattern.look(trial) { tasks, all in
          for task in tasks { queue()?.async(group: all) { task.run() } }
        }
        try pattern.race(trial, for: queue)
        if variant == "pool" { pattern.judge(trial, make) }
      }
    }
    let many = 40
    return [
      red("pool.off-size == 0", "pool", queues: 3),
      red("pool-of-class.off-size == 0", "pool-of-class", queues: 3),
      red("pool-of-class.sets == 1", "pool-of-class"),
      red("pool.uneven <= 1", "pool", queues: 4) { $0 / 3 },
      red("pool-of-class.uneven <= 1", "pool-of-class", queues: 4) { $0 / 3 },
      red("pool-targeting-global.uneven <= 1", "pool-targeting-global", queues: 4) { $0 / 3 },
      red("pool.misjudged == 0", "pool"),
      red("pool.at-once <= cores", "pool", queues: many, settings: settings),
      red("pool.in-progress <= cores", "pool", queues: many, settings: settings),
      red("pool-targeting-global.at-once <= cores", "pool-targeting-global", queues: many, settings: settings),
      red("pool-of-class.at-once <= 5 * cores", "pool-of-class", queues: many, settings: settings),
    ]
  }
}

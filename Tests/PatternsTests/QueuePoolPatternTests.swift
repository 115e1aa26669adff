import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct QueuePoolPatternTests {
  private static let twenty: [String: ParameterValue] = ["tasks": .integer(20)]

  @Test(arguments: ["pool", "pool-per-class", "pool-targeting-global"])
  func `a pool keeps its promises`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: QueuePoolPattern(), files: Catalogue.files, Self.twenty, cores: Host.cores)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.areAll(.held), "\(attempt.verdicts)")
      #expect(attempt.total("size-error") == 0 && (attempt.total("imbalance") ?? 2) <= 1)
      #expect(variant == "pool-per-class" || attempt.total("threads") == min(20, Host.cores, 32))
    }
  }

  @Test func `a queue of the older pool targets the global queue of its priority`() async {
    await #expect(processExitsWith: .success) {
      let attempt = try await Attempt("on-target", of: QueuePoolPattern(), files: Catalogue.files)
      #expect(attempt.total("off-target") == 0)
    }
  }

  @Test func `each private queue has its own thread`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("private-queues", of: QueuePoolPattern(), files: Catalogue.files, Self.twenty)
      #expect(attempt.total("threads") == 20 && attempt.total("blocked-tasks") == 20)
    }
  }

  @Test(arguments: ["private-targeting-global", "private-concurrent", "global-concurrent", "task-group"])
  func `every task runs to completion`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: QueuePoolPattern(), files: Catalogue.files, Self.twenty)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.trial.observation.samples("start-latency")?.summary?.count == 20)
    }
  }

  @Test func `the document's pool has 1 to 32 queues, and its counter wraps around`() {
    #expect([-1, 0, 1, 2, 32, 33, 500].map(DispatchQueuePool.queueCount) == [1, 1, 1, 2, 32, 32, 32])
    func pool(_ count: Int, _ counter: UInt32 = 0) -> DispatchQueuePool? {
      var made = 0
      return DispatchQueuePool(queueCount: count, counter: counter) {
        made += 1
        return DispatchQueue(label: "\(made - 1)")
      }
    }
    #expect(pool(-1) == nil && pool(0) == nil && pool(33) == nil)
    // OSAtomicIncrement32 returns the new value of the counter.
    #expect((0..<4).map { _ in pool(1)?.queue.label } == ["0", "0", "0", "0"])
    let three = pool(3)
    #expect((0..<4).map { _ in three?.queue.label } == ["1", "2", "0", "1"])
    // 4,294,967,295 and 0 are congruent modulo 3, not modulo 4.
    let (odd, even) = (pool(3, .max - 2), pool(4, .max - 2))
    #expect((0..<4).map { _ in odd?.queue.label } == ["2", "0", "0", "1"])
    #expect((0..<4).map { _ in even?.queue.label } == ["2", "3", "0", "1"])
  }

  @Test func `a trial with too few threads is unavailable`() async throws {
    var pattern = QueuePoolPattern()
    pattern.census.capacity = ThreadCapacity { _ in throw SystemError(EAGAIN, "start a thread") }
    let attempt = try await Attempt("global-concurrent", of: pattern, files: Catalogue.files, Self.twenty)
    #expect(
      attempt.trial.outcome
        == .unavailable(reason: "20 threads and some more are needed: \(SystemError(EAGAIN, "start a thread"))"))
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = QueuePoolPattern()
    // The work is longer than a thread's time slice, so that tasks overlap even on few cores.
    let settings: [String: ParameterValue] = ["tasks": .integer(100), "work": .integer(5_000_000)]
    /// Returns a broken body with a pool of `count` queues. `next` returns the index of the queue for a turn; if `next`
    /// is nil, the index is the turn itself.
    ///
    /// - Parameter isBypassed: whether each task has a queue of its own instead.
    func red(
      _ check: String, _ variant: String, queues count: Int = 2, isBypassed: Bool = false,
      next: (@Sendable (Int) -> Int)? = nil, settings: [String: ParameterValue] = twenty
    ) -> Red {
      Red(check, variant, of: pattern, settings) { trial in
        let queues = (0..<count).map { DispatchQueue(label: "queue.\($0)") }
        let turns = RoundRobin(count: count)
        let queue: @Sendable () -> DispatchQueue? = {
          let turn = turns.next()
          return queues[next?(turn) ?? turn]
        }
        // Each caller creates a pool of its own, with three queues instead of the requested number.
        let make: @Sendable () -> DispatchQueuePool? = {
          DispatchQueuePool(queueCount: 3) { DispatchQueue(label: "any") }
        }
        if variant == "pool-per-class" { try pattern.raceForSets(trial, classes: 2) { { _ in make() } } }
        try pattern.look()(trial) { tasks, all in
          for task in tasks {
            let taken = isBypassed ? DispatchQueue(label: "own") : queue()
            taken?.async(group: all) { task.run() }
          }
        }
        let off = try pattern.race(trial, for: queue)
        if variant == "pool" {
          pattern.judge(trial, off: off, { $0 }) { _, _ in make() }
        } else {
          trial.record(pattern.sizeError, off)
        }
      }
    }
    let many = 40
    return [
      red("pool.size-error == 0", "pool", queues: 3),
      red("pool-per-class.size-error == 0", "pool-per-class", queues: 3),
      red("pool-targeting-global.size-error == 0", "pool-targeting-global", queues: 3),
      red("pool-per-class.sets == 1", "pool-per-class"),
      red("pool.imbalance <= 1", "pool", queues: 4) { $0 / 3 },
      red("pool-per-class.imbalance <= 1", "pool-per-class", queues: 4) { $0 / 3 },
      red("pool-targeting-global.imbalance <= 1", "pool-targeting-global", queues: 4) { $0 / 3 },
      red("pool.wrong-size-checks == 0", "pool"),
      red("pool.round-robin-sizes == 6", "pool"),
      // The target of the queue is not the global queue of its QoS class, but the overcommit queue of this class.
      Red("assert-not-on-target.trapped == 1", "assert-not-on-target", of: pattern) { trial in
        trial.hazard()
        DispatchQueue(label: "newer", qos: .utility).sync {
          dispatchPrecondition(condition: .notOnQueue(.global(qos: .utility)))
        }
      },
      // The queues have the default target.
      Red("on-target.off-target == 0", "on-target", of: pattern) { trial in
        try pattern.seekTargets(trial) { _ in FunctionQueue(label: "own") }
      },
      red("pool.blocked-tasks <= pool.queues", "pool", isBypassed: true, settings: settings),
      red("pool.in-progress <= cores", "pool", queues: many, settings: settings),
      red(
        "pool-targeting-global.blocked-tasks <= pool-targeting-global.queues", "pool-targeting-global",
        isBypassed: true, settings: settings),
      red("pool-per-class.blocked-tasks <= 5 * cores", "pool-per-class", queues: many, settings: settings),
    ]
  }
}

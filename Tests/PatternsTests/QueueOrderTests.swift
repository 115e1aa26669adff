import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct QueueOrderTests {
  static let pattern = QueueOrder()
  static let logged = [
    "serial", "serial-targeting-concurrent", "concurrent-targeting-serial", "concurrent", "global",
  ]
  static let listed = [
    "async-then-sync", "async-then-sync-targeting", "async-then-sync-concurrent", "async-then-barrier-sync",
  ]
  static let queued = ["serial-sync", "pthread-mutex", "mutex"]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(variant, of: pattern, files: Catalogue.files, settings)
  }

  @Test(arguments: listed) func `each variant of the listing keeps its promises`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant)
    #expect(attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
    #expect(attempt.total("returned-before-end") == 1)
    #expect(attempt.total("unfinished") == (variant == "async-then-sync-concurrent" ? 1 : 0))
  }

  /// The test runs in a process of its own, in whose pool there are no threads of other tests.
  @Test func `a sync block begins before an async block that was submitted earlier`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Self.attempt("sync-after-async", ["pairs": .integer(5)])
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.areAll(.witnessed), "\(attempt.verdicts)")
    }
  }

  /// The trial may use one core, and the pool may be as wide as all cores. A free thread would have time to begin the
  /// first task before the second task is added.
  @Test func `spinning tasks occupy a pool that is wider than the trial's cores`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "sync-after-async", of: Self.pattern, files: Catalogue.files, ["pairs": .integer(3)], cores: 1,
        poolWidth: Host.onlineCores
      ) { trial in
        try Self.pattern.addPairs(trial, patience: .seconds(20)) { pair in
          let queue = DispatchQueue(label: "own", attributes: .concurrent)
          queue.async(group: pair.all) { pair.firstBegins() }
          blockThread(for: .milliseconds(20))
          queue.sync { pair.secondBegins() }
        }
      }
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("begin-inversions") == 3)
    }
  }

  @Test(arguments: queued, [2, 12])
  func `every waiter runs, and a serial queue keeps their order`(_ variant: String, _ arrivals: Int) async throws {
    let attempt = try await Self.attempt(variant, ["waiters": .integer(arrivals)])
    guard ThreadCensus.taken() != nil else {
      guard case .unavailable = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      return
    }
    #expect(attempt.trial.outcome == .completed)
    let overtaken = try #require(attempt.total("overtaken"))
    #expect((variant == "serial-sync" ? 0...0 : 0...arrivals).contains(overtaken))
  }

  @Test func `a task log counts inversions within a submitter, and lost tasks`() {
    func order(_ run: ([TaskLog.Task]) -> Void) -> TaskLog.Order {
      let log = TaskLog(submitters: 2, tasks: 2, patience: .zero)
      log.allIsSubmitted()
      run(log.tasks(of: 0) + log.tasks(of: 1))
      return log.read()
    }
    #expect(order { for task in $0 { task.run() } } == TaskLog.Order())
    // Tasks of two submitters are not ordered.
    #expect(order { for index in [2, 0, 3, 1] { $0[index].run() } } == TaskLog.Order())
    let inverted = order { for index in [1, 0, 2, 3] { $0[index].run() } }
    #expect(inverted == TaskLog.Order(beginInversions: 1, endInversions: 1))
    #expect(order { for index in [0, 1, 1, 3] { $0[index].run() } }.lost == 2)
  }

  @Test func `a task that begins after a later task counts as overtaken`() {
    let arrivals = Arrivals(count: 5)
    arrivals.release()
    for number in [0, 4, 1, 3, 2] { arrivals[number].noteAdmission() }
    #expect(arrivals.overtaken == 3)
  }

  // MARK: Broken bodies

  /// Executes tasks on a serial queue in reverse order.
  @Sendable private static func backwards(_ trial: Trial) throws {
    let queue = DispatchQueue(label: "backwards")
    try pattern.log(trial, patience: .milliseconds(1)) { tasks in
      for task in tasks.reversed() { queue.async(group: task.all) { task.run() } }
    }
  }

  /// Executes tasks concurrently.
  @Sendable private static func concurrently(_ trial: Trial) throws {
    try pattern.log(trial, patience: .seconds(20)) { tasks in
      for task in tasks { DispatchQueue.global().async(group: task.all) { task.run() } }
    }
  }

  /// Omits the last task of each thread.
  @Sendable private static func losing(_ trial: Trial) throws {
    let queue = DispatchQueue(label: "losing")
    try pattern.log(trial, patience: .milliseconds(1)) { tasks in
      for task in tasks.dropLast() { queue.async(group: task.all) { task.run() } }
    }
  }

  /// Executes tasks on a serial queue: first in, first out, one at a time.
  @Sendable private static func serially(_ trial: Trial) throws {
    let queue = DispatchQueue(label: "serial")
    try pattern.log(trial, patience: .milliseconds(1)) { tasks in
      for task in tasks { queue.async(group: task.all) { task.run() } }
    }
  }

  /// Submits each of the listing's blocks to a queue of its own.
  @Sendable private static func apart(_ trial: Trial) throws {
    try pattern.list(patience: .seconds(20))(trial) { tasks in
      DispatchQueue(label: "first").async { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      DispatchQueue(label: "second").sync { tasks.someMoreWork() }
      tasks.bothHaveCompleted()
    }
  }

  /// Submits the first block with sync, so that the block has ended before the second block begins.
  @Sendable private static func asSync(_ trial: Trial) throws {
    try pattern.list(patience: .zero, asyncPatience: .milliseconds(1))(trial) { tasks in
      DispatchQueue(label: "own").sync { tasks.someWork() }
      tasks.firstMayOrMayNotHaveRun()
      tasks.someMoreWork()
      tasks.bothHaveCompleted()
    }
  }

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      let variant = String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, logged.contains(variant) ? ["tasks": .integer(20)] : [:], body)
    }
    return ["serial", "serial-targeting-concurrent"].flatMap { variant in
      [
        red("\(variant).begin-inversions == 0", backwards), red("\(variant).end-inversions == 0", backwards),
        red("\(variant).overlaps == 0", concurrently), red("\(variant).lost == 0", losing),
      ]
    } + [
      // On a serial queue, the second block begins after the first.
      red("sync-after-async.begin-inversions > 0") { trial in
        let queue = DispatchQueue(label: "own")
        try pattern.addPairs(trial, patience: .milliseconds(1)) { pair in
          queue.async(group: pair.all) { pair.firstBegins() }
          queue.sync { pair.secondBegins() }
        }
      },
      red("concurrent-targeting-serial.overlaps == 0", concurrently),
      red("concurrent-targeting-serial.lost == 0", losing),
      red("concurrent.lost == 0", losing),
      red("global.lost == 0", losing),
      red("concurrent.end-inversions > 0", serially),
      red("global.overlaps > 0", serially),
      red("async-then-sync.returned-before-end > 0", asSync),
      red("async-then-sync.unfinished == 0", apart),
      red("async-then-sync-targeting.returned-before-end > 0", asSync),
      red("async-then-sync-targeting.unfinished == 0", apart),
      red("async-then-sync-concurrent.unfinished > 0") { trial in
        let queue = DispatchQueue(label: "own")
        try pattern.list(patience: .milliseconds(1))(trial) { tasks in
          queue.async { tasks.someWork() }
          tasks.firstMayOrMayNotHaveRun()
          queue.sync { tasks.someMoreWork() }
          tasks.bothHaveCompleted()
        }
      },
      red("async-then-sync-concurrent.returned-before-end > 0", asSync),
      // The second block of the listing is never submitted. Therefore, the first block ends only after the call of
      // `bothHaveCompleted`.
      red("async-then-sync-concurrent.unfinished <= 1") { trial in
        let queue = DispatchQueue(label: "own", attributes: .concurrent)
        try pattern.list(patience: .seconds(20))(trial) { tasks in
          queue.async { tasks.someWork() }
          tasks.firstMayOrMayNotHaveRun()
          tasks.bothHaveCompleted()
        }
      },
      red("async-then-barrier-sync.unfinished == 0", apart),
      // The waiters submit their blocks only after the last thread has run its block.
      red("serial-sync.overtaken == 0") { trial in
        let queue = DispatchQueue(label: "own")
        let lastIsIn = DispatchSemaphore(value: 0)
        try pattern.arrive(trial) { thread in
          if (1...trial[pattern.waiters]).contains(thread.number) {
            lastIsIn.wait()
            lastIsIn.signal()
          }
          queue.sync { thread.noteAdmission() }
          if thread.number > trial[pattern.waiters] { lastIsIn.signal() }
        }
      },
    ]
  }
}

import Measurement
import Synchronization
import Testing

@testable import Exploration

@Suite struct ExplorerTests {
  /// Returns a program whose threads each make `steps` steps that do not commute.
  static func program(threads: Int, steps: Int) -> @Sendable () -> Void {
    { Execution.threads(threads) { thread in for step in 0..<steps { Execution.step("step \(step) of \(thread)") } } }
  }

  @Test(arguments: [(2, 1, 2), (2, 3, 20), (2, 4, 70), (3, 1, 6), (3, 2, 90)])
  func `the number of explored orders agrees with combinatorics`(_ threads: Int, _ steps: Int, _ orders: Int) throws {
    let explorer = Explorer(Self.program(threads: threads, steps: steps))
    #expect(try explorer.explore(.everyOrder).schedules == orders)
    // No steps commute, so nothing is reduced.
    #expect(try explorer.explore(.reduced).schedules == orders)
  }

  @Test func `steps on different variables commute`() throws {
    let explorer = Explorer {
      let variables = [Shared("a", 0), Shared("b", 0)]
      Execution.threads(2) { thread in for _ in 0..<3 { variables[thread].value += 1 } }
    }
    #expect(try explorer.explore(.reduced).schedules == 1)
    // Each thread makes three loads and three stores: 12 over 6.
    #expect(try explorer.explore(.everyOrder).schedules == 924)
  }

  @Test func `two loads of a variable commute, but a load and a store do not`() throws {
    func count(_ body: @escaping @Sendable (Int, Shared<Int>) -> Void) throws -> Int {
      try Explorer {
        let variable = Shared("variable", 0)
        Execution.threads(2) { body($0, variable) }
      }
      .explore(.reduced).schedules
    }
    #expect(try count { _, variable in _ = variable.value } == 1)
    #expect(try count { thread, variable in if thread == 0 { variable.value = 1 } else { _ = variable.value } } == 2)
  }

  @Test(arguments: [(0, 2), (1, 6), (2, 14), (3, 18), (4, 20)])
  func `a bound on preemptions leaves out the orders with more preemptions`(_ bound: Int, _ orders: Int) throws {
    // By hand: of the 20 orders of two threads with three steps each, the orders with at most so many preemptions.
    let explorer = Explorer(Self.program(threads: 2, steps: 3))
    #expect(try explorer.explore(.preemptions(bound)).schedules == orders)
  }

  // MARK: Random programs

  /// Returns a program of up to three threads, each of which accesses two variables up to three times. The final values
  /// depend on the order.
  static func randomProgram(_ seed: UInt64) -> @Sendable () -> Void {
    var random = SplitMix64(seed: seed)
    struct Access { let variable: Int, constant: Int, isLoad: Bool }
    let threads = (0..<Int.random(in: 2...3, using: &random)).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Access(
          variable: Int.random(in: 0...1, using: &random), constant: Int.random(in: 1...5, using: &random),
          isLoad: Bool.random(using: &random))
      }
    }
    let isLocked = Bool.random(using: &random)
    return {
      let variables = [Shared("a", 0), Shared("b", 0)]
      let lock = ModelLock()
      let seen = Seen(threads.count)
      Execution.threads(threads.count) { thread in
        func run() {
          for access in threads[thread] {
            if access.isLoad {
              seen.values[thread] = seen.values[thread] * 7 + variables[access.variable].value
            } else {
              variables[access.variable].value = access.constant + seen.values[thread]
            }
          }
        }
        if isLocked, thread < 2 { lock.withLock { _ in run() } } else { run() }
      }
      Execution.breaks("\(variables.map(\.atEnd)) \(seen.values)")
    }
  }

  /// Unchecked: an execution uses its objects from one thread at a time.
  private final class Seen: @unchecked Sendable {
    var values: [Int]
    init(_ count: Int) { values = Array(repeating: 0, count: count) }
  }

  @Test func `the reduced exploration finds every outcome of 200 random programs`() throws {
    var (all, few) = (0, 0)
    for seed in 0..<200 {
      let explorer = Explorer(Self.randomProgram(UInt64(seed)))
      let everyOrder = try explorer.explore(.everyOrder)
      let reduced = try explorer.explore(.reduced)
      #expect(everyOrder.isComplete && reduced.isComplete)
      #expect(everyOrder.outcomes == reduced.outcomes, "program \(seed)")
      all += everyOrder.schedules
      few += reduced.schedules
    }
    #expect(few * 2 < all)
  }

  @Test func `the reduction finds the outcomes of a sync that is enqueued between two barriers`() throws {
    let explorer = Explorer {
      let queue = ModelQueue(label: "queue", attributes: .concurrent)
      let own = Shared("own", 0)
      let log = QueueLog()
      Execution.threads(3) { thread in
        if thread == 0 {
          own.value = 1
          queue.sync { log.blocks.append("sync") }
        } else {
          queue.async(flags: .barrier) { log.blocks.append("barrier \(thread) of \(log.submitted)") }
          log.submitted += 1
        }
      }
      Execution.settle()
      Execution.breaks("\(log.blocks)")
    }
    let everyOrder = try explorer.explore(.everyOrder)
    #expect(everyOrder.outcomes.contains(.breaks("\(["barrier 1 of 2", "sync", "barrier 2 of 2"])")))
    #expect(try explorer.explore(.reduced).outcomes == everyOrder.outcomes)
  }

  /// Returns a program of two or three threads that submit up to four blocks to two queues. The outcome has the order
  /// in which the blocks of each queue begin and end, and the number of blocks that were submitted before.
  static func randomQueueProgram(_ seed: UInt64) -> @Sendable () -> Void {
    var random = SplitMix64(seed: seed)
    struct Call { let queue: Int, isSync: Bool, flags: ModelQueue.Flags, isAfterStore: Bool, isLong: Bool }
    let count = Int.random(in: 2...3, using: &random)
    let threads = (0..<count).map { thread in
      (0..<Int.random(in: 1...(thread == 0 || count == 2 ? 2 : 1), using: &random)).map { index in
        // More stores and longer blocks would take too long.
        Call(
          queue: Int.random(in: 0...3, using: &random) / 3, isSync: Bool.random(using: &random),
          flags: Bool.random(using: &random) ? .barrier : [],
          isAfterStore: index == 0 && Bool.random(using: &random),
          isLong: thread == 0 && index == 0 && Bool.random(using: &random))
      }
    }
    let attributes = (0..<2).map { _ -> ModelQueue.Attributes in
      Int.random(in: 0...3, using: &random) > 0 ? .concurrent : []
    }
    let hasTarget = Bool.random(using: &random)
    return {
      let first = ModelQueue(label: "first", attributes: attributes[0])
      let second = ModelQueue(label: "second", attributes: attributes[1], target: hasTarget ? first : nil)
      let (queues, logs) = ([first, second], [QueueLog(), QueueLog()])
      let own = threads.indices.map { Shared("own \($0)", 0) }
      Execution.threads(threads.count) { thread in
        for (index, call) in threads[thread].enumerated() {
          let (queue, log, name) = (queues[call.queue], logs[call.queue], "\(thread).\(index)")
          @Sendable func run() {
            log.blocks.append("\(name) of \(log.submitted)")
            guard call.isLong else { return }
            _ = own[thread].value
            log.blocks.append("\(name) ends")
          }
          if call.isAfterStore { own[thread].value = 1 }
          if call.isSync {
            queue.sync(flags: call.flags) { run() }
          } else {
            queue.async(flags: call.flags) { run() }
            log.submitted += 1
          }
        }
      }
      Execution.settle()
      Execution.breaks("\(logs.map(\.blocks))")
    }
  }

  /// The log of a queue, which only steps that change the queue use.
  ///
  /// Unchecked: an execution uses its objects from one thread at a time.
  private final class QueueLog: @unchecked Sendable {
    var blocks: [String] = []
    /// The number of blocks that were submitted with `async`.
    var submitted = 0
  }

  @Test func `the reduced exploration finds every outcome of 40 random programs with queues`() throws {
    var (all, few) = (0, 0)
    for seed in 0..<40 {
      let explorer = Explorer(Self.randomQueueProgram(UInt64(seed)))
      let everyOrder = try explorer.explore(.everyOrder)
      let reduced = try explorer.explore(.reduced)
      #expect(everyOrder.isComplete && reduced.isComplete)
      #expect(everyOrder.outcomes == reduced.outcomes, "program \(seed)")
      all += everyOrder.schedules
      few += reduced.schedules
    }
    #expect(few < all, "\(few) of \(all)")
  }

  @Test func `footprints commute only if their order has no effect`() {
    let (load, store) = (Footprint.reading(1), Footprint.changing(1))
    #expect(load.commutes(with: load) && !load.commutes(with: store) && !store.commutes(with: store))
    #expect(store.commutes(with: .changing(2)) && !store.commutes(with: .everything))
    #expect(Footprint.incrementing(1).commutes(with: .incrementing(1)))
    #expect(!Footprint.incrementing(1).commutes(with: .decrementing(1)))
    #expect(!Footprint.incrementing(1).commutes(with: load) && !load.commutes(with: .decrementing(1)))
    #expect(Footprint.nothing.commutes(with: .everything))
  }

  // MARK: Random schedules

  static let lostUpdate: @Sendable () -> Void = {
    let variable = Shared("variable", 0)
    Execution.threads(2) { _ in variable.value += 1 }
    if variable.atEnd != 2 { Execution.breaks("a lost update") }
  }

  @Test(arguments: [Explorer.Strategy.random(100, seed: 7), .priorities(100, changes: 2, seed: 7)])
  func `random schedules find a lost update, and the same seed repeats them`(_ strategy: Explorer.Strategy) throws {
    let explorer = Explorer(Self.lostUpdate)
    let first = try explorer.explore(strategy)
    let second = try explorer.explore(strategy)
    #expect(first.schedules == 100 && first.broken > 0 && first.broken < 100)
    #expect(first.broken == second.broken && first.shortest == second.shortest)
  }

  @Test func `threads that random priorities preempt continue in either order`() throws {
    let summary = try Explorer {
      let log = Log()
      Execution.threads(3) { thread in
        for _ in 0..<2 {
          Execution.step("step")
          log.words.append("\(thread)")
        }
      }
      // Two threads are preempted after their first steps, and continue after the third thread has ended.
      let (first, last) = (log.words.prefix(3), log.words.suffix(2))
      guard Set(first).count == 3, log.words[2] == log.words[3] else { return }
      Execution.breaks(first.starts(with: last) ? "in the same order" : "in reverse order")
    }
    .explore(.priorities(1_000, changes: 2, seed: 1))
    #expect(summary.outcomes == [.holds, .breaks("in the same order"), .breaks("in reverse order")])
  }

  // MARK: Replay

  @Test func `the shortest failing schedule can be replayed step by step`() throws {
    let explorer = Explorer(Self.lostUpdate)
    let shortest = try #require(try explorer.explore(.all).shortest)
    let again = try explorer.replay(shortest.schedule)
    #expect(again == shortest)
    #expect(again.outcome == .breaks("a lost update"))
    #expect(
      again.shown.map(\.words) == [
        ["reads variable: 0"], ["reads variable: 0"], ["stores variable: 1"], ["stores variable: 1"],
      ])
    // A reader enters only the beginning of a schedule. The rest continues by itself.
    #expect(try explorer.replay([1, 2]).outcome == .breaks("a lost update"))
  }

  @Test(arguments: [
    ([1, 3], "step 2: found 3, which cannot make a step now; these can: 1, 2"), ([7], "step 1: found 7"),
  ])
  func `replaying an impossible schedule throws an error`(_ schedule: [Int], _ words: String) throws {
    let error = #expect(throws: ImpossibleSchedule.self) { try Explorer(Self.lostUpdate).replay(schedule) }
    #expect(error?.description.hasPrefix(words) == true)
  }

  @Test func `replaying a schedule that is too long throws an error`() throws {
    let error = #expect(throws: ImpossibleSchedule.self) {
      try Explorer { Execution.step("alone") }.replay([0, 0, 0])
    }
    #expect(error?.description == "step 2: found 0, but all threads have ended")
  }

  @Test func `the participants include threads that act only after the defect, since their orders count`() throws {
    let summary = try Explorer {
      Execution.step("begins")
      Execution.breaks("the first step")
      Execution.threads(2) { _ in Execution.step("acts") }
    }
    .explore(.all)
    #expect(summary.schedules == 2 && summary.broken == 2)
    #expect(summary.participants == ["caller", "thread 1", "thread 2"])
    #expect(summary.shortest?.shown.map(\.strand) == [0])
  }

  // MARK: Ends

  @Test func `a schedule in which no thread can continue is reported as a deadlock`() throws {
    let explorer = Explorer {
      let locks = [ModelLock("lock 1"), ModelLock("lock 2")]
      Execution.threads(2) { thread in
        locks[thread].withLock { _ in locks[1 - thread].withLock { _ in } }
      }
    }
    let summary = try explorer.explore(.all)
    #expect(summary.outcomes.count == 2 && summary.outcomes.contains(.holds))
    #expect(
      summary.shortest?.outcome
        == .deadlock([
          "caller waits for the threads", "thread 1 waits for lock 2, which thread 2 holds",
          "thread 2 waits for lock 1, which thread 1 holds",
        ]))
  }

  @Test func `a task that blocks occupies its thread of a limited pool`() throws {
    func explore(width: Int?) throws -> ExplorationSummary {
      try Explorer {
        if let width { Execution.limitPool(to: width) }
        let semaphore = ModelSemaphore(value: 0)
        Task { semaphore.wait() }
        Task { semaphore.signal() }
        Execution.settle()
      }
      .explore(.all)
    }
    let (one, two) = (try explore(width: 1), try explore(width: 2))
    // With one thread, the task that waits must not begin first. Each of the two orders is possible.
    #expect(one.outcomes.count == 2 && one.outcomes.contains(.holds))
    #expect(
      one.shortest?.outcome
        == .deadlock(["task 1 waits for a signal of the semaphore", "task 2 waits for a thread of Swift's pool"]))
    #expect(two.outcomes == [.holds] && two.isComplete)
    // Without a limit a task is one step, in which it cannot wait.
    #expect(try explore(width: nil).unable?.hasPrefix("a task blocks its thread") == true)
  }

  @Test func `each priority has its own threads in a limited pool, which the global queue shares`() throws {
    func starves(_ submit: @escaping @Sendable (_ begin: @escaping @Sendable () -> Void) -> Void) throws -> Bool {
      let summary = try Explorer {
        Execution.limitPool(to: 1)
        let (answer, begun) = (ModelSemaphore(value: 0), Shared("begun", false))
        Task(priority: .medium) { answer.wait() }
        Execution.settle()
        submit { begun.value = true }
        Execution.settle()
        if !begun.atEnd { Execution.breaks("it starves") }
        answer.signal()
      }
      .explore(.all)
      #expect(summary.isComplete && summary.outcomes.count == 1)
      return summary.broken > 0
    }
    #expect(try starves { begin in Task(priority: .medium) { begin() } })
    #expect(try starves { begin in ModelQueue.global().async { begin() } })
    #expect(try !starves { begin in Task(priority: .utility) { begin() } })
    #expect(try !starves { begin in ModelQueue(label: "own").async { begin() } })
  }

  @Test func `the events of a source coalesce, and no event is handled after the cancel handler`() throws {
    let summary = try Explorer {
      let queue = ModelQueue(label: "events")
      let source = ModelSource(queue: queue)
      let log = Log()
      source.setEventHandler { log.words.append("\(source.data)") }
      source.setCancelHandler { log.words.append("end") }
      source.activate()
      source.add(data: 1)
      source.add(data: 2)
      Execution.settle()
      source.cancel()
      source.add(data: 4)
      Execution.settle()
      Execution.breaks(log.words.joined(separator: " "))
    }
    .explore(.all)
    // Either one call handles both events, or each event has a call.
    #expect(summary.isComplete && summary.outcomes == [.breaks("3 end"), .breaks("1 2 end")])
  }

  @Test func `an exploration ends even if each handler call sends an event to its own source`() throws {
    let summary = try Explorer {
      let source = ModelSource(queue: ModelQueue(label: "events"))
      source.setEventHandler { source.add(data: 1) }
      source.activate()
      source.add(data: 1)
    }
    .explore(.all)
    #expect(summary.isComplete && summary.outcomes == [.holds])
  }

  /// Unchecked: an execution uses its objects from one thread at a time.
  private final class Log: @unchecked Sendable {
    var words: [String] = []
  }

  @Test func `each call of a mutex is a step`() throws {
    func summary(_ add: @escaping @Sendable (ModelMutex<Int>) -> Void) throws -> ExplorationSummary {
      try Explorer {
        let mutex = ModelMutex(0)
        Execution.threads(2) { _ in add(mutex) }
        if mutex.withLock({ $0 }) != 2 { Execution.breaks("a lost update") }
      }
      .explore(.everyOrder)
    }
    let one = try summary { mutex in mutex.withLock { $0 += 1 } }
    #expect(one.schedules == 2 && one.broken == 0)
    // By hand: of the six orders of two reads and two writes, only the two orders without an overlap of the threads
    // hold.
    let two = try summary { mutex in
      let value = mutex.withLock { $0 }
      mutex.withLock { $0 = value + 1 }
    }
    #expect(two.schedules == 6 && two.broken == 4 && two.outcomes == [.holds, .breaks("a lost update")])
    #expect(two.shortest?.shown.first?.words == ["locks the mutex", "leaves 0 in the mutex"])
  }

  @Test func `a work item that is cancelled before it begins does not run`() throws {
    let summary = try Explorer {
      let log = Log()
      let item = ModelWorkItem { log.words.append("runs") }
      ModelQueue(label: "queue").async(execute: item)
      item.cancel()
      Execution.settle()
      Execution.breaks(log.words.joined())
    }
    .explore(.all)
    #expect(summary.outcomes == [.breaks("runs"), .breaks("")])
  }

  @Test func `the objects of abandoned and deadlocked executions are released`() throws {
    final class Counted: Sendable {
      static let alive = Atomic(0)
      init() { Self.alive.add(1, ordering: .relaxed) }
      deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }
    let summary = try Explorer {
      let (semaphore, counted) = (ModelSemaphore(value: 0), Counted())
      let variables = [Shared("a", 0), Shared("b", 0)]
      Execution.threads(2) { thread in
        withExtendedLifetime(counted) {
          variables[thread].value += 1
          if variables[1 - thread].value == 0 { semaphore.wait() }
        }
      }
    }
    .explore(.reduced)
    #expect(summary.broken > 0 && summary.schedules > summary.broken)
    #expect(Counted.alive.load(ordering: .relaxed) == 0)
  }

  @Test func `each failing schedule and the first of every hundred schedules are executed twice`() throws {
    let summary = try Explorer {
      let log = Log()
      Execution.threads(2) { thread in
        for _ in 0..<5 {
          Execution.step("step")
          log.words.append("\(thread)")
        }
      }
      if log.words[0] == "0" { Execution.breaks("thread 1 begins") }
    }
    .explore(.everyOrder)
    // Thread 1 begins in the first half of the schedules. Of schedules 1, 101 and 201, only the last one holds.
    #expect(summary.schedules == 252 && summary.broken == 126)
    #expect(summary.executions == 252 + 126 + 1)
  }

  @Test func `exploring a nondeterministic program throws an error`() throws {
    let calls = Atomic(0)
    let explorer = Explorer {
      let count = calls.add(1, ordering: .relaxed).newValue
      Execution.threads(2) { _ in for _ in 0..<1 + count % 2 { Execution.step("step") } }
    }
    let error = #expect(throws: Explorer.Nondeterminism.self) { try explorer.explore(.random(10, seed: 1)) }
    #expect(error?.description.contains("behaved differently when it was repeated") == true)
  }

  @Test func `the exploration of an endless program is abandoned`() throws {
    let summary = try Explorer { while true { Execution.step("again") } }.explore(.random(3, seed: 1))
    #expect(summary.unable == "no end after 5000 steps" && summary.schedules == 1)
  }

  @Test(arguments: [Explorer.Strategy.random(3, seed: 1), .priorities(3, changes: 1, seed: 1), .all])
  func `an exploration that ends because the program cannot be explored is incomplete and undecided`(
    _ strategy: Explorer.Strategy
  ) throws {
    let summary = try Explorer {
      let semaphore = ModelSemaphore(value: 0)
      Task { semaphore.wait() }
      Execution.settle()
    }
    .explore(strategy)
    #expect(summary.unable != nil && summary.schedules == 1 && !summary.isComplete)
    let variant = ExploredPattern.Variant("variant", isBroken: false) {}
    #expect(ExplorationResult(pattern: "pattern", variant: variant, summary: summary, seconds: 0).isUndecided)
  }

  @Test(arguments: [false, true])
  func `a program without enough stacks or threads cannot be explored, and is undecided`(_ isPool: Bool) throws {
    for most in 0..<3 {
      var explorer = Explorer {
        if isPool { Execution.limitPool(to: 1) }
        let semaphore = ModelSemaphore(value: 0)
        Task { semaphore.signal() }
        ModelQueue(label: "queue").async { semaphore.signal() }
        for _ in 0..<(isPool ? 2 : 1) { semaphore.wait() }
      }
      explorer.fibers = { FiberPool(most: most) }
      let summary = try explorer.explore(.all)
      // A task of an unlimited pool runs on the scheduler's stack.
      let isEnough = most == 2 && !isPool
      #expect((summary.unable == nil) == isEnough, "\(most): \(summary.unable ?? "")")
      let variant = ExploredPattern.Variant("variant", isBroken: false) {}
      let result = ExplorationResult(pattern: "pattern", variant: variant, summary: summary, seconds: 0)
      #expect(result.isUndecided != isEnough)
    }
  }

  @Test func `an exploration whose time is over is reported as incomplete`() throws {
    let summary = try Explorer(Self.program(threads: 2, steps: 3)).explore(.everyOrder, isOver: { true })
    #expect(!summary.isComplete && summary.schedules == 1)
  }
}

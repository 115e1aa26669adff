import Foundation
import Instruments
import Testing

@testable import Exploration
@testable import ExploredPatterns

@Suite struct ExploredPatternsTests {
  static func summary(_ pattern: ExploredPattern, _ variant: String) throws -> ExplorationSummary {
    let program = try #require(pattern.variants.first { $0.name == variant }?.program)
    return try Explorer(program).explore(.all)
  }

  /// Returns the number of schedules of each variant of a pattern, and the number of schedules that break its promise.
  static func counts(_ pattern: ExploredPattern) throws -> [String: [Int]] {
    var counts: [String: [Int]] = [:]
    for variant in pattern.variants where variant.program != nil {
      let summary = try summary(pattern, variant.name)
      #expect(summary.isComplete && summary.unable == nil, "\(variant.name)")
      counts[variant.name] = [summary.schedules, summary.broken]
    }
    return counts
  }

  @Test func `each variant of the singleton race has the expected number of broken schedules`() throws {
    // By hand: both threads load nil first, in two orders, and then each makes a load and a store, in six orders: 12
    // schedules that break the promise. Of the others, in which one thread stores before the other loads, there are
    // three for each thread.
    #expect(
      try Self.counts(SingletonRace.exploration) == [
        "check-then-act": [18, 12], "check-then-act-paused": [18, 12], "half-built": [574, 36],
        "dispatch-once": [6, 0],
        "serial-queue": [8, 0], "serial-queue-c": [8, 0], "barrier": [86, 0], "mutex": [2, 0],
        "double-checked": [12, 0],
        "actor": [4, 0],
      ])
    let shortest = try Self.summary(SingletonRace.exploration, "check-then-act").shortest
    #expect(shortest?.scheduleText == "1.2.2.1")
  }

  @Test(arguments: Explorations.all.map(\.name))
  func `no schedule breaks a correct variant, and some schedule breaks each other variant`(_ name: String) throws {
    let pattern = try #require(Explorations.all.first { $0.name == name })
    for variant in pattern.variants where variant.program != nil {
      let summary = try Self.summary(pattern, variant.name)
      #expect(summary.isComplete && summary.unable == nil, "\(variant.name): \(summary.unable ?? "")")
      // A sync to a private concurrent queue that is otherwise empty returns.
      let isBroken = variant.isBroken && variant.name != "sync-on-own-concurrent"
      #expect((summary.broken > 0) == isBroken, "\(variant.name): \(summary.outcomes)")
      #expect((summary.shortest != nil) == isBroken)
    }
  }

  @Test func `every variant can be explored, or has a reason why it cannot be explored`() {
    #expect(Explorations.all.count == 14)
    let obstacles = Explorations.all.flatMap { pattern in
      pattern.variants.filter { $0.program == nil }.map { "\(pattern.name) \($0.name)" }
    }
    #expect(
      Explorations.all.allSatisfy { $0.variants.allSatisfy { $0.program != nil || $0.obstacle?.isEmpty == false } })
    #expect(
      obstacles == [
        "singleton-race static-let", "queue-deadlock main-sync-on-main", "queue-deadlock apply-on-own-queue",
        "queue-deadlock apply-in-async-block", "queue-deadlock apply-on-main-queue",
        "block-capture c-block", "block-capture c-block-called",
        "block-capture stack-block", "block-capture stack-block-sync",
        "source-lifecycle starts-suspended", "source-lifecycle suspend-coalesces", "source-lifecycle suspended-read",
        "source-lifecycle waiting-read", "source-lifecycle retarget", "source-lifecycle queue-retained",
        "source-lifecycle queue-retained-timer",
        "source-lifecycle released-while-pending", "source-lifecycle retain-cycle", "source-lifecycle release-inactive",
        "source-lifecycle release-cancelled-suspended",
        "task-order main-actor", "task-order main-priorities", "cancellation running",
        "cancellation sleep", "pool-starvation task-sleep",
      ])
  }

  @Test(arguments: Explorations.all.map(\.name))
  func `an exploration has exactly the variants that the files of its pattern declare`(_ name: String) throws {
    let pattern = try #require(Explorations.all.first { $0.name == name })
    let patterns = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Patterns")
      .standardized
    let files = try FileManager.default.subpathsOfDirectory(atPath: patterns.path).filter { $0.hasSuffix(".swift") }
    let sources = try files.map { try String(contentsOf: patterns.appending(path: $0), encoding: .utf8) }
    let own = try #require(sources.first { $0.contains("static let name = \"\(name)\"") })
    let type = try #require(own.firstMatch(of: /struct (\w+): Pattern/)).1
    let declared = sources.filter { $0.contains("extension \(type) {") || $0 == own }.flatMap { source in
      source.matches(of: /Variant\(\s*"([a-z0-9-]+)",/).map { String($0.1) }
    }
    #expect(declared.sorted() == pattern.variants.map(\.name).sorted())
  }

  @Test(arguments: Explorations.all.map(\.name))
  func `the guide lists each scenario, the limits of its model and the variants that cannot be explored`(
    _ name: String
  ) throws {
    let pattern = try #require(Explorations.all.first { $0.name == name })
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/explore.md")
      .standardized
    let guide = try String(contentsOf: file, encoding: .utf8)
    let lines = guide.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("| \(name) |") && $0.count { $0 == "|" } == 3 } == 1)
    let words = guide.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if let leavesOut = pattern.leavesOut {
      #expect(words.contains("- **\(name)**: \(leavesOut)"))
    } else {
      #expect(!words.contains("- **\(name)**:"))
    }
    // There is a row for each reason, with its variants in their order, and no other row.
    let obstacles = pattern.variants.filter { $0.obstacle != nil }
    let rows = Set(obstacles.compactMap(\.obstacle)).map { obstacle in
      let names = obstacles.filter { $0.obstacle == obstacle }.map(\.name).joined(separator: ", ")
      return "| \(name) | \(names) | \(obstacle) |"
    }
    #expect(
      Set(lines.filter { $0.hasPrefix("| \(name) |") && $0.count { $0 == "|" } == 4 }.map(String.init)) == Set(rows))
  }

  @Test func `the exploration of a cancelled source finds the schedules with a late handler call`() throws {
    // By hand: the handler call of a source begins, checks the source, calls the handler and ends (b, l, c, e), and
    // cancel is called at any point. If cancel is called after l and before c, the call is late. (The handler that
    // frees makes one more step.)
    let counts = try Self.counts(SourceLifecycle.exploration)
    #expect(counts["free-in-cancel-handler"] == [6, 0])
    #expect(counts["free-after-cancel"] == [6, 2])
    let shortest = try Self.summary(SourceLifecycle.exploration, "cancel-beside").shortest
    #expect(shortest?.scheduleText == "0.0.1.1.0.1")
    #expect(shortest?.outcome == .breaks("a handler begins after cancel has returned"))
  }

  @Test func `blocking tasks starve an unrelated task in every order of the steps`() throws {
    for variant in ["blocking", "on-global-queue"] {
      let summary = try Self.summary(PoolStarvation.exploration, variant)
      #expect(summary.outcomes == [.breaks("an unrelated task does not begin, and no thread can continue")])
    }
  }

  @Test func `the first of two tasks that call an actor comes last in half of the orders`() throws {
    let counts = try Self.counts(TaskOrder.exploration)
    #expect(counts["tasks"] == [6, 3] && counts["priorities"] == [2, 2] && counts["stream"]?[1] == 0)
  }

  @Test func `the explored bodies are symbolic links to those of the trials`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: "ExploredPatterns").path)
    let explored = names.compactMap { name in
      name.hasSuffix("Explored.swift") ? name.replacing("Explored.swift", with: ".swift") : nil
    }
    #expect(explored.count == Explorations.all.count)
    for name in explored {
      let link = try FileManager.default.destinationOfSymbolicLink(
        atPath: sources.appending(path: "ExploredPatterns/\(name)").path)
      #expect(link.hasPrefix("../Patterns/") && link.hasSuffix("/\(name)"))
    }
  }

  // MARK: Mutants

  /// A correct variant with one change that breaks its promise.
  struct Mutant: Sendable, CustomTestStringConvertible {
    let change: String
    let breaks: String
    let body: @Sendable (Trial) throws -> Void

    var testDescription: String { change }

    init(_ change: String, breaks: String, _ body: @escaping @Sendable (Trial) throws -> Void) {
      self.change = change
      self.breaks = breaks
      self.body = body
    }
  }

  static let mutants: [Mutant] = [
    Mutant("mutex: without the lock", breaks: "two instances") { trial in
      try SingletonRace().raceGuarded(trial) { row in
        row.each { shared in
          if shared.manager == nil { shared.manager = shared.create() }
          return shared.manager
        }
      }
    },
    Mutant("mutex: the check before the lock", breaks: "two instances") { trial in
      let lock = ExploredPatterns.Lock()
      try SingletonRace().raceGuarded(trial) { row in
        row.each { shared in
          if shared.manager == nil { lock.mutex.withLock { _ in shared.manager = shared.create() } }
          return shared.manager
        }
      }
    },
    Mutant("double-checked: without the second check", breaks: "two instances") { trial in
      let lock = ExploredPatterns.Lock()
      try SingletonRace().raceGuarded(trial) { row in
        row.each { shared in
          if let found = shared.published { return found }
          return lock.mutex.withLock { _ in
            shared.published = shared.create()
            return shared.manager
          }
        }
      }
    },
    Mutant("barrier: without the flag", breaks: "two instances") { trial in
      let queue = DispatchQueue(label: "singleton", attributes: .concurrent)
      try SingletonRace().raceGuarded(trial) { row in
        row.each { shared in
          queue.sync {
            if shared.manager == nil { shared.manager = shared.create() }
            return shared.manager
          }
        }
      }
    },
    Mutant("serial-queue: a queue of each thread", breaks: "two instances") { trial in
      try SingletonRace().raceGuarded(trial) { row in
        let queue = DispatchQueue(label: "singleton")
        row.each { shared in
          queue.sync {
            if shared.manager == nil { shared.manager = shared.create() }
            return shared.manager
          }
        }
      }
    },
    Mutant("balanced: leaves before the handler", breaks: "completed before request") { trial in
      try GroupAdapter().measure(trial) { request, group, handler in
        group?.enter()
        request.send { data, error in
          group?.leave()
          handler(data, error)
        }
      }
    },
    Mutant("balanced: leaves twice", breaks: "trap: unbalanced call to dispatch_group_leave") { trial in
      try GroupAdapter().measure(trial) { request, group, handler in
        group?.enter()
        request.send { data, error in
          handler(data, error)
          group?.leave()
          group?.leave()
        }
      }
    },
    Mutant("balanced: enters in the handler", breaks: "completed before request") { trial in
      try GroupAdapter().measure(trial) { request, group, handler in
        request.send { data, error in
          group?.enter()
          handler(data, error)
          group?.leave()
        }
      }
    },
    Mutant("append-in-group: asks for the notification first", breaks: "completed without item") { trial in
      try LibraryLoad().measure(trial) { library in
        library.group.notify(queue: library.queue) { library.mainQueue.async { library.completionHandler() } }
        library.queue.async(group: library.group) {
          library.media.forEach { item in library.itemsQueue.async(group: library.group) { library.append(item) } }
        }
      }
    },
    Mutant("pthread-rwlock: writes under the read lock", breaks: "a torn read") { trial in
      let lock = ReadersWriterLock()
      try ReadersWriter().measure(trial) { pair in
        lock.withReadLock { pair.read() }
      } write: { pair in
        lock.withReadLock { pair.write() }
      }
    },
    Mutant("mutex: reads without it", breaks: "a torn read") { trial in
      let lock = ExploredPatterns.Lock()
      try ReadersWriter().measure(trial) { pair in
        pair.read()
      } write: { pair in
        lock.mutex.withLock { _ in pair.write() }
      }
    },
    Mutant("private: a block in place of the barrier", breaks: "the barrier begins while the earlier block runs") {
      trial in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try BarrierScope().countOverlaps(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    },
    Mutant("cancel-on-queue: async in place of sync", breaks: "a handler begins after cancel has returned") { trial in
      try SourceLifecycle().cancelManyTimes(trial) { busy in
        let source = DispatchSource.makeUserDataAddSource(queue: busy.queue)
        source.setEventHandler { busy.handlerBegan() }
        source.setCancelHandler { busy.ended() }
        source.activate()
        return SourceControls(add: { source.add(data: 1) }, cancel: { busy.queue.async { source.cancel() } })
      }
    },
    Mutant("cancel: without its cancel handler", breaks: "the cancel handler ran 0 times") { trial in
      try SourceLifecycle().cancelWhileRunning(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.received(source.data) }
        source.activate()
        return SourceControls(add: { source.add(data: 1) }, cancel: { source.cancel() })
      }
    },
    Mutant("free-in-cancel-handler: frees in the event handler", breaks: "the context was freed") { trial in
      try SourceLifecycle().cancelInUse()(trial) { context, queue in
        let source = gcdlab_dispatch_source_create(context.pointer, 0, 0, queue)
        gcdlab_dispatch_set_context(source, context.pointer)
        gcdlab_dispatch_source_set_event_handler_f(source) {
          SourceContext.at($0).use()
          SourceContext.at($0).free()
        }
        gcdlab_dispatch_resume(source)
        return SourceControls(
          add: { gcdlab_dispatch_source_merge_data(source, 1) }, cancel: { gcdlab_dispatch_source_cancel(source) })
      }
    },
    Mutant("continuation: blocks until it is resumed", breaks: "an unrelated task does not begin") { trial in
      try PoolStarvation().crowd(trial) { request in
        Task {
          request.begins()
          await withCheckedContinuation { continuation in
            request.blockUntilAnswered()
            continuation.resume()
          }
        }
      }
    },
    Mutant("on-own-queue: waits for the queue in place of suspending", breaks: "an unrelated task does not begin") {
      trial in
      let queue = DispatchQueue(label: "blocking")
      try PoolStarvation().crowd(trial) { request in
        Task {
          request.begins()
          queue.sync { request.blockUntilAnswered() }
        }
      }
    },
    Mutant("serial-queue: a concurrent queue", breaks: "item 1 arrives out of order") { trial in
      try TaskOrder().runEachRound(trial) { round in
        let queue = DispatchQueue(label: "log", attributes: .concurrent)
        for item in round.items { queue.async { item.recordArrival() } }
      }
    },
    Mutant("isolated: calls the actor in place of beginning there", breaks: "item 1 arrives out of order") { trial in
      try TaskOrder().runEachRound(trial) { round in
        for item in round.items { Task { await { @TaskOrder.LogActor in item.recordArrival() }() } }
      }
    },
    Mutant("suspended: registers its handler too late", breaks: "cancel returns before a handler has run") { trial in
      try Cancellation().runEachTask()(trial) { work in
        let task = Task {
          work.beginOperation()
          await work.awaitCancellation()
          await withTaskCancellationHandler {
          } onCancel: {
            work.handlerRuns()
          }
          work.recordEnd()
        }
        work.waitForOperation()
        work.cancel { task.cancel() }
      }
    },
    Mutant("group-returned: waits for one child only", breaks: "the scope is left before a child task has ended") {
      trial in
      try Cancellation().runEachScopeOfTwo(trial) { scope in
        let tasks = scope.children.map { child in Task { await child.awaitExit() } }
        await scope.awaitBegin()
        await tasks[1].value
      }
    },
    Mutant("group-thrown: cancels no child", breaks: "deadlock: no thread can continue") { trial in
      try Cancellation().runEachScopeOfTwo(trial) { scope in
        await withTaskGroup { group in
          for child in scope.children { group.addTask { await child.awaitCancellationAndExit() } }
          await scope.awaitBegin()
        }
      }
    },
    Mutant("value: without the capture list", breaks: "a block sees a value other than that at its creation") { trial in
      try BlockCapture().measureValues(trial) { block in
        var x = block.number
        let item = DispatchWorkItem { block.recordValue(x) }
        block.queue.async(execute: item)
        x = 456
      }
    },
    Mutant("object: the block does not retain it", breaks: "the object is released before its block has run") { trial in
      try BlockCapture().measureObjects()(trial) { block in
        let object = block.makeObject()
        block.queue.async { [weak object] in if let object { block.use(object) } }
      }
    },
    Mutant("take-first: takes after the payment", breaks: "two buyers have the only seat") { trial in
      actor BoxOffice {
        var seats: Int
        init(seats: Int) { self.seats = seats }

        func sell(to buyer: Buyer) async -> Bool {
          guard seats > 0 else { return false }
          await buyer.pay()
          seats -= 1
          return true
        }
      }
      try ActorReentrancy().sell()(trial) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    },
  ]

  @Test(arguments: mutants) func `the exploration finds the defect of each mutant`(_ mutant: Mutant) throws {
    let explorer = Explorer {
      let trial = Trial(variant: "mutant", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
      do { try mutant.body(trial) } catch { Execution.breaks("error: \(error)") }
    }
    let summary = try explorer.explore(.all)
    let shortest = try #require(summary.shortest)
    #expect(summary.isComplete)
    #expect(summary.outcomes.contains { $0.words.hasPrefix(mutant.breaks) }, "\(summary.outcomes)")
    #expect(try explorer.replay(Array(shortest.decisive)).outcome == shortest.outcome)
  }
}

import Foundation
import Instruments
import Testing

@testable import Exploration
@testable import Explored

@Suite struct ExploredTests {
  static func findings(_ scenario: ExploredScenario, _ variant: String) throws -> Findings {
    let program = try #require(scenario.variants.first { $0.name == variant }?.program)
    return try Explorer(program).explore(.all)
  }

  /// All schedules of each variant of a scenario, and how many of them break it.
  static func counts(_ scenario: ExploredScenario) throws -> [String: [Int]] {
    var counts: [String: [Int]] = [:]
    for variant in scenario.variants where variant.program != nil {
      let findings = try findings(scenario, variant.name)
      #expect(findings.isComplete && findings.unable == nil, "\(variant.name)")
      counts[variant.name] = [findings.schedules, findings.broken]
    }
    return counts
  }

  @Test func `singletons`() throws {
    // By hand: both threads load nil first, in two orders, and then each has a store and a load, in six: 12 that break. Of
    // the others, in which one thread stores before the other loads, there are three for each thread.
    #expect(
      try Self.counts(SingletonRace.exploration) == [
        "check-then-act": [18, 12], "check-then-act-paused": [18, 12], "half-built": [574, 36],
        "dispatch-once": [6, 0],
        "serial-queue": [8, 0], "serial-queue-c": [8, 0], "barrier": [80, 0], "mutex": [2, 0],
        "double-checked": [12, 0],
        "actor": [4, 0],
      ])
    let shortest = try Self.findings(SingletonRace.exploration, "check-then-act").shortest
    #expect(shortest?.scheduleText == "1.2.2.1")
  }

  @Test(arguments: Explorations.all.map(\.name))
  func `a variant that should hold is broken by none, another by one at least`(_ name: String) throws {
    let scenario = try #require(Explorations.all.first { $0.name == name })
    for variant in scenario.variants where variant.program != nil {
      let findings = try Self.findings(scenario, variant.name)
      #expect(findings.isComplete && findings.unable == nil, "\(variant.name): \(findings.unable ?? "")")
      // A sync to an own concurrent queue that is otherwise empty returns.
      let isBroken = variant.isBroken && variant.name != "sync-on-own-concurrent"
      #expect((findings.broken > 0) == isBroken, "\(variant.name): \(findings.outcomes)")
      #expect((findings.shortest != nil) == isBroken)
    }
  }

  @Test func `all variants of the patterns are there, with a reason where they cannot be explored`() {
    #expect(Explorations.all.count == 9)
    let obstacles = Explorations.all.flatMap { scenario in
      scenario.variants.filter { $0.program == nil }.map { "\(scenario.name) \($0.name)" }
    }
    #expect(
      obstacles == [
        "singleton-race static-let", "queue-deadlock main-sync-on-main", "queue-deadlock apply-on-own-queue",
        "queue-deadlock apply-in-async-block", "queue-deadlock apply-on-main-queue",
      ])
  }

  @Test func `the bodies that are explored are those of the trials`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: "Explored").path)
    let explored = names.compactMap { name in
      name.hasSuffix("Explored.swift") ? name.replacing("Explored.swift", with: ".swift") : nil
    }
    #expect(explored.count == Explorations.all.count)
    for name in explored {
      let link = try FileManager.default.destinationOfSymbolicLink(
        atPath: sources.appending(path: "Explored/\(name)").path)
      #expect(link.hasPrefix("../Patterns/") && link.hasSuffix("/\(name)"))
    }
  }

  // MARK: Mutants

  /// A variant that holds, with one change that makes it wrong.
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
      let lock = Explored.Lock()
      try SingletonRace().raceGuarded(trial) { row in
        row.each { shared in
          if shared.manager == nil { lock.mutex.withLock { _ in shared.manager = shared.create() } }
          return shared.manager
        }
      }
    },
    Mutant("double-checked: without the second check", breaks: "two instances") { trial in
      let lock = Explored.Lock()
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
      let lock = Explored.Lock()
      try ReadersWriter().measure(trial) { pair in
        pair.read()
      } write: { pair in
        lock.mutex.withLock { _ in pair.write() }
      }
    },
    Mutant("private: a block in place of the barrier", breaks: "the barrier begins while the earlier block runs") {
      trial in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try BarrierScope().look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async {
          queue.async { blocks.later() }
          blocks.barrier()
        }
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
      try ActorReentrancy().sell(trial, patience: .zero) { seats in
        let office = BoxOffice(seats: seats)
        return { buyer in await office.sell(to: buyer) }
      }
    },
  ]

  @Test(arguments: mutants) func `each mutant is found`(_ mutant: Mutant) throws {
    let explorer = Explorer {
      let trial = Trial(variant: "mutant", work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
      do { try mutant.body(trial) } catch { Execution.breaks("error: \(error)") }
    }
    let findings = try explorer.explore(.all)
    let shortest = try #require(findings.shortest)
    #expect(findings.isComplete)
    #expect(findings.outcomes.contains { $0.words.hasPrefix(mutant.breaks) }, "\(findings.outcomes)")
    #expect(try explorer.replay(Array(shortest.decisive)).outcome == shortest.outcome)
  }
}

import CDispatchSupport
import Dispatch
import Laboratory

/// What does it cost to go somewhere else and come back?
///
/// What belongs to a queue is done on that queue: a block goes there, and another comes back with the answer. In Swift's
/// concurrency the place is an actor, and the way there and back is one `await`:
///
/// ```swift
/// there.async {
///   visit()
///   here.async { back() }
/// }
///
/// await place.visit()
/// ```
///
/// Each way goes to a place and back, again and again: alone, timed in batches; once more, looking which threads that takes; and
/// with several who all want to go to the same place.
///
/// Source: beyond the documents.
struct HopCost: Pattern {
  static let name = "hop-cost"

  let batch = Setting.count("batch", 1...10_000, default: 100, "round trips that are timed together")
  let hoppers = Setting.count("hoppers", 1...32, default: 4, "how many go to the same place at the same time")
  let hops = Setting.count("hops", 1...10_000, default: 200, "round trips that each of them makes")

  let roundTrip = Metric.latency("round-trip", "there and back, alone, timed a batch at a time")
  let crowded = Metric.latency(
    "crowded", "the time of all together over the number of their round trips, when several go there at once")
  let changed = Metric.rate(
    "changed", .percent, better: .neither, "ways, there or back, after which another thread went on")
  let lost = Metric.count("lost", "visits that the place does not know of, since it guards how they are counted")

  /// The main queue; a test, whose main queue nobody serves, gives another.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [hops] }

  var variants: [Variant] {
    Variant("queue", .documented, "a block of one serial queue sends one to another, which sends one back") { trial in
      let there = DispatchQueue(label: "there")
      try hop(trial) { here, visits, back in
        there.async {
          visits.add()
          here.async(execute: back)
        }
      }
    }
    Variant("queue-c", .documented, "the same by the C function, with functions instead of blocks") { trial in
      let there = FunctionQueue(label: "there")
      try hopByFunctions(trial, to: there) { hopper in
        gcdlab_dispatch_async_f(FunctionHopper.of(hopper).there, hopper) { hopper in
          FunctionHopper.of(hopper).visits.add()
          gcdlab_dispatch_async_f(FunctionHopper.of(hopper).here, hopper) { FunctionHopper.isBack($0) }
        }
      }
    }
    Variant("queue-sync", .documented, "a thread syncs on a serial queue, and stays where it is") { trial in
      let there = DispatchQueue(label: "there")
      try stay(trial) { trips in
        trips.each { visits in
          there.sync { visits.add() }
        }
      }
    }
    Variant("actor", .modern, "a task calls a method of an actor") { trial in
      actor Place {
        func visit(_ visits: Visits) { visits.add() }
      }
      let place = Place()
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await place.visit(visits)
        }
      }
    }
    Variant("actor-on-queue", .modern, "the same, the actor's executor is a serial queue") { trial in
      actor Place {
        private let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        init(on queue: DispatchQueue) { executor = QueueExecutor(queue: queue) }
        func visit(_ visits: Visits) { visits.add() }
      }
      let place = Place(on: DispatchQueue(label: "there"))
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await place.visit(visits)
        }
      }
    }
    Variant("continuation", .modern, "a task sends a block to a serial queue, which resumes it") { trial in
      let there = DispatchQueue(label: "there")
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await withCheckedContinuation { task in
            there.async {
              visits.add()
              task.resume()
            }
          }
        }
      }
    }
    Variant(
      "main-queue", .documented, "a block of a serial queue sends one to main, which sends one back",
      mainQueue: .mainThread
    ) { trial in
      try hop(trial) { here, visits, back in
        mainQueue.async {
          visits.add()
          here.async(execute: back)
        }
      }
    }
    Variant("main-actor", .modern, "a task runs a part of it on the main actor", mainQueue: .mainThread) { trial in
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await MainActor.run { visits.add() }
        }
      }
    }
  }

  /// All round trips, where each has to wake two threads.
  func longest(_ trial: Trial) -> Duration? {
    .microseconds(100) * (trial[batch] * (Batches.count + 2) + trial[hoppers] * trial[hops])
  }
}

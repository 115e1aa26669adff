import CDispatchSupport
import Dispatch
import Instruments

/// What does it cost to hop to another queue or actor and back?
///
/// State that belongs to a queue is accessed on that queue: the caller submits a block to the queue, and a second block
/// returns the answer. In Swift concurrency, the state belongs to an actor, and the round trip is one `await`:
///
/// ```swift
/// there.async {
///   visit()
///   here.async { back() }
/// }
///
/// await destination.visit()
/// ```
///
/// Each variant makes many round trips in three ways: from one caller, timed in batches; from one caller, with a record
/// of the threads; and from several callers at the same time to one target. Finally, each of several callers makes one
/// round trip, and the target is held in the first until it serves another one or all other threads sleep.
///
/// The question goes beyond the documents.
struct HopCost: Pattern {
  static let name = "hop-cost"

  let batch = Parameter.count("batch", 1...10_000, default: 100, "round trips timed together").ofMeasurement
  let callers = Parameter.count("callers", 1...32, default: 4, "callers that share one target in the metric contended")
  let calls = Parameter.count("calls", 1...10_000, default: 200, "round trips of each caller that shares the target")

  let roundTrip = Metric.latency(
    "round-trip", affectedBy: ["batch", Cores.name], "time of one round trip with a single caller, timed in batches")
  let contended = Metric.latency(
    "contended", "elapsed time over the number of all round trips, with several callers at one target")
  let threadSwitches = Metric.rate(
    "thread-switches", .percent, better: .neither,
    "share of hops, to the target or back, after which execution continues on another thread")
  let lost = Metric.count("lost", "round trips missing from a count that only the target's mutual exclusion protects")

  let overlaps = Metric.count("overlaps", "1 if the target served another round trip while it was held in the first")

  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()
  /// The main queue. A test, which does not run the main queue, passes another queue.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [callers, calls] }

  var variants: [Variant] {
    Variant("queue", .documented, "a block asyncs to another serial queue, whose block asyncs back") { trial in
      let there = DispatchQueue(label: "there")
      try hop(trial) { here, visits, back in
        there.async {
          visits.add()
          here.async(execute: back)
        }
      }
    }
    Variant("queue-c", .documented, "as queue, by dispatch_async_f: functions instead of blocks") { trial in
      let there = FunctionQueue(label: "there")
      try hopByFunctions(trial, to: there) { hopper in
        gcdlab_dispatch_async_f(FunctionHopper.of(hopper).there, hopper) { hopper in
          FunctionHopper.of(hopper).visits.add()
          gcdlab_dispatch_async_f(FunctionHopper.of(hopper).here, hopper) { FunctionHopper.endTrip($0) }
        }
      }
    }
    Variant("queue-sync", .documented, "a thread calls sync on an uncontended serial queue: no thread switch") {
      trial in
      let there = DispatchQueue(label: "there")
      try callSynchronously(trial) { trips in
        trips.each { visits in
          there.sync { visits.add() }
        }
      }
    }
    Variant("actor", .modern, "a task calls a method of an actor") { trial in
      actor Destination {
        func visit(_ visits: Visits) { visits.add() }
      }
      let destination = Destination()
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await destination.visit(visits)
        }
      }
    }
    Variant("actor-on-queue", .modern, "as actor, with a serial queue as the actor's custom executor") { trial in
      actor Destination {
        private let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        init(on queue: DispatchQueue) { executor = QueueExecutor(queue: queue) }
        func visit(_ visits: Visits) { visits.add() }
      }
      let destination = Destination(on: DispatchQueue(label: "there"))
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await destination.visit(visits)
        }
      }
    }
    Variant("continuation", .modern, "a task suspends; a block on a serial queue resumes it") { trial in
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
      "main-queue", .documented, "a block asyncs to the main queue, whose block asyncs back",
      mainQueue: .mainThread
    ) { trial in
      try hop(trial) { here, visits, back in
        mainQueue.async {
          visits.add()
          here.async(execute: back)
        }
      }
    }
    Variant("main-actor", .modern, "a task calls MainActor.run", mainQueue: .mainThread) { trial in
      try hopAsTask(trial) { trips in
        await trips.each { visits in
          await MainActor.run { visits.add() }
        }
      }
    }
  }

  /// Returns an upper bound for the duration of a trial: the time of two thread wake-ups for each round trip.
  func longest(_ trial: Trial) -> Duration? {
    .microseconds(100) * (trial[batch] * (Batches.count + 2) + trial[callers] * trial[calls])
  }
}

import Dispatch
import Laboratory

/// Whom does a barrier keep out?
///
/// The series that "GCD in depth" opens guards an array with a concurrent queue: readers go in together, and a writer is a barrier,
/// which waits for those that are inside and keeps the others out until it is done. That holds on a queue of one's own. On a
/// global queue `dispatch_barrier_async` is `dispatch_async`, as its manual page says:
///
/// ```objc
/// dispatch_async(queue, ^{ /* read */ });
/// dispatch_barrier_async(queue, ^{ /* write */ });
/// ```
///
/// Each time there are three blocks. The earlier one runs when the barrier is submitted, and waits for the barrier to begin. The
/// barrier submits the later one, and waits for that to begin. Who is not kept out comes for sure; where the barrier does its
/// work, nobody comes, and the waits end by themselves. How that is looked at stands in `BarrierScopeTrials.swift`.
///
/// Source: the series that "GCD in depth" opens; beyond the sentences of the documents.
struct BarrierScope: Pattern {
  static let name = "barrier-scope"

  let barriers = Setting.count("barriers", 1...1000, default: 10, "barriers, one after the other")

  let wentPast = Metric.count("went-past", "barriers that began before the earlier block had ended")
  let walkedIn = Metric.count("walked-in", "later blocks that began before the barrier had ended")

  var variants: [Variant] {
    Variant("private", .documented, "a barrier in a concurrent queue of one's own") { trial in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("targets-global", .documented, "a barrier in a queue of one's own that targets a global one") { trial in
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: .global())
      try look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("global", .broken, "a barrier in a global queue") { trial in
      let queue = DispatchQueue.global()
      try lookForIntruders(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("neighbour", .broken, "a barrier in one of two queues with a common target; the others are in the second") {
      trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: target)
      let neighbour = DispatchQueue(label: "neighbour", attributes: .concurrent, target: target)
      try lookForIntruders(trial) { blocks in
        neighbour.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          neighbour.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("at-target", .documented, "a barrier in the target of two queues; the others are in these") { trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: target)
      let neighbour = DispatchQueue(label: "neighbour", attributes: .concurrent, target: target)
      try look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        target.async(flags: .barrier) {
          neighbour.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("actor", .modern, "no barrier: the three are calls of an actor, which lets in one at a time") { trial in
      actor Owner {
        func run(_ body: @Sendable () -> Void) { body() }
      }
      let owner = Owner()
      try look(trial) { blocks in
        Task { await owner.run { blocks.earlier() } }
        blocks.awaitEarlier()
        Task {
          await owner.run {
            Task { await owner.run { blocks.later() } }
            blocks.barrier()
          }
        }
      }
    }
  }
}

import Dispatch
import Instruments

/// Which blocks does a barrier exclude?
///
/// The series that "GCD in depth" opens guards an array with a concurrent queue: readers run concurrently, and a writer
/// is a barrier, which waits for the readers that are running and keeps others from starting until it has finished.
/// That holds on a private queue. On a global queue `dispatch_barrier_async` is `dispatch_async`, as its manual page
/// says:
///
/// ```objc
/// dispatch_async(queue, ^{ /* read */ });
/// dispatch_barrier_async(queue, ^{ /* write */ });
/// ```
///
/// Each time there are three blocks. The earlier one runs when the barrier is submitted, and waits for the barrier to
/// start. The barrier submits the later one, and waits for that to start. Where nothing is excluded, what is waited for
/// surely comes; where the barrier works, nothing comes, and the waits end by themselves. The measuring stands in
/// `BarrierScopeTrials.swift`.
///
/// Source: the series that "GCD in depth" opens; beyond the sentences of the documents.
struct BarrierScope: Pattern {
  static let name = "barrier-scope"

  let barriers = Setting.count("barriers", 1...1000, default: 10, "barriers, submitted one after the other")

  let barrierBeganEarly = Metric.count(
    "barrier-began-early", "barriers that started while the earlier block was still running")
  let ranBesideBarrier = Metric.count("ran-beside-barrier", "blocks that started while the barrier was running")

  var variants: [Variant] {
    Variant("private", .documented, "a barrier on a private concurrent queue") { trial in
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
    Variant("targets-global", .documented, "a barrier on a private concurrent queue that targets a global one") {
      trial in
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
    Variant("global", .broken, "a barrier on a global queue") { trial in
      let queue = DispatchQueue.global()
      try lookForOverlap(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          queue.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant(
      "sibling", .broken, "a barrier on one of two queues with the same target; the other blocks are on the second"
    ) {
      trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: target)
      let sibling = DispatchQueue(label: "sibling", attributes: .concurrent, target: target)
      try lookForOverlap(trial) { blocks in
        sibling.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          sibling.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("at-target", .documented, "a barrier on the common target of two queues; the other blocks are on these") {
      trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: target)
      let sibling = DispatchQueue(label: "sibling", attributes: .concurrent, target: target)
      try look(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        target.async(flags: .barrier) {
          sibling.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("actor", .modern, "no barrier: the three blocks are calls on an actor, which runs one at a time") { trial in
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

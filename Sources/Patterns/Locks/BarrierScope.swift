import Dispatch
import Instruments

/// Which blocks does a barrier exclude?
///
/// The series of articles that begins with "GCD in depth" guards an array with a concurrent queue. Readers run
/// concurrently. A writer is a barrier: it waits for the running readers, and other readers wait until the writer has
/// finished. A barrier has this effect on a private queue only. On a global queue, `dispatch_barrier_async` has the
/// effect of `dispatch_async`, according to the manual page of the function.
///
/// A trial repeatedly submits three blocks: the earlier block, the barrier and the later block. The earlier block is
/// running when the barrier is submitted, and waits until the barrier begins. The barrier submits the later block and
/// waits until the later block begins. If the barrier does not exclude the two other blocks, both waits succeed. If the
/// barrier excludes both blocks, both waits time out. `BarrierScopeTrials.swift` contains the code that runs the
/// trials.
///
/// Source: the series of articles that begins with "GCD in depth". The lab checks no sentence about this question.
struct BarrierScope: Pattern {
  static let name = "barrier-scope"

  let barriers = Parameter.count("barriers", 1...1000, default: 10, "barriers, submitted one after the other")

  let barrierBeganEarly = Metric.count(
    "barrier-began-early", "barriers that started while the earlier block was still running")
  let ranBesideBarrier = Metric.count("ran-beside-barrier", "blocks that started while the barrier was running")

  var variants: [Variant] {
    Variant("private", .documented, "a barrier on a private concurrent queue") { trial in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      try countOverlaps(trial) { blocks in
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
      try countOverlaps(trial) { blocks in
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
      try countOverlaps(trial, patience: .seconds(20)) { blocks in
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
      try countOverlaps(trial, patience: .seconds(20)) { blocks in
        sibling.async { blocks.earlier() }
        blocks.awaitEarlier()
        queue.async(flags: .barrier) {
          sibling.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("at-target", .documented, "a barrier on the target of two queues; the other blocks are on these queues") {
      trial in
      let target = DispatchQueue(label: "target", attributes: .concurrent)
      let queue = DispatchQueue(label: "own", attributes: .concurrent, target: target)
      let sibling = DispatchQueue(label: "sibling", attributes: .concurrent, target: target)
      try countOverlaps(trial) { blocks in
        queue.async { blocks.earlier() }
        blocks.awaitEarlier()
        target.async(flags: .barrier) {
          sibling.async { blocks.later() }
          blocks.barrier()
        }
      }
    }
    Variant("actor", .modern, "no barrier: three calls on an actor, which runs one call at a time") { trial in
      actor Owner {
        func run(_ body: @Sendable () -> Void) { body() }
      }
      let owner = Owner()
      try countOverlaps(trial) { blocks in
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

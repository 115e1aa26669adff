import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// Which blocks wait for work that cannot run before the blocks end?
///
/// The Concurrency Programming Guide forbids a task to call `dispatch_sync` with the queue on which the task runs. On a
/// serial queue the call deadlocks; on a concurrent queue the call should be avoided as well. The guide also warns of
/// calling `dispatch_apply` with the serial queue on which the caller runs.
///
/// A task that a trial submits is the only task in its queue when the task begins. A hazard is expected to trap or to
/// hang. If the tasks of a hazard end nevertheless, the trial completes and reports this result. Inner blocks that are
/// not expected to run are empty.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Adding a Single Task to a Queue" and "Performing Loop
/// Iterations Concurrently".
struct QueueDeadlock: Pattern {
  static let name = "queue-deadlock"

  let iterations = Parameter.count("iterations", 1...10_000, default: 100, "iterations of concurrentPerform")

  let notOnce = Metric.count(
    "not-once", "inner blocks, or iterations, that had not run exactly once when all tasks had ended")

  /// The main queue. Tests replace this queue, since nothing drains the main queue in a test.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [iterations] }

  var variants: [Variant] {
    Variant(
      "sync-on-own-queue", .broken, "a block on a serial queue syncs to that queue", awaitTasks, ends: .trapsAtOnce
    ) {
      trial, tasks in
      let queue = DispatchQueue(label: "own")
      queue.async(group: tasks) {
        trial.hazard()
        queue.sync {}
      }
    }
    Variant(
      "sync-on-target", .broken, "a block on a serial queue syncs to that queue's target queue", awaitTasks,
      ends: .trapsAtOnce
    ) { trial, tasks in
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "own", target: target)
      queue.async(group: tasks) {
        trial.hazard()
        target.sync {}
      }
    }
    Variant(
      "sync-through-another", .broken, "a block syncs to another queue, whose block syncs back to the first",
      awaitTasks, ends: .trapsAtOnce
    ) { trial, tasks in
      let queue = DispatchQueue(label: "own")
      let other = DispatchQueue(label: "other")
      queue.async(group: tasks) {
        other.sync {
          trial.hazard()
          queue.sync {}
        }
      }
    }
    Variant(
      "main-sync-on-main", .broken, "a block on the main queue syncs to the main queue", awaitTasks, ends: .trapsAtOnce
    ) { trial, tasks in
      DispatchQueue.main.async(group: tasks) {
        trial.hazard()
        DispatchQueue.main.sync {}
      }
    }
    Variant(
      "apply-on-own-queue", .broken, "a function on a serial queue calls dispatch_apply_f with that queue",
      ends: .trapsAtOnce
    ) { trial in
      let queue = gcdlab_dispatch_queue_create("own", nil)
      defer { gcdlab_dispatch_release(queue) }
      trial.hazard()
      gcdlab_dispatch_sync_f(queue, queue) { queue in
        gcdlab_dispatch_apply_f(2, queue, nil) { _, _ in }
      }
    }
    Variant(
      "apply-in-async-block", .broken,
      "a block that async runs on a serial queue calls dispatch_apply_f with that queue", ends: .trapsAtOnce
    ) { trial in
      let queue = gcdlab_dispatch_queue_create("own", nil)
      defer { gcdlab_dispatch_release(queue) }
      trial.hazard()
      gcdlab_dispatch_async_f(queue, queue) { queue in
        gcdlab_dispatch_apply_f(2, queue, nil) { _, _ in }
      }
      gcdlab_dispatch_sync_f(queue, nil) { _ in }
    }
    Variant(
      "apply-on-main-queue", .broken, "a block of the main queue, on the main thread, calls dispatch_apply_f with main",
      ends: .trapsAtOnce, mainQueue: .mainThread
    ) { trial in
      trial.hazard()
      gcdlab_dispatch_async_f(gcdlab_main_queue(), nil) { _ in
        gcdlab_dispatch_apply_f(2, gcdlab_main_queue(), nil) { _, _ in }
      }
      gcdlab_dispatch_sync_f(gcdlab_main_queue(), nil) { _ in }
    }
    Variant(
      "concurrent-perform-on-own-queue", .modern,
      "a block on a serial queue calls DispatchQueue.concurrentPerform, which takes no queue", countIterations
    ) { tasks, inner in
      let queue = DispatchQueue(label: "own")
      queue.async(group: tasks) {
        DispatchQueue.concurrentPerform(iterations: inner.count) { index in
          inner.ran(index)
        }
      }
    }
    Variant(
      "group-wait-on-own-queue", .broken, "a block waits for a group whose block is behind it in the same serial queue",
      awaitTasks, ends: hangs
    ) { trial, tasks in
      let queue = DispatchQueue(label: "own")
      queue.async(group: tasks) {
        let group = DispatchGroup()
        queue.async(group: group) {}
        trial.hazard()
        group.wait()
      }
    }
    Variant(
      "abba", .broken, "blocks run on two serial queues, then each syncs to the other's queue", awaitTasks, ends: hangs
    ) { trial, tasks in
      let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
      // The tasks spin while they wait for each other. A task that slept at this point could be mistaken for a
      // deadlocked task.
      let rendezvous = SpinBarrier(parties: 2)
      first.async(group: tasks) {
        rendezvous.wait()
        trial.hazard()
        second.sync {}
      }
      second.async(group: tasks) {
        rendezvous.wait()
        first.sync {}
      }
    }
    Variant(
      "sync-on-own-concurrent", .broken, "a block on a concurrent queue, otherwise empty, syncs to that queue",
      countInner(1)
    ) { tasks, inner in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      queue.async(group: tasks) {
        queue.sync { inner.ran(0) }
      }
    }
    Variant(
      "sync-on-own-concurrent-barrier", .broken,
      "as sync-on-own-concurrent, with a barrier block submitted before the sync", awaitTasks, ends: hangs
    ) { trial, tasks in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      queue.async(group: tasks) {
        queue.async(group: tasks, flags: .barrier) {}
        trial.hazard()
        queue.sync {}
      }
    }
    Variant(
      "barrier-sync-on-own-concurrent", .broken,
      "a block on a concurrent queue, otherwise empty, makes a barrier sync to that queue", awaitTasks, ends: hangs
    ) { trial, tasks in
      let queue = DispatchQueue(label: "own", attributes: .concurrent)
      queue.async(group: tasks) {
        trial.hazard()
        queue.sync(flags: .barrier) {}
      }
    }
    Variant(
      "async-instead", .documented,
      "blocks async to their own queue, to its target and through another queue; main asyncs to main", countInner(4)
    ) { tasks, inner in
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "own", target: target)
      let other = DispatchQueue(label: "other")
      queue.async(group: tasks) {
        queue.async(group: tasks) { inner.ran(0) }
        target.async(group: tasks) { inner.ran(1) }
        other.async(group: tasks) {
          queue.async(group: tasks) { inner.ran(2) }
        }
      }
      mainQueue.async(group: tasks) {
        mainQueue.async(group: tasks) { inner.ran(3) }
      }
    }
  }

  /// A probe that waits until the tasks of a group have ended. The body submits the tasks. A task that is expected to
  /// trap or to hang calls `trial.hazard()` itself, so a task that never begins does not count as a deadlock. The trial
  /// is unavailable if the pool cannot start its threads, since waiting for threads is not a deadlock.
  private var awaitTasks: Probe<@Sendable (_ trial: Trial, _ tasks: DispatchGroup) -> Void> {
    Probe { trial, body in
      try SystemThread.requireCapacity(for: 4)
      let tasks = DispatchGroup()
      body(trial, tasks)
      tasks.wait()
    }
  }

  /// Returns a probe that waits until the tasks of a group have ended, and counts the inner blocks that have not run
  /// exactly once.
  ///
  /// - Parameter count: the number of inner blocks.
  private func countInner(_ count: Int) -> Probe<@Sendable (_ tasks: DispatchGroup, _ inner: ExecutionCounts) -> Void> {
    Probe(records: [notOnce]) { trial, body in
      let inner = ExecutionCounts(count: count)
      try awaitTasks(trial) { _, tasks in body(tasks, inner) }
      trial.record(notOnce, inner.notOnce)
    }
  }

  /// A probe that waits until the tasks of a group have ended, and counts the iterations that have not run exactly
  /// once.
  private var countIterations: Probe<@Sendable (_ tasks: DispatchGroup, _ inner: ExecutionCounts) -> Void> {
    Probe(reads: [iterations], records: [notOnce]) { trial, body in
      try countInner(trial[iterations])(trial, body)
    }
  }

  private var hangs: Ending { .hangs(within: .milliseconds(50)) }
}

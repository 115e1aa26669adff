import Dispatch
import Instruments
import Synchronization

/// Which blocks does a suspended queue still run, and what do unbalanced calls of `suspend` and `resume` cause?
///
/// `dispatch_suspend` prevents a queue from starting blocks until `dispatch_resume` is called. The Concurrency
/// Programming Guide says that the two calls nest and must be balanced. According to the guide, the calls take effect
/// between blocks, and a running block is not stopped. The guide has no listing for the calls. In C, the calls look
/// like this:
///
/// ```c
/// dispatch_suspend(queue);
/// // blocks submitted now wait
/// dispatch_resume(queue);
/// ```
///
/// If a thread suspends a serial queue at an arbitrary time, the queue may already have dequeued its next block. To
/// avoid this race, a trial suspends a serial queue in one of the queue's own blocks, or while one of these blocks
/// runs.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Suspending and Resuming Queues".
struct QueueSuspend: Pattern {
  static let name = "queue-suspend"

  let blocks = Parameter.count(
    "blocks", 1...1000, default: 10, "blocks that wait in the suspended queue")
  let repeats = Parameter.count("repeats", 1...10_000, default: 100, "suspensions per trial").ofMeasurement

  let beganWhileSuspended = Metric.count(
    "began-while-suspended",
    "highest number of blocks that began between suspend and resume, in any one suspension")
  let stopped = Metric.count(
    "stopped",
    "blocks that were running when their queue was suspended, and had not ended when the queue was resumed")
  let lost = Metric.count("lost", "blocks that had not run exactly once after the last resume")
  let resumeToRun = Metric.latency(
    "resume-to-run", "from the last resume to the start of the first waiting block")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant("balanced", .documented, "a block suspends its own serial queue, which is resumed once", hold) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.async { waiting.suspending { queue.suspend() } }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant(
      "nested-suspends", .documented,
      "a block suspends its queue twice; blocks are counted after the first of two resumes", hold
    ) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.async {
        waiting.suspending {
          queue.suspend()
          queue.suspend()
        }
      }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.awaitSuspension()
      queue.resume()
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant(
      "suspend-while-running", .documented, "a thread suspends a serial queue while one of its blocks runs",
      holdWhileRunning
    ) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.async { waiting.runUntilSuspended() }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.awaitRunningBlock()
      waiting.suspending { queue.suspend() }
      waiting.awaitEndOfRunningBlock()
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant(
      "concurrent", .broken, "a concurrent queue is suspended while its blocks wait for a thread",
      continueWhileSuspended()
    ) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      for _ in 0..<waiting.poolWidth { queue.async(group: waiting.all) { waiting.runUntilSuspended() } }
      for _ in 0..<waiting.cores { waiting.awaitRunningBlock() }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.suspending { queue.suspend() }
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant(
      "concurrent-in-barrier", .documented, "a barrier block suspends its own concurrent queue", hold
    ) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      queue.async(flags: .barrier) { waiting.suspending { queue.suspend() } }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant("global", .broken, "a global queue is suspended", continueWhileSuspended()) { waiting in
      let queue = DispatchQueue.global()
      waiting.suspending { queue.suspend() }
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.watch()
      waiting.resuming { queue.resume() }
    }
    Variant("activate", .modern, "a queue created inactive, activated later", hold) { waiting in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
      waiting.suspending {}
      for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
      waiting.watch()
      waiting.resuming { queue.activate() }
    }
    Variant("over-resume", .broken, "a queue is resumed once too often", ends: .trapsAtOnce) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.suspend()
      queue.resume()
      trial.hazard()
      queue.resume()
    }
    Variant("release-suspended", .broken, "the last reference to a suspended queue is released", ends: .trapsAtOnce) {
      trial in
      trial.hazard()
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.suspend()
    }
    Variant("resume-inactive", .broken, "an inactive queue is resumed instead of activated", ends: .trapsAtOnce) {
      trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
      trial.hazard()
      queue.resume()
      // The release of an inactive queue would trap, too.
      queue.activate()
    }
    Variant(
      "release-inactive", .broken, "the last reference to a never activated queue is released", ends: .trapsAtOnce
    ) { trial in
      trial.hazard()
      _ = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
    }
  }
}

import Dispatch
import Laboratory
import Measurement
import Synchronization

/// What does a suspended queue still run, and what must follow?
///
/// `dispatch_suspend` keeps a queue from beginning blocks and `dispatch_resume` lets it; they count, says the document, and each
/// suspension needs its resumption. It takes effect between blocks: one that runs is not stopped. There is no listing; this is
/// what the calls come to:
///
/// ```c
/// dispatch_suspend(queue);
/// // what is added now waits
/// dispatch_resume(queue);
/// ```
///
/// A queue may already be on its way to its next block when another thread suspends it. So that no outcome hangs on that, the
/// queues here are suspended by a block of theirs, or while one is known to run.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Suspending and Resuming Queues".
struct QueueSuspend: Pattern {
  static let name = "queue-suspend"

  let blocks = Setting.count("blocks", 1...1000, default: 10, "blocks that wait in the queue")
  let repeats = Setting.count("repeats", 1...10_000, default: 100, "suspensions in a trial")

  let beganSuspended = Metric.count(
    "began-suspended", "blocks that began after suspend had returned and before resume; the most of any suspension")
  let stopped = Metric.count(
    "stopped", "blocks that ran when their queue was suspended, and had not ended when it was resumed")
  let lost = Metric.count("lost", "blocks that had not run once when the queue was resumed and all was over")
  let resumeToRun = Metric.latency("resume-to-run", "from the last resume until the first waiting block begins")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant("balanced", .documented, "a block suspends its serial queue; one resume", own: held) { trial in
      hold(trial) { waiting in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.async { waiting.suspending { queue.suspend() } }
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.look()
        waiting.resuming { queue.resume() }
      }
    }
    Variant("nested-suspends", .documented, "a block suspends twice; looked at after one of two resumes", own: held) {
      trial in
      hold(trial) { waiting in
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
        waiting.look()
        waiting.resuming { queue.resume() }
      }
    }
    Variant(
      "suspend-while-running", .documented, "a thread suspends the queue while a block of it runs",
      own: held + [stopped]
    ) { trial in
      hold(trial) { waiting in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.async { waiting.runsOnWhenSuspended() }
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.awaitRunning()
        waiting.suspending { queue.suspend() }
        waiting.lookAndAwaitEnd()
        waiting.resuming { queue.resume() }
      }
      .record(trial, stopped)
    }
    Variant("concurrent", .broken, "a concurrent queue is suspended whose blocks have no thread yet", own: going) {
      trial in
      goOn(trial) { waiting in
        let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
        for _ in 0..<trial.cores { queue.async(group: waiting.all) { waiting.runsOnWhenSuspended() } }
        for _ in 0..<trial.cores { waiting.awaitRunning() }
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.suspending { queue.suspend() }
        waiting.look()
        waiting.resuming { queue.resume() }
      }
    }
    Variant(
      "concurrent-in-barrier", .documented, "a concurrent queue is suspended by a barrier block of its own", own: held
    ) { trial in
      hold(trial) { waiting in
        let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
        queue.async(flags: .barrier) { waiting.suspending { queue.suspend() } }
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.look()
        waiting.resuming { queue.resume() }
      }
    }
    Variant("global", .broken, "a global queue is suspended", own: going) { trial in
      goOn(trial) { waiting in
        let queue = DispatchQueue.global()
        waiting.suspending { queue.suspend() }
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.look()
        waiting.resuming { queue.resume() }
      }
    }
    Variant("activate", .modern, "a queue that is made inactive, and activated when all is ready", own: held) { trial in
      hold(trial) { waiting in
        let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
        waiting.suspending {}
        for block in waiting.blocks { queue.async(group: waiting.all) { block.run() } }
        waiting.look()
        waiting.resuming { queue.activate() }
      }
    }
    Variant("over-resume", .broken, "a queue is resumed once more than it was suspended", ends: traps) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.suspend()
      queue.resume()
      trial.hazard()
      queue.resume()
    }
    Variant("release-suspended", .broken, "the last reference to a suspended queue goes", ends: traps) { trial in
      trial.hazard()
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.suspend()
    }
    Variant("inactive", .broken, "an inactive queue is resumed instead of activated", ends: traps) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
      trial.hazard()
      queue.resume()
    }
    Variant("release-inactive", .broken, "the last reference to a queue goes that was never activated", ends: traps) {
      trial in
      trial.hazard()
      _ = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
    }
  }

  private var going: [any Declaration] { [blocks, repeats, beganSuspended, lost] }
  private var held: [any Declaration] { going + [resumeToRun] }
  private var traps: Ending { .traps(within: .milliseconds(500)) }
}

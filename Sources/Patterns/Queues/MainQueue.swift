import Dispatch
import Laboratory
import Measurement
import Platform

/// Where do the blocks of the main queue run, and what holds them up?
///
/// The documents say that the main queue runs its tasks one at a time, all on the main thread; that work belongs on another queue,
/// from where one comes back:
///
/// ```objc
/// dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), ^{
///   // work that takes its time
///   dispatch_async(dispatch_get_main_queue(), ^{ /* update the user interface */ });
/// });
/// ```
///
/// and that `dispatch_apply` on the main thread holds up its events. An event here is a block that somebody sends to the main
/// queue while the work is being done.
///
/// The main thread of a trial serves the queue in a loop, as in an app, unless a variant tries another way.
///
/// Sources: "GCD in depth", Queue Types, "The various queue types with dispatch_async"; Concurrency Programming Guide, Dispatch
/// Queues, "Performing Tasks on the Main Thread", "Performing Loop Iterations Concurrently".
struct MainQueue: Pattern {
  static let name = "main-queue"

  let blocks = Setting.count("blocks", 2...100_000, default: 500, "blocks that each of four threads sends to main")
  let hops = Setting.count("hops", 1...100_000, default: 200, "ways to the main queue and back")
  let events = Setting.count("events", 1...1000, default: 10, "pieces of work, with an event in each")
  let work = Setting.duration(
    "work", .zero ... .seconds(1), default: .milliseconds(2), "how long a piece of work takes one core")

  let inversions = Metric.count("inversions", "blocks that began after one that the same thread had sent later")
  let overlaps = Metric.count("overlaps", "blocks that began before another had ended")
  let outOfTurn = Metric.count("out-of-turn", "blocks that main sent to itself and that began in the current one")
  let offMain = Metric.count("off-main", "blocks of the main queue that ran on another thread than the main one")
  let toMain = Metric.latency("to-main", "from just before a block is sent to main to its first instruction there")
  let back = Metric.latency("back", "from its last instruction there to the first one where it came from")
  let lateness = Metric.latency("lateness", "from when an event was sent to main to its first instruction")
  let delayed = Metric.count("delayed", "events that began only when the work had ended in which they were sent")
  let unrun = Metric.count("unrun", "blocks of the main queue that had not begun when all threads slept")

  /// The main queue; a test, whose main queue nobody serves, gives another.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [blocks, hops, events, work] }

  var variants: [Variant] {
    Variant(
      "dispatch-main", .documented, "threads send blocks to main, which dispatchMain serves", own: ordered,
      mainQueue: .body
    ) { trial in
      MainThread.run { dispatchMain() }
      try send(trial) { block in
        mainQueue.async(group: block.all) { block.run() }
      }
    }
    Variant(
      "main-loop", .documented, "the same, the main thread serves it in a loop", own: ordered, mainQueue: .body
    ) { trial in
      MainThread.run { MainThread.serveMainQueue() }
      try send(trial) { block in
        mainQueue.async(group: block.all) { block.run() }
      }
    }
    Variant(
      "async-hop", .documented, "a thread sends a block to main, that one to another queue", own: hopping,
      mainQueue: .mainThread
    ) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      hop(trial) { hop in
        hop.leaves()
        mainQueue.async {
          hop.arrives()
          queue.async { hop.isBack() }
        }
      }
    }
    Variant(
      "nested-hop", .documented, "the document's: a block of a global queue sends one to main", own: hopping,
      mainQueue: .mainThread
    ) { trial in
      hop(trial) { hop in
        DispatchQueue.global().async {
          hop.leaves()
          mainQueue.async {
            hop.arrives()
            DispatchQueue.global().async { hop.isBack() }
          }
        }
      }
    }
    Variant(
      "sync-hop", .documented, "a block of a global queue syncs on main", own: hopping, mainQueue: .mainThread
    ) { trial in
      hop(trial) { hop in
        DispatchQueue.global().async {
          hop.leaves()
          mainQueue.sync { hop.arrives() }
          hop.isBack()
        }
      }
    }
    Variant(
      "continuation", .modern, "a task awaits a block that it sends to main", own: hopping, mainQueue: .mainThread
    ) { trial in
      await hopAsTask(trial) { hop in
        hop.leaves()
        await withCheckedContinuation { task in
          mainQueue.async {
            hop.arrives()
            task.resume()
          }
        }
        hop.isBack()
      }
    }
    Variant("main-actor", .modern, "a task runs a part of it on the main actor", own: hopping, mainQueue: .mainThread) {
      trial in
      await hopAsTask(trial) { hop in
        hop.leaves()
        await MainActor.run { hop.arrives() }
        hop.isBack()
      }
    }
    Variant("busy-main", .broken, "the work is done on main", own: working, mainQueue: .mainThread, takes: allWork) {
      trial in
      work(trial, looks: inOrder) { work in
        mainQueue.async {
          work.begins(on: mainQueue)
          for part in 0..<work.parts { work.doPart(part) }
          work.ends()
        }
      }
    }
    Variant(
      "apply-on-main", .broken, "concurrentPerform on main does it", own: working, mainQueue: .mainThread,
      takes: allWork
    ) {
      trial in
      work(trial, looks: inOrder) { work in
        mainQueue.async {
          work.begins(on: mainQueue)
          DispatchQueue.concurrentPerform(iterations: work.parts) { part in work.doPart(part) }
          work.ends()
        }
      }
    }
    Variant(
      "moved", .documented, "a global queue does it, and main is told", own: working, mainQueue: .mainThread,
      takes: allWork
    ) {
      trial in
      work(trial, looks: overtaking) { work in
        DispatchQueue.global().async {
          work.begins(on: mainQueue)
          for part in 0..<work.parts { work.doPart(part) }
          mainQueue.async { work.ends() }
        }
      }
    }
    Variant("not-drained", .broken, "nobody serves the main queue", own: [unrun], mainQueue: .nobody) { trial in
      try look(trial) { block in
        mainQueue.async { block.begins() }
      }
    }
    Variant(
      "sync-not-drained", .broken, "nobody does, and a thread syncs on it", ends: .hangs(within: .milliseconds(50)),
      mainQueue: .nobody
    ) { trial in
      trial.hazard()
      DispatchQueue.main.sync {}
    }
  }

  private var ordered: [any Declaration] { [blocks, inversions, overlaps, outOfTurn, offMain] }
  private var hopping: [any Declaration] { [hops, toMain, back, offMain] }
  private var working: [any Declaration] { [events, work, lateness, delayed] }

  /// How long a block waits, the first time, for an event that must not come while it runs.
  private var inOrder: Duration { .milliseconds(10) }
  /// How long it waits for one that will come.
  private var overtaking: Duration { .seconds(20) }
}

import CDispatchSupport
import Dispatch
import Instruments

/// On which thread do the blocks of the main queue run, and what delays the blocks?
///
/// "GCD in depth" says that the main queue runs its tasks one at a time on the main thread. The article recommends that
/// a program does lengthy work on another queue and then submits the result to the main queue. The Concurrency
/// Programming Guide says that `dispatch_apply` on the main thread delays the events of that thread. An event in a
/// trial is a block that is submitted to the main queue during the work.
///
/// The main thread of a trial drains the main queue in a loop, as in an app, unless the variant says otherwise.
///
/// Sources: "GCD in depth", Queue Types, "The various queue types with dispatch_async"; Concurrency Programming Guide,
/// Dispatch Queues, "Performing Tasks on the Main Thread", "Performing Loop Iterations Concurrently".
struct MainQueue: Pattern {
  static let name = "main-queue"

  let blocks = Parameter.count("blocks", 2...100_000, default: 500, "blocks that each of four threads submits to main")
  let hops = Parameter.count("hops", 1...100_000, default: 200, "round trips to the main queue")
  let events = Parameter.count("events", 1...1000, default: 10, "pieces of work; one event is submitted during each")
  let work = Parameter.duration(
    "work", .zero ... .seconds(1), default: .milliseconds(2), "CPU time of one piece of work")

  let inversions = Metric.count(
    "inversions", "times that a block began or ended after a block that the same thread submitted later")
  let overlaps = Metric.count("overlaps", "blocks that began while another block was running")
  let outOfTurn = Metric.count(
    "out-of-turn", "blocks submitted by main to itself that began before the current block ended")
  let offMain = Metric.count("off-main", "main-queue blocks that ran on a thread other than the main thread")
  let toMain = Metric.latency("to-main", "from just before a block is submitted to main to its first instruction there")
  let back = Metric.latency("back", "from the end of the block on main to the first instruction after the return")
  let lateness = Metric.latency(
    "lateness", isAmount: true, "from the submission of an event to main to its first instruction")
  let delayed = Metric.count(
    "delayed", "events that began only after the work during which they were submitted had ended")
  let neverRan = Metric.count("never-ran", "main-queue blocks that had not begun once every thread slept")

  /// The main queue. Tests replace this queue, since nothing drains the main queue in a test.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [blocks, hops, events, work] }

  var variants: [Variant] {
    Variant(
      "dispatch-main", .documented, "threads submit blocks to main, which dispatchMain drains", sendBlocks,
      mainQueue: .body
    ) { trial in
      MainThread.run { dispatchMain() }
      try send(trial) { block in
        mainQueue.async(group: block.all) { block.run() }
      }
    }
    Variant(
      "main-loop", .documented, "threads submit blocks to main, which the main thread drains in a loop", sendBlocks,
      mainQueue: .body
    ) { trial in
      MainThread.run { MainThread.serveMainQueue() }
      try send(trial) { block in
        mainQueue.async(group: block.all) { block.run() }
      }
    }
    Variant(
      "async-hop", .documented, "a thread asyncs to main, whose block asyncs to another queue", makeHops,
      mainQueue: .mainThread
    ) { trial in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      try hop(trial) { hop in
        hop.noteDeparture()
        mainQueue.async {
          hop.noteArrival()
          queue.async { hop.noteReturn() }
        }
      }
    }
    Variant(
      "nested-hop", .documented, "the document's listing: a block on a global queue asyncs to main", hop,
      mainQueue: .mainThread
    ) { hop in
      DispatchQueue.global().async {
        hop.noteDeparture()
        mainQueue.async {
          hop.noteArrival()
          DispatchQueue.global().async { hop.noteReturn() }
        }
      }
    }
    Variant("sync-hop", .documented, "a block on a global queue syncs to main", hop, mainQueue: .mainThread) { hop in
      DispatchQueue.global().async {
        hop.noteDeparture()
        mainQueue.sync { hop.noteArrival() }
        hop.noteReturn()
      }
    }
    Variant(
      "continuation", .modern, "a task suspends; a block on main resumes it", hopAsTask, mainQueue: .mainThread
    ) { hop in
      hop.noteDeparture()
      await withCheckedContinuation { task in
        mainQueue.async {
          hop.noteArrival()
          task.resume()
        }
      }
      hop.noteReturn()
    }
    Variant("main-actor", .modern, "a task calls MainActor.run", hopAsTask, mainQueue: .mainThread) { hop in
      hop.noteDeparture()
      await MainActor.run { hop.noteArrival() }
      hop.noteReturn()
    }
    Variant("busy-main", .broken, "a block on main does the work", doWork(observedFor: inOrder), mainQueue: .mainThread)
    {
      work in
      mainQueue.async {
        work.submitEvent(to: mainQueue)
        for part in 0..<work.parts { work.doPart(part) }
        work.recordEnd()
        work.showResult()
      }
    }
    Variant(
      "apply-on-main", .broken, "a block on main does the work by concurrentPerform", doWork(observedFor: inOrder),
      mainQueue: .mainThread
    ) { work in
      mainQueue.async {
        work.submitEvent(to: mainQueue)
        DispatchQueue.concurrentPerform(iterations: work.parts) { part in work.doPart(part) }
        work.recordEnd()
        work.showResult()
      }
    }
    Variant(
      "moved-off-main", .documented, "a global queue does the work, then asyncs to main",
      doWork(observedFor: patienceForOvertaking),
      mainQueue: .mainThread
    ) { work in
      DispatchQueue.global().async {
        work.submitEvent(to: mainQueue)
        for part in 0..<work.parts { work.doPart(part) }
        work.recordEnd()
        mainQueue.async { work.showResult() }
      }
    }
    Variant(
      "not-drained", .broken, "the main thread never drains the main queue", awaitBlockOrStandstill, mainQueue: .nobody
    ) { block in
      mainQueue.async { block.noteBegin() }
    }
    Variant(
      "main-thread-ends", .broken, "the main thread ends by pthread_exit and has drained nothing",
      awaitBlockOrStandstill, mainQueue: .body
    ) { block in
      MainThread.run { gcdlab_end_thread() }
      mainQueue.async { block.noteBegin() }
    }
    Variant(
      "sync-not-drained", .broken, "a thread syncs to a main queue that is never drained",
      ends: .hangs(within: .milliseconds(50)), mainQueue: .nobody
    ) { trial in
      trial.hazard()
      DispatchQueue.main.sync {}
    }
  }

  private var sendBlocks: TrialProbe { Probe(reads: [blocks], records: [inversions, overlaps, outOfTurn, offMain]) }
  private var makeHops: TrialProbe { Probe(reads: [hops], records: [toMain, back, offMain]) }

  /// The time for which work waits for an event that must not begin during the work.
  private var inOrder: Duration { .milliseconds(10) }
  /// The maximum time for which work waits for an event that must begin during the work.
  private var patienceForOvertaking: Duration { .seconds(20) }
}

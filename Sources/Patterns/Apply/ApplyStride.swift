import CDispatchSupport
import Dispatch
import Instruments

/// Is a parallel loop faster, and how much work must a block do?
///
/// The Concurrency Programming Guide replaces a `for` loop with a call of `dispatch_apply`, and warns that scheduling a
/// small iteration can cost more than the parallel loop gains. The guide's remedy is a stride: each block runs several
/// iterations in a row. If the stride does not divide the count, a plain loop runs the remaining iterations after the
/// blocks. The variant `apply` is the guide's code in Swift.
///
/// In a trial each iteration runs calibrated work, and adds the result of the work and one visit to the iteration's
/// element of an array. The trial therefore detects in the timed run itself whether an index was skipped or visited
/// more than once. `loop.run(j..<k)` runs the iterations from `j` up to, but not including, `k`, one after the other.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Performing Loop Iterations Concurrently", and Migrating
/// Away from Threads, "Improving on Loop Code".
struct ApplyStride: Pattern {
  static let name = "apply-stride"

  /// The distribution of the work over the iterations.
  enum Balance: String, CaseIterable, Sendable {
    case uniform, ramp, random
  }

  let iterations = Parameter.count("iterations", 1...100_000_000, default: 160_000, "iterations of the loop")
  let stride = Parameter.count("stride", 1...100_000_000, default: 64, "iterations per block")
  let work = Parameter.duration(
    "work", .zero ... .seconds(1), default: .nanoseconds(15), "calibrated work per iteration, on average")
  let balance = Parameter.choice(
    "balance", default: Balance.uniform,
    "distribution of work over the iterations: uniform, ramp (from 0 to twice the average) or random (up to twice the average)"
  )
  let repeats = Parameter.count(
    "repeats", 1...1000, default: 3,
    "timed loops per trial; none starts once all took 12 ms together, or 30 times as long as the plain loop"
  ).ofMeasurement
  let short = Parameter.count("short", 1...1_000_000, default: 10_000, "iterations of the short loop")
  let shortStride = Parameter.count(
    "short-stride", 1...1_000_000, default: 256,
    "iterations per block where the stride is not swept: in the short loop and on a serial queue")
  let idle = Parameter.duration(
    "idle", .zero ... .seconds(1), default: .milliseconds(5),
    "how long the process sleeps before each short loop of after-idle")
  let threads = Parameter.count(
    "threads", 0...1024, default: 0,
    "threads to create, each with an equal share; 0 for one per core; other numbers than multiples of the cores leave a core idle at the end if the work is uniform"
  )
  let groupBlocks = Parameter.count(
    "group-blocks", 1...100_000_000, default: 20_000,
    "maximum number of blocks or child tasks in a group; a point with more is not run, since each takes memory and time"
  )
  let myIteration = Parameter.duration(
    "my-iteration", .zero ... .seconds(1), default: .zero,
    "duration of one iteration of your own loop, for which a stride is recommended; 0 to use the measured loop"
  )
  let myIterations = Parameter.count(
    "my-iterations", 0...1_000_000_000, default: 0,
    "iterations of your own loop, for which a stride is recommended; 0 for as many as the measured loop")

  let elapsed = Metric.latency("elapsed", "time of the whole loop")
  let perIteration = Metric.latency("per-iteration", "time of the whole loop divided by its iterations")
  let speedup = Metric.rate("speedup", .none, "the plain loop's time divided by the variant's, both in one process")
  let efficiency = Metric.rate("efficiency", .percent, "speedup divided by the number of cores")
  let blocks = Metric.count(
    "blocks", "blocks that ran, and a rest shorter than a stride, counted in a separate loop that is not timed")
  let share = Metric.rate(
    "share", .percent, better: .neither, "share of the iterations that each thread ran, in the loop that is not timed")
  let missed = Metric.count("missed", "iterations that had not run when the loop returned")
  let repeated = Metric.count("repeated", "iterations that ran more than once")
  let hundredByFour = Metric.count(
    "hundred-by-four", "blocks that ran when the variant's code was given 100 iterations at stride 4")
  let unfinished = Metric.count(
    "unfinished",
    "of 100 iterations at stride 4, those that had not run when the call returned while the last block was held back")

  var problem: [any Declaration] { [iterations, work, balance] }

  var variants: [Variant] {
    Variant("serial-loop", .yardstick, "a for loop on one thread", runLoop) { trial in
      try measure(trial) { loop, count in
        loop.run(0..<count)
      }
    }
    Variant("apply", .documented, "DispatchQueue.concurrentPerform: one call for all blocks", runInBlocks) { trial in
      try measureBlocks(trial) { loop, count, stride in
        DispatchQueue.concurrentPerform(iterations: count / stride) { idx in
          loop.run(idx * stride..<(idx + 1) * stride)
        }
        loop.run(count - count % stride..<count)
      }
    }
    Variant("apply-short", .documented, "concurrentPerform over short loops, back to back", runShortLoops) { trial in
      try measureShort(trial) { loop, count, stride in
        DispatchQueue.concurrentPerform(iterations: count / stride) { idx in
          loop.run(idx * stride..<(idx + 1) * stride)
        }
        loop.run(count - count % stride..<count)
      }
    }
    Variant(
      "after-idle", .documented, "concurrentPerform over short loops, each right after a pause in which nothing ran",
      runShortLoopsAfterIdle
    ) { trial in
      try measureShort(trial, after: trial[idle]) { loop, count, stride in
        DispatchQueue.concurrentPerform(iterations: count / stride) { idx in
          loop.run(idx * stride..<(idx + 1) * stride)
        }
        loop.run(count - count % stride..<count)
      }
    }
    Variant("apply-queue", .documented, "the C function dispatch_apply_f on a global queue", runInBlocks) { trial in
      let queue = gcdlab_dispatch_get_global_queue(0, 0)
      try measureBlocks(trial) { loop, count, stride in
        gcdlab_dispatch_apply_f(count / stride, queue, loop.context) { context, idx in
          let loop = StridedLoop(context)
          loop.run(idx * loop.stride..<(idx + 1) * loop.stride)
        }
        loop.run(count - count % stride..<count)
      }
    }
    Variant("apply-serial", .documented, "the C function dispatch_apply_f on a serial queue", runOnSerialQueue) {
      trial in
      let queue = gcdlab_dispatch_queue_create("serial", nil)
      defer { gcdlab_dispatch_release(queue) }
      try measureBlocks(trial, stride: trial[shortStride]) { loop, count, stride in
        gcdlab_dispatch_apply_f(count / stride, queue, loop.context) { context, idx in
          let loop = StridedLoop(context)
          loop.run(idx * loop.stride..<(idx + 1) * loop.stride)
        }
        loop.run(count - count % stride..<count)
      }
    }
    Variant(
      "apply-serial-in-block", .documented, "dispatch_apply_f on a serial queue, called in a block of another queue",
      runOnSerialQueue
    ) { trial in
      let queue = gcdlab_dispatch_queue_create("serial", nil)
      defer { gcdlab_dispatch_release(queue) }
      let caller = DispatchQueue(label: "com.example.Caller", attributes: .concurrent)
      try measureBlocks(trial, stride: trial[shortStride]) { loop, count, stride in
        caller.sync {
          gcdlab_dispatch_apply_f(count / stride, queue, loop.context) { context, idx in
            let loop = StridedLoop(context)
            loop.run(idx * loop.stride..<(idx + 1) * loop.stride)
          }
          loop.run(count - count % stride..<count)
        }
      }
    }
    Variant("async-group", .documented, "one async block per stride in a dispatch group, then wait", runInGroup) {
      trial in
      try measureBlocks(trial, atMost: trial[groupBlocks]) { loop, count, stride in
        let group = DispatchGroup()
        for j in Swift.stride(from: 0, to: count, by: stride) {
          DispatchQueue.global().async(group: group) {
            loop.run(j..<min(j + stride, count))
          }
        }
        group.wait()
      }
    }
    Variant("threads", .yardstick, "one contiguous part of the loop per thread", runOnThreads) { trial in
      let parts = trial[threads] > 0 ? trial[threads] : trial.cores
      try SystemThread.requireCapacity(for: parts)
      try measure(trial) { loop, count in
        let team = try (0..<parts).map { part in
          try SystemThread { loop.run(count * part / parts..<count * (part + 1) / parts) }
        }
        for thread in team { thread.join() }
      }
    }
    Variant("task-group", .modern, "one child task per stride in a task group", runInGroup) { trial in
      try measureBlocks(trial, atMost: trial[groupBlocks]) { loop, count, stride in
        try waitFor {
          await withTaskGroup { group in
            for j in Swift.stride(from: 0, to: count, by: stride) {
              group.addTask {
                loop.run(j..<min(j + stride, count))
              }
            }
          }
        }
      }
    }
  }

  // No trial reads `my-iteration` or `my-iterations`: only the findings use them.

  /// The parameters of a loop of ``iterations`` iterations.
  private var settings: [any Declaration] { [iterations, work, balance, repeats] }
  /// The metrics of a loop of ``iterations`` iterations.
  private var results: [any Declaration] {
    [elapsed, perIteration, speedup, efficiency, blocks, share, missed, repeated]
  }
  /// The metrics of a loop of ``iterations`` iterations that runs in blocks.
  private var resultsOfBlocks: [any Declaration] { results + [hundredByFour, unfinished] }

  /// The probe for variants that run the loop without blocks.
  private var runLoop: TrialProbe { Probe(reads: settings, records: results) }
  /// The probe for variants that run one range of the loop on each thread.
  private var runOnThreads: TrialProbe { Probe(reads: settings + [threads], records: results) }
  /// The probe for variants that run the loop in blocks of ``stride`` iterations.
  private var runInBlocks: TrialProbe { Probe(reads: settings + [stride], records: resultsOfBlocks) }
  /// The probe for variants that run the loop on a serial queue in blocks of ``shortStride`` iterations.
  private var runOnSerialQueue: TrialProbe { Probe(reads: settings + [shortStride], records: resultsOfBlocks) }
  /// The probe for variants that run the blocks of the loop in a dispatch group or a task group.
  private var runInGroup: TrialProbe { Probe(reads: settings + [stride, groupBlocks], records: resultsOfBlocks) }

  /// The parameters of a loop of ``short`` iterations.
  private var settingsOfShortLoops: [any Declaration] { [short, shortStride, work, balance, repeats] }
  /// The metrics of a loop of ``short`` iterations.
  private var resultsOfShortLoops: [any Declaration] { [speedup, missed, repeated] }

  /// The probe for variants that run short loops while a pool thread is awake.
  private var runShortLoops: TrialProbe { Probe(reads: settingsOfShortLoops, records: resultsOfShortLoops) }
  /// The probe for variants that run short loops, each after a pause.
  private var runShortLoopsAfterIdle: TrialProbe {
    Probe(reads: settingsOfShortLoops + [idle], records: resultsOfShortLoops)
  }
}

import CDispatchSupport
import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// Is a parallel loop faster, and how long must a block be?
///
/// The document replaces a `for` loop with `dispatch_apply` and warns that a block which does little costs more to
/// schedule than it saves; several iterations a block ("striding") repair that. Here the same loop runs plain, through
/// `concurrentPerform`, through `dispatch_apply_f` on a global queue, as async blocks in a group, on one thread a core
/// and as a task group, over a sweep of strides.
///
/// Iteration `i` adds the result of its calibrated work, and a visit, to element `i` of an array. So a loop that leaves
/// an index out or visits one twice is found out afterwards, in the very run that was timed, at the price of one store
/// an iteration.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Performing Loop Iterations Concurrently" and "Improving on
/// Loop Code".
public struct ApplyStride: Pattern {
  enum Way: String, CaseIterable {
    case serialLoop = "serial-loop"
    case apply
    case applyQueue = "apply-queue"
    case asyncGroup = "async-group"
    case threads
    case taskGroup = "task-group"
  }

  /// The pattern, with nothing to configure.
  public init() {}

  /// `apply-stride`.
  public let name = "apply-stride"

  /// How much work there is and how it is cut into blocks.
  public let parameters: [Parameter] = [
    .count("iterations", 1...100_000_000, default: 1_000_000, "iterations of the loop"),
    .count("stride", 1...100_000_000, default: 64, "iterations in one block"),
    .duration("work", 0...1_000_000_000, default: 15, "calibrated work of an iteration, on average"),
    .choice(
      "balance", ["uniform", "ramp", "random"],
      "how the work is spread: the same everywhere, growing from 0 to twice the average, or random up to twice"),
    .count("threads", 0...1024, default: 0, "threads of the `threads` variant; 0 for one a core"),
    .count(
      "group-blocks", 1...100_000_000, default: 20_000,
      "async-group and task-group: not run with more blocks, each of which takes memory and up to microseconds"),
    .percent(
      "overhead", 1...50, default: 1,
      "the share of the work that scheduling may cost, for the recommended stride; changes nothing that runs"),
    .count("repeats", 1...1000, default: 3, "timed loops in a trial; fewer when they take more than 100 ms together"),
  ]

  /// The loop, the two forms of apply, and what else one might write.
  public let variants: [Variant] = [
    Variant(
      "serial-loop", .yardstick, ignores: ["stride", "threads", "group-blocks", "overhead"], "a for loop on one thread"),
    Variant(
      "apply", .documented, ignores: ["threads", "group-blocks", "overhead"],
      "DispatchQueue.concurrentPerform, one call for all blocks"),
    Variant(
      "apply-queue", .documented, ignores: ["threads", "group-blocks", "overhead"],
      "the C function dispatch_apply_f on the default global queue"),
    Variant(
      "async-group", .documented, ignores: ["threads", "overhead"],
      "one async block a stride in a dispatch group, then wait"),
    Variant(
      "threads", .yardstick, ignores: ["stride", "group-blocks", "overhead"],
      "one thread a core, each a contiguous part"),
    Variant("task-group", .modern, ignores: ["threads", "overhead"], "one child task a stride in a task group"),
  ]

  /// What the loop took and whether it did all its work.
  public let metrics: [Metric] = [
    Metric("elapsed", .latency, .nanoseconds, "the whole loop"),
    Metric("per-iteration", .latency, .nanoseconds, batch: "iterations", "the loop's time over its iterations"),
    Metric("speedup", .rate, .none, "the plain loop's time over this one's, both in the same process"),
    Metric("efficiency", .rate, .percent, "the speedup as a share of the cores"),
    Metric("blocks", .count, .none, "blocks the loop was cut into"),
    Metric("share", .rate, .percent, better: .neither, "iterations that each thread ran, in the warm-up loop"),
    Metric("missed", .count, .none, "iterations never run"),
    Metric("repeated", .count, .none, "iterations run more than once"),
  ]

  private static let enough: UInt64 = 100_000_000

  /// Runs one variant: the plain loop for reference, a warm-up that sees which thread runs what, then the timed loops.
  public func run(_ trial: Trial) throws -> Observation {
    guard let way = Way(rawValue: trial.variant) else { throw TrialFailure("unknown variant \(trial.variant)") }
    let blocks = (trial.integer("iterations") + trial.integer("stride") - 1) / trial.integer("stride")
    if way == .asyncGroup || way == .taskGroup, blocks > trial.integer("group-blocks") {
      throw TrialFailure("more than \(trial.integer("group-blocks")) blocks; raise group-blocks to run it")
    }
    let parts =
      switch way {
      case .serialLoop: 1
      case .threads: trial.integer("threads") > 0 ? trial.integer("threads") : trial.cores
      case .apply, .applyQueue, .asyncGroup, .taskGroup: blocks
      }
    var observation = try measure(StridedLoop(trial)) { loop, shares in try loop.run(way, noting: shares) }
    observation.record("blocks", parts)
    return observation
  }

  /// Times `execute` on `loop` and checks what it did. (Separate, so that a test can hand in a loop that cheats.)
  func measure(_ loop: StridedLoop, _ execute: (StridedLoop, ThreadShares?) throws -> Void) throws -> Observation {
    defer { loop.deallocate() }
    // Twice: the first touches the memory, the second is the reference that the speedup refers to.
    loop.body(0..<loop.iterations)
    loop.clear()
    let alone = MonotonicClock.time { loop.body(0..<loop.iterations) }
    loop.clear()
    let shares = ThreadShares()
    try execute(loop, shares)
    loop.clear()

    var observation = Observation()
    var missed = 0
    var repeated = 0
    var speedups: [Double] = []
    var spent: UInt64 = 0
    for _ in 0..<loop.repeats where spent < Self.enough {
      let elapsed = try MonotonicClock.time { try execute(loop, nil) }
      spent += elapsed
      observation.record("elapsed", Double(elapsed))
      observation.record("per-iteration", Double(elapsed) / Double(loop.iterations))
      speedups.append(Double(alone) / Double(max(elapsed, 1)))
      let wrong = loop.irregularVisits()
      missed += wrong.missed
      repeated += wrong.repeated
      loop.clear()
    }
    if let speedup = Summary(speedups)?.p50 {
      observation.record("speedup", speedup)
      observation.record("efficiency", 100 * speedup / Double(loop.cores))
    }
    for share in shares.percentages(of: loop.iterations) { observation.record("share", share) }
    observation.record("missed", missed)
    observation.record("repeated", repeated)
    return observation
  }

  /// The best stride of each strided variant, the cost model, and what it recommends for the overhead asked for.
  public func findings(in results: Results) -> [Remark] {
    var share = 0.01
    if case .integer(let percent)? = results.experiment.parameters["overhead"] { share = Double(percent) / 100 }
    let variants = ["apply", "apply-queue", "async-group", "task-group"]
    return variants.flatMap { StrideModel.costs(of: $0, in: results) }.flatMap { name, costs -> [Remark] in
      guard costs.count > 1, let best = costs.min(by: { $0.mean ?? $0.elapsed < $1.mean ?? $1.elapsed }) else {
        return []
      }
      var line = "\(name) is fastest at stride \(best.stride.grouped)"
      if let speedup = best.speedup {
        line +=
          ", \(Quantity.fixed(speedup, decimals: 2)) times the plain loop, "
          + "\(Int((100 * speedup / Double(results.machine.cores)).rounded())) % of \(results.machine.cores) cores"
      }
      return [Remark("best-stride", line, runs: [name])]
        + (StrideModel(fitting: costs).map {
          [Remark("cost-model", $0.sentence(for: name, overhead: share), runs: [name])]
        }
          ?? [])
    }
  }
}

import Laboratory
import Measurement
import Synchronization

/// What runs the tasks, and what the sizes compared come to.
extension TaskGranularity {
  /// Times `body`, which must run every task once and return when all have ended.
  func measure(_ trial: Trial, _ body: ([SmallTask]) throws -> Void) throws {
    let runs = Slots(count: trial[tasks], padded: true) { _ in Atomic(0) }
    let tasks = (0..<trial[tasks]).map { SmallTask(runs: runs, index: $0, steps: trial.steps(work)) }
    for repeated in 0...trial[repeats] {
      let time = try MonotonicClock.time { try body(tasks) }
      if repeated > 0 { trial.record(perTask, time, over: tasks.count) }
      trial.record(notOnce, tasks.count { runs[$0.index].exchange(0, ordering: .relaxed) != 1 })
    }
  }

  /// The smallest size from which on tasks of each kind are done sooner than in place.
  func findings(in results: Results) -> [Remark] {
    let inline = results.runs.filter { $0.variant.name == "inline" }
    return results.experiment.variants.filter { $0.role != .yardstick }.compactMap { variant in
      let gains = results.runs.filter { $0.variant == variant && $0.point[work.name] != nil }.compactMap { run in
        inline.first { $0.point == run.point }.flatMap { gain(of: run, over: $0) }
      }.sorted { $0.work < $1.work }
      guard gains.count > 1 else { return nil }
      guard let from = gains.lastIndex(where: { $0.times.low <= 1 }).map({ $0 + 1 }) ?? gains.indices.first,
        from < gains.count
      else { return Remark("crossover", "\(variant.name) is not surely done sooner than inline at any of these sizes") }
      return Remark(
        "crossover",
        "\(variant.name) is done sooner than inline from \(Quantity(Double(gains[from].work), .nanoseconds)) a task on, "
          + "\(Quantity.ratio(gains[from].times.estimate)) times as fast there", runs: [gains[from].label])
    }
  }

  /// How many times as fast as `inline` a run was, over paired rounds.
  private func gain(of run: Run, over inline: Run) -> (work: Int, times: ConfidenceInterval, label: String)? {
    let pairs = run.trials.compactMap { trial -> (left: Double, right: Double)? in
      guard let ours = trial.figure(perTask.metric),
        let theirs = inline.trials.first(where: { $0.round == trial.round })?.figure(perTask.metric)
      else { return nil }
      return (theirs, ours)
    }
    guard let work = work.value(in: run.parameters), let times = ConfidenceInterval.ofRatio(pairs) else { return nil }
    return (Int(work.nanoseconds), times, run.label)
  }
}

/// A task that does a little and leaves a trace of it, on a cache line of its own.
struct SmallTask: Sendable {
  fileprivate let runs: Slots<Atomic<Int>>
  fileprivate let index: Int
  fileprivate let steps: Int

  /// Does it.
  func run() {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: UInt64(index)))
    runs[index].add(1, ordering: .relaxed)
  }
}

import Dispatch
import Instruments

/// The code that runs the trials, and the findings for each amount of work.
extension DispatchCompared: FindingPattern {
  /// Times `body`, which must run each task once. A task must end before `body` returns, or be a member of the group.
  func compare(_ trial: Trial, _ body: ([SmallTask], DispatchGroup) throws -> Void) throws {
    let all = DispatchGroup()
    try measure(trial) { tasks, initiated in
      // If too few threads can be started, the threads that were started must end before the error is thrown.
      defer { all.wait() }
      try body(tasks, all)
      initiated.set()
    }
  }

  /// Times `body`, which must run each task once in a Swift task. `body` must return after all tasks have ended.
  func compareTasks(
    _ trial: Trial, _ body: @escaping @Sendable (_ tasks: [SmallTask], _ initiated: SubmissionEnd) async -> Void
  ) throws {
    try measure(trial) { tasks, initiated in
      try waitFor { await body(tasks, initiated) }
    }
  }

  private func measure(_ trial: Trial, _ body: ([SmallTask], SubmissionEnd) throws -> Void) throws {
    let (count, repeats) = (trial[tasks], trial[repeats])
    let idle = SmallTasks(count: count, steps: 0)
    var notOnce = 0
    var idleTime = ProcessorTime()
    // The first run is the warm-up.
    for repeated in 0...repeats {
      let before = Host.processorTime
      try body(idle.all, SubmissionEnd())
      if repeated > 0 { idleTime += Host.processorTime - before }
      notOnce += idle.takeNotOnce()
    }
    trial.record(overhead, idleTime.total, over: count * repeats)

    let tasks = SmallTasks(count: count, steps: trial.steps(work))
    var used = ProcessorTime()
    for _ in 0..<repeats {
      let initiated = SubmissionEnd()
      let before = Host.processorTime
      let start = MonotonicClock.now()
      try body(tasks.all, initiated)
      let end = MonotonicClock.now()
      used += Host.processorTime - before
      trial.record(complete, end - start)
      if let time = initiated.time { trial.record(initiate, time - start) }
      notOnce += tasks.takeNotOnce()
    }
    trial.record(processor, used.total, over: repeats)
    trial.record(self.notOnce, notOnce)
  }

  // MARK: Results

  /// Returns, for each number of cores and of tasks, notes on the variant that completes first at each amount of work,
  /// and a note on the amount of work from which each variant is faster than the loop. A comparison by another metric
  /// has no such notes.
  func findings(in results: Results) -> [RunNote] {
    if results.experiment.isComparison, results.experiment.headline != complete.metric { return [] }
    let counts = Set(results.runs.compactMap { tasks.value(in: $0.parameters) }).sorted()
    let cores = results.runs.map(\.cores).distinct
    return winners(results.runs)
      + cores.flatMap { cores in
        counts.compactMap { count in
          let runs = results.runs.filter { $0.cores == cores && tasks.value(in: $0.parameters) == count }
          return crossovers(count, Self.place(cores), runs, results)
        }
      }
  }

  private static func place(_ cores: Int?) -> String { cores.map { " on \($0.counted("core"))" } ?? "" }

  /// Returns a note for each number of tasks and amount of work. The note names the variants that complete first and
  /// are not told apart, or the variants that may complete first. The certainty is that of the tables, which compare
  /// all runs. There is no note for fewer than two runs or too few rounds.
  private func winners(_ runs: [VariantRun]) -> [RunNote] {
    let policy = Comparison.Policy(
      baseline: nil, seeksBest: true, sweep: [Cores.name, tasks.name, work.name], problem: [tasks.name, work.name])
    let comparison = Comparison(runs, policy, by: complete.metric)
    return comparison.bests.sorted().compactMap { first in
      let rivals = runs.indices.filter { comparison.referenceOf[$0] == first }
      // With too few rounds, no other variant can be distinguished from the best variant.
      guard let count = tasks.value(in: runs[first].parameters), let work = work.value(in: runs[first].parameters),
        !rivals.isEmpty, rivals.allSatisfy({ comparison.contrasts[$0]?.isDistinct != nil })
      else { return nil }
      func names(_ others: Set<Int>) -> [String] {
        runs.indices.filter { $0 == first || rivals.contains($0) && others.contains($0) }.map { runs[$0].variant.name }
      }
      let size = "\(count) tasks of \(Quantity(work))\(Self.place(runs[first].cores))"
      guard comparison.undecided.isDisjoint(with: rivals) else {
        let open = names(comparison.nearBest.union(comparison.undecided)).listed("or")
        return RunNote("winner", "first to complete \(size), not decided: \(open)", runs: [runs[first].label])
      }
      let alike = names(comparison.nearBest)
      var says = "first to complete \(size): \(alike.listed())" + (alike.count > 1 ? ", not told apart" : "")
      if alike.count == 1, let loop = rivals.first(where: { runs[$0].variant.name == "loop" }),
        let times = comparison.contrast(runs[loop].rounds(with: runs[first], of: complete), inGroupOf: loop)?.interval,
        times.low > 1
      {
        says += ", \(Quantity.ratio(times.estimate)) times as fast as loop"
      }
      return RunNote("winner", says, runs: [runs[first].label])
    }
  }

  /// Returns a note with the amount of work from which each variant is faster than the loop; nil if no variant can be
  /// compared with the loop. The note also names the variants that are faster at none of the amounts, and those for
  /// which the rounds do not decide.
  private func crossovers(_ count: Int, _ place: String, _ runs: [VariantRun], _ results: Results) -> RunNote? {
    let loop = runs.filter { $0.variant.name == "loop" }
    var found: [(order: Int, place: String, name: String, label: String?)] = []
    for variant in results.experiment.variants where variant.name != "loop" {
      let own = runs.filter { $0.variant == variant }
      guard let crossover = Crossover(of: own, over: loop, by: complete, along: work, in: results) else { continue }
      let (faster, undecided) = (crossover.names(true), crossover.names(nil))
      if let point = crossover.point {
        found.append((point.nanoseconds, "from \(point.name) per task", variant.name, point.label))
      } else if !faster.isEmpty {
        found.append((.max - 2, "at \(faster.listed()) only", variant.name, nil))
      } else if !undecided.isEmpty {
        found.append((.max - 1, "undecided at \(undecided.listed())", variant.name, nil))
      } else {
        found.append((.max, "at none of these sizes", variant.name, nil))
      }
    }
    guard !found.isEmpty else { return nil }
    let parts = found.sorted { $0.order < $1.order }.grouped(by: \.place).map { place, ways in
      "\(place) with \(ways.map(\.name).listed())"
    }
    return RunNote(
      "crossover", "\(count) tasks\(place), faster than the loop: \(parts.joined(separator: "; "))",
      runs: found.compactMap(\.label))
  }
}

/// A record of the time at which the caller can continue.
final class SubmissionEnd: Sendable {
  private let moment = Moment()

  /// Records the time at which all tasks have been submitted.
  func set() { moment.set() }

  fileprivate var time: UInt64? { moment.time }
}

import Instruments

/// The code that runs the trials, and the findings for each amount of work.
extension TaskGranularity: FindingPattern {
  /// A probe that times the body. The body must run every task once, and return after all tasks have ended.
  var measure: Probe<@Sendable ([SmallTask]) throws -> Void> {
    Probe(reads: [tasks, work, repeats], records: [perTask, notOnce]) { trial, body in
      let tasks = SmallTasks(count: trial[tasks], steps: trial.steps(work))
      for repeated in 0...trial[repeats] {
        let time = try MonotonicClock.time { try body(tasks.all) }
        if repeated > 0 { trial.record(perTask, time, over: tasks.all.count) }
        trial.record(notOnce, tasks.takeNotOnce())
      }
    }
  }

  /// Returns a finding for each variant except the yardsticks. The finding names the smallest amount of work from which
  /// the variant is faster than running the tasks in place, or states that the variant is faster at no size. A variant
  /// with too few rounds has no finding. In a search, the findings are part of the answer.
  func findings(in results: Results) -> [RunNote] {
    func note(_ says: String, _ runs: [String] = []) -> RunNote {
      results.experiment.seeksBest
        ? RunNote(Conclusion.advice, says + ".", runs: runs) : RunNote("crossover", says, runs: runs)
    }
    let inline = results.runs.filter { $0.variant.name == "inline" }
    return results.experiment.variants.filter { $0.role != .yardstick }.compactMap { variant in
      let runs = results.runs.filter { $0.variant == variant }
      guard let crossover = Crossover(of: runs, over: inline, by: perTask, along: work, in: results) else { return nil }
      guard let from = crossover.point else {
        return note("\(variant.name) is not significantly faster than inline at any of these sizes")
      }
      let undecided = from.undecided.map { Quantity(Double($0), .nanoseconds).description }
      return note(
        "\(variant.name) is faster than inline from \(Quantity(Double(from.size), .nanoseconds)) of work per task on, "
          + "\(Quantity.ratio(from.times)) times as fast there"
          + (undecided.isEmpty ? "" : "; undecided at \(undecided.joined(separator: " and "))"), [from.label])
    }
  }
}

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

  /// Returns findings about the variants except the yardsticks, for each setting of the other swept parameters. A
  /// finding names the smallest amount of work from which variants are faster than running the tasks in place, or
  /// states that they are faster at no size. A variant with too few rounds has no finding. In a comparison, the
  /// findings are the beginning of the answer, unless this begins with each variant beside a baseline at all settings.
  func findings(in results: Results) -> [RunNote] {
    // The sentences are the answer of a comparison by this metric only.
    if results.experiment.isComparison, results.experiment.headline != perTask.metric { return [] }
    let places = results.runs.grouped { run in run.point.settings.filter { $0.name != work.name } }
    let isAnswer = results.experiment.isComparison && (results.experiment.baseline == nil || places.count == 1)
    let notes = places.flatMap { settings, runs in
      let place = settings.isEmpty ? "" : "At \(settings.map(\.label).joined(separator: ", ")), "
      return sentences(about: runs, in: results).map { text, runs in
        isAnswer
          ? RunNote(Conclusion.answer, "\(place)\(text).", runs: runs) : RunNote("crossover", place + text, runs: runs)
      }
    }
    // The first sentence is the headline of an answer, so the variants that gain at a size precede those that never do.
    return notes.filter { !$0.runs.isEmpty } + notes.filter(\.runs.isEmpty)
  }

  /// Returns sentences about some runs at one setting of the other swept parameters, without full stops, each with the
  /// labels of the runs at the smallest sizes.
  private func sentences(about runs: [VariantRun], in results: Results) -> [(text: String, runs: [String])] {
    let inline = runs.filter { $0.variant.name == "inline" }
    let crossovers = results.experiment.variants.filter { $0.role != .yardstick }.compactMap { variant in
      Crossover(of: runs.filter { $0.variant == variant }, over: inline, by: perTask, along: work, in: results)
        .map { (variant: variant.name, crossover: $0) }
    }
    let phrases = crossovers.filter { !$0.crossover.isNeverFaster }.map { variant, crossover in
      (variant: variant, crossover: crossover, words: words(about: crossover))
    }
    let faster = phrases.grouped { [$0.words.place, $0.words.rest] }.map { words, group in
      let (names, times) = (group.map(\.variant), group.compactMap(\.words.times))
      let figures = times.isEmpty ? "" : ", \(times.listed()) times as fast there"
      return (
        text:
          "\(names.listed()) \(names.count == 1 ? "is" : "are") faster than inline \(words[0])\(figures)\(words[1])",
        runs: group.compactMap { $0.crossover.point?.label }
      )
    }
    let never = crossovers.filter { $0.crossover.isNeverFaster }.grouped { $0.crossover.names(false) }
    return faster
      + never.map { slower, group in
        let names = group.map(\.variant)
        return (
          text: "\(names.listed()) \(names.count == 1 ? "is" : "are") not significantly faster than inline at any of "
            + "these sizes\(Self.part("slower", slower))",
          runs: []
        )
      }
  }

  /// Returns words about some sizes, `; slower at 1 us and 5 us`; an empty string without sizes.
  private static func part(_ word: String, _ names: [String]) -> String {
    names.isEmpty ? "" : "; \(word) at \(names.listed())"
  }

  /// Returns words about the sizes at which a variant is faster than running the tasks in place: the sizes, the ratio
  /// at the smallest of them, and the words about the other sizes.
  private func words(about crossover: Crossover) -> (place: String, times: String?, rest: String) {
    func times(_ size: Crossover.Size) -> String { Quantity.ratio(size.contrast.ratio) }
    let (slower, undecided) = (crossover.names(false), Self.part("undecided", crossover.names(nil)))
    guard let from = crossover.point else {
      let faster = crossover.names(true)
      guard faster.isEmpty else {
        return ("at \(faster.listed()) of work per task", nil, Self.part("slower", slower) + undecided)
      }
      // A way that alternates between two states can be faster on average and slower in most rounds.
      let onAverage = crossover.sizes.filter { $0.contrast.ratio > 1 }.compactMap { size in
        size.contrast.contradiction.map {
          "\(size.name) of work per task (\(times(size)) times as fast, but slower in \($0))"
        }
      }
      return ("only on average, at \(onAverage.listed())", nil, "")
    }
    let rounds = from.contrast.lowAgreementText.map { " on average, but faster in \($0) only" } ?? ""
    let isLargest = from.nanoseconds == crossover.sizes.last?.nanoseconds
    let place =
      isLargest ? "at \(from.name) of work per task, the largest size" : "from \(from.name) of work per task on"
    return (place, times(from), "\(rounds)\(Self.part("slower", slower))\(undecided)")
  }
}

import Measurement

/// The warnings about the trials of a run. No trial is left out of the figures because of these warnings.
extension Results {
  /// Returns the warnings, in descending order of severity.
  func warnings(within budget: Budget) -> [RunNote] {
    unfinished + failures + shortages + tooFewRounds(budget) + imprecision(budget) + unsteadiness
  }

  /// A note that the run ended early; an empty array if the run completed.
  var shortening: [RunNote] {
    let reason: String
    switch earlyEnd {
    case nil: return []
    case .interrupted: reason = "interrupted"
    case .failed(let error): reason = error.description
    }
    return [RunNote("cut-short", "\(reason): results up to then are shown")]
  }

  /// A note on trials that trapped or hung although they should have completed; an empty array if there are none. Such
  /// trials fail the run, regardless of the claims.
  private var unfinished: [RunNote] {
    let failed = runs.filter { run in
      run.variant.ending == .completes && run.trials.contains { $0.outcome.kind.isAbnormal }
    }
    guard !failed.isEmpty else { return [] }
    let labels = failed.map(\.label)
    let trials = failed.flatMap(\.trials)
    let ends = trials.map(\.outcome.kind).filter(\.isAbnormal)
    let names = Set(ends).map(\.rawValue).sorted().joined(separator: " or ")
    return [
      RunNote(
        "unfinished",
        "\(ends.count) of \(trials.count) trials of \(labels.abridged(to: 8)), which \(labels.count == 1 ? "is" : "are") "
          + "meant to complete, \(names)",
        runs: labels)
    ]
  }

  /// Notes on trials that were unavailable, stopped or broken. There is one note for each reason, since many points of
  /// a sweep fail for the same reason.
  private var failures: [RunNote] {
    let failures = runs.flatMap { run in
      Set(run.trials.map(\.outcome)).sorted { $0.kind.rawValue < $1.kind.rawValue }.compactMap { outcome in
        outcome.reason.map { (reason: $0, label: run.label) }
      }
    }
    return failures.grouped(by: \.reason).map { reason, failed in
      let labels = failed.map(\.label)
      return RunNote(RunNote.notMeasured, "\(labels.abridged(to: 8)): \(reason)", runs: labels)
    }
  }

  /// Notes on missing features, such as a second core. There is one note for each feature that trials lacked.
  private var shortages: [RunNote] {
    let found = runs.flatMap { run in run.trials.flatMap { $0.shortages.sorted() }.map { (thing: $0, label: run.label) }
    }
    let trials = runs.map(\.trials.count).reduce(0, +)
    return found.grouped(by: \.thing).map { thing, found in
      let labels = found.map(\.label)
      return RunNote(
        RunNote.lacking,
        "\(thing) was not available in \(labels.count) of \(trials) trials; "
          + "after \(Runner.convincingShortages) trials without it, the lab no longer waits for it",
        runs: Set(labels).sorted())
    }
  }

  private func tooFewRounds(_ budget: Budget) -> [RunNote] {
    let rounds = runs.map(\.trials.count).max() ?? 0
    // The time of the stopped trials is unknown, so no time can be suggested.
    guard let time = budget.time, earlyEnd == nil, rounds < budget.rounds, rounds < ConfidenceInterval.fewest,
      !runs.contains(where: { $0.trials.contains { $0.outcome.kind == .stopped } })
    else {
      return []
    }
    let needed = Budget.enough(for: seconds / Double(max(rounds, 1)) * Double(ConfidenceInterval.fewest))
    return [
      RunNote(
        "few-rounds",
        "only \(rounds.counted("round")) \(rounds == 1 ? "fits" : "fit") into \(Quantity(time)), and intervals need "
          + "\(ConfidenceInterval.fewest): give --time \(needed)s")
    ]
  }

  /// Returns a note on the precision of a comparison that ended before its ratios reached the requested precision; an
  /// empty array if there is no such comparison. Runs that certainly differ much from their references do not count,
  /// since such runs may take part in fewer rounds.
  private func imprecision(_ budget: Budget) -> [RunNote] {
    guard experiment.isComparison, let goal = budget.precision, let headline = experiment.headline else { return [] }
    let zeros = experiment.flawMetrics.map { metric in
      runs.map { run in
        let figures = run.figures(metric)
        return figures.isEmpty ? nil : figures.allSatisfy { $0.value == 0 }
      }
    }
    let entries = runs.map { Comparison.Entry($0, figures: $0.figures(headline)) }
    let comparison = experiment.comparison(of: entries, areZero: zeros)
    let apart = Set(comparison.runs(apartBy: Comparison.outOfReach))
    guard let least = comparison.leastPrecise(except: apart.contains), let interval = least.interval,
      interval.relativeMargin > goal
    else { return [] }
    let reached = 100 * interval.relativeMargin
    // A margin just above the goal is not the goal.
    let text =
      reached < 9.9
      ? Quantity.fixed((10 * reached).rounded(.up) / 10, decimals: 1)
      : Quantity.fixed(reached.rounded(.up), decimals: 0)
    let ofNear = apart.isEmpty ? "" : " for ratios not certainly above \(Quantity.number(Comparison.outOfReach))x"
    return [RunNote(RunNote.precision, "±\(text) % reached\(ofNear), goal ±\(Quantity(100 * goal, .percent))")]
  }

  private var unsteadiness: [RunNote] {
    guard let headline = experiment.headline else { return [] }
    let steadiness = series(headline).steadiness
    var lines = [twoStates(headline, isHeadline: true)].compactMap(\.self)
    if !steadiness.unsettled.isEmpty {
      lines.append(
        RunNote(
          "unsettled",
          "the rounds of `\(headline.name)` vary widely (standard deviation above half the mean) in "
            + "\(steadiness.unsettled.abridged(to: 3)); the figures of these runs are approximate",
          runs: steadiness.unsettled))
    }
    if !steadiness.outliers.isEmpty {
      let count = steadiness.outliers.reduce(0) { $0 + $1.count }
      let most = steadiness.outliers.sorted { $0.count > $1.count }.map(\.label)
      lines.append(
        RunNote(
          RunNote.outliers,
          "\(count) of \(runs.map(\.trials.count).reduce(0, +)) trials are outliers of \(headline.name) (modified "
            + "z-score above 3.5), most of them in \(most.abridged(to: 3)); none is left out",
          runs: most))
    }
    if let drift = steadiness.drift, abs(drift - 1) >= Self.leastDrift {
      let way = drift > 1 ? "grew" : "shrank"
      lines.append(
        RunNote(
          "drift",
          "\(headline.name) \(way) by \(Quantity.number((abs(drift - 1) * 1000).rounded() / 10)) % over all runs, from the first third "
            + "of the rounds to the last: the machine drifted; ratios compare paired rounds and are hardly affected"))
    }
    // The answer of a comparison is about the headline alone.
    guard !experiment.isComparison else { return lines }
    let others = experiment.show.dropFirst().compactMap(experiment.pattern.metric).filter { $0.kind == .latency }
    return lines + others.compactMap { twoStates($0, isHeadline: false) }
  }

  /// Returns the figures of each run, and their steadiness.
  private func series(_ metric: Metric) -> (all: [Steadiness.Series], steadiness: Steadiness) {
    let all = runs.map { run in
      Steadiness.Series(label: run.label, figures: run.figures(metric).map { ($0.round, $0.value) })
    }
    return (all, Steadiness(all))
  }

  /// Returns the note on the runs whose trials were in one of two states; nil if there are no such runs. The note says
  /// how the figure in the tables relates to the states, since one figure cannot describe both states.
  private func twoStates(_ metric: Metric, isHeadline: Bool) -> RunNote? {
    let (all, steadiness) = series(metric)
    guard !steadiness.bimodal.isEmpty else { return nil }
    // Tables of a comparison show the mean of the headline, which ranks the runs. Other figures are medians.
    let isMean =
      isHeadline && experiment.isComparison && metric.better.ranking != nil
      && all.flatMap(\.figures).allSatisfy { $0.value > 0 }
    // A reader does not use a broken variant, so the figures of the others come first.
    let broken = Set(runs.filter { $0.variant.role == .broken }.map(\.label))
    let bimodal =
      steadiness.bimodal.filter { !broken.contains($0.0) } + steadiness.bimodal.filter { broken.contains($0.0) }
    let states = bimodal.map { label, states in
      let run = runs.first { $0.label == label }
      let facts = [
        Self.shown(run?.figures(metric).map(\.value) ?? [], states, metric, isMean: isMean),
        run.flatMap { $0.switches(in: states, of: metric) },
      ].compactMap(\.self)
      return "\(label) \(Self.state(states.lower, metric)) and \(Self.state(states.upper, metric))"
        + (facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))")
    }
    let others = states.count > 1 ? ", and \((states.count - 1).counted("other run")) too" : ""
    return RunNote(
      RunNote.twoStates,
      "`\(metric.name)` has two states, and each trial was in one: \(states.first ?? "")\(others)"
        + (isHeadline && metric.better.ranking != nil ? "; intervals of their ratios are wide" : ""),
      runs: steadiness.bimodal.map(\.label))
  }

  /// The smallest drift that a warning reports, as a share. Many rounds make a much smaller drift significant, although
  /// such a drift has no practical effect.
  private static let leastDrift = 0.05

  /// Returns a remark that the figure of a run in the tables is a value that no trial had, is typical of neither state,
  /// or belongs to one of the states; nil if the run has no figure.
  private static func shown(_ figures: [Double], _ states: States, _ metric: Metric, isMean: Bool) -> String? {
    guard let shown = isMean ? Ranking.typical(figures) : Summary(figures)?.p50 else { return nil }
    let text = "\(Quantity(shown, metric.unit)), the \(isMean ? "mean" : "median")"
    let isBetween = shown > states.between.low && shown < states.between.high
    let isEmpty = shown < states.border && figures.allSatisfy { $0 >= states.border || $0 < shown }
    let place =
      if isEmpty {
        "is a value that no trial had"
      } else if isBetween {
        "is typical of neither"
      } else {
        "is in the range of the \(shown < states.border ? "lower" : "upper") state"
      }
    return "\(text), \(place)"
  }

  private static func state(_ state: (median: Double, count: Int), _ metric: Metric) -> String {
    "\(Quantity(state.median, metric.unit)) in \(state.count.counted("round"))"
  }
}

extension VariantRun {
  /// Returns the switches of threads that distinguish the states of a metric, `involuntary-switches 0 in the lower
  /// state and 14 in the upper`; nil if no kind of switch does. The usual reason for two states is that the threads of
  /// a trial share a core in some trials, and then the system takes the core away from a thread more often.
  fileprivate func switches(in states: States, of metric: Metric) -> String? {
    let kinds = Metric.costs.filter { $0.name.hasSuffix("-switches") }
    let found = kinds.compactMap { kind -> (kind: Metric, lower: Double, upper: Double)? in
      let pairs = trials.compactMap { trial in
        trial.figure(metric, nil).flatMap { figure in trial.figure(kind, nil).map { (figure: figure, count: $0) } }
      }
      let sides = [pairs.filter { $0.figure < states.border }, pairs.filter { $0.figure >= states.border }]
      let medians = sides.compactMap { Summary($0.map(\.count))?.p50 }
      guard medians.count == 2, let least = medians.min(), let most = medians.max(),
        most >= Self.clear * max(least, 1)
      else { return nil }
      let middle = (least * most).squareRoot()
      let fit = pairs.count { ($0.count > max(middle, 1)) == (($0.figure < states.border) == (medians[0] == most)) }
      return 10 * fit >= 9 * pairs.count ? (kind, medians[0], medians[1]) : nil
    }
    return found.max { max($0.lower, $0.upper) < max($1.lower, $1.upper) }.map { kind, lower, upper in
      "\(kind.name) \(Quantity.number(lower)) in the lower state and \(Quantity.number(upper)) in the upper"
    }
  }

  /// The smallest factor between the medians of two states that distinguishes the states.
  private static let clear = 3.0
}

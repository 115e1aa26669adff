import Laboratory
import Measurement

/// The words about the runs that are certainly worse than the best run of their group.
extension AnswerWording {
  /// Returns the runs that are certainly worse than the best run, with their ratios to the best run. The run with the
  /// ratio nearest to 1 is first.
  func ratios(_ group: AnswerGroup) -> [(run: Int, contrast: Contrast)] {
    group.worse.compactMap { run in comparison.contrastsWithBest[run].map { (run: run, contrast: $0) } }
      .sorted { $0.contrast.factor < $1.contrast.factor }
  }

  /// Returns words about the run with the worst mean of the only group, `Slowest: actor, 2.10x slower`. If the rounds
  /// do not distinguish this run from another run, the words are about its mean: `Highest mean: actor, 2.10x slower`.
  /// Returns nil if no run is certainly worse than the best run, or if an undecided run seems to be worse.
  ///
  /// If the group has two runs, or one variant and a distinguished worst run, the words have no heading: `actor is
  /// 2.10x slower`. If all runs except the best run are as bad as the worst run, they are `all others`.
  func worst(_ group: AnswerGroup) -> String? {
    let ratios = ratios(group)
    guard let worst = ratios.last,
      !group.undecided.contains(where: {
        comparison.contrastsWithBest[$0]?.factor ?? 1 > worst.contrast.factor
      })
    else { return nil }
    let others = (ratios.map(\.run) + group.undecided).filter { $0 != worst.run }
    let isWorst = !others.contains { comparison.areAlike($0, worst.run) }
    if ratios.count > 1, ratios.count == group.runs.count - 1,
      ratios.allSatisfy({ comparison.areAlike($0.run, worst.run) })
    {
      return "all others are \(ratioText(ratios, worseThan: group.best))\(seldom(ratios, of: group))"
    }
    let name = names([worst.run], of: group.runs)
    let ratio = ratioText([worst], worseThan: group.best)
    if metric.meaning == .duration, isOneVariant(group) && isWorst || group.runs.count == 2 {
      return "\(name) \(RunNames.verb(name)) \(ratio)"
    }
    let mean = metric.meaning == .duration || metric.better == .lower ? "Highest mean" : "Lowest mean"
    return "\(isWorst ? superlative(isBest: false) : mean): \(name), \(ratio)"
  }

  /// Returns words about all runs that are certainly much worse than the best run, `queue, main-queue and main-actor
  /// are at least 24.1x slower`, unless ``worst(_:)`` says the same. Of two such runs, the words are about the one that
  /// ``worst(_:)`` does not name. Returns nil if there are fewer than two.
  func muchWorseRuns(_ group: AnswerGroup) -> String? {
    let all = ratios(group).filter { $0.contrast.nearest >= Comparison.outOfReach }
    guard all.count > 1, let last = all.last, !all.allSatisfy({ comparison.areAlike($0.run, last.run) })
    else { return nil }
    // Other sentences are about the next run and about the worst.
    if ratios(group).count == 2 { return nil }
    // Of two runs, the sentence about the worst has the other.
    let much = all.count == 2 && worst(group) != nil ? [all[0]] : all
    let runs = group.runs.filter { run in much.contains { $0.run == run } }
    let text = names(runs, of: group.runs)
    let verb = Set(runs.map(names.variant)).count == 1 ? RunNames.verb(text) : "are"
    return "\(text) \(verb) \(ratioText(much, worseThan: group.best))\(seldom(much, of: group))"
  }

  /// Returns words about the run that is worse in the fewest rounds, `, but queue only in 69 % of the rounds`, if a
  /// reader must know this; otherwise an empty string. A single run has these words beside its ratio.
  private func seldom(_ runs: [(run: Int, contrast: Contrast)], of group: AnswerGroup) -> String {
    guard runs.count > 1, let least = runs.min(by: { $0.contrast.agreement < $1.contrast.agreement }),
      let rounds = least.contrast.lowAgreementText
    else { return "" }
    return ", but \(names([least.run], of: group.runs)) only in \(rounds)"
  }

  /// Returns the words for the ratios of some runs to the best run, with the precision of the tables: the ratio of a
  /// single run, its interval if the ratio is imprecise, or the lower bound of several ratios.
  ///
  /// - Parameter runs: the runs in the order of ``ratios(_:)``; at least one run.
  func ratioText(_ runs: [(run: Int, contrast: Contrast)], worseThan best: Int) -> String {
    let intervals = runs.compactMap(\.contrast.interval)
    let isLowerBound = runs.contains { index.isLowerBound($0.run, to: best, by: metric) }
    let isWide = intervals.contains(where: \.isWide)
    // The ratio compares the means. In one of its two states, a run can be nearer to the best run.
    let average = ([best] + runs.map(\.run)).contains { states(of: $0) != nil } ? "on average " : ""
    // A best run whose figures alternate between two states can be worse in most rounds.
    let rounds = runs.count == 1 ? runs[0].contrast.lowAgreementText.map { ", but only in \($0)" } ?? "" : ""
    if isWide, !isLowerBound, runs.count == 1, intervals[0].low > 1 || intervals[0].high < 1 {
      return average + intervals[0].range(metric.meaning) + rounds
    }
    if isLowerBound || isWide || runs.count > 1 {
      let nearest = runs.min { $0.contrast.nearest < $1.contrast.nearest }?.contrast
      let least = nearest?.interval?.nearest ?? runs[0].contrast.ratio
      // The ranges of the two runs do not overlap, but nothing is known about the ratio.
      return least == 1
        ? "\(metric.worseWord)\(runs.count == 1 ? " in all rounds" : "")"
        : "\(average)at least \(metric.meaning.wording(least))"
    }
    return average + metric.meaning.wording(runs[0].contrast.ratio) + rounds
  }
}

extension Contrast {
  /// The end of the interval of ``factor`` that is nearer to 1; ``factor`` without an interval.
  fileprivate var nearest: Double { interval.map { max($0.nearest, 1 / $0.nearest) } ?? factor }
}

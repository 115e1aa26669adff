import Laboratory
import Measurement

/// The sentences of an answer about the settings that have a flaw, such as failed calls, and about the margin that a
/// program needs to these settings.
struct FlawAnswer {
  private let index: RunIndex
  private let comparison: RunComparison
  private let names: RunNames
  private let groups: [AnswerGroup]
  /// The metric that counts the flaw.
  private let flaw: MetricFacts
  /// The word for a better figure of the metric that ranks the runs: `faster`.
  private let betterWord: String

  /// Creates the sentences of an answer; nil if no metric counts a flaw.
  init?(_ groups: [AnswerGroup], _ wording: AnswerWording) {
    guard let flaw = wording.comparison.flaw else { return nil }
    (self.groups, self.flaw) = (groups, flaw)
    (index, comparison, names) = (wording.index, wording.comparison, wording.names)
    betterWord = wording.metric.betterWord
  }

  /// A sentence about the settings that have a flaw, such as `No failed-opens, except: unlimited with limit 16 to 64.`
  /// The name of the metric is in backticks.
  var sentence: String {
    let flawed = counted.filter(comparison.flawed.contains)
    let unknown =
      index.unmeasured(by: flaw) { !$0.outcomes.incompleteKinds.isEmpty }.map { "; not measured: \($0)" } ?? ""
    if flawed.isEmpty {
      return "No `\(flaw.name)` at any setting\(unknown.isEmpty ? "" : " that was measured\(unknown)")."
    }
    let clean = counted.filter { !comparison.flawed.contains($0) }
    let text =
      clean.count < flawed.count
      ? "Of the settings tried, only these are without `\(flaw.name)`: \(fullNames(clean, of: counted))"
      : "No `\(flaw.name)`, except: \(fullNames(flawed, of: counted))"
    let unranked = clean.filter(comparison.flawedElsewhere.contains)
    let elsewhere =
      unranked.isEmpty
      ? ""
      : "; not ranked, since the setting \(comparison.flawText): "
        + namesWithAmounts(unranked, of: counted)
    return "\(text)\(elsewhere)\(unknown)\(limitText)."
  }

  /// The runs whose flaws were counted.
  private var counted: [Int] {
    index.document.runs.indices.filter { run in
      index.document.runs[run].metrics[flaw.name] != nil
    }
  }

  /// Returns the names of runs, with the conditions if a setting has a flaw under one condition and not under another.
  private func fullNames(_ runs: [Int], of counted: [Int]) -> String {
    let others = counted.filter { !runs.contains($0) && !comparison.flawedElsewhere.contains($0) }
    let dependsOnCondition = Set(runs.map { names([$0], of: counted) }).intersection(
      others.map { names([$0], of: counted) })
    return dependsOnCondition.isEmpty ? names(runs, of: counted) : namesWithAmounts(runs, of: counted)
  }

  /// The names of runs by all swept parameters, the parameters of groups last: `stride 4 at work 10 ns`.
  private var namesWithAmounts: RunNames {
    RunNames(
      index: index, parameters: names.parameters + index.swept.filter { comparison.groupParameters.contains($0.name) })
  }

  /// The settings of a variant between which its limit is: the largest without a flaw, and the smallest with one.
  private struct Limit {
    let variant: String
    let parameter: ParameterFacts
    let gap: ClosedRange<Int>
  }

  /// The limits of all variants on the first swept parameter that limits any of them, the smallest first. A variant has
  /// a limit if a setting has a flaw that is larger than all settings without one.
  private var limits: [Limit] {
    let parameters = index.swept.filter { $0.name != Cores.name }
    return parameters.lazy.map { parameter in
      counted.grouped(by: names.variant).compactMap { variant, runs -> Limit? in
        func numbers(where isMeant: (Int) -> Bool) -> [Int] {
          runs.filter(isMeant).compactMap { names.number($0, parameter) }
        }
        let clean = numbers { !comparison.flawed.contains($0) && !comparison.flawedElsewhere.contains($0) }
        let flawed = numbers(where: comparison.flawed.contains)
        guard let most = clean.max(), let least = flawed.min(), most < least else { return nil }
        return Limit(variant: variant, parameter: parameter, gap: most...least)
      }
    }.first { !$0.isEmpty }?.sorted {
      ($0.gap.lowerBound, $0.gap.upperBound, $0.variant) < ($1.gap.lowerBound, $1.gap.upperBound, $1.variant)
    } ?? []
  }

  /// Words about the smallest of ``limits``: `; the limit is between permits 32 and 64; for what is in between,
  /// sweep permits=32..64:+4`. The words are empty if there is no limit, or if no number is between its settings.
  private var limitText: String {
    guard let limit = limits.first else { return "" }
    let (parameter, gap) = (limit.parameter, limit.gap)
    let finer = FinerSweep(parameter, between: gap, doubles: false)
    guard !finer.values.isEmpty else { return "" }
    let variant = Set(index.document.runs.map(\.variant)).count > 1 ? ["--variant \(limit.variant)"] : []
    // The command of a grid names the other sweeps, too, since it replaces all sweeps.
    let sweeps = index.swept.compactMap { $0.name == parameter.name ? finer.notation : $0.notation(of: $0.swept ?? []) }
    let command = index.document.comparing((sweeps + variant).joined(separator: " "))
    let values = [gap.lowerBound, gap.upperBound].map(ParameterValue.integer)
    let described = values.map(parameter.describe)
    // Near values can have one description.
    let ends = described[0] != described[1] ? described : values.map(parameter.exact)
    return "; the limit is between \(parameter.name) \(ends[0]) and \(ends[1]); for what is in between, "
      + (command.map { "run `\($0)`" } ?? "sweep \(([finer.notation] + variant).joined(separator: " "))")
  }

  /// A sentence about the recommended settings that are the largest without a flaw, `Permits 40 is the largest tried
  /// without failed-opens: a program of your own needs a margin.` The word *tried* is left out if the limit is exact. A
  /// smaller setting that is as good leaves the margin. Nil if there are no such settings.
  var margin: String? {
    let leaders = groups.flatMap(\.leaders)
    let recommended = limits.filter { limit in
      leaders.contains {
        names.variant($0) == limit.variant && names.number($0, limit.parameter) == limit.gap.lowerBound
      }
    }
    let ends = recommended.map { RunNames.setting($0.parameter, .integer($0.gap.lowerBound)) }.distinct
    guard let first = recommended.first else { return nil }
    let isExact = limits.allSatisfy { $0.gap.upperBound == $0.gap.lowerBound + 1 }
    let smallest =
      groups.count == 1 && recommended.count == 1 && names.parameters.count == 1 ? smallestLeader(of: first) : nil
    let remedy = smallest.map { run, number in
      let loss = groups[0].isUndecided ? nil : run == groups[0].best ? 0 : comparison.possibleLoss(run)
      let share = loss.map {
        $0 <= 0 ? "the best" : "within \(Quantity.fixed(max(0.1, 100 * $0), decimals: 1)) % of the best"
      }
      return
        ", and \(RunNames.setting(first.parameter, .integer(number))) \(share.map { "is \($0)" } ?? "may be as good")"
    }
    let more =
      isExact || remedy != nil ? "" : "one nearer to the limit may be \(betterWord), but "
    return
      "\(ends.listed().capitalizedFirst) \(ends.count == 1 ? "is" : "are") the largest \(isExact ? "" : "tried ")without "
      + "`\(flaw.name)`: \(more)a program of your own needs a margin\(remedy ?? "")."
  }

  /// Returns the smallest setting that is among the best, if it is below the limit; otherwise nil.
  private func smallestLeader(of limit: Limit) -> (run: Int, number: Int)? {
    groups[0].leaders.filter { names.variant($0) == limit.variant }.compactMap { run in
      names.number(run, limit.parameter).map { (run: run, number: $0) }
    }.min { $0.number < $1.number }.flatMap { $0.number < limit.gap.lowerBound ? $0 : nil }
  }
}

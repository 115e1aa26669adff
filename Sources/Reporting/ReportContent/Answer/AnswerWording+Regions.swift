import Laboratory
import Measurement

/// The words about groups of runs that have the same best runs.
extension AnswerWording {
  /// Groups that have the same best runs.
  struct Region {
    /// The best runs: `mutex or actor (undecided)`.
    let leaders: String
    /// The settings of the groups: `hold 1 us (any threads), hold 10 us (threads 4)`.
    let places: String
  }

  /// Returns some groups, joined if they have the same best runs.
  func regions(_ groups: [AnswerGroup]) -> [Region] {
    groups.grouped(by: leadersText).map { Region(leaders: $0, places: places($1, of: groups)) }
  }

  /// Returns whether the rounds leave anything of a group undecided on which a choice depends
  /// (``RunComparison/openBests``).
  func isOpen(_ group: AnswerGroup) -> Bool { comparison.openBests.contains(group.best) }

  /// Returns a line about a group: its settings, its best runs, and how much worse others are: `hold 10 us: mutex (1.14
  /// us) or actor (1.2x), undecided; slower: queue (2.1x)`. The ratios are those of the means. The line names the runs
  /// with the smallest ratios, the run with the largest, and the baseline, or the variants of many runs. It names the
  /// runs that are undecided although the best runs are not, and the runs that are far worse on average but too noisy
  /// to be certainly worse.
  func line(_ group: AnswerGroup) -> String {
    let leaders = group.leaders
    func named(_ runs: [Int]) -> String {
      "\(names(runs, of: group.runs)) (\(Self.rangeText(runs.map(meanRatio))))"
    }
    let others = group.runs.filter {
      !leaders.contains($0) && !group.withTooFewRounds.contains($0) && comparison.contrastsWithBest[$0] != nil
    }.sorted { meanRatio($0).factor < meanRatio($1).factor }
    let open = others.filter(group.undecided.contains)
    let far = open.filter { meanRatio($0).factor >= AnswerGroup.far }
    let near = open.filter { !far.contains($0) }
    let outclassed = others.filter(group.outclassed.contains)
    /// A run that is not certainly as good can have the ratio of one that is.
    func cost(_ runs: [Int]) -> String {
      let isLittle = runs.allSatisfy { meanRatio($0).factor <= 1 + ConfidenceInterval.alikeDifference }
      return isLittle && leaders.count > 1
        ? "\(names(runs, of: group.runs)) (\(Self.rangeText(runs.map(meanRatio))), perhaps above "
          + "\(ConfidenceInterval.alikeReach))"
        : named(runs)
    }
    let costs = items(others.filter { !open.contains($0) && !outclassed.contains($0) }, of: group)
    let shown = costs.enumerated().filter { place, runs in
      place < Self.mostCosts - 1 || place == costs.count - 1
        || names.variant(runs[0]) == index.document.scenario.baseline
    }.map { cost($1) }
    // The ratios of the others are at most those of the last item.
    let hidden = costs.count - shown.count
    let worse =
      hidden > 0
      ? "\(shown.dropLast().joined(separator: ", ")) and \(hidden + 1) more, up to \(shown[shown.count - 1])"
      : shown.joined(separator: ", ")
    let parts = [
      near.isEmpty ? nil : "undecided: \(items(near, of: group).map(named).listed(most: ComparisonAnswer.mostNames))",
      outclassed.isEmpty
        ? nil : "certainly worse than another of these: \(items(outclassed, of: group).map(named).listed())",
      worse.isEmpty ? nil : "\(metric.worseWord): \(worse)",
      far.isEmpty
        ? nil
        : "at least \(farText) on average, but noisy: \(items(far, of: group).map(named).listed(most: ComparisonAnswer.mostNames))",
      group.hasTooFewRounds ? nil : tooFewRounds(group),
    ]
    return (["\(settingsText(of: group)): \(leadersWithFigures(group))"] + parts.compactMap(\.self))
      .joined(separator: "; ")
  }

  /// Returns runs as the items of a list. Many runs of a group with several variants have an item for each variant, and
  /// the items are sorted by their largest ratios.
  ///
  /// - Parameter runs: the runs, sorted by their ratios.
  private func items(_ runs: [Int], of group: AnswerGroup) -> [[Int]] {
    guard runs.count >= Self.mostCosts, !isOneVariant(group) else { return runs.map { [$0] } }
    return runs.grouped(by: names.variant).map(\.elements).sorted {
      meanRatio($0[$0.count - 1]).factor < meanRatio($1[$1.count - 1]).factor
    }
  }

  /// ``AnswerGroup/far`` in words: `2x slower`.
  private var farText: String { "\(Quantity.number(AnswerGroup.far))x \(metric.worseWord)" }

  /// Returns the best runs of a group, the best run with its figure and the others with their ratios: `mutex (1.14 us)
  /// or actor (1.2x), undecided`. Of many runs, only the best run has a figure.
  private func leadersWithFigures(_ group: AnswerGroup) -> String {
    let others = group.leaders.filter { $0 != group.best }.sorted { comparison.factor($0) < comparison.factor($1) }
    let runs = [group.best] + others
    func text(_ run: Int) -> String {
      let isFigure = run == group.best || index.isZero(run, metric)
      return "\(names([run], of: group.runs)) (\(isFigure ? figure(run) : meanRatio(run).text))"
    }
    let isLong = runs.count > Self.fewRuns && Set(runs.map(names.variant)).count < runs.count
    let remark =
      note(group).map { $0 + (group.isUndecided && !others.isEmpty ? apartText(others) : "") }
      ?? (runs.count == 1 || group.isUndecided ? nil : within(group))
    let tail = remark.map { ", \($0)" } ?? edge(group)
    return !isLong && runs.count <= ComparisonAnswer.mostNames
      ? runs.map(text).listed("or") + tail
      : "\(names(runs, of: group.runs, "or"))\(tail); \(bestMeanWords): \(text(group.best))"
  }

  /// Returns the settings of some groups, `work 1 us and 5 us (any cores), work 10 us (1 core)`. The settings of one
  /// parameter come first, and a text without further settings stands for all groups with this setting. The parameter
  /// is the one that makes the text shortest.
  func places(_ groups: [AnswerGroup], of all: [AnswerGroup]) -> String {
    let texts = settings(of: groups[0]).map { places(groups, of: all, by: $0.parameter) }
    return texts.min { $0.count < $1.count } ?? "any setting"
  }

  private func places(_ groups: [AnswerGroup], of all: [AnswerGroup], by parameter: ParameterFacts) -> String {
    func value(_ group: AnswerGroup) -> ParameterValue? { names.point(group.best)[parameter.name] }
    func text(_ value: ParameterValue?) -> String { value.map(parameter.describe) ?? "any" }
    let parts = groups.grouped(by: value)
    let whole = parts.filter { part in part.elements.count == all.count { value($0) == part.key } }.map { text($0.key) }
    let rest = parts.map { ($0.key, $0.elements) }.filter { key, _ in !whole.contains(text(key)) }.map { key, groups in
      let others = groups.map { settings(of: $0).filter { $0.parameter.name != parameter.name } }
      let single = others.compactMap { $0.count == 1 ? $0[0] : nil }
      let inside =
        single.count == groups.count
        ? RunNames.setting(single[0].parameter, single.map { $0.parameter.describe($0.value) }, "and")
        : others.map { $0.map { RunNames.setting($0, $1) }.joined(separator: "/") }.listed()
      return "\(RunNames.setting(parameter, [text(key)])) (\(inside))"
    }
    let others = settings(of: groups[0]).filter { $0.parameter.name != parameter.name }.map {
      "any \($0.parameter.name)"
    }
    let any = rest.isEmpty || others.isEmpty ? "" : " (\(others.joined(separator: "/")))"
    return ((whole.isEmpty ? [] : [RunNames.setting(parameter, whole, "and") + any]) + rest).joined(separator: ", ")
  }

  /// Returns the names of ``AnswerGroup/leaders``: `mutex or actor`, `mutex or actor (undecided)`, or `mutex (lowest
  /// mean)`.
  private func leadersText(_ group: AnswerGroup) -> String {
    names(group.leaders, of: group.runs, "or") + (note(group).map { " (\($0))" } ?? "")
  }

  /// Returns a remark on the best runs of a group: `undecided`; nil if there is nothing to remark.
  private func note(_ group: AnswerGroup) -> String? {
    if group.runs.count == 1 {
      return "the only one \(isWithoutRivals(group) ? "measured" : "without `\(comparison.flaw?.name ?? "")`")"
    }
    if group.hasTooFewRounds { return index.hasEnoughRounds ? "best mean so far" : nil }
    guard group.isUndecided else { return nil }
    return group.leaders.count == 1 ? bestMeanWords : "undecided"
  }

  /// Returns whether no other run that competes with the only run of a group has a figure. Another run may have a
  /// figure and a flaw.
  private func isWithoutRivals(_ group: AnswerGroup) -> Bool {
    !comparison.runs(competingWith: group.best).contains(where: comparison.flawed.contains)
  }

  /// The maximum number of runs of which each has its figure if some are of the same variant.
  private static let fewRuns = 3

  /// The maximum number of items with worse runs in the line of a group, without the baseline.
  private static let mostCosts = 4
}

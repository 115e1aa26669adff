import Laboratory
import Measurement

/// The words about several groups together: the first sentence of their answer.
extension SearchWording {
  /// Returns words about the runs that are the best in each of several groups: `mutex is fastest at all values of
  /// hold`. If no run is certainly the best in all groups, the words name the runs of each group: `fastest: spinlock at hold 0 ns; mutex or actor at hold 1 us and 10 us`. If that takes too many words, they name
  /// the runs that may be the best everywhere.
  ///
  /// The words do not consider yardsticks, unless a group consists of yardsticks.
  func everywhere(_ all: [SearchGroup]) -> String {
    let others = usable(all)
    let (groups, who) = others.map { ($0, "without yardsticks, ") } ?? (all, "")
    let heading = superlative(isBest: true).uncapitalizedFirst
    let isTime = metric.meaning == .duration
    let best = (isTime ? "" : "the ") + heading
    let everywhere = "at all values of \(settings(of: all[0]).map(\.parameter.name).listed())"
    let named = zip(groups, all).map { group, whole in group.leaders.map { names([$0], of: whole.runs) } }
    let common = groups[0].leaders.filter { run in
      named.allSatisfy { $0.contains(names([run], of: all[0].runs)) }
    }
    let isCertain = groups.allSatisfy { $0.undecided.isEmpty && $0.withTooFewRounds.isEmpty }
    let regions = regions(all)
    if common.isEmpty || !isCertain, 2...Self.mostParts ~= regions.count,
      groups.count <= Self.mostGroups || settings(of: groups[0]).count == 1
    {
      return "\(who)\(heading): \(regions.map { "\($0.who) at \($0.places)" }.joined(separator: "; "))"
    }
    guard !common.isEmpty else {
      let counts = zip(groups, all).flatMap { group, whole in
        (isWide(group) ? [group.best] : group.leaders).map { names([$0], of: whole.runs) }
      }.grouped(by: \.self).map { (name: $0, count: $1.count) }.sorted { $0.count > $1.count }
      let texts = counts.prefix(Self.mostParts - 1).map { "\($0.name) at \($0.count)" }
      let certainty = isCertain ? "" : ", some undecided"
      return "\(who)\(heading): \(texts.joined(separator: ", ")) of the \(groups.count) settings\(certainty)"
    }
    let text = names(common, of: all[0].runs)
    let isPlural = Set(common.map(names.variant)).count > 1
    let verb =
      isCertain
      ? isTime ? (isPlural ? "are" : RunNames.verb(text)) : isPlural ? "have" : RunNames.has(text)
      : isTime ? "may be" : "may have"
    let isNear = isCertain && groups.contains { $0.leaders.count > 1 }
    return "\(who)\(text) \(verb) \(best)\(isNear ? ", or as good as the best," : "") \(everywhere)"
  }

  /// Groups that have the same best runs.
  struct Region {
    /// The best runs: `mutex or actor (undecided)`.
    let who: String
    /// The settings of the groups: `hold 1 us and hold 10 us/threads 4`.
    let places: String
    /// The groups without yardsticks, each beside the whole group.
    let groups: [(group: SearchGroup, whole: SearchGroup)]
  }

  /// Returns some groups, joined if they have the same best runs. Yardsticks are not considered, unless a group
  /// consists of yardsticks.
  func regions(_ all: [SearchGroup]) -> [Region] {
    let groups = usable(all) ?? all
    return zip(groups, all).grouped { group, whole in leaders(group, of: whole) }.map { who, groups in
      let settings = groups.map { group, _ in self.settings(of: group) }
      let single = settings.compactMap { $0.count == 1 ? $0[0] : nil }
      let places =
        single.count == groups.count
        ? RunNames.setting(single[0].parameter, single.map { $0.parameter.describe($0.value) }, "and")
        : self.places(groups.map { group, _ in group }, of: all)
      return Region(who: who, places: places, groups: groups.map { ($0, $1) })
    }
  }

  /// Returns a line about a region: its settings, its best runs, and how much worse others are: `hold 10 us: mutex;
  /// slower: actor (1.2x to 1.4x), queue (2.1x)`. The ratios are those of the means. The line names the runs with the
  /// smallest ratios, the run with the largest, and the baseline.
  func line(_ region: Region) -> String {
    var costs: [(name: String, isBaseline: Bool, factors: [Double])] = []
    for (group, whole) in region.groups {
      for (run, contrast) in ratios(group) {
        let name = names([run], of: whole.runs)
        let place = costs.firstIndex { $0.name == name }
        if let place {
          costs[place].factors.append(contrast.factor)
        } else {
          costs.append((name, names.variant(run) == index.document.scenario.baseline, [contrast.factor]))
        }
      }
    }
    costs.sort { ($0.factors.min() ?? 1) < ($1.factors.min() ?? 1) }
    let shown = costs.enumerated().filter { place, cost in
      place < Self.mostCosts - 1 || place == costs.count - 1 || cost.isBaseline
    }
    let texts = shown.map { _, cost in
      let ends = [cost.factors.min(), cost.factors.max()].compactMap { $0.map { Quantity.ratio($0, isRough: true) } }
      return "\(cost.name) (\(ends[0])x" + (ends[0] == ends[1] ? ")" : " to \(ends[1])x)")
    }
    let worse = metric.meaning == .duration ? "slower" : metric.better == .higher ? "lower" : "higher"
    let others = costs.count > shown.count ? " and \(costs.count - shown.count) more" : ""
    return "\(region.places): \(region.who)"
      + (texts.isEmpty ? "" : "; \(worse): \(texts.joined(separator: ", "))\(others)")
  }

  /// Returns the settings of some groups, `work 1 us and 5 us, and work 10 us (1 core)`. The settings of one parameter
  /// come first, and a text without further settings stands for all groups with this setting. The parameter is the one
  /// that makes the text shortest.
  func places(_ groups: [SearchGroup], of all: [SearchGroup]) -> String {
    let texts = settings(of: groups[0]).map { places(groups, of: all, by: $0.parameter) }
    return texts.min { $0.count < $1.count } ?? "any setting"
  }

  private func places(_ groups: [SearchGroup], of all: [SearchGroup], by parameter: ParameterFacts) -> String {
    func value(_ group: SearchGroup) -> ParameterValue? { names.point(group.best)[parameter.name] }
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
    return ((whole.isEmpty ? [] : [RunNames.setting(parameter, whole, "and")]) + rest).joined(separator: ", ")
  }

  /// Returns the names of the best runs, `mutex or actor`. If these are undecided and differ widely, returns only the run
  /// with the best mean, `mutex (lowest mean, undecided)`.
  private func leaders(_ group: SearchGroup, of whole: SearchGroup) -> String {
    let runs = group.leaders
    if isWide(group) { return "\(names([group.best], of: whole.runs)) (\(lowestMean), undecided)" }
    let text =
      Set(runs.map(names.variant)).count == 1
      ? names(runs, of: whole.runs) : runs.map { names([$0], of: whole.runs) }.listed("or", most: Self.mostParts)
    return text + (group.isUndecided ? " (undecided)" : "")
  }

  /// Returns whether the best run of a group is undecided, and another undecided run may be many times as slow.
  private func isWide(_ group: SearchGroup) -> Bool {
    group.isUndecided && group.undecided(within: Self.widestReach).count < group.undecided.count
  }

  /// The largest possible difference between undecided runs of a group that the first sentence names, as a share.
  static let widestReach = 2.0

  /// The maximum number of worse runs in the line of a region, without the baseline.
  private static let mostCosts = 4

  /// The maximum number of parts of a sentence about groups with different best runs, and of best runs in a part.
  private static let mostParts = 4

  /// The maximum number of groups with several settings that a sentence names.
  private static let mostGroups = 8
}

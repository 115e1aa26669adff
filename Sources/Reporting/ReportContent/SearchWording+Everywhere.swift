import Laboratory
import Measurement

/// The words about several groups together: the first sentence of their answer.
extension SearchWording {
  /// Returns words about the runs that are the best in each of several groups: `mutex is fastest at all values of
  /// hold`, or `use mutex: fastest, or undecided, at all values of hold`. If there are no such runs, the words name the
  /// runs by the values of one parameter (``rule(_:of:)``), or the runs of each group: `fastest: spinlock at hold 0 ns;
  /// mutex or actor at hold 1 us and 10 us`. If that takes too many words, they name a run that is nowhere far from the
  /// best, or count the groups in which each run may be the best.
  ///
  /// The words do not consider yardsticks, unless a group consists of yardsticks.
  ///
  /// - Parameters:
  ///   - all: all groups.
  ///   - regions: the groups, joined by ``regions(_:)``.
  func everywhere(_ all: [SearchGroup], in regions: [Region]) -> String {
    let others = withoutYardsticks(all)
    let (groups, who) = others.map { ($0, "without yardsticks, ") } ?? (all, "")
    let heading = superlative(isBest: true).uncapitalizedFirst
    let isTime = metric.meaning == .duration
    let best = (isTime ? "" : "the ") + heading
    let everywhere = "at all values of \(settings(of: all[0]).map(\.parameter.name).listed())"
    let named = zip(groups, all).map { group, whole in leaders(group).map { names([$0], of: whole.runs) } }
    let common = leaders(groups[0]).filter { run in
      named.allSatisfy { $0.contains(names([run], of: all[0].runs)) }
    }
    let isCertain = groups.allSatisfy { $0.undecided.isEmpty && $0.withTooFewRounds.isEmpty }
    let note = isCertain ? "" : ", or undecided"
    if common.isEmpty, let rule = rule(groups, of: all, most: min(Self.mostParts, regions.count - 1)) {
      return "\(who)\(heading)\(note): \(rule)\(compromise(groups, of: all))"
    }
    if common.isEmpty, 2...Self.mostParts ~= regions.count,
      groups.count <= Self.mostGroups || settings(of: groups[0]).count == 1
    {
      let parts = regions.map { "\($0.who) at \($0.places)" }
      return "\(who)\(heading): \(parts.joined(separator: "; "))\(compromise(groups, of: all))"
    }
    guard !common.isEmpty else {
      // A run that is among the best at most settings is a good choice, even if the best is undecided at some of them.
      let counts = named.flatMap(\.self).grouped { $0 }.map { (name: $0.key, count: $0.elements.count) }
        .sorted { $0.count > $1.count }
      if let pick = leastWorst(groups, of: all), pick.factor < Self.far {
        let count = counts.first { $0.name == pick.name }?.count ?? 0
        let share = count == 0 ? "" : "; \(heading)\(note) at \(count) of the \(groups.count) settings"
        return "\(who)use \(pick.name): its means are nowhere more than \(pick.text) \(worse) than the best\(share)"
      }
      let texts = counts.prefix(Self.mostParts - 1).map { "\($0.name) at \($0.count)" }
      let left = groups.count - counts.prefix(Self.mostParts - 1).reduce(0) { $0 + $1.count }
      let others =
        isCertain ? left > 0 ? ["others at \(left)"] : [] : counts.count > texts.count ? ["others at fewer"] : []
      let parts = (texts + others).joined(separator: ", ")
      let compromise = compromise(groups, of: all, below: Self.farthest)
      return "\(who)\(heading)\(note): \(parts) of the \(groups.count) settings\(compromise)"
    }
    guard isCertain else {
      // Of undecided runs, those with a good mean in every group are the better choice.
      let worst = Dictionary(uniqueKeysWithValues: worstFactors(groups, of: all).map { ($0.name, $0.factor) })
      let factors = common.map { worst[names([$0], of: all[0].runs)] ?? 1 }
      let most = max(factors.min() ?? 1, Self.good)
      let chosen = zip(common, factors).filter { $0.1 <= most }.map(\.0)
      return "\(who)use \(names(chosen, of: all[0].runs, "or")): \(heading), or undecided, \(everywhere)"
    }
    let text = names(common, of: all[0].runs)
    let isPlural = Set(common.map(names.variant)).count > 1
    let verb = isTime ? (isPlural ? "are" : RunNames.verb(text)) : isPlural ? "have" : RunNames.has(text)
    let isNear = groups.contains { $0.leaders.count > 1 }
    return "\(who)\(text) \(verb) \(best)\(isNear ? ", or as good as the best," : "") \(everywhere)"
  }

  /// Returns words about the run whose largest ratio to the best mean of any group is the smallest, a choice for all
  /// groups: `; the means of mutex are nowhere more than 1.2x slower`. Returns an empty string if there is no run that
  /// all groups contain, or if this ratio is `limit` or more.
  private func compromise(_ groups: [SearchGroup], of all: [SearchGroup], below limit: Double = Self.far) -> String {
    guard let least = leastWorst(groups, of: all), least.factor < limit else { return "" }
    return "; the means of \(least.name) are nowhere more than \(least.text) \(worse)"
  }

  /// Returns the run whose largest ratio to the best mean of any group is the smallest, with this ratio, and the ratio
  /// rounded up as text; nil if there is no run that all groups contain.
  private func leastWorst(_ groups: [SearchGroup], of all: [SearchGroup]) -> (
    name: String, factor: Double, text: String
  )? {
    worstFactors(groups, of: all).min { $0.factor < $1.factor }.map { least in
      let factor = Quantity.ratio(max(1.1, (10 * least.factor).rounded(.up) / 10), isRough: true)
      return (least.name, least.factor, "\(factor)x")
    }
  }

  /// Returns words about the runs that are among the best in all groups with a value of one parameter: `mutex at
  /// threads 1; pthread-mutex at threads 2 and 4`. Returns nil if there is only one parameter, if there are no such
  /// runs for a value, or if the words have more than `most` parts.
  private func rule(_ groups: [SearchGroup], of all: [SearchGroup], most: Int) -> String? {
    let parameters = settings(of: groups[0]).map(\.parameter)
    guard parameters.count > 1 else { return nil }
    let rules = parameters.compactMap { rule(groups, of: all, by: $0) }
    guard let shortest = rules.min(by: { $0.count < $1.count }), shortest.count <= most else { return nil }
    return shortest.joined(separator: "; ")
  }

  private func rule(_ groups: [SearchGroup], of all: [SearchGroup], by parameter: ParameterFacts) -> [String]? {
    let places = zip(groups, all).grouped { group, _ in names.point(group.best)[parameter.name] }
    var left = places.map { value, groups in
      let bests = groups.map { group, whole in leaders(group).map { names([$0], of: whole.runs) } }
      return (value: value, names: bests[0].filter { name in bests.allSatisfy { $0.contains(name) } })
    }
    var parts: [String] = []
    while !left.isEmpty {
      let counts = left.flatMap(\.names).grouped { $0 }.map { (name: $0.key, count: $0.elements.count) }
      // Of several runs that are the best at as many values, the first is the one with the best mean.
      guard left.allSatisfy({ !$0.names.isEmpty }), let most = counts.map(\.count).max(),
        let name = counts.first(where: { $0.count == most })?.name
      else { return nil }
      let values = left.filter { $0.names.contains(name) }.compactMap { $0.value.map(parameter.describe) }
      parts.append("\(name) at \(RunNames.setting(parameter, values, "and"))")
      left.removeAll { $0.names.contains(name) }
    }
    return parts
  }

  /// Returns, for each run that all groups contain, the largest ratio of its mean to the best mean of a group.
  private func worstFactors(_ groups: [SearchGroup], of all: [SearchGroup]) -> [(name: String, factor: Double)] {
    zip(groups, all).flatMap { group, whole in
      group.runs.compactMap { run -> (name: String, factor: Double)? in
        let factor = run == group.best ? 1 : group.comparison.contrastsWithBest[run]?.factor
        return factor.map { (names([run], of: whole.runs), $0) }
      }
    }.grouped(by: \.name).filter { $0.elements.count == groups.count }
      .map { name, runs in (name, runs.map(\.factor).max() ?? 1) }
  }

  /// Groups that have the same best runs.
  struct Region {
    /// The best runs: `mutex or actor (undecided)`.
    let who: String
    /// The settings of the groups: `hold 1 us (any threads), hold 10 us (threads 4)`.
    let places: String
    /// The groups without yardsticks, each beside the whole group.
    let groups: [(group: SearchGroup, whole: SearchGroup)]
  }

  /// Returns some groups, joined if they have the same best runs. Yardsticks are not considered, unless a group
  /// consists of yardsticks.
  func regions(_ all: [SearchGroup]) -> [Region] {
    let groups = withoutYardsticks(all) ?? all
    return zip(groups, all).grouped { group, whole in leadersText(group, of: whole) }.map { who, groups in
      Region(who: who, places: places(groups.map { group, _ in group }, of: all), groups: groups.map { ($0, $1) })
    }
  }

  /// Returns a line about a region: its settings, its best runs, and how much worse others are: `hold 10 us: mutex;
  /// slower: actor (1.2x to 1.4x), queue (2.1x)`. The ratios are those of the means. The line names the runs with the
  /// smallest ratios, the run with the largest, and the baseline. It names the runs that are undecided although the
  /// best runs are not, and the runs that are far worse on average but too noisy to be certainly worse.
  func line(_ region: Region) -> String {
    let others = region.groups.flatMap { group, whole in
      let named = leaders(group)
      return group.runs.filter { !named.contains($0) }.compactMap { run in
        group.comparison.contrastsWithBest[run].map { contrast in
          (
            name: names([run], of: whole.runs), factor: contrast.factor, isUndecided: group.undecided.contains(run),
            isBaseline: names.variant(run) == index.document.scenario.baseline
          )
        }
      }
    }
    // A run can be undecided at one setting, and certainly worse at another.
    let all = others.grouped { "\($0.name) \($0.isUndecided)" }.map { _, runs in
      (
        name: runs[0].name, isBaseline: runs[0].isBaseline, isNoisy: runs[0].isUndecided,
        isFar: runs.allSatisfy { $0.factor >= Self.far }, factors: runs.map(\.factor).sorted()
      )
    }.sorted { ($0.factors[0], $0.name) < ($1.factors[0], $1.name) }
    let undecided = all.filter { $0.isNoisy && !$0.isFar }.map(\.name)
    let noisy = all.filter { $0.isNoisy && $0.isFar }.map { "\($0.name) (\(Self.multiples($0.factors)))" }
    let costs = all.filter { !$0.isNoisy }
    let shown = costs.enumerated().filter { place, cost in
      place < Self.mostCosts - 1 || place == costs.count - 1 || cost.isBaseline
    }.map { "\($1.name) (\(Self.multiples($1.factors)))" }
    let more = costs.count > shown.count ? " and \(costs.count - shown.count) more" : ""
    let parts = [
      undecided.isEmpty ? nil : "undecided: \(undecided.listed(most: SearchAnswer.mostNames))",
      shown.isEmpty ? nil : "\(worse): \(shown.joined(separator: ", "))\(more)",
      noisyText(noisy),
    ]
    return (["\(region.places): \(region.who)"] + parts.compactMap(\.self)).joined(separator: "; ")
  }

  /// Returns the settings of some groups, `work 1 us and 5 us (any cores), work 10 us (1 core)`. The settings of one
  /// parameter come first, and a text without further settings stands for all groups with this setting. The parameter
  /// is the one that makes the text shortest.
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
    let others = settings(of: groups[0]).filter { $0.parameter.name != parameter.name }.map {
      "any \($0.parameter.name)"
    }
    let any = rest.isEmpty || others.isEmpty ? "" : " (\(others.joined(separator: "/")))"
    return ((whole.isEmpty ? [] : [RunNames.setting(parameter, whole, "and") + any]) + rest).joined(separator: ", ")
  }

  /// Returns the names of ``leaders(_:)``: `mutex or actor`, `mutex or actor (undecided)`, or `mutex (lowest mean)`.
  private func leadersText(_ group: SearchGroup, of whole: SearchGroup) -> String {
    let runs = leaders(group)
    let note = !group.isUndecided ? "" : runs.count == 1 ? " (\(lowestMean))" : " (undecided)"
    return names(runs, of: whole.runs, "or") + note
  }

  /// Returns the runs that an answer about several groups calls the best. If these are undecided, and some differ
  /// widely from the best mean, the result does not contain runs with a mean that is ``far`` from it.
  func leaders(_ group: SearchGroup) -> [Int] {
    guard isWide(group) else { return group.leaders }
    return group.leaders.filter { group.comparison.contrastsWithBest[$0].map { $0.factor < Self.far } ?? true }
  }

  /// The largest ratio of the means up to which an undecided run is as good a choice as the best.
  private static let good = 1.25

  /// The smallest ratio of the means at which a run that is too noisy to be ranked is far from the best run.
  private static let far = 2.0

  /// The largest ratio to the best mean that a sentence without another choice contains.
  private static let farthest = 10.0

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

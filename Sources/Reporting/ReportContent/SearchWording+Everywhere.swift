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
    if common.isEmpty || !isCertain, let parts = parts(groups, of: all) { return "\(who)\(heading): \(parts)" }
    guard !common.isEmpty else { return "\(who)nothing \(isTime ? "is" : "has") \(best) \(everywhere)" }
    let text = names(common, of: all[0].runs)
    let isPlural = Set(common.map(names.variant)).count > 1
    let verb =
      isCertain
      ? isTime ? (isPlural ? "are" : RunNames.verb(text)) : isPlural ? "have" : RunNames.has(text)
      : isTime ? "may be" : "may have"
    let isNear = isCertain && groups.contains { $0.leaders.count > 1 }
    return "\(who)\(text) \(verb) \(best)\(isNear ? ", or as good as the best," : "") \(everywhere)"
  }

  /// Returns the names of the runs that may be the best, with the groups in which they may be the best: `spinlock at
  /// hold 0 ns; mutex or actor at hold 1 us and 10 us`. Returns nil if the text would be long, or if all groups have
  /// the same runs.
  private func parts(_ groups: [SearchGroup], of all: [SearchGroup]) -> String? {
    let settings = settings(of: groups[0])
    let parts = zip(groups, all).grouped { group, whole in leaders(group, of: whole) }
    guard 2...Self.mostParts ~= parts.count, groups.count <= Self.mostGroups || settings.count == 1 else { return nil }
    return parts.map { names, groups in
      let places = groups.map { group, _ in self.settings(of: group) }
      let text =
        settings.count == 1
        ? RunNames.setting(settings[0].parameter, places.map { $0[0].parameter.describe($0[0].value) }, "and")
        : self.places(groups.map { group, _ in group }, of: all)
      return "\(names) at \(text)"
    }.joined(separator: "; ")
  }

  /// Returns the settings of some groups, `work 1 us and work 10 us/1 core`. If the groups are all groups with a value
  /// of the first parameter, the text contains only this value.
  private func places(_ groups: [SearchGroup], of all: [SearchGroup]) -> String {
    func first(_ group: SearchGroup) -> ParameterValue? { settings(of: group).first?.value }
    return groups.grouped(by: first).flatMap { value, groups in
      groups.count == all.count { first($0) == value }
        ? settings(of: groups[0]).prefix(1).map { RunNames.setting($0, $1) }
        : groups.map { settingsText(of: $0).replacing(", ", with: "/") }
    }.listed()
  }

  /// Returns the names of the runs that may be the best, `mutex or actor`. If these are many or differ widely, returns
  /// only the run with the best mean, `mutex (lowest mean, undecided)`.
  private func leaders(_ group: SearchGroup, of whole: SearchGroup) -> String {
    let runs = group.leaders
    let isWide = group.undecided(within: Self.widestReach).count < group.undecided.count
    guard runs.count <= Self.mostParts, !isWide else {
      return "\(names([group.best], of: whole.runs)) (\(lowestMean), undecided)"
    }
    let text =
      Set(runs.map(names.variant)).count == 1
      ? names(runs, of: whole.runs) : runs.map { names([$0], of: whole.runs) }.listed("or")
    return text + (group.undecided.isEmpty ? "" : " (undecided)")
  }

  /// The largest possible difference between undecided runs of a group that the first sentence names, as a share.
  static let widestReach = 2.0

  /// The maximum number of parts of a sentence about groups with different best runs, and of best runs in a part.
  private static let mostParts = 4

  /// The maximum number of groups with several settings that a sentence names.
  private static let mostGroups = 8
}

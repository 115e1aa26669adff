import Laboratory
import Measurement

/// The choice of an answer about several groups of runs, which the first sentence of the answer states.
///
/// The choice does not consider yardsticks, unless a group consists of yardsticks.
struct GridAnswer {
  private let wording: AnswerWording
  private let regions: [AnswerWording.Region]
  /// The groups without yardsticks, each beside the whole group, from which runs get their names.
  private let groups: [(group: AnswerGroup, whole: AnswerGroup)]
  /// The names of the runs that are among the best in each group, beginning with the run that has the best mean.
  private let leaders: [[String]]
  /// The beginning of the sentence if the groups omit yardsticks; otherwise empty.
  private let scope: String
  /// The words for the best run: `fastest`, or `best mean so far` if the runs have too few rounds to be ranked.
  private let heading: String
  /// ``heading``, or `undecided at 2 of the 4 settings; may be fastest` if the best run of a group is undecided.
  private let openHeading: String
  /// `may be fastest`, or `may have the highest throughput`.
  private let mayBe: String
  /// The number of groups whose best run is undecided.
  private let undecided: Int
  /// The largest ratio of each run that all groups contain.
  private let worstMultiples: [Worst]

  /// Creates the choice.
  ///
  /// - Parameters:
  ///   - all: all groups.
  ///   - regions: the groups, joined by ``AnswerWording/regions(_:)``.
  init(_ all: [AnswerGroup], in regions: [AnswerWording.Region], _ wording: AnswerWording) {
    (self.wording, self.regions) = (wording, regions)
    let others = wording.withoutYardsticks(all)
    let groups = zip(others ?? all, all).map { (group: $0, whole: $1) }
    self.groups = groups
    worstMultiples = groups.flatMap { group, whole in
      group.runs.compactMap { run -> Worst? in
        guard run == group.best || group.comparison.contrastsWithBest[run] != nil else { return nil }
        return (wording.names([run], of: whole.runs), wording.multiple(run, in: group), wording.settingsText(of: whole))
      }
    }.grouped(by: \.name).filter { $0.elements.count == groups.count }
      .compactMap { $0.elements.max { $0.multiple.factor < $1.multiple.factor } }
    leaders = groups.map { group, whole in wording.leaders(group).map { wording.names([$0], of: whole.runs) } }
    scope = others == nil ? "" : "without \(wording.index.yardsticks), "
    let isRanked = wording.index.hasEnoughRounds
    heading = isRanked ? wording.superlative(isBest: true).uncapitalizedFirst : "best mean so far"
    undecided = groups.count { $0.group.isUndecided || !$0.group.withTooFewRounds.isEmpty }
    mayBe = "\(wording.metric.meaning == .duration ? "may be" : "may have the") \(heading)"
    openHeading =
      undecided == 0 || !isRanked ? heading : "\(Self.undecided(undecided, of: groups.count)); \(mayBe)"
  }

  /// Returns the words for a number of undecided groups: `undecided at 2 of the 4 settings`.
  private static func undecided(_ count: Int, of all: Int) -> String { "undecided at \(settings(count, of: all))" }

  /// Returns the words for a part of the settings: `2 of the 4 settings`, or `both settings`.
  static func settings(_ count: Int, of all: Int) -> String {
    "\(count == all ? all == 2 ? "both" : "all \(all)" : "\(count) of the \(all)") settings"
  }

  private var isCertain: Bool { undecided == 0 }

  /// The words for the best run as a reference: `the best`, or `the best without yardsticks`.
  private var best: String { "the best\(scope.isEmpty ? "" : " without \(wording.index.yardsticks)")" }

  /// Returns words about the largest ratio of a run's means: `are nowhere more than 1.43x slower than the best`.
  private func atWorst(_ multiple: AnswerWording.Multiple) -> String {
    "are nowhere more than \(multiple.text) \(wording.worse) than \(best)"
  }

  /// The choice in words: the runs that are among the best in all groups; otherwise a run that is nowhere much worse
  /// than the best; otherwise the best runs by the values of one parameter or by groups, with the run that is nowhere
  /// far from the best; and otherwise that run, or counts. If the runs have too few rounds to be ranked, the words
  /// recommend no run.
  var text: String {
    guard wording.index.hasEnoughRounds else {
      return "\(scope)nothing is ranked; \(everywhereSoFar ?? division?.text ?? counts)"
    }
    return scope
      + (everywhere ?? recommendation(below: Self.good) ?? bestBySettings ?? recommendation(below: AnswerWording.far)
        ?? counts)
  }

  /// The best runs by the values of one parameter, or by groups, with the run that is nowhere far from the best, and
  /// the largest ratio of the others; nil if that takes too many words.
  private var bestBySettings: String? {
    division.map { text, names in
      let least = leastWorst.flatMap { $0.multiple.factor < AnswerWording.far ? $0 : nil }
      let compromise = least.map {
        "; the means of \($0.name) \(atWorst($0.multiple))"
      }
      return text + (compromise ?? "") + cost(of: names.subtracting([least?.name].compactMap(\.self)))
    }
  }

  /// Words about the run that has the best mean in all groups, if the runs have too few rounds to be ranked: `mutex has
  /// the best mean so far at all values of hold`; nil if there is no such run.
  private var everywhereSoFar: String? {
    let names = Set(leaders.map { $0[0] })
    return names.count == 1 ? "\(wording.bestSoFar(leaders[0][0])) \(place(of: groups[0].whole))" : nil
  }

  /// Words about the runs that are among the best in all groups: `mutex is fastest at all values of hold`, or those of
  /// ``possibly(_:of:)`` if the runs are undecided. Nil if there are no such runs.
  private var everywhere: String? {
    let (first, whole) = groups[0]
    let common = wording.leaders(first).filter { run in
      let name = wording.names([run], of: whole.runs)
      return leaders.allSatisfy { $0.contains(name) }
    }
    guard !common.isEmpty else { return nil }
    guard isCertain else { return possibly(common, of: whole) }
    let place = place(of: whole)
    let text = wording.names(common, of: whole.runs)
    let isPlural = Set(common.map(wording.names.variant)).count > 1
    let isTime = wording.metric.meaning == .duration
    let verb = isTime ? (isPlural ? "are" : RunNames.verb(text)) : isPlural ? "have the" : "\(RunNames.has(text)) the"
    let isNear = groups.contains { $0.group.leaders.count > 1 }
    return "\(text) \(verb) \(heading)\(isNear ? ", or as good as the best," : "") \(place)"
  }

  /// The words about runs that may be the best in all groups, although groups are undecided: `undecided at 2 of the 4
  /// settings, but the means of mutex and actor are nowhere more than 1.06x slower than the best`. The runs with such
  /// means need not be among the best in all groups. If there are none, the words are about the run that comes nearest:
  /// `undecided at all 4 settings; mutex may be fastest at all values of hold; its means are nowhere more than 1.43x
  /// slower than the best`, or `…, but its means are up to 3.12x slower (hold 0 ns)`.
  private func possibly(_ common: [Int], of whole: AnswerGroup) -> String {
    let start = Self.undecided(undecided, of: groups.count)
    func worst(_ run: Int) -> Worst? { worstMultiples.first { $0.name == wording.names([run], of: whole.runs) } }
    let small = whole.runs.filter { run in worst(run).map { $0.multiple.factor <= Self.small } ?? false }
    if let cost = small.compactMap(worst).max(by: { $0.multiple.factor < $1.multiple.factor }) {
      let names = wording.names(small, of: whole.runs)
      // A ratio of 1.00 is not worth a number.
      let isSame = cost.multiple.factor == 1
      let has = Set(small.map(wording.names.variant)).count > 1 ? "have" : RunNames.has(names)
      return isSame || cost.multiple.text == AnswerWording.Multiple(1).text
        ? "\(start), but \(names) \(has) the best mean\(isSame ? "" : ", or nearly so,") \(place(of: whole))"
        : "\(start), but the means of \(names) \(atWorst(cost.multiple))"
    }
    let nearest = common.compactMap(worst).min { $0.multiple.factor < $1.multiple.factor }
    guard let nearest else {
      return "\(start); \(wording.names(common, of: whole.runs, "or")) \(mayBe) \(place(of: whole))"
    }
    return "\(start); \(nearest.name) \(mayBe) \(place(of: whole))"
      + (nearest.multiple.factor < AnswerWording.far
        ? "; its means \(atWorst(nearest.multiple))"
        : ", but its means are up to \(nearest.multiple.text) \(wording.worse) (\(nearest.place))")
  }

  /// Returns the settings of all groups in words: `at all values of hold`, or `at all measured values of hold` if a
  /// setting has no figure.
  private func place(of whole: AnswerGroup) -> String {
    let document = wording.index.document
    // A run without one of the parameters stands beside all groups.
    let points = document.runs.map { run in wording.comparison.groups.compactMap { run.point[$0] } }
    let count = Set(points.filter { $0.count == wording.comparison.groups.count }).count
    return "at all \(count > groups.count ? "measured " : "")values of "
      + wording.settings(of: whole).map(\.parameter.name).listed()
  }

  /// Returns words about the run whose largest ratio to the best mean is the smallest, with the number of groups in
  /// which the run is among the best: `use mutex: its means are nowhere more than 1.20x slower than the best; fastest
  /// at 7 of the 9 settings`. Returns nil if that ratio is at least `limit`.
  private func recommendation(below limit: Double) -> String? {
    guard let least = leastWorst, least.multiple.factor < limit else { return nil }
    let choice =
      "use \(least.name): its means \(atWorst(least.multiple))"
    let count = leaders.count { $0.contains(least.name) }
    return choice
      + (count == 0
        ? "" : "; \(heading)\(isCertain ? "" : ", or undecided,") at \(count) of the \(groups.count) settings")
  }

  /// The best runs by the values of one parameter, or by groups, with the names of these runs; nil if that takes too
  /// many words.
  private var division: (text: String, names: Set<String>)? {
    byOneParameter ?? (regions.count <= Self.mostRegions ? byRegion : nil)
  }

  /// The runs that are among the best in all groups with a value of one parameter: `fastest: mutex at threads 1;
  /// pthread-mutex at threads 2 and 4`. Nil if there is only one parameter, if there are no such runs for a value, or
  /// if this takes as many parts as ``byRegion``.
  private var byOneParameter: (text: String, names: Set<String>)? {
    let parameters = wording.settings(of: groups[0].whole).map(\.parameter)
    guard parameters.count > 1, let parts = parameters.compactMap(parts).min(by: { $0.count < $1.count }),
      parts.count <= min(Self.mostParts, regions.count - 1)
    else { return nil }
    return ("\(openHeading): \(parts.map(\.text).joined(separator: "; "))", Set(parts.map(\.name)))
  }

  private func parts(by parameter: ParameterFacts) -> [(name: String, text: String)]? {
    let places = zip(groups, leaders).grouped { wording.names.point($0.0.group.best)[parameter.name] }
    var left = places.map { value, groups in
      let bests = groups.map(\.1)
      return (value: value, names: bests[0].filter { name in bests.allSatisfy { $0.contains(name) } })
    }
    var parts: [(name: String, text: String)] = []
    while !left.isEmpty {
      let counts = Self.counts(left.map(\.names))
      // Of several runs that are among the best at as many values, the first is the one with the best mean.
      guard left.allSatisfy({ !$0.names.isEmpty }), let most = counts.map(\.count).max(),
        let name = counts.first(where: { $0.count == most })?.name
      else { return nil }
      let values = left.filter { $0.names.contains(name) }.compactMap { $0.value.map(parameter.describe) }
      parts.append((name, "\(name) at \(RunNames.setting(parameter, values, "and"))"))
      left.removeAll { $0.names.contains(name) }
    }
    return parts
  }

  /// The runs of each group: `fastest: spinlock at hold 0 ns; mutex or actor at hold 1 us and 10 us`; nil if that takes
  /// too many words.
  private var byRegion: (text: String, names: Set<String>)? {
    guard 2...Self.mostParts ~= regions.count,
      groups.count <= Self.mostGroups || wording.settings(of: groups[0].whole).count == 1
    else { return nil }
    let parts = regions.map { "\($0.who) at \($0.places)" }
    return ("\(heading): \(parts.joined(separator: "; "))", Set(leaders.joined()))
  }

  /// The runs with the number of groups in which each is among the best: `fastest: mutex at 4, actor at 3, others at 2
  /// of the 9 settings`. A run that is nowhere very far from the best is added.
  private var counts: String {
    let counts = Self.counts(leaders).sorted { $0.count > $1.count }
    let shown = counts.prefix(Self.mostParts - 1)
    let left = groups.count - shown.reduce(0) { $0 + $1.count }
    let others =
      isCertain ? left > 0 ? ["others at \(left)"] : [] : counts.count > shown.count ? ["others at fewer"] : []
    let parts = (shown.map { "\($0.name) at \($0.count)" } + others).joined(separator: ", ")
    let least = leastWorst.flatMap { wording.index.hasEnoughRounds && $0.multiple.factor < Self.farthest ? $0 : nil }
    let compromise = least.map {
      "; the means of \($0.name) are nowhere more than \($0.multiple.text) \(wording.worse)"
    }
    return "\(openHeading): \(parts) of the \(groups.count) settings\(compromise ?? "")"
  }

  private static func counts(_ names: [[String]]) -> [(name: String, count: Int)] {
    names.joined().grouped { $0 }.map { ($0.key, $0.elements.count) }
  }

  /// Returns words about the run of `names` that is the worst at another setting: `; the means of queue are up to 24.1x
  /// slower (hold 0 ns)`. Returns an empty string if no run is far from the best, or if the next lines show the ratios.
  private func cost(of names: Set<String>) -> String {
    let worst = worstMultiples.filter { names.contains($0.name) }.max { $0.multiple.factor < $1.multiple.factor }
    guard groups.count > Self.fewGroups, let worst, worst.multiple.factor >= AnswerWording.far else { return "" }
    return "; the means of \(worst.name) are up to \(worst.multiple.text) \(wording.worse) (\(worst.place))"
  }

  /// The largest ratio of a run to the best mean of a group, with the settings of this group.
  private typealias Worst = (name: String, multiple: AnswerWording.Multiple, place: String)

  /// The run whose largest ratio to the best mean of a group is the smallest; nil if no run is in all groups.
  private var leastWorst: Worst? { worstMultiples.min { $0.multiple.factor < $1.multiple.factor } }

  /// The largest ratio of the means of a run that is nowhere much worse than the best.
  private static let good = 1.25

  /// The maximum number of regions that the words name.
  private static let mostRegions = 3

  /// The largest ratio of the means of a choice that the words do not state. A run with this ratio is as good a choice
  /// as the best.
  private static let small = 1.1

  /// The largest ratio to the best mean that a sentence without another choice contains.
  private static let farthest = 10.0

  /// The maximum number of parts of a sentence about groups with different best runs, and of best runs in a part.
  private static let mostParts = 4

  /// The number of groups whose lines directly below the choice show how much worse the other runs are.
  private static let fewGroups = 2

  /// The maximum number of groups with several settings that a sentence names.
  private static let mostGroups = 8
}

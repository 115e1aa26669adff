import Laboratory
import Measurement

/// The choice of an answer about several groups of runs, which the first sentence of the answer states.
///
/// The choice does not consider yardsticks, unless a group consists of yardsticks.
struct GridChoice {
  private let wording: SearchWording
  private let regions: [SearchWording.Region]
  /// The groups without yardsticks, each beside the whole group, from which runs get their names.
  private let groups: [(group: SearchGroup, whole: SearchGroup)]
  /// The names of the runs that are among the best in each group, beginning with the run that has the best mean.
  private let leaders: [[String]]
  /// The beginning of the sentence if the groups omit yardsticks; otherwise empty.
  private let who: String
  /// The adjective for the best run: `fastest`.
  private let heading: String
  /// `, or undecided` if the best run of a group is undecided; otherwise empty.
  private let note: String
  private let isCertain: Bool

  /// Creates the choice.
  ///
  /// - Parameters:
  ///   - all: all groups.
  ///   - regions: the groups, joined by ``SearchWording/regions(_:)``.
  init(_ all: [SearchGroup], in regions: [SearchWording.Region], _ wording: SearchWording) {
    (self.wording, self.regions) = (wording, regions)
    let others = wording.withoutYardsticks(all)
    groups = zip(others ?? all, all).map { ($0, $1) }
    leaders = groups.map { group, whole in wording.leaders(group).map { wording.names([$0], of: whole.runs) } }
    who = others == nil ? "" : "without yardsticks, "
    heading = wording.superlative(isBest: true).uncapitalizedFirst
    isCertain = groups.allSatisfy { $0.group.undecided.isEmpty && $0.group.withTooFewRounds.isEmpty }
    note = isCertain ? "" : ", or undecided"
  }

  /// The choice in words: the runs that are among the best in all groups; otherwise a run that is nowhere far from the
  /// best, with the best runs by the values of one parameter or by groups; and otherwise the best runs alone.
  var text: String { who + (everywhere ?? recommendation ?? division.map { $0.text + cost(of: $0.names) } ?? counts) }

  /// `mutex is fastest at all values of hold`, or `use mutex: fastest, or undecided, at all values of hold`; nil if no
  /// run is among the best in all groups.
  private var everywhere: String? {
    let (first, whole) = groups[0]
    let common = wording.leaders(first).filter { run in
      let name = wording.names([run], of: whole.runs)
      return leaders.allSatisfy { $0.contains(name) }
    }
    guard !common.isEmpty else { return nil }
    let document = wording.index.document
    let count = Set(document.runs.map { run in wording.comparison.groups.map { run.point[$0] } }).count
    let place =
      "at all \(count > groups.count ? "measured " : "")values of "
      + wording.settings(of: whole).map(\.parameter.name).listed()
    guard isCertain else {
      // Of undecided runs, those with a good mean in every group are the better choice.
      let worst = Dictionary(uniqueKeysWithValues: worstFactors.map { ($0.name, $0.factor) })
      let factors = common.map { worst[wording.names([$0], of: whole.runs)] ?? 1 }
      let most = max(factors.min() ?? 1, Self.good)
      let chosen = zip(common, factors).filter { $0.1 <= most }.map(\.0)
      return "use \(wording.names(chosen, of: whole.runs, "or")): \(heading)\(note), \(place)"
    }
    let text = wording.names(common, of: whole.runs)
    let isPlural = Set(common.map(wording.names.variant)).count > 1
    let isTime = wording.metric.meaning == .duration
    let verb = isTime ? (isPlural ? "are" : RunNames.verb(text)) : isPlural ? "have the" : "\(RunNames.has(text)) the"
    let isNear = groups.contains { $0.group.leaders.count > 1 }
    return "\(text) \(verb) \(heading)\(isNear ? ", or as good as the best," : "") \(place)"
  }

  /// `use mutex: its means are nowhere more than 1.2x slower than the best; fastest: mutex at threads 1; actor at
  /// threads 2`, or `fastest at 7 of the 9 settings` if the best runs take too many words. Nil if every run is far from
  /// the best somewhere.
  private var recommendation: String? {
    guard let least = worstFactors.min(by: { $0.factor < $1.factor }), least.factor < SearchWording.far else {
      return nil
    }
    let choice =
      "use \(least.name): its means are nowhere more than \(Self.bound(least.factor)) \(wording.worse) than the best"
    if let division { return "\(choice); \(division.text)\(cost(of: division.names.subtracting([least.name])))" }
    let count = leaders.count { $0.contains(least.name) }
    return choice + (count == 0 ? "" : "; \(heading)\(note) at \(count) of the \(groups.count) settings")
  }

  /// The best runs by the values of one parameter, or by groups, with the names of these runs; nil if that takes too
  /// many words.
  private var division: (text: String, names: Set<String>)? { rule ?? byRegion }

  /// The runs that are among the best in all groups with a value of one parameter: `fastest: mutex at threads 1;
  /// pthread-mutex at threads 2 and 4`. Nil if there is only one parameter, if there are no such runs for a value, or
  /// if this takes as many parts as ``byRegion``.
  private var rule: (text: String, names: Set<String>)? {
    let parameters = wording.settings(of: groups[0].whole).map(\.parameter)
    guard parameters.count > 1, let parts = parameters.compactMap(rule).min(by: { $0.count < $1.count }),
      parts.count <= min(Self.mostParts, regions.count - 1)
    else { return nil }
    return ("\(heading)\(note): \(parts.map(\.text).joined(separator: "; "))", Set(parts.map(\.name)))
  }

  private func rule(by parameter: ParameterFacts) -> [(name: String, text: String)]? {
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
    let least = worstFactors.min { $0.factor < $1.factor }.flatMap { $0.factor < Self.farthest ? $0 : nil }
    let compromise = least.map {
      "; the means of \($0.name) are nowhere more than \(Self.bound($0.factor)) \(wording.worse)"
    }
    return "\(heading)\(note): \(parts) of the \(groups.count) settings\(compromise ?? "")"
  }

  private static func counts(_ names: [[String]]) -> [(name: String, count: Int)] {
    names.joined().grouped { $0 }.map { ($0.key, $0.elements.count) }
  }

  /// Returns words about the run of `names` that is the worst at another setting: `; the means of queue are up to 24.1x
  /// slower (hold 0 ns)`. Returns an empty string if no run is far from the best, or if the next lines show the ratios.
  private func cost(of names: Set<String>) -> String {
    let worst = worstFactors.filter { names.contains($0.name) }.max { $0.factor < $1.factor }
    guard groups.count > Self.fewGroups, let worst, worst.factor >= SearchWording.far else { return "" }
    return "; the means of \(worst.name) are up to \(SearchWording.multiples([worst.factor])) \(wording.worse) "
      + "(\(worst.place))"
  }

  /// Returns a ratio as text, rounded up: `1.2x`.
  private static func bound(_ factor: Double) -> String {
    Quantity.ratio(max(1.1, (10 * factor).rounded(.up) / 10), isRough: true) + "x"
  }

  /// For each run that all groups contain, the largest ratio of its mean to the best mean of a group, with the settings
  /// of this group.
  private var worstFactors: [(name: String, factor: Double, place: String)] {
    groups.flatMap { group, whole in
      group.runs.compactMap { run -> (name: String, factor: Double, place: String)? in
        let factor = run == group.best ? 1 : group.comparison.contrastsWithBest[run]?.factor
        return factor.map { (wording.names([run], of: whole.runs), $0, wording.settingsText(of: whole)) }
      }
    }.grouped(by: \.name).filter { $0.elements.count == groups.count }
      .compactMap { $0.elements.max { $0.factor < $1.factor } }
  }

  /// The largest ratio of the means up to which an undecided run is as good a choice as the best.
  private static let good = 1.25

  /// The largest ratio to the best mean that a sentence without another choice contains.
  private static let farthest = 10.0

  /// The maximum number of parts of a sentence about groups with different best runs, and of best runs in a part.
  private static let mostParts = 4

  /// The number of groups whose lines directly below the choice show how much worse the other runs are.
  private static let fewGroups = 2

  /// The maximum number of groups with several settings that a sentence names.
  private static let mostGroups = 8
}

import Laboratory
import Measurement

/// The first sentence of an answer about several groups of runs: the number of undecided groups, and a choice.
struct GridAnswer {
  private let wording: AnswerWording
  private let groups: [AnswerGroup]
  /// The number of groups that are open (``AnswerWording/isOpen(_:)``).
  private let openCount: Int

  /// Creates the sentence about all groups of an answer.
  init(_ groups: [AnswerGroup], _ wording: AnswerWording) {
    (self.groups, self.wording) = (groups, wording)
    openCount = groups.count(where: wording.isOpen)
  }

  /// What the sentence chooses: its words, the names of the chosen runs, with their places if they are chosen for some
  /// settings only, and the runs. Two answers with the same names give the same advice.
  typealias Choice = (text: String, names: String, runs: [Int])

  /// The sentence, without a full stop.
  var text: String {
    guard wording.index.hasEnoughRounds else { return "nothing is ranked; \(counts.text)" }
    let choice = choice
    return [best(choice), worst(besides: choice)].compactMap(\.self).joined(separator: "; ")
  }

  /// Returns words about the variants whose means are far from the best in a group even at their best settings, except
  /// the chosen variants: `the means of mutex are up to 76x slower, of serial-sync up to 25x`, or `the means of window
  /// are up to 2.5x slower even at its best width`. Returns nil if there are none.
  private func worst(besides choice: Choice) -> String? {
    let comparison = wording.comparison
    let chosen = Set(choice.runs.map(wording.names.variant))
    let variants = groups.flatMap(\.runs).map(wording.names.variant).distinct.filter { !chosen.contains($0) }
    let worst = variants.compactMap { variant -> (variant: String, multiple: AnswerWording.MeanRatio, varies: Bool)? in
      let ratios = groups.compactMap { group -> [AnswerWording.MeanRatio]? in
        let runs = group.runs.filter { wording.names.variant($0) == variant }
        let contrasts = runs.compactMap { comparison.contrastsWithBest[$0] }
        // The best run has no contrast. Nor has a run with a figure of 0, which is not ranked.
        return runs.count > contrasts.count
          ? nil : contrasts.sorted { $0.factor < $1.factor }.map(AnswerWording.MeanRatio.init)
      }.filter { $0.first.map { $0.factor >= AnswerGroup.far } ?? false }
      guard let most = ratios.max(by: { $0[0].factor < $1[0].factor }) else { return nil }
      return (variant, most[0], most[0].text != most[most.count - 1].text)
    }.sorted { $0.multiple.factor > $1.multiple.factor }.prefix(Self.mostWorst)
    guard let first = worst.first else { return nil }
    func text(_ place: Int) -> String {
      "\(worst[place].multiple.text)" + (place == 0 ? " \(wording.metric.worseWord)" : "")
        + (worst[place].varies ? " even at its best \(ownParameters(of: worst[place].variant))" : "")
    }
    let others = worst.indices.dropFirst().map { ", of \(worst[$0].variant) up to \(text($0))" }.joined()
    return "the means of \(first.variant) are up to \(text(0))\(others)"
  }

  /// Returns the parameters that do not divide the runs into groups and that a variant reads: `width`.
  private func ownParameters(of variant: String) -> String {
    let runs = groups.flatMap(\.runs).filter { wording.names.variant($0) == variant }
    return wording.names.parameters.map(\.name).filter { name in
      runs.contains { wording.names.point($0)[name] != nil }
    }.listed()
  }

  /// The maximum number of variants that the sentence names as far from the best.
  private static let mostWorst = 2

  private func best(_ choice: Choice) -> String {
    guard openCount > 0 else { return choice.text }
    guard let variant = bestVariant else {
      let open = "undecided at \(settings(openCount))\(openPlaces)"
      guard let uniform else { return "\(open); \(choice.text)" }
      guard let loss = possibleLoss(of: uniform.runs[0]), loss <= AnswerWording.mostApart else {
        // If most groups are decided, the choice by the means is worth more than the doubt.
        return 2 * openCount <= groups.count
          ? "\(uniform.text); which is best is \(open)" : "\(open); \(choice.text)"
      }
      return "use \(uniform.names): nowhere more than \(Quantity.number((100 * loss).rounded(.up))) % "
        + "\(wording.metric.worseWord) than the best, which is \(open)"
    }
    return
      "\(variant) \(wording.verb(of: variant)) \(heading) everywhere; which "
      + "\(wording.names.parameters.map(\.name).listed()) is undecided at \(settings(openCount)): \(choice.text)"
  }

  /// The places of a few open groups in parentheses. Only without a baseline, the lines below name them.
  private var openPlaces: String {
    guard wording.index.document.scenario.baseline != nil, openCount <= Self.mostRegions, openCount < groups.count
    else {
      return ""
    }
    return " (\(wording.places(groups.filter(wording.isOpen), of: groups)))"
  }

  /// The variant of all candidates for the best, if its rivals are of other variants; nil if there are several. Its
  /// best setting can be undecided nevertheless.
  private var bestVariant: String? {
    let candidates = groups.flatMap { group in
      group.candidates.map(wording.names.variant)
    }
    let isContested = Set(groups.flatMap(\.runs).map(wording.names.variant)).count > 1
    return isContested && !wording.names.parameters.isEmpty && Set(candidates).count == 1 ? candidates[0] : nil
  }

  /// Returns the words for some of the groups: `2 of the 4 values of hold`, `both combinations`.
  private func settings(_ count: Int) -> String {
    count.of(groups.count, wording.noun(for: groups[0]))
  }

  /// The choice is the run that is best in all groups; otherwise a run that is nowhere much worse than the best;
  /// otherwise the best runs by groups; and otherwise a run that is nowhere far from the best, or counts. If the runs
  /// have too few rounds to be ranked, the sentence counts the best means and recommends no run.
  var choice: Choice {
    guard wording.index.hasEnoughRounds else { return counts }
    return uniform ?? byRegion ?? compromise(below: AnswerGroup.far) ?? counts
  }

  /// Returns the largest share by which a run that is in all groups may be worse than the best run of a group; nil if
  /// the run or a candidate of a group has no interval.
  private func possibleLoss(of run: Int) -> Double? {
    let name = groups.lazy.compactMap { $0.runs.contains(run) ? wording.names([run], of: $0.runs) : nil }.first
    let losses = groups.map { group -> Double? in
      guard let own = group.runs.first(where: { wording.names([$0], of: group.runs) == name }) else { return nil }
      // Any candidate of an open group may be the best.
      let rivals = wording.isOpen(group) ? group.candidates : [group.best]
      let losses = rivals.map { wording.comparison.possibleLoss(own, beside: $0) }
      return losses.contains(nil) ? nil : losses.compactMap(\.self).max()
    }
    return losses.contains(nil) ? nil : losses.compactMap(\.self).max()
  }

  /// The choice of one run that is nowhere much worse than the best; nil if there is none.
  private var uniform: Choice? { everywhere ?? compromise(below: Self.good) }

  private var isCertain: Bool { openCount == 0 }

  /// Whether any of the best runs is only as good as the best run of its group.
  private var hasNear: Bool { groups.contains { $0.leaders.count > 1 } }

  /// The words for the best run: `fastest`.
  private var heading: String { wording.superlative(isBest: true).uncapitalizedFirst }

  /// Words about the runs that are among the best in all groups: `mutex is fastest at all values of hold`, or `mutex
  /// has the lowest mean at all values of hold` if a group is undecided. Nil if there are no such runs.
  private var everywhere: Choice? {
    let bests = groups.map { group in
      (isCertain ? group.leaders : [group.best]).map { wording.names([$0], of: group.runs) }
    }
    let first = groups[0]
    let common = first.runs.filter { run in
      let name = wording.names([run], of: first.runs)
      return bests.allSatisfy { $0.contains(name) }
    }
    guard !common.isEmpty else { return nil }
    let text = wording.names(common, of: first.runs)
    guard isCertain else {
      return ("\(text) \(RunNames.has(text)) the \(wording.bestMeanWords) \(place)", text, common)
    }
    let isPlural = Set(common.map(wording.names.variant)).count > 1
    let isTime = wording.metric.meaning == .duration
    let verb = isPlural ? (isTime ? "are" : "have the") : wording.verb(of: text)
    let near = hasNear ? ", or within \(ConfidenceInterval.alikeReach) of the best," : ""
    return ("\(text) \(verb) \(heading)\(near) \(place)", text, common)
  }

  /// The settings of all groups in words: `at all values of hold`, or `at all measured values of hold` if a setting has
  /// no figure.
  private var place: String {
    // A run without one of the parameters belongs to no group.
    let parameters = wording.comparison.groupParameters
    let points = wording.index.document.runs.map { run in parameters.compactMap { run.point[$0] } }
    let count = Set(points.filter { $0.count == parameters.count }).count
    let all = groups.count == 2 && count == 2 ? "both" : "all"
    return "at \(all) \(count > groups.count ? "measured " : "")values of "
      + wording.settings(of: groups[0]).map(\.parameter.name).listed()
  }

  /// Returns words about the run whose largest ratio to the best mean of a group is the smallest: `use mutex: its means
  /// are nowhere more than 1.20x slower than the best; fastest at 7 of the 9 combinations`, or `the means of mutex are
  /// nowhere …` if a group is undecided. Returns nil if that ratio is at least `limit`, or if no run is in all groups.
  private func compromise(below limit: Double) -> Choice? {
    let multiples = groups.flatMap { group in
      group.runs.filter { $0 == group.best || wording.comparison.contrastsWithBest[$0] != nil }.map { run in
        (run: run, name: wording.names([run], of: group.runs), multiple: wording.meanRatio(run))
      }
    }
    let worst = multiples.grouped(by: \.name).filter { $0.elements.count == groups.count }
      .compactMap { $0.elements.max { $0.multiple.factor < $1.multiple.factor } }
    guard let least = worst.min(by: { $0.multiple.factor < $1.multiple.factor }), least.multiple.factor < limit else {
      return nil
    }
    let best = isCertain ? "best" : wording.bestMeanWords
    let cost = "nowhere more than \(least.multiple.upperText) \(wording.metric.worseWord) than the \(best)"
    guard isCertain else {
      let nearly = "\(least.name) \(RunNames.has(least.name)) the \(wording.bestMeanWords), or nearly so, \(place)"
      return (least.multiple.isOne ? nearly : "the means of \(least.name) are \(cost)", least.name, [least.run])
    }
    let count = groups.count { group in
      group.leaders.contains { wording.names([$0], of: group.runs) == least.name }
    }
    let often = count == 0 ? "" : "; \(heading) at \(settings(count))"
    return ("use \(least.name): its means are \(cost)\(often)", least.name, [least.run])
  }

  /// The best runs of each group: `fastest: spinlock at hold 0 ns; mutex or actor at hold 1 us and 10 us`; nil if that
  /// takes too many words.
  private var byRegion: Choice? {
    let regions = wording.regions(groups)
    guard 2...Self.mostRegions ~= regions.count,
      groups.count <= Self.mostGroups || wording.settings(of: groups[0]).count == 1
    else { return nil }
    let parts = regions.map { "\($0.leaders) at \($0.places)" }.joined(separator: "; ")
    let near = isCertain && hasNear ? ", or within \(ConfidenceInterval.alikeReach)" : ""
    return ("\(heading)\(near): \(parts)", parts, groups.flatMap(\.leaders))
  }

  /// The runs that have the best mean in the most groups: `lowest mean: mutex at 4, actor at 3, others at 2 of the 9
  /// combinations`.
  private var counts: Choice {
    let bests = groups.grouped { wording.names([$0.best], of: $0.runs) }
      .map { (name: $0.key, runs: $0.elements.map(\.best)) }.sorted { $0.runs.count > $1.runs.count }
    let first = !wording.index.hasEnoughRounds ? "best mean so far" : isCertain ? heading : wording.bestMeanWords
    guard bests.count > 1 else { return ("\(first): \(bests[0].name) \(place)", bests[0].name, bests[0].runs) }
    let shown = bests.prefix(Self.mostRegions)
    let left = groups.count - shown.reduce(0) { $0 + $1.runs.count }
    let parts = (shown.map { "\($0.name) at \($0.runs.count)" } + (left > 0 ? ["others at \(left)"] : []))
      .joined(separator: ", ")
    let noun = wording.noun(for: groups[0])
    return ("\(first): \(parts) of the \(groups.count) \(noun)", parts, shown.flatMap(\.runs))
  }

  /// The largest ratio of the means of a run that is nowhere much worse than the best.
  private static let good = 1.25
  /// The maximum number of groups with different best runs, or of best runs, that the sentence names.
  private static let mostRegions = 3
  /// The maximum number of groups with several settings that the sentence names.
  private static let mostGroups = 8
}

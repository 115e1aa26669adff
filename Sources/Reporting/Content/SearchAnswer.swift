import Laboratory
import Measurement

/// The answer of a search for the best setting, as text: the best settings, the ratio of the worst settings to the best
/// settings, and the settings that the rounds cannot rank.
struct SearchAnswer {
  private let index: RunIndex
  private let metric: MetricFacts
  private let comparison: RunComparison
  /// The swept parameters whose best settings the answer contains. Each setting of the other swept parameters has a
  /// best run of its own.
  private let ways: [ParameterFacts]
  /// Whether there are enough rounds for intervals.
  private let isCertain: Bool
  private let measured: [Int]

  /// The maximum number of groups, and of names, in a sentence. The tables contain all groups.
  private static let most = 3

  /// Returns the sentences of the answer; empty if there is no best setting.
  ///
  /// - Parameter shown: The metrics to show, the headline first.
  static func sentences(_ index: RunIndex, by shown: [MetricFacts]) -> [String] {
    // The answer names settings with a flaw. The next metric ranks the settings without a flaw.
    guard let metric = shown.first(where: { !index.isFlaw($0) }) else { return [] }
    let answer = SearchAnswer(index, by: metric, shown: shown)
    return [answer.flaws].compactMap(\.self) + answer.bests + [answer.stopped].compactMap(\.self)
  }

  private init(_ index: RunIndex, by metric: MetricFacts, shown: [MetricFacts]) {
    self.index = index
    self.metric = metric
    let comparison = RunComparison(index, by: metric, shown: shown)
    self.comparison = comparison
    ways = index.swept.filter { !comparison.groupNames.contains($0.name) }
    isCertain = (index.document.runs.map(\.rounds).max() ?? 0) >= ConfidenceInterval.fewest
    measured = index.document.runs.indices.filter { index.document.runs[$0].metrics[metric.name] != nil }
  }

  /// A sentence on the settings that have a flaw: `No failed-opens, except: unlimited with any limit up to 64.` Nil if
  /// no metric is a flaw.
  private var flaws: String? {
    guard let flaw = comparison.flaw else { return nil }
    let flawed = measured.filter(comparison.flawed.contains)
    if flawed.isEmpty { return "No \(flaw.name) at any setting." }
    let clean = measured.filter { !comparison.flawed.contains($0) }
    return clean.count < flawed.count
      ? "No \(flaw.name) only: \(names(clean, of: measured))."
      : "No \(flaw.name), except: \(names(flawed, of: measured))."
  }

  /// The sentences on the best settings. Settings with a flaw are not considered.
  private var bests: [String] {
    if comparison.bests.isEmpty, !comparison.groups.isEmpty, measured.count > 1 {
      return [
        "Not ranked: each \(comparison.groups) is a task of its own, of which the least would always be best. "
          + "Sweep another setting as well, or compare several variants."
      ]
    }
    let bests = index.swept.filter { comparison.groupNames.contains($0.name) }.reversed()
      .reduce(measured.filter(comparison.bests.contains)) { runs, parameter in
        let order = parameter.swept ?? []
        let places = runs.map { run in (run, point(run)[parameter.name].flatMap(order.firstIndex) ?? order.count) }
        return places.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
      }
    let groups = bests.prefix(Self.most).map { (lead: lead($0), sentences: sentences(best: $0)) }
      .filter { !$0.sentences.isEmpty }
    guard !groups.isEmpty else { return [] }
    let more = bests.count - groups.count
    return groups.flatMap { group in
      group.lead.isEmpty ? group.sentences : [group.lead + group.sentences.joined(separator: " ")]
    } + (more > 0 ? ["\(more) more are in the tables."] : [])
  }

  /// A sentence with the settings without a figure because a trial took too long, and with the options that allow
  /// longer trials; nil if there are no such settings.
  private var stopped: String? {
    let all = Array(index.document.runs.indices)
    let stopped = all.filter { !measured.contains($0) && index.document.runs[$0].outcomes[.stopped] > 0 }
    guard !stopped.isEmpty else { return nil }
    return "Not measured, since a trial took too long: \(names(stopped, of: all)); allow longer trials (--trial-time), "
      + "or give it more time (--time)."
  }

  // MARK: One group

  /// Returns the sentences on the runs that are compared with the best run `best`; empty if there are no other runs.
  private func sentences(best: Int) -> [String] {
    let group = index.candidates(beside: best, in: comparison.groupNames).filter { run in
      measured.contains(run) && !comparison.flawed.contains(run)
    }
    guard group.count > 1 else { return [] }
    let near = group.filter(comparison.nearBest.contains)
    let unclear = group.filter(comparison.unclear.contains)
    let worse = group.filter { comparison.contrasts[$0]?.isDistinct == true }
    // A best run that cannot be distinguished from other runs is the best by chance: another search might find another
    // best run.
    let isAnyones = comparison.unnamed.contains(best)
    let cannotRank =
      unclear.isEmpty || isAnyones || !isCertain ? [] : ["Cannot be ranked here: \(names(unclear, of: group))"]
    let sentences =
      (isAnyones ? doubt(best, unclear, among: group) : praise(best, near, among: group)) + cannotRank
      + (isCertain ? [blame(worse, best, among: group)].compactMap(\.self) : [])
      + (isAnyones || !cannotRank.isEmpty ? [help(unclear, best, among: group)] : [])
    let variants = index.document.scenario.variants.map(\.name)
    return sentences.map { text in
      (variants.contains { text.hasPrefix($0) } ? text : text.capitalised) + "."
    }
  }

  /// Returns a prefix with the settings of the group if each group has a best run: `With 2 cores: `, `At work 10 us: `.
  /// Empty if there is a single group.
  private func lead(_ best: Int) -> String {
    let settings = index.swept.filter { comparison.groupNames.contains($0.name) }.compactMap { parameter in
      point(best)[parameter.name].map { value in
        parameter.name == Cores.name
          ? "\(parameter.describe(value)) core\(value == .integer(1) ? "" : "s")"
          : "\(parameter.name) \(parameter.describe(value))"
      }
    }
    return settings.isEmpty ? "" : "With \(settings.joined(separator: ", ")): "
  }

  /// Returns the sentences about the best run, and about the runs for which the rounds show no difference from the best
  /// run.
  private func praise(_ best: Int, _ near: [Int], among group: [Int]) -> [String] {
    let good = group.filter { $0 == best || near.contains($0) }
    let isOneVariant = Set(group.map(variant)).count == 1
    guard isCertain else {
      return [
        "\(names([best], of: group)) has the best mean so far; "
          + "\(ConfidenceInterval.fewest) rounds are needed to rank the settings"
      ]
    }
    let name = names([best], of: group)
    if isOneVariant, good.count > 1 {
      let reach = reach(near).replacing(" (", with: ", ").replacing(")", with: "")
      return ["use \(names(good, of: group)) (no difference found\(reach)); best measured: \(name), \(figure(best))"]
    }
    let edge = near.isEmpty ? edge(best, among: group) : ""
    let same = near.isEmpty ? [] : ["No difference found\(reach(near)): \(names(good, of: group))"]
    guard isOneVariant else { return ["\(superlative(isBest: true)): \(name), \(figure(best))\(edge)"] + same }
    let verb = metric.meaning == .duration ? "is" : "has the"
    return ["\(name) \(verb) \(superlative(isBest: true).uncapitalised), \(figure(best))\(edge)"] + same
  }

  /// Returns the sentences about a best run that cannot be distinguished from other runs: the runs that cannot be
  /// distinguished, and the mean of the best run.
  private func doubt(_ best: Int, _ unclear: [Int], among group: [Int]) -> [String] {
    let mean = "\(metric.better == .higher ? "highest" : "lowest") mean"
    let own = "\(names([best], of: group)), \(figure(best))"
    guard !unclear.contains(where: { comparison.contrasts[$0]?.interval?.isNoise == true }) else {
      return ["best guess (\(mean)): \(own)", "Too noisy to exclude\(reach(unclear)): \(names(unclear, of: group))"]
    }
    let names = names(group.filter { $0 == best || unclear.contains($0) }, of: group)
    return [
      "cannot be told apart here\(reach(unclear)): pick \(names.hasPrefix("any ") ? "" : "any of ")\(names)",
      "\(mean): \(own)",
    ]
  }

  /// Returns a remark if the best run has the smallest or the largest setting of the search, since a setting outside of
  /// the range may be better: `, the largest limit tried`. Empty otherwise.
  private func edge(_ best: Int, among group: [Int]) -> String {
    let ways = self.ways.filter { point(best)[$0.name] != nil }
    guard let way = ways.first, ways.count == 1, let own = number(best, way) else { return "" }
    let tried = group.filter { variant($0) == variant(best) }.compactMap { number($0, way) }
    guard tried.count > 1, let least = tried.min(), let most = tried.max() else { return "" }
    return own == most ? ", the largest \(way.name) tried" : own == least ? ", the smallest \(way.name) tried" : ""
  }

  /// Returns advice on ranking the runs: the time that is required at the noise of this run, or a comparison of only
  /// the variants that are undecided, if the group has other variants.
  private func help(_ unclear: [Int], _ best: Int, among group: [Int]) -> String {
    let isCompared = index.document.scenario.baseline == nil
    let factors = isCompared ? unclear.compactMap { comparison.contrasts[$0]?.interval?.roundsToRank } : []
    let undecided = Set((unclear + [best]).map(variant))
    let variants = index.document.scenario.variants.map(\.name).filter(undecided.contains)
    let isPart = variants.count > 1 && variants.count < Set(group.map(variant)).count
    let fewer =
      isPart && variants.count <= Self.most
      ? "compare these alone (\(variants.map { "--variant \($0)" }.joined(separator: " ")))" : nil
    let orFewer = fewer.map { ", or \($0)" } ?? ""
    guard let factor = factors.max() else { return "to decide, give it more time (--time)" + orFewer }
    // A time that is hardly longer than that of the last run would not help.
    let seconds = index.document.seconds * max(factor, Self.leastFactor)
    guard seconds <= Self.longest else {
      return "at this noise, --time \(Int(Self.longest))s would not decide" + (fewer.map { ": \($0)" } ?? "")
    }
    return "to decide, try --time \(Self.roundedUp(seconds))s\(orFewer)"
  }

  /// The minimum factor by which the advice increases the time, and the maximum time that it suggests, in seconds.
  private static let (leastFactor, longest) = (1.5, 120.0)

  /// Returns a number of seconds, rounded up to one significant digit: `1`, `20`, `300`.
  private static func roundedUp(_ seconds: Double) -> Int {
    var unit = 1
    while seconds > Double(10 * unit) { unit *= 10 }
    return Int((seconds / Double(unit)).rounded(.up)) * unit
  }

  /// Returns a sentence about the worst run and the runs that cannot be distinguished from it, with their ratio to the
  /// best run. Nil if no run is significantly worse than the best run, or if the ratios refer to a baseline.
  private func blame(_ worse: [Int], _ best: Int, among group: [Int]) -> String? {
    // With a baseline, there are no ratios to the best run.
    guard index.document.scenario.baseline == nil else { return nil }
    let ratios = worse.compactMap { run in comparison.contrasts[run].map { (run: run, ratio: $0.ratio) } }
    guard let worst = ratios.max(by: { max($0.ratio, 1 / $0.ratio) < max($1.ratio, 1 / $1.ratio) }) else { return nil }
    let alike = ratios.filter { areAlike($0.run, worst.run) }
    let runs = group.filter { run in alike.contains { $0.run == run } }
    let least = alike.min { max($0.ratio, 1 / $0.ratio) < max($1.ratio, 1 / $1.ratio) } ?? worst
    let words = metric.meaning.wording(worst.ratio)
    let from = metric.meaning.wording(least.ratio).split(separator: " ").first.map(String.init) ?? ""
    let by =
      (runs.contains { index.isBound($0, to: best, by: metric) } ? "at least " : "")
      + (words.hasPrefix("\(from) ") ? "" : "\(from) to ") + words
    return Set(group.map(variant)).count == 1
      ? "\(names(runs, of: group)) is \(by)"
      : "\(superlative(isBest: false)): \(names(runs, of: group)), \(by)"
  }

  /// Returns whether two runs are equally bad: the rounds do not distinguish them, or their ratio is below `alike`.
  private func areAlike(_ run: Int, _ other: Int) -> Bool {
    guard run != other else { return true }
    let sides = [run, other].compactMap { index.document.runs[$0].metrics[metric.name]?.roundFigures }
    guard sides.count == 2, let contrast = Contrast(PairedRounds(sides[0], against: sides[1])) else { return false }
    return contrast.isDistinct != true || max(contrast.ratio, 1 / contrast.ratio) < Self.alike
  }

  /// The ratio below which the answer does not distinguish two of the worst runs.
  private static let alike = 1.05

  // MARK: Words

  /// Returns the adjective for the best run or the worst run, with the metric: `Fastest`, `Lowest failed-opens`.
  private func superlative(isBest: Bool) -> String {
    if metric.meaning == .duration {
      return (isBest ? "Fastest" : "Slowest") + (metric.name == "elapsed" ? "" : " by \(metric.name)")
    }
    return ((metric.better == .higher) == isBest ? "Highest " : "Lowest ") + metric.name
  }

  private func figure(_ run: Int) -> String {
    guard let samples = index.document.runs[run].metrics[metric.name], let ranked = index.ranked(run, by: metric)
    else { return "-" }
    return Quantity(ranked, metric.unit).description
      + (index.isNearFloor(samples) ? " (within twice the noise floor)" : "")
  }

  /// Returns the maximum difference that runs without a significant difference may have: ` (±5.0 %)`. Empty if the
  /// interval is too wide for a percentage, or if the ratios refer to a baseline.
  private func reach(_ near: [Int]) -> String {
    guard index.document.scenario.baseline == nil else { return "" }
    let intervals = near.compactMap { comparison.contrasts[$0]?.interval }
    let widest = intervals.max { max($0.high, 1 / $0.low) < max($1.high, 1 / $1.low) }
    return widest.flatMap { $0.isWide ? nil : " (\(Signs.margin)\($0.reach))" } ?? ""
  }

  /// Returns the settings of some runs in words, variant by variant: `any stride from 256 up`. If the group has several
  /// variants, the text contains their names: `threads and apply with any stride from 256 up`.
  private func names(_ runs: [Int], of group: [Int]) -> String {
    let variants = index.document.scenario.variants.map(\.name)
    let isOneVariant = Set(group.map(variant)).count == 1
    var phrases: [(variants: [String], settings: String)] = []
    for name in variants where runs.contains(where: { variant($0) == name }) {
      let settings = self.settings(runs.filter { variant($0) == name }, of: group.filter { variant($0) == name })
      if let place = phrases.firstIndex(where: { $0.settings == settings }) {
        phrases[place].variants.append(name)
      } else {
        phrases.append(([name], settings))
      }
    }
    let texts = phrases.map { phrase in
      if isOneVariant { return phrase.settings.isEmpty ? phrase.variants.listed(most: Self.most) : phrase.settings }
      let who = phrase.variants.listed(most: Self.most)
      return phrase.settings.isEmpty ? who : "\(who) with \(phrase.settings)"
    }
    guard texts.count > Self.most else { return texts.joined(separator: "; ") }
    return texts.prefix(Self.most).joined(separator: "; ") + "; and others in the table"
  }

  /// Returns the settings of some runs of a variant in words: `any stride from 256 up`, `stride 4 or 64`. Empty if no
  /// parameter affects the variant.
  ///
  /// - Parameter all: All runs of the variant.
  private func settings(_ runs: [Int], of all: [Int]) -> String {
    let heeded = ways.filter { way in all.contains { point($0)[way.name] != nil } }
    guard let way = heeded.first else { return "" }
    guard heeded.count == 1 else {
      return runs.map { run in
        heeded.compactMap { way in point(run)[way.name].map { "\(way.name) \(way.describe($0))" } }
          .joined(separator: ", ")
      }.listed("or", most: Self.most)
    }
    let places = all.sorted { (number($0, way) ?? 0) < (number($1, way) ?? 0) }
    let meant = places.indices.filter { runs.contains(places[$0]) }
    func value(_ place: Int) -> String { point(places[place])[way.name].map(way.describe) ?? "" }
    guard let first = meant.first, let last = meant.last else { return "" }
    let areNumbers = places.allSatisfy { number($0, way) != nil }
    if meant.count == places.count, meant.count > 1 {
      return "any \(way.name)" + (areNumbers ? " from \(value(first)) to \(value(last))" : "")
    }
    let isRange = meant.count > 1 && last - first + 1 == meant.count && areNumbers
    guard isRange else { return "\(way.name) \(meant.map(value).listed("or", most: Self.most))" }
    if first == 0 { return "any \(way.name) up to \(value(last))" }
    if last == places.count - 1 { return "any \(way.name) from \(value(first)) up" }
    return "any \(way.name) from \(value(first)) to \(value(last))"
  }

  private func number(_ run: Int, _ parameter: ParameterFacts) -> Int? {
    if case .integer(let number)? = point(run)[parameter.name] { number } else { nil }
  }

  private func variant(_ run: Int) -> String { index.document.runs[run].variant }
  private func point(_ run: Int) -> [String: ParameterValue] { index.document.runs[run].point }
}

extension [String] {
  /// Returns the elements as a list in words: `a`, `a and b`, `a, b and 4 more`. The list contains at most `most`
  /// elements.
  fileprivate func listed(_ word: String = "and", most: Int) -> String {
    if count <= 1 { return first ?? "" }
    if count > most { return prefix(most - 1).joined(separator: ", ") + " \(word) \(count - most + 1) more" }
    return dropLast().joined(separator: ", ") + " \(word) \(self[count - 1])"
  }
}

extension String {
  fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
  fileprivate var uncapitalised: String { prefix(1).lowercased() + dropFirst() }
}

import Laboratory
import Measurement

/// The answer of a search for the best setting, as text: the best settings, the ratio of the worst settings to the best
/// settings, and the settings that the rounds cannot rank.
struct SearchAnswer {
  private let index: RunIndex
  private let metric: MetricFacts
  private let comparison: RunComparison
  /// Names runs by the swept parameters whose best settings the answer gives. Each setting of the other parameters has
  /// a best run of its own.
  private let names: RunNames
  /// Whether there are enough rounds for intervals.
  private let isCertain: Bool
  private let measured: [Int]

  /// The largest number of groups, and of names, in a sentence. The tables show the others.
  static let most = 3

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
    names = RunNames(index: index, parameters: index.swept.filter { !comparison.groupNames.contains($0.name) })
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
    // A best run that cannot be distinguished from others is the best by chance: another try would name another one.
    let isUndecided = comparison.unnamed.contains(best)
    let cannotRank =
      unclear.isEmpty || isUndecided || !isCertain ? [] : ["Cannot be ranked here: \(names(unclear, of: group))"]
    let sentences =
      (isUndecided ? undecided(best, unclear, among: group) : settled(best, near, among: group)) + cannotRank
      + (isCertain ? [worst(worse, best, among: group)].compactMap(\.self) : [])
      + (isUndecided || !cannotRank.isEmpty ? [advice(unclear, best, among: group)] : [])
    let variants = index.document.scenario.variants.map(\.name)
    return sentences.map { text in
      (variants.contains { text.hasPrefix($0) } ? text : text.capitalised) + "."
    }
  }

  /// Returns a prefix with the settings of the group if each group has a best run: `With 2 cores: `, `At work 10 us: `.
  /// Empty if there is a single group.
  private func lead(_ best: Int) -> String {
    let settings = index.swept.filter { comparison.groupNames.contains($0.name) }.compactMap { parameter in
      names.point(best)[parameter.name].map { value in
        parameter.name == Cores.name
          ? "\(parameter.describe(value)) core\(value == .integer(1) ? "" : "s")"
          : "\(parameter.name) \(parameter.describe(value))"
      }
    }
    return settings.isEmpty ? "" : "With \(settings.joined(separator: ", ")): "
  }

  /// Returns the sentences about the best run and the runs for which the rounds show no difference from it.
  private func settled(_ best: Int, _ near: [Int], among group: [Int]) -> [String] {
    let good = group.filter { $0 == best || near.contains($0) }
    let isOneVariant = Set(group.map(names.variant)).count == 1
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

  /// Returns the sentences about runs that cannot be distinguished, so that any of them will do, with the mean of the
  /// best one.
  private func undecided(_ best: Int, _ unclear: [Int], among group: [Int]) -> [String] {
    let mean = "\(metric.better == .higher ? "highest" : "lowest") mean"
    let own = "\(names([best], of: group)), \(figure(best))"
    guard !unclear.contains(where: { comparison.contrasts[$0]?.interval?.isNoise == true }) else {
      return ["best guess (\(mean)): \(own)", "Too noisy to exclude\(reach(unclear)): \(names(unclear, of: group))"]
    }
    let all = names(group.filter { $0 == best || unclear.contains($0) }, of: group)
    return [
      "cannot be told apart here\(reach(unclear)): pick \(all.hasPrefix("any ") ? "" : "any of ")\(all)",
      "\(mean): \(own)",
    ]
  }

  /// Returns a remark if the best run has the smallest or the largest setting of the search, since a setting outside of
  /// the range may be better: `, the largest limit tried`. Empty otherwise.
  private func edge(_ best: Int, among group: [Int]) -> String {
    let parameters = names.parameters.filter { names.point(best)[$0.name] != nil }
    guard let parameter = parameters.first, parameters.count == 1, let own = names.number(best, parameter)
    else { return "" }
    let tried = group.filter { names.variant($0) == names.variant(best) }.compactMap { names.number($0, parameter) }
    guard tried.count > 1, let least = tried.min(), let most = tried.max() else { return "" }
    return own == most
      ? ", the largest \(parameter.name) tried" : own == least ? ", the smallest \(parameter.name) tried" : ""
  }

  /// Returns advice on how to rank the runs: the time that is necessary at the noise of this run, and a comparison of
  /// the undecided variants alone if the group has other variants.
  private func advice(_ unclear: [Int], _ best: Int, among group: [Int]) -> String {
    let isCompared = index.document.scenario.baseline == nil
    let factors = isCompared ? unclear.compactMap { comparison.contrasts[$0]?.interval?.roundsToRank } : []
    let candidates = Set((unclear + [best]).map(names.variant))
    let variants = index.document.scenario.variants.map(\.name).filter(candidates.contains)
    let isPart = variants.count > 1 && variants.count < Set(group.map(names.variant)).count
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

  /// Returns the sentence about the worst run, the runs that cannot be distinguished from it, and their ratio to the
  /// best run; nil if no run is certainly worse.
  private func worst(_ worse: [Int], _ best: Int, among group: [Int]) -> String? {
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
    return Set(group.map(names.variant)).count == 1
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
}

extension String {
  fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
  fileprivate var uncapitalised: String { prefix(1).lowercased() + dropFirst() }
}

import Laboratory
import Measurement

/// The words for a group of runs in the answer of a search.
struct SearchWording {
  let index: RunIndex
  let metric: MetricFacts
  let comparison: RunComparison
  let names: RunNames
  /// The metric whose figures the answer mentions beside those that rank the runs; nil if there is none.
  let price: MetricFacts?

  /// Returns the sentences on a group that is the only one, each without its stop.
  func sentences(_ group: SearchGroup) -> [String] {
    let worst = worst(group).map { worst in
      isOneVariant(group) && metric.meaning == .duration
        ? "\(worst.names) is \(worst.by)" : "\(superlative(isBest: false)): \(worst.names), \(worst.by)"
    }
    return (group.isUndecided ? undecided(group) : settled(group)) + [worst].compactMap(\.self)
      + [slowSamples(group)].compactMap(\.self)
  }

  /// Returns the words on one of several groups, in a line: `mutex, 1.14 us; slowest: actor, 2.10x slower`.
  func line(_ group: SearchGroup) -> String {
    let best = "\(names([group.best], of: group.runs)), \(figure(group.best))\(price(of: group))"
    let worst = worst(group).map { "\(superlative(isBest: false, of: nil).uncapitalised): \($0.names), \($0.by)" }
    let parts =
      group.isUndecided
      ? ["undecided\(reach(group.unclear)): \(candidates(group))"]
      : [
        best + (group.near.isEmpty ? edge(group) : ""), next(group),
        group.near.isEmpty ? nil : "\(within(group)): \(names(group.near, of: group.runs))",
        group.unclear.isEmpty ? nil : "undecided: \(names(group.unclear, of: group.runs))",
      ]
    return (parts + [uncounted(group), worst, slowSamples(group)]).compactMap(\.self).joined(separator: "; ")
  }

  /// Returns the sentences on the best run, on the runs without a difference from it, and on those that cannot be
  /// ranked.
  private func settled(_ group: SearchGroup) -> [String] {
    let good = names(group.runs.filter { $0 == group.best || group.near.contains($0) }, of: group.runs)
    let name = names([group.best], of: group.runs)
    let unclear =
      (group.unclear.isEmpty ? [] : ["Undecided: \(names(group.unclear, of: group.runs))"])
      + [uncounted(group)].compactMap(\.self)
    if isOneVariant(group), !group.near.isEmpty {
      return ["use \(good) (\(within(group))); best measured: \(name), \(figure(group.best))\(price(of: group))"]
        + unclear
    }
    let same = group.near.isEmpty ? [] : ["\(within(group).capitalised): \(names(group.near, of: group.runs))"]
    let figure = figure(group.best) + (group.near.isEmpty ? edge(group) : "") + price(of: group)
    guard isOneVariant(group) else { return ["\(superlative(isBest: true)): \(name), \(figure)"] + same + unclear }
    let verb = metric.meaning == .duration ? "is" : "has the"
    return ["\(name) \(verb) \(superlative(isBest: true).uncapitalised), \(figure)"] + same
      + [next(group)].compactMap(\.self) + unclear
  }

  /// Returns the sentences on runs that cannot be distinguished, with the mean of the best one. If they differ little,
  /// any of them will do.
  private func undecided(_ group: SearchGroup) -> [String] {
    let mean = "\(metric.better == .higher ? "highest" : "lowest") mean"
    let own = "\(names([group.best], of: group.runs)), \(figure(group.best))\(price(of: group))"
    let reach = reach(group.unclear)
    let candidates = candidates(group)
    let isSmall = isOneVariant(group) && !reach.isEmpty
    return [
      isSmall ? "use \(candidates): which is best is undecided\(reach)" : "undecided\(reach): \(candidates)",
      "\(mean), by chance or not: \(own)",
    ] + [uncounted(group)].compactMap(\.self)
  }

  /// Returns the names of the best run and of the runs that cannot be distinguished from it; `all` if these are all
  /// variants.
  private func candidates(_ group: SearchGroup) -> String {
    let runs = group.runs.filter { $0 == group.best || group.unclear.contains($0) }
    return runs.count == group.runs.count && !isOneVariant(group) ? "all" : names(runs, of: group.runs)
  }

  /// Returns the words for the runs near the best one, with the largest difference that is possible: `within 4.4 % of
  /// the best`. If the ratios are those to a baseline, the difference is not known.
  private func within(_ group: SearchGroup) -> String {
    let shares = group.near.compactMap { comparison.contrasts[$0]?.interval.map(metric.shareWorse) }
    guard index.document.scenario.baseline == nil, let most = shares.max() else { return "no difference found" }
    return "within \(Quantity.fixed(max(0.1, most), decimals: 1)) % of the best"
  }

  /// Returns words on the runs with too few rounds for an interval; nil if there are none.
  private func uncounted(_ group: SearchGroup) -> String? {
    group.uncounted.isEmpty ? nil : "too few rounds to rank: \(names(group.uncounted, of: group.runs))"
  }

  private func isOneVariant(_ group: SearchGroup) -> Bool { Set(group.runs.map(names.variant)).count == 1 }

  /// Returns a remark if the best run has the smallest or the largest setting of the search, since a setting outside of
  /// the range may be better: `, the largest limit tried`. Empty otherwise.
  private func edge(_ group: SearchGroup) -> String {
    let parameters = names.parameters.filter { names.point(group.best)[$0.name] != nil }
    guard let parameter = parameters.first, parameters.count == 1, let own = names.number(group.best, parameter)
    else { return "" }
    // A setting with a flaw was tried, too.
    let tried = index.document.runs.indices.filter { names.variant($0) == names.variant(group.best) }
      .compactMap { names.number($0, parameter) }
    guard tried.count > 1, let least = tried.min(), let most = tried.max() else { return "" }
    return own == most
      ? ", the largest \(parameter.name) tried" : own == least ? ", the smallest \(parameter.name) tried" : ""
  }

  /// Returns words on the second-best setting, which may be good enough: `next: limit 128, 1.07x slower`. Nil if it is
  /// also the worst one, since another sentence is about that.
  private func next(_ group: SearchGroup) -> String? {
    guard index.document.scenario.baseline == nil, group.near.isEmpty else { return nil }
    let ratios = ratios(group)
    guard let next = ratios.first, let worst = ratios.last, !areAlike(next.run, worst.run) else { return nil }
    return "next: \(names([next.run], of: group.runs)), \(by([next], worseThan: group.best))"
  }

  /// Returns the runs that are certainly worse than the best one with their ratios to it, the best of them first.
  private func ratios(_ group: SearchGroup) -> [(run: Int, contrast: Contrast)] {
    group.worse.compactMap { run in comparison.contrasts[run].map { (run: run, contrast: $0) } }
      .sorted { $0.contrast.factor < $1.contrast.factor }
  }

  // MARK: The worst runs

  /// Returns the worst run with the runs that cannot be distinguished from it, and their ratio to the best run; nil if
  /// no run is certainly worse, or if the ratios are not those to the best run.
  private func worst(_ group: SearchGroup) -> (names: String, by: String)? {
    guard index.document.scenario.baseline == nil else { return nil }
    let ratios = ratios(group)
    guard let worst = ratios.last else { return nil }
    // An undecided run may be worse than all that are certainly worse than the best.
    guard !group.unclear.contains(where: { comparison.contrasts[$0]?.factor ?? 1 > worst.contrast.factor }) else {
      return nil
    }
    let alike = ratios.filter { areAlike($0.run, worst.run) }
    let runs = group.runs.filter { run in alike.contains { $0.run == run } }
    return (names(runs, of: group.runs), by(alike, worseThan: group.best))
  }

  /// Returns how much worse some runs are than the best one, as certainly as the table says it: the ratios of the first
  /// and the last run, the interval of a single wide ratio, or the least that all intervals say.
  ///
  /// - Parameter runs: At least one run, in the order of the ratios.
  private func by(_ runs: [(run: Int, contrast: Contrast)], worseThan best: Int) -> String {
    let intervals = runs.compactMap(\.contrast.interval)
    let isBound = runs.contains { index.isBound($0.run, to: best, by: metric) }
    let isWide = intervals.contains(where: \.isWide)
    if isWide, !isBound, runs.count == 1, intervals[0].low > 1 || intervals[0].high < 1 {
      return intervals[0].range(metric.meaning)
    }
    if isBound || isWide {
      let least = intervals.map(\.nearest).min { max($0, 1 / $0) < max($1, 1 / $1) } ?? runs[0].contrast.ratio
      return least == 1 ? "worse in all rounds" : "at least \(metric.meaning.wording(least))"
    }
    let ends = [runs[0], runs[runs.count - 1]].map { metric.meaning.wording($0.contrast.ratio) }
    let from = ends[0].split(separator: " ").first.map(String.init) ?? ""
    return ends[1].hasPrefix("\(from) ") ? ends[1] : "\(from) to \(ends[1])"
  }

  /// Returns whether two runs are equally bad: the rounds do not distinguish them, or their ratio is below `alike`.
  private func areAlike(_ run: Int, _ other: Int) -> Bool {
    guard run != other else { return true }
    let sides = [run, other].compactMap { index.document.runs[$0].metrics[metric.name]?.roundFigures }
    guard sides.count == 2, let contrast = Contrast(PairedRounds(sides[0], against: sides[1])) else { return false }
    return contrast.isDistinct != true || contrast.factor < Self.alike
  }

  /// The ratio below which the answer does not distinguish two of the worst runs.
  private static let alike = 1.05

  // MARK: The price

  /// Returns the figure of the best run for ``price``, since a best run may have its price: `, longest-run 4,000
  /// (others: 1,913 to 2,614)`. Empty if there is no such metric, or if the figure is 0.
  private func price(of group: SearchGroup) -> String {
    guard let price, let own = index.document.runs[group.best].metrics[price.name]?.median, own != 0 else {
      return ""
    }
    func text(_ value: Double) -> String { Quantity(value, price.unit).description }
    let others = group.runs.filter { $0 != group.best && !isOneVariant(group) }
      .compactMap { index.document.runs[$0].metrics[price.name]?.median }
    let range = [others.min(), others.max()].compactMap { $0.map(text) }
    let ends = range.first == range.last ? range.first : range.joined(separator: " to ")
    return ", \(price.name) \(text(own))" + (ends.map { " (others: \($0))" } ?? "")
  }

  // MARK: Slow samples

  /// The minimum ratio of two 99th percentiles that the answer mentions.
  private static let slower = 2.0

  /// Returns words on the slow samples of the best run, if medians rank the runs and another run is much better: `but
  /// the p99 of entry is 866 us with mutex, and 83.7 us with actor`. Nil otherwise. Other metrics are not mentioned,
  /// since a pattern may measure them under other conditions.
  private func slowSamples(_ group: SearchGroup) -> String? {
    guard index.isOfMedians(metric) else { return nil }
    func slow(_ run: Int) -> Double? { index.document.runs[run].metrics[metric.name]?[.p99] }
    guard let own = slow(group.best) else { return nil }
    let fewest = group.runs.compactMap { run in slow(run).map { (run: run, time: $0) } }.min { $0.time < $1.time }
    guard let fewest, fewest.time > 0, own >= Self.slower * fewest.time else { return nil }
    let (best, other) = (names([group.best], of: group.runs), names([fewest.run], of: group.runs))
    return "but the p99 of \(metric.name) is \(Quantity(own, metric.unit)) with \(best), and "
      + "\(Quantity(fewest.time, metric.unit)) with \(other)"
  }

  // MARK: Advice

  /// Returns advice on how to decide groups with unclear runs; nil if there are no such groups.
  ///
  /// The advice is a longer time, or a statement that even the longest time would not decide at the noise of this run.
  /// If only a few of the variants are undecided, the advice also suggests to compare these alone.
  func advice(_ groups: [SearchGroup]) -> String? {
    guard !groups.isEmpty else { return nil }
    let unclear = groups.flatMap(\.unclear)
    let isCompared = index.document.scenario.baseline == nil
    let factors = isCompared ? unclear.compactMap { comparison.contrasts[$0]?.interval?.roundsToRank } : []
    let candidates = Set((unclear + groups.map(\.best)).map(names.variant))
    let variants = index.document.scenario.variants.map(\.name).filter(candidates.contains)
    let isPart = variants.count > 1 && variants.count < Set(groups.flatMap(\.runs).map(names.variant)).count
    let fewer =
      isPart && groups.count == 1 && variants.count <= SearchAnswer.most
      ? "compare these alone\(place(groups[0])) (\(variants.map { "--variant \($0)" }.joined(separator: " ")))" : nil
    // The settings of --quick are other ones, and more rounds of them would decide another question.
    guard !index.document.command.contains("--quick") else { return "to decide, leave out --quick" }
    let orFewer = fewer.map { ", or \($0)" } ?? ""
    guard let factor = factors.max() else { return "to decide, give it more time (--time)" + orFewer }
    // A time that is hardly longer than that of the last run would not help.
    let seconds = Budget.enough(for: index.document.seconds * max(factor, Self.leastFactor))
    guard seconds <= Self.longest else {
      return "at this noise, even --time \(Self.longest)s may not decide" + (fewer.map { ": \($0)" } ?? "")
    }
    return "to decide, --time \(seconds)s may be enough\(orFewer)"
  }

  /// Returns the settings of a group in the notation of `--set`, if other groups have other settings: ` at
  /// threads-per-core=16`. Empty if there is a single group.
  private func place(_ group: SearchGroup) -> String {
    let settings = settings(of: group).map { $0.label($1) }
    return settings.isEmpty ? "" : " at \(settings.joined(separator: " "))"
  }

  /// Returns the settings that distinguish a group from the other groups; empty if there is a single group.
  func settings(of group: SearchGroup) -> [(parameter: ParameterFacts, value: ParameterValue)] {
    index.swept.filter { comparison.groupNames.contains($0.name) }.compactMap { parameter in
      names.point(group.best)[parameter.name].map { (parameter, $0) }
    }
  }

  /// The minimum factor by which the advice increases the time, and the maximum time that it suggests, in seconds.
  private static let (leastFactor, longest) = (1.5, 180)

  // MARK: Words

  /// Returns the adjective for the best run or the worst run, with the metric: `Fastest`, `Lowest failed-opens`.
  func superlative(isBest: Bool) -> String { superlative(isBest: isBest, of: metric.name) }

  private func superlative(isBest: Bool, of name: String?) -> String {
    if metric.meaning == .duration {
      let median = index.isOfMedians(metric) ? "median " : ""
      return (isBest ? "Fastest" : "Slowest") + (name.map { $0 == "elapsed" ? "" : " by \(median)\($0)" } ?? "")
    }
    return ((metric.better == .higher) == isBest ? "Highest" : "Lowest") + (name.map { " \($0)" } ?? "")
  }

  private func figure(_ run: Int) -> String {
    guard let samples = index.document.runs[run].metrics[metric.name], let ranked = index.ranked(run, by: metric)
    else { return "-" }
    return Quantity(ranked, metric.unit).description
      + (index.isNearFloor(samples) ? " (within twice the noise floor)" : "")
  }

  /// Returns the maximum difference that runs without a significant difference may have: ` (±5.0 %)`. Empty if the
  /// difference is larger than ``largestReach``, or if the ratios refer to a baseline.
  private func reach(_ near: [Int]) -> String {
    guard index.document.scenario.baseline == nil else { return "" }
    let intervals = near.compactMap { comparison.contrasts[$0]?.interval }
    let widest = intervals.max { $0.reachShare < $1.reachShare }
    return widest.flatMap { $0.reachShare > Self.largestReach ? nil : " (\(Signs.margin)\($0.reach))" } ?? ""
  }

  /// The largest possible difference between undecided runs that the answer gives as a percentage, in percent.
  private static let largestReach = 25.0
}

extension Contrast {
  /// The distance from no change, as a factor of at least 1.
  fileprivate var factor: Double { max(ratio, 1 / ratio) }
}

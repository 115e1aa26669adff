import Laboratory
import Measurement

/// The wording of the answer to a comparison, for one or several groups of runs.
struct AnswerWording {
  let index: RunIndex
  let metric: MetricFacts
  let comparison: RunComparison
  let names: RunNames
  /// The shown metrics, the headline first.
  let shown: [MetricFacts]
  /// The metric whose figures a sentence of the answer states, in addition to the figures that rank the runs; nil if no
  /// such metric is shown.
  let secondary: MetricFacts?

  /// Returns the sentences about the only group of an answer, without full stops at the ends.
  func sentences(_ group: AnswerGroup) -> [String] {
    let slow = [slowSamples(group)].compactMap(\.self)
    if group.hasTooFewRounds { return [bestSoFar(group), tooFewRounds(group)].compactMap(\.self) + slow }
    if group.isUndecided { return undecidedSentences(group) + slow }
    let next = secondBest(group)
    return settledSentences(group, next: next)
      + [next == nil || !group.near.isEmpty ? muchWorseRuns(group) : nil, worst(group)].compactMap(\.self) + slow
  }

  /// The ratio of a run to another, such as the best run of its group or the baseline, or its reciprocal, whichever is
  /// at least 1.
  struct MeanRatio {
    let factor: Double
    /// The ratio with two decimals or three digits: `1.43x`, or `1.4x` if it is imprecise.
    let text: String

    /// Creates the ratio of a contrast; 1 without a contrast. An imprecise ratio has fewer digits.
    init(_ contrast: Contrast?) {
      factor = contrast?.factor ?? 1
      text = Quantity.ratio(factor, isRough: contrast?.interval?.isWide == true) + "x"
    }

    /// The ratio with two decimals, rounded up. The ratio must be below 10.
    var upperText: String { Quantity.fixed((100 * factor).rounded(.up) / 100, decimals: 2) + "x" }

    /// Whether the means are equal, or nearly so: less than 0.5 % apart.
    var isOne: Bool { factor < 1.005 }
  }

  /// Returns the ratio of a run to the best run of its group; 1 for the best run, and for a run without a ratio.
  func meanRatio(_ run: Int) -> MeanRatio {
    MeanRatio(comparison.contrastsWithBest[run])
  }

  /// Returns the range of some ratios as text, `1.20x to 1.43x`, or `2.10x` if the ends have the same text.
  static func rangeText(_ ratios: [MeanRatio]) -> String {
    let ends = [ratios.min { $0.factor < $1.factor }, ratios.max { $0.factor < $1.factor }]
    return ends.compactMap { $0?.text }.distinct.joined(separator: " to ")
  }

  /// Returns the sentences about a group that is not undecided: the best run, the runs near the best run, the words
  /// `next` about the second-best run, and the runs that cannot be ranked.
  private func settledSentences(_ group: AnswerGroup, next: String?) -> [String] {
    // In addition to runs that are as good as the best run, the first sentence names the undecided runs that hardly
    // differ.
    let alike = group.near.isEmpty ? [] : group.undecided(within: Self.mostApart)
    let others = group.undecided.filter { !alike.contains($0) }
    let rest = [
      next, others.isEmpty ? nil : "Undecided: \(names(others, of: group.runs))", tooFewRounds(group),
    ].compactMap(\.self)
    // Of several runs that are as good as each other, none is called the best.
    if !group.near.isEmpty {
      let all = isOneVariant(group) && !index.isBroken(group.best) ? "use" : "\(superlative(isBest: true)):"
      let also =
        alike.isEmpty ? "" : "; \(names(alike, of: group.runs)) may be as good\(apartText(alike))"
      return ["\(all) \(nearText(group))\(also)", "\(bestMeanWords): \(leaderText(group))"] + rest
    }
    let figure = figure(group.best) + edge(group)
    let name = names([group.best], of: group.runs)
    let best =
      isOneVariant(group)
      ? "\(name) \(verb(of: name)) \(superlative(isBest: true).uncapitalizedFirst), \(figure)"
      : "\(superlative(isBest: true)): \(name), \(figure)"
    return [best] + rest
  }

  /// Returns the sentences about an undecided group, with the figure of the run that has the best mean. If some
  /// candidates may differ only little from this run, the sentences recommend any of these candidates.
  private func undecidedSentences(_ group: AnswerGroup) -> [String] {
    let alike = group.undecided(within: Self.mostApart)
    let others = group.undecided.filter { !alike.contains($0) }
    let good = group.runs.filter { $0 == group.best || alike.contains($0) }
    let isAny = others.isEmpty && isNearlyAll(group)
    let use =
      isAny
      ? "use \(candidatesText(group, "any"))"
      : "use \(isOneVariant(group) ? "" : "one of ")\(names(good, of: group.runs))"
    return [
      alike.isEmpty
        ? "undecided\(apartText(group.undecided)): \(candidatesText(group))"
        : "\(use): which is best is undecided\(apartText(alike))",
      !alike.isEmpty && !others.isEmpty
        ? "undecided, with a larger possible difference\(apartText(others)): \(names(others, of: group.runs))" : nil,
      "\(bestMeanWords)\(contradiction(group) == nil ? " (may be chance)" : ""): \(leaderText(group))",
      group.outclassed.isEmpty
        ? nil
        : "not the best, since another candidate is certainly better: \(names(group.outclassed, of: group.runs))",
      group.worse.isEmpty
        ? nil
        : "certainly \(metric.worseWord): \(names(group.worse, of: group.runs)) "
          + "(\(Self.rangeText(group.worse.map(meanRatio))))",
      noisier(group),
      tooFewRounds(group),
    ].compactMap(\.self)
  }

  /// Returns words about the undecided runs whose means are worse than that of a run that is certainly worse than the
  /// best, since a reader would choose the latter: `threads 2 is undecided because it varies more than threads 4, whose
  /// mean is better`. Returns nil if there are none.
  private func noisier(_ group: AnswerGroup) -> String? {
    guard let least = group.worse.min(by: { comparison.factor($0) < comparison.factor($1) }) else { return nil }
    let runs = group.undecided.filter {
      comparison.factor($0) > comparison.factor(least) && comparison.contrastsWithBest[$0]?.isContradicted == false
    }
    guard !runs.isEmpty else { return nil }
    let text = names(runs, of: group.runs)
    let verb = Set(runs.map(names.variant)).count > 1 ? "are" : RunNames.verb(text)
    return "\(text) \(verb) undecided because \(verb == "are" ? "they vary" : "it varies") more than "
      + "\(names([least], of: group.runs)), whose mean is better"
  }

  /// Returns words about the best run of a group whose other runs have too few rounds: `2 cores have the best mean so
  /// far`.
  func bestSoFar(_ group: AnswerGroup) -> String {
    let name = names([group.best], of: group.runs)
    return "\(name) \(RunNames.has(name)) the best mean so far"
  }

  /// The words for the best mean: `lowest mean`, or `highest mean` if higher figures are better.
  var bestMeanWords: String { "\(metric.superlative) mean" }

  /// Returns the best run with its figures: `threads 4, 1.20 ms, speedup 1.5`.
  private func bestText(_ group: AnswerGroup) -> String {
    "\(names([group.best], of: group.runs)), \(figure(group.best))"
  }

  /// Returns the words of ``bestText(_:)``, followed by the words of ``contradiction(_:)`` if there are any:
  /// `threads 4, 1.20 ms, but threads 2 is faster in 61 % of the rounds`. The words also contain the states of other
  /// candidates with two states, since the mean of such a candidate describes neither of its states.
  private func leaderText(_ group: AnswerGroup) -> String {
    let others = (group.near + group.undecided).filter { $0 != group.best && states(of: $0) != nil }
      .prefix(Self.mostBeside).map { ", beside \(names([$0], of: group.runs)), \(figure($0))" }.joined()
    return "\(bestText(group))\(others)" + (contradiction(group).map { ", but \($0)" } ?? "")
  }

  /// The maximum number of other runs with two states whose states a sentence contains.
  private static let mostBeside = 2

  /// The smallest share of the rounds that contradicts the means of runs that are as good as each other. A share near
  /// a half says nothing.
  private static let leastOpposition = 0.6

  /// Returns words about the run that is better than the best run in most rounds, although its mean is worse or no
  /// better: `threads 2 is faster in 67 % of the rounds`. Returns nil if there is no such run.
  private func contradiction(_ group: AnswerGroup) -> String? {
    let contrasts = (group.near + group.undecided).compactMap { run in
      comparison.contrastsWithBest[run].map { (run: run, contrast: $0) }
    }
    let runs = contrasts.filter { $0.contrast.isContradicted || $0.contrast.opposition >= Self.leastOpposition }
    guard let most = runs.max(by: { $0.contrast.opposition < $1.contrast.opposition }) else { return nil }
    let name = names([most.run], of: group.runs)
    let better =
      metric.meaning == .duration
      ? "\(RunNames.verb(name)) faster" : "has the \(metric.better == .higher ? "higher" : "lower") figure"
    return "\(name) \(better) in \(most.contrast.opposingRounds)"
  }

  /// Returns the names of the best run and of the runs that cannot be distinguished from the best run; `all` or `all
  /// but thread` if a group of several variants contains no other runs, or one other run and many candidates.
  ///
  /// - Parameter word: the word for all runs, `all` or `any`.
  private func candidatesText(_ group: AnswerGroup, _ word: String = "all") -> String {
    let runs = group.runs.filter { $0 == group.best || group.undecided.contains($0) }
    let others = group.runs.filter { !runs.contains($0) }
    guard isNearlyAll(group) else { return names(runs, of: group.runs) }
    // Runs with a flaw or a mistake are not ranked.
    let isRanked = index.document.runs.indices.allSatisfy { group.runs.contains($0) }
    let all = isRanked ? word : "\(word) that \(word == "all" ? "are" : "is") ranked"
    return others.isEmpty ? all : "\(all) but \(names(others, of: group.runs))"
  }

  /// Returns whether a group of several variants contains only candidates, or many candidates and one other run.
  private func isNearlyAll(_ group: AnswerGroup) -> Bool {
    let candidates = group.undecided.count + 1
    let others = group.runs.count - candidates
    return !isOneVariant(group) && (others == 0 || others == 1 && candidates > ComparisonAnswer.mostNames)
  }

  /// Returns the words for the runs near the best run, with the maximum possible difference: `within 4.4 % of the
  /// best`. Without a ratio, as between figures of 0, the words are `no difference found`.
  func within(_ group: AnswerGroup) -> String {
    guard let most = group.near.compactMap(comparison.possibleLoss).max() else { return "no difference found" }
    return "within \(Quantity.fixed(max(0.1, 100 * most), decimals: 1)) % of the best"
  }

  /// Returns the names of the best run and of the runs near it, with the maximum possible difference: `mutex and
  /// actor (within 4.4 % of the best)`. At least one run must be near the best run.
  private func nearText(_ group: AnswerGroup) -> String {
    let all = names(group.runs.filter { $0 == group.best || group.near.contains($0) }, of: group.runs)
    return all.hasSuffix(")") ? "\(all); \(within(group))" : "\(all) (\(within(group)))"
  }

  /// Returns words about the runs with too few rounds for an interval; nil if the group contains no such runs.
  func tooFewRounds(_ group: AnswerGroup) -> String? {
    group.withTooFewRounds.isEmpty
      ? nil : "too few rounds to rank: \(names(group.withTooFewRounds, of: group.runs))"
  }

  func isOneVariant(_ group: AnswerGroup) -> Bool { Set(group.runs.map(names.variant)).count == 1 }

  /// Returns a remark if the best run has the smallest or the largest tried setting, `, the largest limit tried`;
  /// otherwise an empty string. A setting outside the range may be better, unless it has the same effect as this one.
  func edge(_ group: AnswerGroup) -> String {
    let parameters = names.parameters.filter { names.point(group.best)[$0.name] != nil }
    guard let parameter = parameters.first, parameters.count == 1, let own = names.number(group.best, parameter)
    else { return "" }
    // The range includes settings with a flaw, which the group does not contain.
    let tried = Set(
      index.document.runs.indices.filter { names.variant($0) == names.variant(group.best) }
        .compactMap { names.number($0, parameter) })
    // There are no fewer cores than one and no more than the machine has, no fewer threads than one, and no shorter
    // durations than zero.
    guard tried.count > 1, parameter.name != Cores.name, let least = tried.min(), let most = tried.max() else {
      return ""
    }
    if let alike = parameter.alike, own >= alike { return "" }
    return own == most
      ? ", the largest \(RunNames.noun(parameter)) tried"
      : own == least && own > (parameter.unit == nil ? 1 : 0) ? ", the smallest \(RunNames.noun(parameter)) tried" : ""
  }

  /// Returns words about the second-best setting, which may be good enough: `next: limit 128, 1.07x slower`.
  ///
  /// Returns nil if no run is certainly worse than the best run, or if the rounds do not distinguish the second-best
  /// run from the worst run, which another sentence names.
  private func secondBest(_ group: AnswerGroup) -> String? {
    let ratios = ratios(group)
    guard let next = ratios.first, let worst = ratios.last,
      !comparison.areAlike(next.run, worst.run)
    else { return nil }
    let floor = [next.run, group.best].allSatisfy(isNearFloor) ? " (both within twice the noise floor)" : ""
    return "next: \(names([next.run], of: group.runs)), \(ratioText([next], worseThan: group.best))\(floor)"
  }

  // MARK: Slow samples

  /// The minimum ratio of two 99th percentiles that the answer mentions.
  private static let slower = 2.0

  /// Returns words about the slow samples of the best run if medians rank the runs and the 99th percentile of another
  /// run is much lower: `but the p99 of entry is 866 us with mutex, and 83.7 us with actor`. Returns nil otherwise.
  ///
  /// The words do not mention other metrics, since a pattern may measure other metrics under different conditions.
  private func slowSamples(_ group: AnswerGroup) -> String? {
    guard index.isOfMedians(metric) else { return nil }
    func slow(_ run: Int) -> Double? { index.document.runs[run].metrics[metric.name]?[.p99] }
    guard let own = slow(group.best) else { return nil }
    let fewest = group.runs.compactMap { run in slow(run).map { (run: run, time: $0) } }.min { $0.time < $1.time }
    guard let fewest, fewest.time > 0, own >= Self.slower * fewest.time else { return nil }
    let (best, other) = (names([group.best], of: group.runs), names([fewest.run], of: group.runs))
    return "but the p99 of \(metric.name) is \(Quantity(own, metric.unit)) with \(best), and "
      + "\(Quantity(fewest.time, metric.unit)) with \(other)"
  }

  // MARK: Words

  /// Returns the adjective for the best run or the worst run, with the metric: `Fastest`, `Lowest failed-opens`.
  func superlative(isBest: Bool) -> String {
    if metric.meaning == .duration {
      let mean = isBest && index.isOfMedians(metric) ? " (\(Table.meanOfMedians))" : ""
      return (isBest ? "Fastest" : "Slowest") + (metric.name == "elapsed" ? "" : " by `\(metric.name)`\(mean)")
    }
    return ((metric.better == .higher) == isBest ? "Highest" : "Lowest") + " \(metric.name)"
  }

  /// Returns the verb between a name and ``superlative(isBest:)``: `is` fastest, or `has the` highest throughput.
  func verb(of name: String) -> String {
    metric.meaning == .duration ? RunNames.verb(name) : "\(RunNames.has(name)) the"
  }

  func figure(_ run: Int) -> String {
    guard let ranked = index.shownFigure(run, of: metric) else { return "-" }
    return Quantity(ranked, metric.unit).description + statesText(run)
      + (isNearFloor(run) ? " (within twice the noise floor)" : "")
  }

  private func isNearFloor(_ run: Int) -> Bool {
    index.document.runs[run].metrics[metric.name].map(index.isNearFloor) ?? false
  }

  func states(of run: Int) -> States? { index.states(of: run, metric) }

  /// Returns the two states of a run in parentheses, ` (5.13 us in 44 % of the rounds, 9.17 us in the others)`, since
  /// the mean describes neither state; an empty string if the rounds show no two states.
  private func statesText(_ run: Int) -> String {
    guard let states = states(of: run) else { return "" }
    let share = Double(states.lower.count) / Double(states.lower.count + states.upper.count)
    return " (\(Quantity(states.lower.median, metric.unit)) in \(Int((100 * share).rounded())) % of the rounds, "
      + "\(Quantity(states.upper.median, metric.unit)) in the others)"
  }

  /// Returns the maximum possible difference between the best run and runs that are not significantly different from
  /// it, ` (at most 5.0 % apart)`; an empty string if no run has an interval.
  func apartText(_ runs: [Int]) -> String {
    let intervals = runs.compactMap { comparison.contrastsWithBest[$0]?.interval }
    let widest = intervals.max { $0.largestDifference < $1.largestDifference }
    return widest.map { $0.largestDifference > Self.hopeless ? " (too noisy)" : " (at most \($0.reach) apart)" } ?? ""
  }

  /// The possible difference above which the answer states no figure, as a share.
  private static let hopeless = 9.0

  /// The largest possible difference between undecided runs of which the answer recommends any, as a share.
  static let mostApart = 0.25
}

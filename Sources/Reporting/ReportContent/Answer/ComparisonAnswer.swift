import Laboratory
import Measurement

/// The answer to a comparison, in sentences. The answer names the best settings, the ratios of worse
/// settings, and the settings that the rounds cannot rank.
struct ComparisonAnswer {
  private let index: RunIndex
  private let comparison: RunComparison
  /// The names of runs by the swept parameters that do not define groups. Each setting of the other swept parameters
  /// has its own best run.
  private let names: RunNames
  private let wording: AnswerWording
  private let measured: [Int]
  /// The sentences about settings with a flaw; nil if no metric counts a flaw.
  private let flaws: FlawAnswer?
  /// The groups of runs that have a best run, in the order of their settings.
  private let groups: [AnswerGroup]

  /// The beginning of a sentence that is an item of a list.
  static let item = "- "
  /// The maximum number of names in a sentence.
  static let mostNames = 5
  /// The maximum number of lines about groups in an answer. The tables contain all groups.
  private static let mostGroups = 8

  /// Returns the sentences of the answer, the decision first; an empty array if no metric can rank the settings. The
  /// decision says which settings have a flaw, which runs are better or worse than the baseline, whether nothing gains,
  /// which settings are the best, how they differ in the secondary metric, and whether they need a margin.
  ///
  /// - Parameters:
  ///   - shown: the metrics to show, the headline first.
  ///   - speedUp: the speed-up with the number of cores; nil if it is unknown.
  static func notes(_ index: RunIndex, by shown: [MetricFacts], _ speedUp: SpeedUp?) -> [RunNote] {
    guard let answer = ComparisonAnswer(index, shown: shown) else { return [] }
    let bests = answer.bests
    // With a baseline, the question is what to use in its place.
    let decision = [
      answer.mistake, answer.flaws?.sentence, answer.contrast, answer.loss, bests.first, answer.trade,
      bests.isEmpty ? nil : answer.flaws?.margin,
    ]
    let explanation: [String?] =
      bests.dropFirst().map { $0 } + [
        answer.reference,
        answer.nearestSetting, answer.yardsticks, speedUp?.sentence, answer.hung,
        answer.withoutFigure, answer.withoutRatio, answer.stopped, answer.secondary, answer.conditions,
        answer.otherRanks,
      ]
    return decision.compactMap(\.self).map { RunNote(Conclusion.kind, $0) }
      + explanation.compactMap(\.self).map { RunNote(Conclusion.explanation, $0) }
  }

  /// The best runs of a group.
  struct Best {
    /// The settings of the group: `threads 2, hold 1 us`; empty if there is only one group.
    let place: String
    /// The names of the runs that are among the best.
    let names: [String]
  }

  /// Returns the best runs of each group of a comparison, in the order of the groups, and the names of the runs that
  /// the answer chooses: the best runs of the only group, or the choice for several groups. `caution` is a remark on a
  /// choice that is not certain, such as `undecided at 8 of the 9 combinations`; otherwise nil.
  ///
  /// - Parameter namesVariants: whether the names include the variant even if only one variant is ranked.
  static func recommendation(
    _ content: ReportContent, namesVariants: Bool = false
  ) -> (bests: [Best], choice: String, caution: String?) {
    guard let answer = ComparisonAnswer(content.index, shown: content.shown, namesVariants: namesVariants) else {
      return ([], "", nil)
    }
    // Too few rounds show no candidate.
    let ranked = content.index.hasEnoughRounds ? answer.groups : []
    let bests = ranked.map { group in
      let names = group.leaders.map { answer.names([$0], of: group.runs) }
      return Best(place: answer.wording.settingsText(of: group), names: names)
    }
    guard let first = answer.groups.first else { return ([], "", nil) }
    let isGrid = answer.groups.count > 1
    let choice =
      isGrid
      ? GridAnswer(answer.groups, answer.wording).choice.names
      : bests.first?.names.listed("or") ?? answer.names([first.best], of: first.runs)
    let open = isGrid ? answer.groups.count(where: answer.wording.isOpen) : first.isUndecided ? 1 : 0
    let place = isGrid ? " at \(open.of(answer.groups.count, answer.wording.noun(for: first)))" : ""
    let caution = !content.index.hasEnoughRounds ? "best mean so far" : open == 0 ? nil : "undecided\(place)"
    return (bests, choice, caution)
  }

  /// Returns the variants that the answer of a comparison ranks.
  static func rankedVariants(_ content: ReportContent) -> Set<String> {
    guard let answer = ComparisonAnswer(content.index, shown: content.shown) else { return [] }
    return Set(answer.groups.flatMap(\.runs).map(answer.names.variant))
  }

  /// Creates an answer; nil if no metric can rank the settings.
  private init?(_ index: RunIndex, shown: [MetricFacts], namesVariants: Bool = false) {
    // A metric that counts a flaw does not rank the settings. The first other metric ranks the settings without a flaw.
    guard let metric = shown.first(where: { !index.isFlaw($0) }) else { return nil }
    self.index = index
    let comparison = RunComparison(index, by: metric, shown: shown)
    self.comparison = comparison
    let measured = index.document.runs.indices.filter { index.document.runs[$0].metrics[metric.name] != nil }
    self.measured = measured
    let bests = index.inOrder(of: comparison.groupParameters, measured.filter(comparison.bests.contains))
    let groups = bests.compactMap { best -> AnswerGroup? in
      let all = comparison.runs(competingWith: best)
      // A run is the best of its group even if the others have no figure.
      guard all.count > 1, !comparison.flawedElsewhere.contains(best) else { return nil }
      let runs = all.filter {
        measured.contains($0) && !comparison.flawed.contains($0) && !comparison.flawedElsewhere.contains($0)
      }
      // Two figures of 0 have no ratio.
      let zeros = runs.filter { index.isZero($0, metric) }
      return AnswerGroup(best: best, runs: runs, equal: zeros.contains(best) ? zeros : [], comparison)
    }
    self.groups = groups
    var names = RunNames(index: index, parameters: index.swept.filter { !comparison.groupParameters.contains($0.name) })
    // A run of a grid has the same name in all groups.
    names.alwaysNamesVariants =
      namesVariants || groups.count > 1 && Set(groups.flatMap(\.runs).map(names.variant)).count > 1
    self.names = names
    wording = AnswerWording(
      index: index, metric: metric, comparison: comparison, names: names, shown: shown,
      secondary: shown.first { $0.name != metric.name && !index.isFlaw($0) })
    flaws = FlawAnswer(groups, wording)
  }

  /// The sentences about the best settings. Settings with a flaw are not considered.
  private var bests: [String] {
    guard !measured.isEmpty else { return [] }
    guard wording.metric.better != .neither else {
      return ["Not ranked: neither a higher nor a lower `\(wording.metric.name)` is better. The table has the figures."]
    }
    if comparison.bests.isEmpty, !comparison.groupsText.isEmpty, measured.count > 1 {
      return [
        "Not ranked: each \(comparison.groupsText) is a task of its own, so their figures do not compete. "
          + "Sweep another setting as well, or compare several variants.", trend,
      ].compactMap(\.self)
    }
    guard let first = groups.first else { return [] }
    // Without enough rounds for intervals, the answer names only the best mean so far.
    guard index.hasEnoughRounds else {
      let soFar =
        groups.count == 1 ? wording.bestSoFar(first) : GridAnswer(groups, wording).text
      return [sentence(soFar)] + [
        "\(ConfidenceInterval.fewest) rounds are needed to rank the settings\(wording.moreRounds(groups))."
      ]
    }
    // The full run of a quick comparison with smaller trials is the better next step.
    let advice = quick == nil ? [wording.advice(groups.filter(wording.isOpen))].compactMap(\.self) : []
    if isOfOneGroup {
      let sentences = (wording.sentences(first) + advice).map(sentence)
      return sentences.prefix(1) + [quick].compactMap(\.self) + sentences.dropFirst()
    }
    // Beside a baseline, the items about it take the place of the lines about the best runs.
    let lines =
      baseline.map { wording.besideBaseline(groups, $0, most: Self.mostGroups) }
      ?? groups.map { "\(Self.item)\(wording.line($0))" }
      .shortened(to: Self.mostGroups) { "\($0) more are in the tables" }
    // The sentences before this one compare with the baseline.
    let text = (baseline == nil ? "" : "compared with each other: ") + GridAnswer(groups, wording).text
    return [sentence(text)] + [quick].compactMap(\.self) + lines.map { "\($0)." }
      + ([wording.changeHint(groups)].compactMap(\.self) + advice).map(sentence)
  }

  /// A sentence about the figures at the first and at the last value of the only swept parameter, `From threads=1 to
  /// threads=16: 1.27 us to 18.8 us, 14.8x slower.` Nil if there are several parameters or variants, or if a figure is
  /// 0.
  private var trend: String? {
    guard let parameter = index.swept.first, index.swept.count == 1, Set(measured.map(names.variant)).count == 1,
      let first = measured.first, let last = measured.last,
      let from = index.shownFigure(first, of: wording.metric), let to = index.shownFigure(last, of: wording.metric),
      from > 0, to > 0, let start = index.document.runs[first].point[parameter.name],
      let end = index.document.runs[last].point[parameter.name]
    else { return nil }
    let texts = [from, to].map { Quantity($0, wording.metric.unit).description }
    return "From \(parameter.label(start)) to \(parameter.label(end)): \(texts[0]) to \(texts[1]), "
      + "\(wording.metric.meaning.wording(to / from))."
  }

  /// A sentence about the best value of the swept parameter if the parameter does not affect the best variants, since a
  /// reader who sweeps a parameter asks for a value: `Of the values of permits, permits-at-submit with permits 16 comes
  /// nearest: 1.43x slower.` Nil if there are several groups or parameters, or if no such value is certainly worse.
  private var nearestSetting: String? {
    guard groups.count == 1, index.hasEnoughRounds, let parameter = names.parameters.first,
      names.parameters.count == 1, (parameter.swept ?? []).count > 1,
      !groups[0].candidates.contains(where: { names.point($0)[parameter.name] != nil }),
      let nearest = wording.ratios(groups[0]).first(where: { names.point($0.run)[parameter.name] != nil })
    else { return nil }
    return "Of the values of \(parameter.name), \(names([nearest.run], of: groups[0].runs)) comes nearest: "
      + "\(wording.ratioText([nearest], worseThan: groups[0].best))."
  }

  /// A sentence about the yardsticks that do not compete for the best: `Yardsticks, only for comparison: inline (3.1x
  /// faster) and thread (17x slower).` Of several groups, the sentence has the number of groups in which a yardstick is
  /// certainly better. If `--variant` leaves only yardsticks, the sentence says so. Nil if there are no yardsticks.
  private var yardsticks: String? {
    if index.hasEnoughRounds, index.document.hasOption("--variant"), !groups.isEmpty,
      index.document.runs.indices.allSatisfy(index.isYardstick)
    {
      let variants = groups.flatMap(\.runs).map(names.variant).distinct
      return "\(variants.listed()) \(variants.count == 1 ? "is a yardstick" : "are yardsticks") of this scenario: "
        + "without --variant, the variants that it is about are compared, too."
    }
    let others = comparison.yardsticks.grouped { index.document.runs[$0].variant }
    guard !others.isEmpty, index.hasEnoughRounds else { return nil }
    let better = groups.map { Set(comparison.runs(betterThan: $0.best)) }
    let texts = others.map { name, runs in
      let count = better.count { !$0.isDisjoint(with: runs) }
      let remark =
        groups.count == 1
        ? runs.count == 1 ? comparison.contrastsWithBest[runs[0]].map(ratio) : nil
        : count == 0
          ? nil
          : "\(wording.metric.betterWord) at "
            + count.of(groups.count, wording.noun(for: groups[0]))
      return name + (remark.map { " (\($0))" } ?? "")
    }
    return "\(others.count == 1 ? "Yardstick" : "Yardsticks"), only for comparison: \(texts.listed())."
  }

  /// Returns words about the ratio of a run to the best run: `1.78x faster`, or `undecided`.
  private func ratio(_ contrast: Contrast) -> String {
    guard contrast.isDistinct == true else { return contrast.isNoise == false ? "no difference found" : "undecided" }
    return wording.metric.meaning.wording(contrast.ratio, isRough: contrast.interval?.isWide ?? true)
  }

  /// A sentence that precedes the best settings if all runs show a mistake; otherwise nil.
  private var mistake: String? {
    guard index.areAllBroken else { return nil }
    let variants = index.document.runs.map(\.variant).distinct
    return "Each of these shows a mistake (\(variants.listed())), so the best is only the fastest."
  }

  /// A sentence that precedes the best settings if none of them gains anything, `Nothing gains: every speedup is below
  /// 1 (…).` Nil if one gains, or if there are several groups.
  private var loss: String? {
    groups.count == 1 && index.hasEnoughRounds ? wording.loss(of: groups[0]).map(sentence) : nil
  }

  /// A sentence about the secondary metric if it may decide between the best settings, `The best differ in
  /// peak-threads: 34 (semaphore-at-submit), 90 (semaphore).` Nil if it does not, or if there are several groups.
  private var trade: String? {
    guard groups.count == 1, index.hasEnoughRounds, let metric = wording.secondary else { return nil }
    return wording.secondaryChoice(of: groups[0]).map {
      "The \(groups[0].isUndecided ? "candidates" : "best") differ in `\(metric.name)`: \($0)."
    }
  }

  /// A sentence about the secondary metric of the best setting and of the others; nil if the metric is 0 or missing. Of
  /// several groups, whose tables show the headline alone, the sentence has only what the best settings gain.
  private var secondary: String? {
    guard let metric = wording.secondary, groups.count == 1 || metric.isSpeedUp && index.hasEnoughRounds,
      let figures = groups.count == 1 ? wording.secondaryFigures(of: groups[0]) : wording.secondaryFigures(of: groups)
    else { return nil }
    return "\(metric.name.capitalizedFirst) (\(metric.says)): \(figures)."
  }

  /// The baseline with which the answer begins; nil if there is none. Of a single group, the ratios to the best run are
  /// those to the baseline if that is the best, and need no sentence.
  private var baseline: String? {
    // A baseline without figures has no ratios.
    guard index.hasEnoughRounds, let baseline = index.document.scenario.baseline, !groups.isEmpty,
      !comparison.contrasts.isEmpty, groups.count > 1 || names.variant(groups[0].best) != baseline
    else { return nil }
    return baseline
  }

  /// Whether the answer is about one group, which no settings distinguish from others.
  private var isOfOneGroup: Bool { groups.count == 1 && wording.settingsText(of: groups[0]).isEmpty }

  /// A sentence about the runs that are better and worse than ``baseline``.
  private var contrast: String? { baseline.map { "\(wording.againstBaseline(groups, $0))." } }

  /// A sentence on the two references of ratios if the answer begins with ``contrast``; nil for several groups, whose
  /// lines name the baseline.
  private var reference: String? {
    isOfOneGroup
      ? baseline.map {
        "Apart from the comparison with \($0), ratios here are to \(RunComparison.bestWords), and in the table to \($0)."
      } : nil
  }

  /// A sentence about the settings whose trials completed without a figure, such as those of a variant that stalls; nil
  /// if there are no such settings.
  private var withoutFigure: String? {
    guard !groups.isEmpty else { return nil }
    return index.unmeasured(by: wording.metric) { $0.rounds > 0 && $0.outcomes.incompleteKinds.isEmpty }.map {
      "Without `\(wording.metric.name)`, and therefore not ranked: \($0)."
    }
  }

  /// A sentence about the settings that have no ratio to the best run of their group; nil if there are no such
  /// settings.
  private var withoutRatio: String? {
    let runs = groups.flatMap(\.withoutRatio)
    return runs.isEmpty
      ? nil : "Not ranked, since `\(wording.metric.name)` is 0 in some rounds: \(index.fullName(runs))."
  }

  /// A sentence about the settings that have no figure because their trials hung; nil if there are no such settings.
  private var hung: String? {
    index.unmeasured(by: wording.metric) { $0.outcomes[.hung] > 0 }.map {
      groups.isEmpty ? "Hung: \($0)." : "Hung, and therefore not ranked: \($0)."
    }
  }

  /// A sentence about the settings that have no figure because a trial took too long, with the remedies; nil if there
  /// are no such settings. Nothing is known about the time that such a trial needs.
  private var stopped: String? {
    let smaller = index.document.isQuick ? "--set" : "--quick or --set"
    return index.unmeasured(by: wording.metric) { $0.outcomes[.stopped] > 0 }.map {
      "Not measured, since a trial took too long: \($0). Make the trials smaller (\(smaller)), or allow longer ones "
        + "(--trial-time, and --time)."
    }
  }

  /// A sentence on the smaller trials of `--quick`, with the command of the full run, which may have another answer;
  /// nil if `--quick` changed no settings.
  private var quick: String? {
    let settings = index.document.quickSettings
    guard !settings.isEmpty else { return nil }
    let longest = Quantity(Budget.comparisonTime * Budget.mostExtension)
    let run = index.document.comparing(nil, isQuick: false).map { "`\($0)`" } ?? "leave out --quick"
    return "Trials of --quick are smaller (\(settings.joined(separator: ", "))), and a full run "
      + "(\(Quantity(Budget.comparisonTime)), or up to \(longest)) may have another answer: \(run)."
  }

  /// A sentence with the settings to which the answer applies, `Measured at hold 1 us, entries 20,000.`; nil if there
  /// are no such settings.
  private var conditions: String? {
    let document = index.document
    let settings = document.sharedSettings
    guard !groups.isEmpty, !settings.isEmpty else { return nil }
    return "Measured at \(settings.joined(separator: ", "))."
  }

  /// A sentence about the other shown latencies, by which other runs may be the best; nil if there is only one group,
  /// whose secondary metric has a sentence of its own, or if there is no such metric.
  private var otherRanks: String? {
    let others = wording.shown.filter {
      $0.name != wording.metric.name && $0.better != .neither && !index.isFlaw($0) && $0.kind == .latency
    }
    guard groups.count > 1, let first = others.first else { return nil }
    return "Ranked by `\(wording.metric.name)` alone; --metric \(first.name) may rank otherwise."
  }

  /// Returns a text as a sentence. The name of a variant at the beginning is not capitalized. If all runs are of one
  /// variant, sentences begin with settings, whose names are capitalized.
  private func sentence(_ text: String) -> String {
    let names = Set(index.document.runs.map(\.variant))
    let variants = names.count > 1 ? names : []
    let word = text.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
    return (variants.contains(String(word)) ? text : text.capitalizedFirst) + "."
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
  var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }
}

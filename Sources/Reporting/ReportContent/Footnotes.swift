import Laboratory
import Measurement

extension ReportContent {
  /// Returns notes that explain the columns and the signs of some tables, and a note if there are too few rounds for
  /// intervals.
  func footnotes(_ shown: [Table]) -> [String] {
    let facts = shown.reduce(into: Cell.Facts()) { $0.formUnion($1.facts) }
    return columnNotes(shown) + bestRunNotes(facts) + referenceNotes(facts) + ratioNotes(facts) + floorNotes(facts)
      + roundNotes(facts, isOfTables: !shown.isEmpty)
  }

  /// Returns notes that explain the columns of some tables.
  private func columnNotes(_ shown: [Table]) -> [String] {
    let titles = Set(shown.flatMap(\.headings).map(\.title))
    var notes: [String] = []
    let ranks = comparison?.bests.isEmpty == false ? ", by which the runs are ranked" : ""
    if titles.contains("mean") { notes.append("mean: the geometric mean of the rounds\(ranks)") }
    if titles.contains(Table.meanOfMedians) {
      notes.append(
        "\(Table.meanOfMedians): the geometric mean of the rounds' medians\(ranks); it says nothing about "
          + "the slow samples")
    }
    if isComparison, let headline, index.isOfMedians(headline), shown.contains(where: \.isGrid) {
      notes.append("figures: means of the rounds' medians, which say nothing about slow samples")
    }
    if isComparison, !shown.isEmpty {
      notes += index.swept.filter { $0.name != Cores.name }.map { "\($0.name): \($0.says)" }
    }
    if let comparison, shown.contains(where: { $0.facts.contains(.unranked) }) {
      let isInGrid = shown.contains { $0.isGrid && $0.facts.contains(.unranked) }
      let broken = document.runs.indices.filter { index.isBroken($0) && !comparison.flawed.contains($0) }
      let isHarmless = comparison.flaw.map { flaw in broken.allSatisfy { index.isZero($0, flaw) } } ?? false
      let reasons = [
        broken.isEmpty
          ? nil
          : "\(ReportTables.mistake) (\(broken.map { document.runs[$0].variant }.distinct.listed()))"
            + (isHarmless ? ", without effect here" : ""),
        comparison.flawedElsewhere.isEmpty ? nil : comparison.flawText,
      ].compactMap(\.self)
      let inParentheses = (isInGrid ? reasons : []) + (comparison.yardsticks.isEmpty ? [] : [ReportTables.yardstick])
      if !inParentheses.isEmpty {
        notes.append("(in parentheses): \(inParentheses.joined(separator: ", or ")), and is not ranked")
      }
      if !isInGrid, !reasons.isEmpty { notes.append("not ranked: \(reasons.joined(separator: ", or "))") }
    }
    return notes + otherMetrics(in: shown).map { "\($0.name): \($0.says)" }
  }

  /// Returns an array with a note that explains the signs of the best run and of runs that are compared with the best
  /// run. The array is empty if the tables contain none of these signs.
  private func bestRunNotes(_ facts: Cell.Facts) -> [String] {
    guard !facts.isDisjoint(with: [.best, .nearBest, .undecided]), let best = comparison?.best, let headline else {
      return []
    }
    let groups = comparison?.groupsText ?? ""
    // Runs with different amounts of work have no common best run.
    let hasBestOfAll = !groups.isEmpty && document.scenario.problem == nil
    let better = "(\(headline.better.rawValue) is better)"
    let first = headline.superlative
    // Beside a baseline, the sign for undecided is about the baseline.
    let isCertainOnly =
      comparison?.isOfBest == false && comparison?.uncertainBests.isEmpty == false ? ", unless it is undecided" : ""
    let variants =
      Set(document.runs.map(\.variant)).count == 1
      ? "" : ", over all \(facts.contains(.unranked) ? "ranked " : "")variants"
    let signs = [
      facts.contains(.best)
        ? "\(Signs.best) best mean\(index.hasEnoughRounds ? "" : " so far")\(groups.isEmpty ? "" : " for each \(groups)\(variants)")\(comparison?.yardsticks.isEmpty == false ? " except yardsticks" : "") \(better)\(isCertainOnly)"
        : "no best mean is named\(facts.contains(.uncertainBest) ? ", since the \(first) may be chance" : "") \(better)",
      facts.isSuperset(of: [.best, .uncertainBest]) ? "a \(first) mean with \(Signs.undecided) may be chance" : nil,
      facts.contains(.nearBest)
        ? "\(Signs.nearBest) no difference from it was found" : nil,
      facts.contains(.undecided)
        ? "\(Signs.undecided) undecided: more than \(ConfidenceInterval.alikeReach) is possible"
          + (facts.contains(.contradicted) ? ", or most rounds contradict the means" : "") : nil,
      hasBestOfAll && comparison?.uncertainBests.contains(best) != true
        ? "\(first) of all: \(figure(best, headline)) at \(index.labels[best])" : nil,
    ]
    return [signs.compactMap(\.self).joined(separator: "; ")]
  }

  /// Returns an array with a note that explains the signs of runs that are compared with the reference. The array is
  /// empty if the tables contain none of these signs.
  private func referenceNotes(_ facts: Cell.Facts) -> [String] {
    guard let reference = comparison?.reference else { return [] }
    let signs = [
      facts.contains(.noDifference) ? "\(Signs.nearBest) no difference from \(reference) was found" : nil,
      facts.contains(.noisy) ? "\(Signs.undecided) undecided against \(reference)" : nil,
    ].compactMap(\.self)
    return signs.isEmpty ? [] : [signs.joined(separator: ", ")]
  }

  /// The words for the reference of the ratios: the baseline, or the best run.
  private var referenceText: String {
    guard let comparison, comparison.isOfBest, let headline else {
      return comparison?.reference ?? RunComparison.bestWords
    }
    return comparison.bestText(headline)
  }

  /// Returns notes that explain ratios with and without intervals.
  private func ratioNotes(_ facts: Cell.Facts) -> [String] {
    var notes: [String] = []
    if !facts.isDisjoint(with: [.ratioWithMargin, .ratioWithEnds, .endsWithoutRatio]) {
      let signs = [
        facts.contains(.ratioWithMargin) ? "\(Signs.margin)" : nil,
        facts.contains(.ratioWithEnds) ? "[low \(Signs.range) high]" : nil,
        facts.contains(.endsWithoutRatio) ? "low to high" : nil,
      ]
      notes.append(
        "\(signs.compactMap(\.self).joined(separator: " and ")): \(certainty) of the ratios of paired rounds"
          + (isComparison
            ? " of this run; another run may differ by more"
            : ", whose mean can differ from the quotient of the medians"))
    } else if facts.contains(.significant) {
      let signs = [
        facts.isDisjoint(with: [.nearBest, .noDifference]) ? nil : Signs.nearBest,
        facts.isDisjoint(with: [.undecided, .noisy]) ? nil : Signs.undecided,
      ].compactMap(\.self)
      notes.append(
        "\(signs.isEmpty ? "all ratios" : "a ratio without \(signs.listed("or"))"): significantly different from "
          + "\(referenceText); \(Tool.command) explain significant")
    }
    if facts.contains(.allRounds) {
      notes.append(
        "in all rounds: every round of one run is better than every round of the other, although the ratio "
          + "varies widely")
    }
    return notes
  }

  /// Returns notes that explain the symbol that marks a figure near a noise floor.
  private func floorNotes(_ facts: Cell.Facts) -> [String] {
    var notes: [String] = []
    if facts.contains(.nearFloor) {
      notes.append(
        "\(Signs.nearFloor) within twice the noise floor of \(Quantity(document.machine.floor, .nanoseconds))"
          + (facts.contains(.sharedFloor) ? ", divided by the operations of a batch" : ""))
    }
    if facts.contains(.ownFloor) {
      notes.append(
        "\(Signs.nearFloor) less than twice what the empty timing loop costs: \(ownFloors.joined(separator: ", "))")
    }
    return notes
  }

  /// Returns the notes on rounds with two states, too few samples and too few rounds.
  private func roundNotes(_ facts: Cell.Facts, isOfTables: Bool) -> [String] {
    var notes: [String] = []
    if facts.contains(.twoStates) {
      notes.append("\(Signs.twoStates) each round is in one of two states, and the mean is typical of neither")
    }
    if facts.contains(.outclassed) {
      notes.append(
        "\(Signs.outclassed) undecided beside the \(headline?.superlative ?? "best") mean, but certainly worse than another run"
      )
    }
    if facts.contains(.farUndecided) {
      notes.append("\(Signs.farUndecided) undecided, and a difference of 2x or more is possible")
    }
    if facts.contains(.tooFew) { notes.append("-: too few samples for this percentile") }
    let fewest = ConfidenceInterval.fewest
    if isOfTables, rounds < fewest {
      notes.append(
        "\(rounds.counted("round")): too few for intervals (\(fewest) needed)")
    } else if facts.contains(.tooFewRounds) {
      notes.append("a ratio without an interval has fewer than the \(fewest) rounds that an interval needs")
    }
    return notes
  }

  /// Returns the metrics that have a column in some tables, and are not explained in the title of a table.
  private func otherMetrics(in tables: [Table]) -> [MetricFacts] {
    let titles = Set(tables.flatMap(\.headings).map(\.title))
    return document.scenario.metrics.filter { metric in
      titles.contains(metric.name) && !tables.contains { $0.title == metric.name }
    }
  }

  /// The words for confidence intervals that hold for all ratios of a table at the same time: `simultaneous 99 %
  /// confidence intervals`.
  private var certainty: String {
    "simultaneous \(Quantity(100 * ConfidenceInterval.confidence, .percent)) confidence intervals"
  }

  private func figure(_ run: Int, _ metric: MetricFacts) -> String {
    index.shownFigure(run, of: metric).map { Quantity($0, metric.unit).description } ?? "-"
  }
}

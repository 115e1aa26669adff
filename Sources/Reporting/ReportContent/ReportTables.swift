import Laboratory
import Measurement

/// The tables of a document.
///
/// A cell contains the median of the rounds' figures, or a range if a trial has many samples. If the headline is a
/// latency, its table also contains percentiles of all samples.
struct ReportTables {
  let index: RunIndex
  /// The metrics to show, the headline first.
  let shown: [MetricFacts]
  let comparison: RunComparison?

  var document: ResultDocument { index.document }
  private var isComparison: Bool { document.scenario.isComparison }

  /// The indices of the runs with at least one trial. A run without a trial has no row. Runs that are compared with the
  /// same best run are adjacent.
  var rows: [Int] {
    let rows = document.runs.indices.filter { document.runs[$0].rounds > 0 }
    guard let comparison else { return rows }
    return index.inOrder(of: comparison.groupParameters, rows)
  }

  /// Whether the headline has grids: the run is a comparison over several values of two or more parameters.
  private var hasGrids: Bool { isComparison && index.swept.count { $0.swept?.count != 1 } > 1 }

  /// All tables, in order: the grids, if there are any, and the lists, which have the intervals of the ratios.
  var all: [Table] { (hasGrids ? grids.map(table) : []) + lists }

  /// The tables of a short report: the grids, or the lists if there are no grids. If a run that is not a comparison has
  /// many rows, the only table contains the medians of the headline, with a row for each variant and a column for each
  /// point.
  var brief: [Table] {
    if hasGrids { return grids.map(table) }
    return isComparison || index.swept.isEmpty || rows.count <= Self.longList ? lists : [overview].compactMap(\.self)
  }

  /// The number of rows above which a list is too long for a short report.
  private static let longList = 12

  private var overview: Table? {
    guard let metric = shown.first else { return nil }
    var seen: Set<[String: ParameterValue]> = []
    // The point of a variant that ignores a parameter is incomplete, and has no column of its own.
    let points = rows.map { document.runs[$0].point }
      .filter { $0.count == index.swept.count && seen.insert($0).inserted }
    let variants = document.scenario.variants.filter { variant in
      rows.contains { document.runs[$0].variant == variant.name && document.runs[$0].metrics[metric.name] != nil }
    }
    let cells = variants.map { variant -> Table.Row in
      let runs = points.map { index.run(variant.name, at: $0) }
      let figures = zip(runs, [nil] + runs).map { run, before -> Cell in
        guard let run else { return .none }
        // Adjacent points of a variant that ignores a parameter have one run, whose figure appears once.
        return run == before ? Cell("same") : document.runs[run].metrics[metric.name].map(median) ?? .none
      }
      return Table.Row(needsCare: variant.isBroken, cells: [Cell(variant.name, .key)] + figures)
    }
    guard !cells.isEmpty, !points.isEmpty else { return all.first }
    let names = index.swept.map(\.name).joined(separator: "/")
    let headings = points.map { point in
      let settings = index.swept.compactMap { parameter in point[parameter.name].map(parameter.describe) }
      return Table.Heading(settings.joined(separator: "/"))
    }
    var table = Table(
      title: metric.name, note: "\(metric.says); medians over the trials, by \(names)", keys: 1, isGrid: false,
      headings: [.init("variant", .left)] + headings, rows: cells)
    table.leftOut = metricsBeside.map(\.name)
    return table
  }

  private func median(_ samples: SampleFacts) -> Cell { samples.median.map { index.cell($0, samples) } ?? .none }

  // MARK: Lists

  /// The statistics of a latency, with the turns in which their columns are omitted.
  private static let statistics: [(statistic: Statistic, omission: Int)] = [
    (.min, 6), (.p50, 0), (.p90, 5), (.p99, 4), (.p999, 7), (.max, 3),
  ]

  /// The list of the headline, and the list of the other metrics. If the headline has a single column and there are few
  /// other metrics, a single list contains all columns.
  private var lists: [Table] {
    let (headline, beside) = (headline, metricsBeside)
    if let metric = shown.first, headline?.headings.count == keys + 1, (1...Self.fewColumns).contains(beside.count) {
      return [figures(of: [metric] + beside, title: metric.name, metric.says)]
    }
    let others = beside.isEmpty ? nil : figures(of: beside, title: nil, nil)
    return [headline, others].compactMap(\.self)
  }

  /// The maximum number of metrics that fit beside the headline on most terminals.
  private static let fewColumns = 5

  /// The table of the headline metric, with the comparison of the runs; nil if the metric was not measured.
  private var headline: Table? {
    guard let metric = shown.first else { return nil }
    let rows = rows.map { (run: $0, samples: document.runs[$0].metrics[metric.name]) }
    let measured = rows.compactMap(\.samples)
    guard !measured.isEmpty else { return nil }
    let columns: [(heading: Table.Heading, cell: (SampleFacts) -> Cell)]
    if metric.kind == .latency {
      // A percentile has no column if no run has enough samples for the percentile.
      let statistics = Self.statistics.filter { column in measured.contains { $0[column.statistic] != nil } }
      columns =
        [(.init("samples", omission: Table.Heading.unmissed), { Cell(Quantity(Double($0.count), .none).description) })]
        + statistics.map { statistic, omission in
          (
            // If the mean ranks the runs, the table contains both the median and the mean.
            .init(statistic.rawValue, omission: statistic == .p50 && ranksByMean ? Table.Heading.ofMedian : omission),
            { samples in
              // Claims, plots and other tables also show this median, so that a report has only one figure for each
              // metric.
              let value = statistic == .p50 ? samples.median : samples[statistic]
              return value.map { index.cell($0, samples) } ?? .tooFew
            }
          )
        }
    } else {
      let isRange = measured.contains(where: \.isRange)
      columns = [(.init(isRange ? "value" : "median", omission: ranksByMean ? Table.Heading.ofMedian : 0), figure)]
    }
    let mean: [(heading: Table.Heading, cell: (SampleFacts) -> Cell)] =
      ranksByMean
      ? [
        (
          .init(index.isOfMedians(metric) ? Table.meanOfMedians : "mean", omission: Table.Heading.last), self.mean
        )
      ] : []
    let ratios = rows.map { $0.samples == nil ? missing($0.run) : ratioCell($0.run, metric) }
    let hasRatios = ratios.contains { !$0.text.isEmpty && !$0.facts.contains(.missing) }
    // In a comparison, a setting that could not be tried is also a result.
    var cells: [Table.Row] = []
    for (row, ratio) in zip(rows, ratios) where row.samples != nil || isComparison && end(of: row.run) != nil {
      let figures = (columns + mean).map { column -> Cell in row.samples.map(column.cell) ?? .none }
      cells.append(self.row(row.run, figures + (hasRatios ? [ratio] : [])))
    }
    let heading = Table.Heading(
      "vs \(document.scenario.baseline ?? comparison?.bestText(metric) ?? RunComparison.bestWords)",
      short: comparison?.isOfBest == true ? "vs best" : nil)
    return Table(
      title: metric.name, note: metric.says, keys: keys, isGrid: false,
      headings: keyHeadings + (columns + mean).map(\.heading) + (hasRatios ? [heading] : []), rows: cells)
  }

  /// Whether the runs of a comparison are ranked by the geometric mean, over the rounds, of the headline metric. If so,
  /// tables and pictures show this mean. If any figure is 0, the runs are ranked by the median instead.
  var ranksByMean: Bool { shown.first.map(index.ranksByMean) ?? false }

  /// The shown metrics other than the headline that were measured in at least one run.
  private var metricsBeside: [MetricFacts] {
    shown.dropFirst().filter { metric in rows.contains { document.runs[$0].metrics[metric.name] != nil } }
  }

  /// Returns the table of the resources that each run uses, with a column for each of `metrics`; nil if no run measured
  /// any of these metrics.
  func costs(_ metrics: [MetricFacts]) -> Table? {
    let found = metrics.filter { metric in rows.contains { document.runs[$0].metrics[metric.name] != nil } }
    guard !found.isEmpty else { return nil }
    return figures(
      of: found, title: "resource use", "per trial, for the whole process with the lab's own part")
  }

  /// Returns a table with a column for each of `metrics`. The metrics of claims that failed or speak against a document
  /// precede the other metrics, since a narrow terminal shows only the first columns.
  private func figures(of metrics: [MetricFacts], title: String?, _ says: String?) -> Table {
    let named = document.metricsOfFailingClaims
    let metrics = metrics.filter { named.contains($0.name) } + metrics.filter { !named.contains($0.name) }
    let means = metrics.filter(index.showsMean).map(\.name)
    let cells = rows.filter { run in metrics.contains { document.runs[run].metrics[$0.name] != nil } }.map { run in
      let samples = metrics.map { (samples: document.runs[run].metrics[$0.name], isMean: means.contains($0.name)) }
      return row(run, samples.map { samples, isMean in samples.map(isMean ? mean : figure) ?? .none })
    }
    let facts = cells.flatMap(\.cells).reduce(into: Cell.Facts()) { $0.formUnion($1.facts) }
    let ofMany = facts.contains(.rangeOfSamples) ? [Table.ofRange] : []
    let notes =
      [says, says == nil ? "medians over the trials" : "median over the trials"].compactMap(\.self)
      + (means.isEmpty ? [] : ["geometric means of the rounds: \(means.joined(separator: ", "))"]) + ofMany
    return Table(
      title: title, note: notes.joined(separator: "; "), keys: keys,
      isGrid: false,
      headings: keyHeadings
        + metrics.map {
          Table.Heading($0.name, omission: $0.name == comparison?.flaw?.name ? Table.Heading.repeated : 0)
        },
      rows: cells)
  }

  private var keys: Int { 1 + index.swept.count }

  private var keyHeadings: [Table.Heading] {
    [.init("variant", .left)] + index.swept.map { Table.Heading($0.name) }
  }

  private func row(_ run: Int, _ cells: [Cell]) -> Table.Row {
    let facts = document.runs[run]
    let settings = index.swept.map { Self.setting($0, facts.point[$0.name]) }
    return Table.Row(needsCare: index.isWrong(run), cells: [Cell(facts.variant, .key)] + settings + cells)
  }

  static func setting(_ parameter: ParameterFacts, _ value: ParameterValue?) -> Cell {
    Cell(value.map(parameter.describe) ?? "-", .key)
  }

  // MARK: Cells

  /// Returns a cell with the figure of a run for tables and pictures: the median, or a range if a trial has many
  /// samples. A count with a median of 0 and a higher maximum is also shown as a range.
  func figure(_ samples: SampleFacts) -> Cell {
    // A median of 0 would hide the trials with higher counts.
    let isRare = samples.kind == .count && samples.median == 0 && samples.max.value > 0
    guard samples.isRange || isRare else { return samples.median.map { index.cell($0, samples) } ?? .none }
    let (low, high) = (index.cell(samples.min.value, samples), index.cell(samples.max.value, samples))
    let facts = low.facts.union(high.facts)
    return low.text == high.text
      ? Cell(low.text, facts) : Cell("\(low.text) \(Signs.range) \(high.text)", facts.union(.rangeOfSamples))
  }

  /// Returns a cell with the geometric mean of a run over its rounds.
  private func mean(_ samples: SampleFacts) -> Cell { samples.roundMean.map { index.cell($0, samples) } ?? .none }

  /// Returns a cell with the figure of a run for the headline: the mean that ranks the runs of a comparison, and
  /// otherwise the cell of ``figure(_:)``.
  func ranked(_ samples: SampleFacts) -> Cell { ranksByMean ? mean(samples) : figure(samples) }

  /// Returns the cell that compares a run with its reference: the ratio and the half width of its interval, `1.93x
  /// faster ±2 %`, and the mark of the run.
  ///
  /// If the rounds do not distinguish the run from its reference, the cell contains the largest possible difference
  /// instead of the ratio. If a run has no ratio, the cell contains the count of a flaw, or a remark that the run is
  /// not ranked or has the best mean. The cell of a yardstick is in parentheses.
  func ratioCell(_ run: Int, _ metric: MetricFacts) -> Cell {
    let cell = bareRatioCell(run, metric)
    guard isYardstick(run), cell.facts.contains(.ratio) else { return cell }
    return Cell("(\(cell.text))", cell.facts, short: "(\(cell.short))")
  }

  private func bareRatioCell(_ run: Int, _ metric: MetricFacts) -> Cell {
    if let flaw = flaw(run) { return flaw }
    let mark = mark(run)
    let tail = mark.sign.isEmpty ? "" : " \(mark.sign)"
    if let reason = whyUnranked(run), !isYardstick(run) {
      guard let contrast = comparison?.contrasts[run], comparison?.isOfBest == false else {
        return Cell("not ranked", mark.facts.union(.missing))
      }
      let text = metric.meaning.wording(contrast.ratio, isRough: true)
      return Cell("\(text)\(tail), \(reason)", mark.facts.union(.ratio), short: text + tail)
    }
    guard let contrast = comparison?.contrasts[run] else {
      if mark.facts.contains(.best) {
        let soFar = index.hasEnoughRounds ? "" : " so far"
        return Cell("\(mark.sign) best mean\(soFar)", mark.facts, short: "\(mark.sign) best\(soFar)")
      }
      guard comparison?.uncertainBests.contains(run) == true else { return Cell(mark.sign, mark.facts) }
      return Cell(
        "\(metric.superlative) mean \(mark.sign)", mark.facts, short: "\(metric.superlative) \(mark.sign)")
    }
    let text = metric.meaning.wording(contrast.ratio)
    // The interval of runs whose ranges do not overlap may include 1, and then has no lower bound above 1.
    let includesOne = contrast.interval.map { $0.low <= 1 && $0.high >= 1 } == true
    if contrast.isDistinct != false, !includesOne, isLowerBound(run, metric) {
      return Cell(
        "at least \(metric.meaning.wording(contrast.interval?.nearest ?? contrast.ratio))\(tail)",
        mark.facts.union([.ratio, contrast.interval == nil ? .tooFewRounds : .significant]))
    }
    guard let interval = contrast.interval else { return Cell(text + tail, mark.facts.union([.ratio, .tooFewRounds])) }
    let facts = mark.facts.union(.ratio)
    if interval.isExact, metric.meaning != .duration { return Cell(interval.exactly(text) + tail, facts) }
    guard contrast.isDistinct == false else {
      if includesOne {
        return Cell("\(text) in all rounds\(tail)", facts.union(.allRounds), short: text + tail)
      }
      // The estimate would suggest a precision that the rounds do not have.
      if interval.isWide {
        return Cell(
          interval.range(metric.meaning) + tail, facts.union(.endsWithoutRatio),
          short: metric.meaning.wording(contrast.ratio, isRough: true) + tail)
      }
      return Cell("\(text) \(interval.margin)\(tail)", facts.union(.ratioWithMargin), short: text + tail)
    }
    if !mark.isNoise {
      let reach = "at most \(interval.reach)"
      return Cell("no difference found (\(reach))\(tail)", facts, short: reach + tail)
    }
    if let share = contrast.contradiction {
      let text = "\(Self.undecided): better in \(share)\(tail)"
      return Cell(text, facts.union(.contradicted), short: Self.undecided + tail)
    }
    return Cell(interval.range(metric.meaning) + tail, facts.union(.endsWithoutRatio), short: Self.undecided + tail)
  }

  /// Returns whether the ratio of a run to its reference is only a lower bound, since the shorter time is near its
  /// noise floor.
  func isLowerBound(_ run: Int, _ metric: MetricFacts) -> Bool {
    comparison?.referenceOf[run].map { index.isLowerBound(run, to: $0, by: metric) } ?? false
  }

  /// Returns the reason why a comparison does not rank a run; nil if the run is ranked.
  private func whyUnranked(_ run: Int) -> String? {
    guard isComparison, let comparison, !comparison.contrasts.isEmpty, !comparison.bests.contains(run) else {
      return nil
    }
    return index.isBroken(run) && !index.areAllBroken
      ? Self.mistake
      : comparison.flawedElsewhere.contains(run) ? comparison.flawText : isYardstick(run) ? Self.yardstick : nil
  }

  /// Returns whether a run is of a yardstick that does not compete with other runs.
  private func isYardstick(_ run: Int) -> Bool { comparison?.yardsticks.contains(run) == true }

  /// The reason for which a run of a yardstick is not ranked.
  static let yardstick = "is a yardstick"

  /// The reason for which a run of a broken variant is not ranked.
  static let mistake = "shows a mistake"

  /// The text for a run if the rounds show neither that the run differs from the reference, nor that the difference is
  /// small.
  static let undecided = "undecided"

  /// Returns the mark of a run: the sign for the best run, for a run that does not differ from its reference, or for a
  /// run that the rounds cannot rank. The sign is empty for all other runs. `isNoise` is true if the rounds are too
  /// noisy to compare the run with its reference, or if the rank of a best run may be due to chance. `facts` contains
  /// the facts that the footnotes of a table explain.
  func mark(_ run: Int) -> (sign: String, isNoise: Bool, facts: Cell.Facts) {
    guard let comparison else { return ("", false, []) }
    var facts: Cell.Facts = comparison.references.contains(run) ? .reference : []
    if whyUnranked(run) != nil { facts.insert(.unranked) }
    let isNoise = comparison.isTooNoisy(run)
    let isOfBest = comparison.isOfBest
    // In a table with a baseline, the other signs are about the baseline, and stand beside that for the best run.
    var best = ""
    if isOfBest, comparison.uncertainBests.contains(run) {
      return (Signs.undecided, true, facts.union([.undecided, .uncertainBest]))
    } else if comparison.bests.contains(run), isOfBest || !comparison.openBests.contains(run) {
      facts.insert(.best)
      best = Signs.best
      if isOfBest { return (best, isNoise, facts) }
    }
    if isOfBest, comparison.outclassed.contains(run) { return (Signs.outclassed, true, facts.union(.outclassed)) }
    if isNoise {
      return (best + Signs.undecided, true, facts.union(isOfBest ? .undecided : .noisy))
    }
    guard comparison.contrasts[run]?.isDistinct == false else { return (best, false, facts) }
    return (best + Signs.nearBest, false, facts.union(isOfBest ? .nearBest : .noDifference))
  }

  /// Returns a cell with the count of a flaw in place of the ratio, `81 failed-opens`; nil for a run without a flaw.
  func flaw(_ run: Int) -> Cell? {
    guard let comparison, let flaw = comparison.flaw, comparison.flawed.contains(run) else { return nil }
    return document.runs[run].metrics[flaw.name].map { Cell("\(figure($0).text) \(flaw.name)", .missing) }
  }

  /// Returns the cell of a run without a figure. The cell states how the trials of the run ended; `not measured` if all
  /// trials completed.
  func missing(_ run: Int) -> Cell { Cell(end(of: run) ?? "not measured", .missing) }

  /// Returns the most frequent way in which trials of a run ended, other than completion; nil if all trials completed.
  func end(of run: Int) -> String? {
    let outcomes = document.runs[run].outcomes
    return outcomes.incompleteKinds.max { (outcomes[$0], $1.rawValue) < (outcomes[$1], $0.rawValue) }?.rawValue
  }
}

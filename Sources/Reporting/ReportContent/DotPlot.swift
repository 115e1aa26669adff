import Laboratory
import Measurement

/// A plot of one metric, with the median and the range of each run's rounds. Each run has a row, and each point of the
/// sweep has a panel.
///
/// A plot of several metrics of the same kind and unit has a panel for each run, and a row for each metric.
struct DotPlot: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// Whether other rows are compared with this row.
    let isReference: Bool
    /// The text of the figure in the table: a mean, a median or a range. If there is no figure, the text states how the
    /// trials ended.
    let figure: String
    /// The text of the ratio in the table; empty if there is no ratio.
    let ratio: String
    /// The median, or the mean if the table shows means; nil if the table contains a range or no figure.
    let median: Double?
    /// The range of the samples if the table contains a range, and otherwise the range of the rounds' figures; nil if
    /// there is no figure, or if only one round has a figure.
    let span: ClosedRange<Double>?
    /// Whether the rounds distinguish the run from its reference; nil if there are too few rounds, or if the run has no
    /// reference.
    let isDistinct: Bool?
    /// Whether the rounds are too noisy to compare the run with its reference.
    var isTooNoisy = false
  }
  struct Panel: Sendable {
    /// The point of the sweep, as text; nil if no parameter is swept. In a plot of several metrics, the title is the
    /// label of the run.
    let title: String?
    let rows: [Row]
  }
  /// The metric of the plot; the first metric if the plot has several metrics.
  let metric: MetricFacts
  let title: String
  let note: String
  let panels: [Panel]
  /// The reference of the ratios, as text; nil if the plot does not show the headline metric, or if there are neither
  /// ratios nor a baseline.
  let reference: String?
  /// The labels of runs that have no row: runs that completed without a figure, and runs beyond the row limit of a
  /// panel that is shown. The runs at points that do not fit are counted in ``morePoints`` instead.
  let leftOut: [String]
  /// The number of points whose panels do not fit into the plot.
  let morePoints: Int

  /// The maximum number of rows.
  private static let mostRows = 32

  /// Creates the plot of the first shown metric that was measured; nil if no figure was measured.
  init?(_ tables: ReportTables) {
    let (index, runs) = (tables.index, tables.index.document.runs)
    func isMeasured(_ metric: MetricFacts) -> Bool {
      runs.contains { $0.metrics[metric.name].map(Self.isDrawn) ?? false }
    }
    guard let metric = tables.shown.first(where: isMeasured) else { return nil }
    self.metric = metric
    let isHeadline = metric.name == tables.shown.first?.name
    reference = isHeadline ? tables.comparison?.reference ?? index.document.scenario.baseline : nil
    let alike =
      isHeadline ? [] : tables.shown.filter { $0.kind == metric.kind && $0.unit == metric.unit && isMeasured($0) }
    guard alike.count < 3 else {
      // The metrics form a family, such as one metric for each priority.
      title = metric.kind == .latency ? "times" : "figures"
      note = "medians over the trials"
      panels = runs.indices.prefix(Self.mostRows / alike.count + 1).compactMap { run in
        let rows = alike.compactMap { Self.row($0.name, run, $0, tables, isHeadline: false) }
        return rows.isEmpty ? nil : Panel(title: index.labels[run], rows: rows)
      }
      (leftOut, morePoints) = ([], 0)
      return
    }
    title = metric.name
    note = metric.says
    (panels, leftOut, morePoints) = Self.panels(metric, tables, isHeadline: isHeadline)
    if panels.isEmpty { return nil }
  }

  /// Returns a panel for each point of the sweep, the labels of the runs without a row, and the number of points that
  /// do not fit into the plot.
  private static func panels(
    _ metric: MetricFacts, _ tables: ReportTables, isHeadline: Bool
  ) -> (panels: [Panel], leftOut: [String], morePoints: Int) {
    let (index, runs) = (tables.index, tables.index.document.runs)
    var seen: Set<[String: ParameterValue]> = []
    let swept = Set(index.swept.map(\.name))
    let points = runs.map(\.point).filter { Set($0.keys) == swept && seen.insert($0).inserted }
    var panels: [Panel] = []
    var leftOut: [String] = []
    var morePoints = 0
    for point in points.isEmpty ? [[:]] : points {
      var rows: [Row] = []
      for variant in index.document.scenario.variants {
        guard let run = index.run(variant.name, at: point), runs[run].rounds > 0 else { continue }
        if let row = row(variant.name, run, metric, tables, isHeadline: isHeadline) {
          rows.append(row)
        } else if !leftOut.contains(index.labels[run]) {
          leftOut.append(index.labels[run])
        }
      }
      guard !rows.isEmpty else { continue }
      let used = panels.reduce(0) { $0 + $1.rows.count }
      guard panels.isEmpty || used + rows.count <= Self.mostRows else {
        morePoints += 1
        continue
      }
      let label = index.swept.compactMap { parameter in point[parameter.name].map(parameter.label) }
      leftOut += rows.dropFirst(Self.mostRows).map(\.label)
      panels.append(
        Panel(title: label.isEmpty ? nil : label.joined(separator: ", "), rows: Array(rows.prefix(Self.mostRows))))
    }
    return (panels, leftOut, morePoints)
  }

  private static func isDrawn(_ samples: SampleFacts) -> Bool {
    samples.median?.isFinite == true && samples.min.value.isFinite && samples.max.value.isFinite
  }

  /// Returns the row of a run; nil if all trials of the run completed without a figure.
  private static func row(
    _ label: String, _ run: Int, _ metric: MetricFacts, _ tables: ReportTables, isHeadline: Bool
  ) -> Row? {
    let isBroken = tables.index.isWrong(run)
    let facts = tables.index.document.runs[run]
    guard let samples = facts.metrics[metric.name], isDrawn(samples) else {
      guard !facts.outcomes.incompleteKinds.isEmpty else { return nil }
      return Row(
        label: label, isBroken: isBroken, isReference: false, figure: tables.missing(run).text, ratio: "", median: nil,
        span: nil, isDistinct: nil)
    }
    let (low, high) = (samples.min.value, samples.max.value)
    let ranked = tables.index.showsMean(metric) ? samples.roundMean : nil
    return Row(
      label: label, isBroken: isBroken, isReference: isHeadline && tables.comparison?.references.contains(run) == true,
      figure: ranked.map { tables.index.cell($0, samples).text } ?? tables.figure(samples).text,
      ratio: isHeadline ? tables.ratioCell(run, metric).text : "",
      median: ranked ?? (samples.isRange ? nil : samples.median),
      span: samples.isRange ? min(low, high)...max(low, high) : samples.spread,
      isDistinct: isHeadline ? tables.comparison?.contrasts[run]?.isDistinct : nil,
      isTooNoisy: isHeadline && tables.comparison?.isTooNoisy(run) == true)
  }

  /// All values that the plot marks on the axis.
  var values: [Double] {
    panels.flatMap(\.rows).flatMap { row in [row.median, row.span?.lowerBound, row.span?.upperBound].compactMap(\.self)
    }
  }
}

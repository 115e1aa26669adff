import Laboratory
import Measurement

/// The medians of a metric, a row a run, with the rounds around them: a panel a point of what is swept.
struct DotPlot: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// Whether others are compared with it.
    let isReference: Bool
    /// What the table says of it: the median or the range, or how its trials ended where they gave no figure.
    let figure: String
    /// What the table says of it beside its reference; empty where that is nothing.
    let ratio: String
    /// Nil where the table has a range, or no figure.
    let median: Double?
    /// The lowest and the highest round, or sample where the table has a range; nil for fewer than two.
    let span: ClosedRange<Double>?
    /// Whether the rounds tell it from its reference; nil where they are too few, or there is no reference.
    let isDistinct: Bool?
    /// Whether the rounds are too noisy to say even that.
    var isTooNoisy = false
  }
  struct Panel: Sendable {
    /// The point; nil where nothing is swept.
    let title: String?
    let rows: [Row]
  }
  /// What is drawn; of several alike the first.
  let metric: MetricFacts
  let title: String
  let note: String
  let panels: [Panel]
  /// What ratios refer to; nil for nothing.
  let reference: String?
  /// Runs without a figure.
  let leftOut: [String]
  /// How many points have no room.
  let morePoints: Int

  /// More rows are no picture.
  private static let most = 32

  /// Nil where nothing was measured.
  init?(_ tables: Tables) {
    let (index, runs) = (tables.index, tables.index.document.runs)
    func isMeasured(_ metric: MetricFacts) -> Bool {
      runs.contains { $0.metrics[metric.name].map(Self.isDrawn) ?? false }
    }
    guard let metric = tables.shown.first(where: isMeasured) else { return nil }
    self.metric = metric
    let isHeadline = metric.name == tables.shown.first?.name
    reference = isHeadline ? tables.standings?.reference ?? index.document.scenario.baseline : nil
    let alike =
      isHeadline ? [] : tables.shown.filter { $0.kind == metric.kind && $0.unit == metric.unit && isMeasured($0) }
    guard alike.count < 3 else {
      // A family of figures, such as one for each priority: each variant has its own.
      title = metric.kind == .latency ? "times" : "figures"
      note = "medians over the trials"
      panels = runs.indices.prefix(Self.most / alike.count + 1).compactMap { run in
        let rows = alike.compactMap { Self.row($0.name, run, $0, tables, isHeadline: false) }
        return rows.isEmpty ? nil : Panel(title: index.labels[run], rows: rows)
      }
      (leftOut, morePoints) = ([], 0)
      return
    }
    title = metric.name
    note = metric.says
    var seen: Set<[String: ParameterValue]> = []
    let swept = Set(index.swept.map(\.name))
    let all = runs.map(\.point).filter { Set($0.keys) == swept && seen.insert($0).inserted }
    let points = all.isEmpty ? [[:]] : all
    var panels: [Panel] = []
    var leftOut: [String] = []
    var morePoints = 0
    for point in points {
      var rows: [Row] = []
      for variant in index.document.scenario.variants {
        guard let run = index.run(variant.name, at: point), runs[run].rounds > 0 else { continue }
        if let row = Self.row(variant.name, run, metric, tables, isHeadline: isHeadline) {
          rows.append(row)
        } else if !leftOut.contains(index.labels[run]) {
          leftOut.append(index.labels[run])
        }
      }
      guard !rows.isEmpty else { continue }
      let used = panels.reduce(0) { $0 + $1.rows.count }
      guard panels.isEmpty || used + rows.count <= Self.most else {
        morePoints += 1
        continue
      }
      let label = index.swept.compactMap { parameter in point[parameter.name].map(parameter.label) }
      leftOut += rows.dropFirst(Self.most).map(\.label)
      panels.append(
        Panel(title: label.isEmpty ? nil : label.joined(separator: ", "), rows: Array(rows.prefix(Self.most))))
    }
    guard !panels.isEmpty else { return nil }
    (self.panels, self.leftOut, self.morePoints) = (panels, leftOut, morePoints)
  }

  private static func isDrawn(_ samples: SampleFacts) -> Bool {
    samples.median?.isFinite == true && samples.min.value.isFinite && samples.max.value.isFinite
  }

  /// A run that completed and has no figure has no row.
  private static func row(
    _ label: String, _ run: Int, _ metric: MetricFacts, _ tables: Tables, isHeadline: Bool
  ) -> Row? {
    let isBroken = tables.index.isWrong(run)
    let facts = tables.index.document.runs[run]
    guard let samples = facts.metrics[metric.name], isDrawn(samples) else {
      guard facts.outcomes.kinds.contains(where: { $0 != .completed }) else { return nil }
      return Row(
        label: label, isBroken: isBroken, isReference: false, figure: tables.missing(run).text, ratio: "", median: nil,
        span: nil, isDistinct: nil)
    }
    let (low, high) = (samples.min.value, samples.max.value)
    return Row(
      label: label, isBroken: isBroken, isReference: isHeadline && tables.standings?.references.contains(run) == true,
      figure: tables.figure(samples).text, ratio: isHeadline ? tables.standing(run, metric).text : "",
      median: samples.isRange ? nil : samples.median,
      span: samples.isRange ? min(low, high)...max(low, high) : samples.spread,
      isDistinct: isHeadline ? tables.standings?.contrasts[run]?.isDistinct : nil,
      isTooNoisy: isHeadline && tables.standings?.isTooNoisy(run) == true)
  }

  /// All values that have a place on the axis.
  var values: [Double] {
    panels.flatMap(\.rows).flatMap { row in [row.median, row.span?.lowerBound, row.span?.upperBound].compactMap(\.self)
    }
  }
}

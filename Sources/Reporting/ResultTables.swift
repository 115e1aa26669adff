import Laboratory
import Measurement

/// The tables of a result, as plain cells: what the terminal and Markdown both show.
struct ResultTables {
  let results: Results
  /// Whether more than ASCII can be shown.
  let unicode: Bool
  /// How the runs stand to each other by the headline metric.
  let comparison: Comparison?

  init(results: Results, unicode: Bool = true) {
    self.results = results
    self.unicode = unicode
    comparison = results.experiment.headline.map(results.comparison)
  }

  var headlineMetric: Metric? { results.experiment.headline }

  struct Table {
    let title: String
    let note: String
    let headings: [TextGrid.Heading]
    let rows: [[String]]
  }

  var pattern: any Pattern { results.experiment.pattern }
  private var shown: [Metric] { results.experiment.show.compactMap(pattern.metric) }
  var swept: [String] { results.experiment.sweep.map(\.name) }

  /// Runs with at least one figure; one that was never reached has no row.
  var rows: [Run] { results.runs.filter { !$0.trials.isEmpty } }

  /// The headline metric with its percentiles and the ratio to the baseline, in at most `width` cells as far as leaving
  /// out percentiles can do that; nil when nothing was measured.
  func headline(width: Int) -> Table? {
    guard let metric = shown.first else { return nil }
    let measured = rows.compactMap { run -> (Run, Summary?)? in
      let summary = run.measured(metric)?.summary
      // Where the best is sought, a setting that could not be tried is an answer too.
      return summary == nil && !results.experiment.seeksBest ? nil : (run, summary)
    }
    guard measured.contains(where: { $0.1 != nil }) else { return nil }
    let ratios = measured.map { $0.1 == nil ? failure(of: $0.0) : comparison($0.0, metric) }
    let narrower: [[Statistic]] = [
      [.min, .p50, .p90, .p99, .max], [.p50, .p90, .p99, .max], [.p50, .p99, .max], [.p50, .max], [.p50],
    ]
    let tables = narrower.map { statistics -> Table in
      // A percentile that nobody has enough samples for has no column.
      let statistics = statistics.filter { statistic in measured.contains { $0.1?[statistic] != nil } }
      var headings = labelHeadings + statistics.map { TextGrid.Heading($0.rawValue) }
      if !ratios.allSatisfy(\.isEmpty) {
        headings.append(.init("against \(comparison?.reference ?? "the best")"))
      }
      let cells = zip(measured, ratios).map { measured, ratio in
        label(measured.0) + statistics.map { text(measured.1?[$0], metric, of: measured.0) } + [ratio]
      }
      return Table(title: metric.name, note: metric.summary, headings: headings, rows: cells)
    }
    return tables.first { TextGrid(headings: $0.headings, rows: $0.rows).width + 2 <= width } ?? tables.last
  }

  /// The other metrics, one column each.
  var others: Table? {
    let metrics = shown.dropFirst().filter { metric in rows.contains { $0.measured(metric) != nil } }
    guard !metrics.isEmpty else { return nil }
    let headings = labelHeadings + metrics.map { TextGrid.Heading($0.name) }
    let cells = rows.filter { run in metrics.contains { run.measured($0) != nil } }.map { run in
      label(run) + metrics.map { figure(run, $0) }
    }
    return Table(
      title: "more", note: "the median trial's figure; a range where a trial has many samples",
      headings: headings, rows: cells)
  }

  private var labelHeadings: [TextGrid.Heading] {
    [.init("variant", .left)] + swept.map { TextGrid.Heading($0) }
  }

  private func label(_ run: Run) -> [String] {
    [run.variant.name]
      + swept.map { name in
        guard let value = run.point[name] else { return "-" }
        return pattern.parameter(name)?.describe(value) ?? "-"
      }
  }

  /// Whether a figure is so near to what timing nothing costs that it says little.
  private func isNearFloor(_ value: Double, _ metric: Metric, of run: Run) -> Bool {
    run.floor(of: metric, on: results.machine).map { NoiseFloor.isNear(value, floor: $0) } ?? false
  }

  /// What the signs in the tables mean, a line each.
  var footnotes: [String] {
    let nearFloor = shown.filter { metric in
      rows.contains { run in run.measured(metric).map { isNearFloor($0.summary.min, metric, of: run) } ?? false }
    }
    let shared = nearFloor.contains { $0.batch != nil } ? ", shared by what is timed together" : ""
    let hasMargin = !isGrid && rows.contains { comparison?[$0]?.interval != nil }
    return [
      legend,
      hasMargin ? "\(unicode ? "±" : "+-") half the 99 % interval of the ratio, over paired rounds" : nil,
      nearFloor.isEmpty
        ? nil : "~ within twice the noise floor of \(Quantity(results.machine.floor, .nanoseconds))" + shared,
    ].compactMap(\.self)
  }

  private func text(_ value: Double?, _ metric: Metric, of run: Run) -> String {
    guard let value else { return "-" }
    return Quantity(value, metric.unit).description + (isNearFloor(value, metric, of: run) ? "~" : "")
  }

  private func figure(_ run: Run, _ metric: Metric) -> String {
    guard let measured = run.measured(metric), let rounds = Summary(measured.rounds) else { return "-" }
    if metric.kind != .latency, measured.summary.count > measured.rounds.count {
      let low = text(measured.summary.min, metric, of: run)
      let high = text(measured.summary.max, metric, of: run)
      return low == high ? low : "\(low) \(unicode ? "…" : "..") \(high)"
    }
    return text(rounds.p50, metric, of: run)
  }

  /// `1.93x faster ±2 %`: the geometric mean of the rounds' ratios, with the half width of its interval.
  private func comparison(_ run: Run, _ metric: Metric) -> String {
    let mark = self.mark(run)
    guard let contrast = comparison?[run] else { return mark == bestMark ? "\(mark) best" : mark }
    let tail = mark.isEmpty ? "" : " \(mark)"
    guard let interval = contrast.interval else { return wording(contrast.ratio, metric) + tail }
    let margin = " " + interval.margin(unicode: unicode)
    return (contrast.isDistinct == false ? "within noise" : wording(contrast.ratio, metric)) + margin + tail
  }

  private func failure(of run: Run) -> String {
    run.trials.first { $0.outcome != .completed }?.outcome.name ?? "not measured"
  }

  private func wording(_ ratio: Double, _ metric: Metric) -> String {
    guard metric.kind == .latency else { return Quantity.ratio(ratio) + "x" }
    return ratio <= 1 ? Quantity.ratio(1 / ratio) + "x faster" : Quantity.ratio(ratio) + "x slower"
  }

  /// What went wrong: `wait: 9 completed, 1 hung`. What the machine does not allow is a warning, not an outcome.
  var outcomes: [String] {
    rows.compactMap { run in
      let counts = Dictionary(grouping: run.trials) { $0.outcome }.mapValues(\.count)
      guard counts.keys.contains(where: { !["completed", "unavailable"].contains($0.name) }) else { return nil }
      let parts = counts.map { outcome, count -> (String, Int) in
        if case .trapped(let signal) = outcome { return ("trapped by signal \(signal)", count) }
        return (outcome.name, count)
      }
      let merged = Dictionary(parts, uniquingKeysWith: +).sorted { $0.key < $1.key }
      return "\(run.label): " + merged.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
  }

  /// The latency metrics with enough samples to draw, and for each the runs to draw: for a sweep the best of a variant.
  var plots: [(metric: Metric, series: [(label: String, measured: Measured)])] {
    shown.filter { $0.kind == .latency }.compactMap { metric in
      let series = results.experiment.variants.compactMap { variant -> (label: String, measured: Measured)? in
        let candidates = rows.filter { $0.variant == variant }.compactMap { run in
          run.measured(metric).map { (label: run.label, measured: $0) }
        }.filter { $0.measured.summary.count >= 30 }
        return candidates.min { $0.measured.summary.p50 < $1.measured.summary.p50 }
      }
      return series.isEmpty ? nil : (metric, series)
    }
  }

  /// Whether the plots leave out points of the sweep.
  var plotsBestOnly: Bool { !results.experiment.sweep.isEmpty }
}

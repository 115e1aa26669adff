import Laboratory
import Measurement

/// What `compare` shows beyond the tables of a scenario: which setting is best, and grids of two or more parameters.
extension ResultTables {
  var bestMark: String { unicode ? "●" : "*" }
  private var nearMark: String { unicode ? "≈" : "=" }

  /// What the marks mean; nil where there are none.
  var legend: String? {
    guard let best = comparison?.best, let metric = headlineMetric else { return nil }
    return "\(bestMark) best (\(metric.better.rawValue) is better)"
      + (rows.contains { comparison?.isNearBest($0) ?? false }
        ? ", \(nearMark) these rounds do not tell it from the best" : "")
      + (isGrid ? ": \(figureText(best, metric)) at \(best.label)" : "")
  }

  /// The sign beside a run where the best is sought: the best one, and those that the rounds do not tell from it.
  func mark(_ run: Run) -> String {
    guard let comparison else { return "" }
    return comparison.best?.label == run.label ? bestMark : comparison.isNearBest(run) ? nearMark : ""
  }

  /// Whether two or more parameters are swept: then a grid a variant says more than a long list.
  var isGrid: Bool { results.experiment.seeksBest && swept.count > 1 }

  /// A table a variant: the last swept parameter across, the others down, each cell a multiple of the reference.
  var grids: [Table] {
    guard let metric = headlineMetric, let across = results.experiment.sweep.last,
      let parameter = pattern.parameter(across.name)
    else { return [] }
    let down = results.experiment.sweep.dropLast()
    let points = results.experiment.points(Array(down))
    return results.experiment.variants.map { variant in
      let headings =
        down.map { TextGrid.Heading($0.name) } + across.values.map { TextGrid.Heading(parameter.describe($0)) }
      let cells = points.map { point -> [String] in
        point.settings.map { pattern.parameter($0.name)?.describe($0.value) ?? "-" }
          + across.values.map { value in
            results.run(variant.name, at: Point(point.settings + [results.experiment.setting(across.name, value)])).map
            {
              multiple($0, metric)
            } ?? "-"
          }
      }
      let note = "\(metric.name) as a multiple of \(comparison?.reference ?? "the best"), across: \(across.name)"
      return Table(title: variant.name, note: note, headings: headings, rows: cells)
    }
  }

  private func multiple(_ run: Run, _ metric: Metric) -> String {
    // A blank where others have a mark, so that the figures line up.
    let sign = mark(run).isEmpty ? " " : mark(run)
    if let contrast = comparison?[run] { return Quantity.ratio(contrast.ratio) + sign }
    if comparison?.isReference(run) == true { return "1.00" + sign }
    return run.measured(metric) == nil ? (run.trials.first?.outcome.name ?? "-") : figureText(run, metric) + sign
  }

  private func figureText(_ run: Run, _ metric: Metric) -> String {
    run.measured(metric).map { Quantity(Summary($0.rounds)?.p50 ?? $0.summary.p50, metric.unit).description } ?? "-"
  }
}
